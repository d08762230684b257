"""The questions for every interface, with the answers of the library (testdata/questions)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import scoresheet
from conftest import ROOT, SAMPLE

QUESTIONS = ROOT / "testdata" / "questions"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> scoresheet.Archive:
    """Returns the two archives of the questions as one."""
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
        # A view is indexed from 0; the games have their numbers in the set.
        assert list(found.numbers) == question["games"], question["ask"]
        plies: dict[int, list[int]] = {}
        for game, ply in found.hits:
            plies.setdefault(game, []).append(ply)
        assert list(plies.values()) == question["plies"], question["ask"]
        assert both.find(json.dumps(question["ask"])).numbers.tolist() == question["games"]


def test_what_engines_say(both: scoresheet.Archive) -> None:
    first = both.game(3013).analysis[0]
    assert (first.ply, str(first.eval), first.depth, first.selective_depth) == (1, "0.25", 30, 41)
    assert (first.nodes, first.time, first.clock) == (459_000_000, 5.1, 299.9)
    assert (first.pv, first.pv_ply) == (["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"], 0)
    assert first == both.game(3013).analysis[0] != both.game(3013).analysis[1]
    assert both.game(3001).analysis == []
    found = both.find("e4 e5 Nf3 Nc6 Bb5 a6", in_pv=True)[-1:]
    assert list(found.numbers) == [3013]
    found = both.find({"end": "mate", "where": "event = Engines", "in_pv": True})
    assert found.hits.tolist() == [(3015, 4)] and found.pv_depths == [3]
    table = both[3012:].table(["game_id", "depths", "nodes", "times", "pvs"])
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table(table).to_pylist()
    assert (rows[0]["depths"], rows[0]["times"]) == ([30, 18, 31, 19], [5100, 8000, 4000, 7000])
    assert rows[1]["nodes"] == [1_500_000, 1_400_000, None, None] and rows[1]["pvs"][2:] == [None, None]
    assert rows[2]["pvs"][0] == ["e5", "g4", "Qh4#"]


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
