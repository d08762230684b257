"""Compares every game with python-chess: tags, comments, NAGs, variations, clocks, FENs."""

from __future__ import annotations

import collections
import copy
import io
import os
import pickle
import re
from pathlib import Path
from random import Random

import pytest
import scoresheet
from conftest import SAMPLE, corpora

chess = pytest.importorskip("chess", reason="python-chess is the oracle")
pgn = pytest.importorskip("chess.pgn")

# The number of games from each corpus, and the maximum number of its files.
GAMES = int(os.environ.get("SCORESHEET_GAMES", "400"))
FILES = 40


def known_difference(game: scoresheet.Game, text: bytes, theirs: pgn.Game) -> str | None:
    """Returns the reason why python-chess may read a game differently, or None."""
    if theirs.errors or game.faults:
        # After an unreadable move, python-chess continues with the next word that is a move; Scoresheet keeps the rest
        # as raw text.
        return "a fault in the game"
    if b"\\" in text:
        return "python-chess keeps the backslashes of escapes in tag values"
    if any(text.count(f"[{name} ".encode()) > 1 for name, _ in game.tags):
        return "a repeated tag"
    if re.search(rb"^[ \t]+\[", text, re.MULTILINE):
        return "python-chess accepts tags only at the beginning of a line"
    if re.search(rb'^\[\w+ "[^"]*"\][ \t]+[^\s\[]', text, re.MULTILINE):
        return "python-chess drops a tag with moves on its line"
    movetext = re.sub(rb"^\s*(\[.*\s+)*", b"", text)
    if re.search(rb"\n[ \t\r]*\n\s*\S", movetext):
        return "python-chess ends a game at an empty line in its movetext"
    if movetext.split()[:1] == [b"0000"]:
        return "python-chess reads 0000 as a move"
    if game.headers.get("Result") == "*" != theirs.headers["Result"]:
        return "python-chess copies the result of the movetext to a tag without one"
    outside = re.sub(rb"\{[^}]*\}", b"", text)
    for mark, why in (
        (b";", "python-chess drops comments after a semicolon"),
        (b"\n%", "python-chess drops lines after a percent sign"),
        (b"\xef\xbb\xbf", "a byte order mark within the text"),
        (b"e.p.", "python-chess ignores 'e.p.', Scoresheet keeps it as a separate word"),
    ):
        if mark in outside:
            return why
    try:
        text.decode()
    except UnicodeDecodeError:
        return "bytes that are not UTF-8: read as Windows-1252 here, as latin-1 in the test"
    return None


def nodes(game: pgn.Game) -> list[tuple]:
    """Returns the complete content of a game of python-chess, node by node."""
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


@pytest.mark.parametrize("variant", ["Chess960", "Standard"])
def test_castling_in_a_game_from_the_standard_position(variant: str, tmp_path: Path) -> None:
    text = f'[Variant "{variant}"]\n\n1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O (4. d3 O-O) O-O *\n'
    (game,) = scoresheet.read_pgn(io.BytesIO(text.encode()))
    theirs = pgn.read_game(io.StringIO(text))
    assert theirs is not None and nodes(game.to_chess()) == nodes(theirs)
    with scoresheet.ArchiveWriter(tmp_path / "back.bga") as writer:
        writer.add(theirs)
    assert scoresheet.open(tmp_path / "back.bga")[0].events() == game.events()
    assert game.moves[6:] == ["e1g1", "e8g8"]


@pytest.mark.parametrize("name", ["My.Tag", "_x", "GreatestGameEverPlayed?"])
def test_tags_that_python_chess_does_not_accept(name: str) -> None:
    (game,) = scoresheet.read_pgn(io.BytesIO(f'[Event "x"]\n[{name} "1"]\n[Annotator "y"]\n\n1. e4 e5 *\n'.encode()))
    theirs = game.to_chess()
    assert game[name] == "1" and name not in theirs.headers
    assert theirs.headers["Annotator"] == "y" and [move.uci() for move in theirs.mainline_moves()] == game.moves


def test_a_start_without_a_tag(tmp_path: Path) -> None:
    """Games of lists of positions have no tag FEN, and the first of several tags states the start."""
    (tmp_path / "list.epd").write_text('4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "x";\n')
    scoresheet.import_pgn(tmp_path / "list.epd", tmp_path / "list.bga", progress=False)
    with scoresheet.open(tmp_path / "list.bga") as archive:
        theirs = archive[0].to_chess()
        assert theirs.board().fen() == archive[0].start_fen == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
        assert theirs.headers["SetUp"] == "1"
    fens = ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1"]
    text = "".join(f'[FEN "{fen}"]\n' for fen in fens) + "\n1. e4 *\n"
    (game,) = scoresheet.read_pgn(io.StringIO(text))
    assert game.to_chess().board().fen() == fens[0] and len(list(game.to_chess().mainline_moves())) == 1
    (plain,) = scoresheet.read_pgn(io.StringIO("1. e4 *\n"))
    assert "FEN" not in plain.to_chess().headers


def test_boards_are_searched_for_by_their_rules(tmp_path: Path) -> None:
    import chess.variant

    names = ["chess", "atomic", "antichess", "horde", "racingkings", "3check", "kingofthehill", "crazyhouse"]
    boards = [chess.variant.find_variant(name)() for name in names]
    text = "".join(f"{pgn.Game.from_board(board)}\n\n" for board in boards)
    scoresheet.import_pgn(io.StringIO(text), tmp_path / "all.bga", progress=False)
    with scoresheet.open(tmp_path / "all.bga") as archive:
        for number, board in enumerate(boards, 1):
            assert list(archive.find(board).numbers) == [number], names[number - 1]
        suicide = chess.variant.SuicideBoard()
        with pytest.raises(ValueError, match="suicide"):
            archive.find(suicide)
    with scoresheet.ArchiveWriter(tmp_path / "new.bga") as writer:
        for wrong in (pgn.Game.from_board(suicide), pgn.Game({"Event": "a\nb"})):
            with pytest.raises(ValueError, match="Suicide|line end"):
                writer.add(wrong)
        game = pgn.read_game(io.StringIO("1. e4 *"))
        assert game is not None
        game.variation(0).nags.add(256)
        writer.add(game)
    (stored,) = scoresheet.open(tmp_path / "new.bga")
    assert "$256" in stored.pgn()


def compare(path: Path, folder: Path, games: int) -> tuple[int, dict[str, int]]:
    """Compares the first games of a file. Returns the number of games compared, and the reasons for skipped ones."""
    scoresheet.import_pgn(path, folder / "own.bga", progress=False, replace=True)
    reasons: dict[str, int] = {}
    compared = 0
    with scoresheet.open(folder / "own.bga") as archive:
        read = scoresheet.read_pgn(path)
        for game, alone in zip(archive[:games], read):
            text = game.original()
            theirs = pgn.read_game(io.StringIO(text.decode("utf-8", "replace")))
            if theirs is None:
                reasons["python-chess finds no game"] = reasons.get("python-chess finds no game", 0) + 1
                continue
            reason = known_difference(game, text, theirs)
            if reason:
                reasons[reason] = reasons.get(reason, 0) + 1
                continue
            ours = game.to_chess()
            location = f"{path} game {game.number}"
            assert dict(ours.headers) == dict(theirs.headers), location
            assert nodes(ours) == nodes(theirs), location
            # FENs of the main line, and the moves that lead to them.
            board = theirs.board()
            # A game from the standard position has standard castling here, whatever its tag Variant says.
            is_chess960 = board.chess960 and board.board_fen() != chess.STARTING_BOARD_FEN
            fens, moves, sans = [board.fen(en_passant="fen")], [], []
            for move in theirs.mainline_moves():
                moves.append(board.uci(move, chess960=is_chess960))
                sans.append(board.san(move))
                board.push(move)
                fens.append(board.fen(en_passant="fen"))
            assert game.fens() == fens, location
            assert game.moves == moves, location
            assert game.san == sans, location
            assert game.headers == {k: v for k, v in theirs.headers.items() if f"[{k} ".encode() in text}, location
            for node, clock in zip(theirs.mainline(), game.clocks, strict=True):
                # python-chess ignores clocks without hours, and the remaining times that tournament managers write.
                left = re.search(r"\btl=(?:(\d+):(\d+):(\d+)|(\d+))", node.comment)
                if left:
                    # Milliseconds, or hours, minutes and seconds.
                    hours, minutes, seconds, thousandths = (int(part or 0) for part in left.groups())
                    expected = thousandths + 1000 * (3600 * hours + 60 * minutes + seconds)
                    assert clock is not None and round(clock * 1000) == expected, f"{location}: {node.comment}"
                elif node.clock() is not None or not re.search(r"%clk\s+\d+:\d+(\.\d+)?\]", node.comment):
                    assert clock == node.clock(), f"{location}: {node.comment}"
            # Compares the same games without an archive, and after conversion back from python-chess.
            assert alone.tags == game.tags and alone.events() == game.events(), location
            with scoresheet.ArchiveWriter(folder / "back.bga") as writer:
                writer.add(theirs)
            with scoresheet.open(folder / "back.bga") as back:
                assert nodes(back[0].to_chess()) == nodes(theirs), location
                assert dict(back[0].to_chess().headers) == dict(theirs.headers), location
            for rest in ("back.bga", "back.bgi"):
                (folder / rest).unlink(missing_ok=True)
            compared += 1
    return compared, reasons


@pytest.mark.parametrize("name", ["crazyhouse", "atomic", "antichess", "horde", "racingkings", "threecheck", "kingofthehill"])
def test_variants(name: str, tmp_path: Path) -> None:
    """Random games, as python-chess writes them, with its moves, legal moves, FENs and SAN."""
    import chess.variant

    new_board = chess.variant.find_variant(name)
    random = Random(7)
    text = ""
    for _ in range(5):
        board = new_board()
        if name == "antichess":
            board.castling_rights = 0  # as on Lichess
        for _ in range(60):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(random.choice(moves))
        text += f"{pgn.Game.from_board(board)}\n\n"
    (tmp_path / "variants.pgn").write_text(text)
    scoresheet.import_pgn(tmp_path / "variants.pgn", tmp_path / "variants.bga", progress=False)
    file = io.StringIO(text)
    archive = scoresheet.open(tmp_path / "variants.bga")
    for game, alone in zip(archive, scoresheet.read_pgn(io.StringIO(text)), strict=True):
        theirs = pgn.read_game(file)
        assert theirs is not None
        assert nodes(game.to_chess()) == nodes(theirs)
        board = theirs.board()
        # python-chess generates moves after the end of a game, too.
        legal = lambda: [] if board.is_variant_end() else sorted(move.uci() for move in board.legal_moves)  # noqa: E731
        fens, moves, sans, all_legal = [board.fen(en_passant="fen")], [], [], [legal()]
        for move in theirs.mainline_moves():
            moves.append(move.uci())
            sans.append(board.san(move))
            board.push(move)
            fens.append(board.fen(en_passant="fen"))
            all_legal.append(legal())
        restored = [pickle.loads(pickle.dumps(alone)), copy.deepcopy(alone), pickle.loads(pickle.dumps(game))]
        for ours in (game, alone, *restored):
            assert (ours.fens(), ours.moves, ours.fen(-1)) == (fens, moves, fens[-1])
            assert [position.fen for position in ours.positions()] == fens
        assert restored == [alone, alone, game]
        plies = range(len(fens))
        tensors = archive.batch(game.number, list(plies), "legal")["legal"]
        for ply, position in enumerate(game.positions()):
            ways = (position, pickle.loads(pickle.dumps(position)), copy.copy(position), game.position(ply), alone.position(ply))
            assert all(sorted(other.moves) == all_legal[ply] for other in ways)
            assert len(set(ways)) == 1 and {position} == set(alone.positions()[ply : ply + 1])
            without_drops = [move for move in all_legal[ply] if "@" not in move and not move.endswith("k")]
            assert sum(tensors[ply].tobytes()) == len(without_drops)
            if name not in ("crazyhouse", "threecheck"):
                assert position != scoresheet.Position(position.fen)
        # The moves of these variants are moves of chess: another may have to be told apart, and the end of the game has
        # no sign.
        if name not in ("racingkings", "threecheck", "kingofthehill"):
            assert game.san == sans
        with scoresheet.ArchiveWriter(tmp_path / "back.bga") as writer:
            writer.add(theirs)
        with scoresheet.open(tmp_path / "back.bga") as back:
            assert back[0].fens() == fens and nodes(back[0].to_chess()) == nodes(theirs)
        for rest in ("back.bga", "back.bgi"):
            (tmp_path / rest).unlink(missing_ok=True)


def test_the_sample(tmp_path: Path) -> None:
    compared, reasons = compare(SAMPLE, tmp_path, 60)
    assert compared == 60, reasons


CORPORA = corpora()


@pytest.mark.skipif(not CORPORA, reason="SCORESHEET_CORPORA names no folder with real games")
@pytest.mark.parametrize("name", CORPORA)
def test_corpora(name: str, tmp_path: Path) -> None:
    files = CORPORA[name]
    # The games are evenly distributed over the corpus.
    files = files[:: -(-len(files) // FILES)]
    compared, reasons = 0, collections.Counter[str]()
    for index, path in enumerate(files):
        share = -(-(GAMES - compared) // (len(files) - index))
        try:
            equal, why = compare(path, tmp_path, share)
        except (ValueError, OSError) as error:
            assert name == "hard", f"{path}: {error}"
            equal, why = 0, {"the import of the file failed": 1}
        compared += equal
        reasons.update(why)
    print(f"{name}: {compared} games equal, {reasons.total()} skipped: {dict(reasons)}")
    assert compared >= 30, reasons
