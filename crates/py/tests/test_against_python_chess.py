"""Every game as python-chess reads it: tags, comments, NAGs, variations, clocks, FENs."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
import scoresheet
from conftest import SAMPLE, corpora

chess = pytest.importorskip("chess", reason="python-chess is the oracle")
pgn = pytest.importorskip("chess.pgn")

# So many games of each file.
GAMES = int(os.environ.get("SCORESHEET_GAMES", "60"))


def known_difference(own: scoresheet.Game, text: bytes, theirs: pgn.Game) -> str | None:
    """Returns why python-chess may read a game otherwise, if so."""
    if theirs.errors or own.faults:
        # It goes on after a move that it cannot read, with the next word that happens to be one; we keep the rest as
        # raw text.
        return "a fault in the game"
    if b"\\" in text:
        return "python-chess leaves the backslashes in tag values that the standard escapes"
    if any(text.count(f"[{name} ".encode()) > 1 for name, _ in own.tags):
        return "a tag twice"
    outside = re.sub(rb"\{[^}]*\}", b"", text)
    for mark, why in (
        (b";", "python-chess drops comments after a semicolon"),
        (b"\n%", "python-chess drops lines after a percent sign"),
        (b"\xef\xbb\xbf", "a byte order mark within the text"),
        (b"e.p.", "python-chess reads 'e.p.' as nothing, we as a word of its own"),
    ):
        if mark in outside:
            return why
    try:
        text.decode()
    except UnicodeDecodeError:
        return "bytes that are no UTF-8: read as Windows-1252 here, as latin-1 in the test"
    return None


def nodes(game: pgn.Game) -> list[tuple]:
    """Returns all that a game of python-chess says, node by node."""
    out = []
    stack: list[tuple[pgn.GameNode, int]] = [(game, 0)]
    while stack:
        node, depth = stack.pop()
        move = getattr(node, "move", None)
        out.append(
            (
                depth,
                move and move.uci(),
                " ".join(node.comment.split()),
                " ".join(getattr(node, "starting_comment", "").split()),
                frozenset(node.nags),
                node.clock(),
                str(node.eval()),
            )
        )
        stack += [(child, depth + 1) for child in reversed(node.variations)]
    return out


def compare(path: Path, folder: Path) -> tuple[int, int, dict[str, int]]:
    """Returns how many games have been compared, how many were skipped, and why."""
    scoresheet.import_pgn(path, folder / "own.bga", progress=False, replace=True)
    reasons: dict[str, int] = {}
    compared = 0
    with scoresheet.open(folder / "own.bga") as archive:
        read = scoresheet.read_pgn(path)
        for own, alone in zip(archive[:GAMES], read):
            text = own.original()
            theirs = pgn.read_game(io.StringIO(text.decode("utf-8", "replace")))
            if theirs is None:
                reasons["python-chess finds no game"] = reasons.get("python-chess finds no game", 0) + 1
                continue
            reason = known_difference(own, text, theirs)
            if reason:
                reasons[reason] = reasons.get(reason, 0) + 1
                continue
            ours = own.to_chess()
            place = f"{path} game {own.number}"
            assert dict(ours.headers) == dict(theirs.headers), place
            assert nodes(ours) == nodes(theirs), place
            # FENs of the main line, and the moves that lead to them.
            board = theirs.board()
            fens, moves, sans = [board.fen(en_passant="fen")], [], []
            for move in theirs.mainline_moves():
                moves.append(move.uci())
                sans.append(board.san(move))
                board.push(move)
                fens.append(board.fen(en_passant="fen"))
            assert own.fens() == fens, place
            assert own.moves == moves, place
            assert own.san == sans, place
            assert own.headers == {k: v for k, v in theirs.headers.items() if f"[{k} ".encode() in text}, place
            assert own.clocks == [node.clock() for node in theirs.mainline()], place
            # The same without an archive, and back from python-chess.
            assert alone.tags == own.tags and alone.events() == own.events(), place
            with scoresheet.ArchiveWriter(folder / "back.bga") as writer:
                writer.add(theirs)
            with scoresheet.open(folder / "back.bga") as back:
                assert nodes(back[0].to_chess()) == nodes(theirs), place
                assert dict(back[0].to_chess().headers) == dict(theirs.headers), place
            for rest in ("back.bga", "back.bgi"):
                (folder / rest).unlink(missing_ok=True)
            compared += 1
    return compared, sum(reasons.values()), reasons


def test_the_sample(tmp_path: Path) -> None:
    compared, _, reasons = compare(SAMPLE, tmp_path)
    assert compared == GAMES, reasons


CORPORA = corpora()


@pytest.mark.skipif(not CORPORA, reason="SCORESHEET_CORPORA names no folder with real games")
@pytest.mark.parametrize("path", CORPORA, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_corpora(path: Path, tmp_path: Path) -> None:
    try:
        compared, skipped, reasons = compare(path, tmp_path)
    except (ValueError, OSError) as error:
        pytest.skip(f"no archive comes of it: {error}")
    print(f"{path.name}: {compared} games equal, {skipped} left out: {reasons}")
