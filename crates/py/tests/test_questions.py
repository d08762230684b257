"""The questions that every door is asked, with the answers of the library (testdata/questions)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import scoresheet
from conftest import ROOT, SAMPLE

QUESTIONS = ROOT / "testdata" / "questions"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> scoresheet.Archive:
    """The two archives that are asked, as one."""
    folder = tmp_path_factory.mktemp("questions")
    made = []
    for source, name in [(SAMPLE, "sample.bga"), (QUESTIONS / "odd.pgn", "odd.bga")]:
        scoresheet.import_pgn(source, folder / name, progress=False)
        made.append(folder / name)
    return scoresheet.open(made)


def test_python_answers_the_questions(both: scoresheet.Archive) -> None:
    questions = json.loads((QUESTIONS / "questions.json").read_text(encoding="utf-8"))
    assert len(questions) >= 60
    for question in questions:
        found = both.find(question["ask"])
        # A view counts from 0; the games have the numbers of the set.
        assert list(found.numbers) == question["games"], question["ask"]
        plies: dict[int, list[int]] = {}
        for game, ply in found.hits:
            plies.setdefault(game, []).append(ply)
        assert list(plies.values()) == question["plies"], question["ask"]
        assert both.find(json.dumps(question["ask"])).numbers.tolist() == question["games"]


def test_a_question_among_some_games(both: scoresheet.Archive) -> None:
    last = both[3000:]
    assert list(last.find({"end": "mate"}).numbers) == [3003, 3006, 3007]
    with pytest.raises(scoresheet.QueryError) as error:
        both.find({"where": "elo >= x"})
    assert error.value.column == 19
    with pytest.raises(scoresheet.QueryError):
        both.find({"white_move": "O-O", "variations": True})


def test_what_a_fen_leaves_out_is_not_compared(both: scoresheet.Archive) -> None:
    placement = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR"
    assert len(both.find(placement)) >= len(both.find(placement + " b KQkq - 0 1")) > 0
    assert len(both.find(placement + " w KQkq - 0 1")) == 0
