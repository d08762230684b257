"""Positions as tensors."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import scoresheet

numpy = pytest.importorskip("numpy")
chess = pytest.importorskip("chess", reason="python-chess is the oracle")
ALL = ["planes", "bitboards", "halfkp", "move", "legal", "turn", "castling", "en_passant", "result", "elo"]
PIECES = [(color, piece) for color in (True, False) for piece in range(1, 7)]


def expected(board: chess.Board, move: chess.Move | None, mover: bool) -> dict:
    """Returns the expected tensors of a position, from python-chess."""
    flip = mover and not board.turn
    seen = board.mirror() if flip else board
    planes = numpy.zeros((12, 8, 8), dtype=numpy.uint8)
    for plane, (color, piece) in enumerate(PIECES):
        for square in seen.pieces(piece, color):
            planes[plane, square // 8, square % 8] = 1
    bits = [int(seen.pieces(piece, color)) for color, piece in PIECES]
    names = scoresheet.move_names()

    def number(move: chess.Move) -> int:
        turned = move
        if flip:
            origin, target = chess.square_mirror(move.from_square), chess.square_mirror(move.to_square)
            turned = chess.Move(origin, target, move.promotion)
        return names.index(turned.uci())

    features = []
    for side in (True, False):
        turn = 0 if side else 63
        king = seen.king(side) ^ turn
        features.append(
            {
                king * 641 + ((piece - 1) * 2 + (color != side)) * 64 + (square ^ turn) + 1
                for color, piece in PIECES
                if piece != chess.KING
                for square in seen.pieces(piece, color)
            }
        )
    legal = numpy.zeros(len(names), dtype=numpy.uint8)
    legal[[number(move) for move in board.legal_moves]] = 1
    rights = [seen.has_kingside_castling_rights, seen.has_queenside_castling_rights]
    castling = sum(rights[bit % 2](bit < 2) << bit for bit in range(4))
    return {
        "planes": planes,
        "bitboards": numpy.array(bits, dtype=numpy.uint64),
        "halfkp": features,
        "move": -1 if move is None else number(move),
        "legal": legal,
        "turn": 0 if board.turn else 1,
        "castling": castling,
        "en_passant": -1 if board.ep_square is None else board.ep_square % 8,
    }


@pytest.mark.parametrize("mover", [False, True])
def test_tensors(archive: scoresheet.Archive, mover: bool) -> None:
    games, plies = archive.sample(300, 5)
    # The last position of a game has no move.
    games, plies = numpy.append(games, 1), numpy.append(plies, archive[0].plies)
    tensors = archive.batch(games, plies, ALL, mover=mover)
    assert {name: tensor.shape[0] for name, tensor in tensors.items()} == dict.fromkeys(ALL, 301)
    for row, (number, ply) in enumerate(zip(games.tolist(), plies.tolist())):
        game = archive.game(number)
        board = chess.Board(game.fen(ply))
        move = chess.Move.from_uci(game.moves[ply]) if ply < game.plies else None
        for name, value in expected(board, move, mover).items():
            tensor = tensors[name][row]
            if name == "halfkp":
                assert [set(side[side >= 0].tolist()) for side in tensor] == value
            else:
                assert numpy.array_equal(tensor, value), (name, number, ply)
        result = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}[game.result]
        flip = mover and not board.turn
        assert tensors["result"][row] == (-result if flip else result)
        elos = [int(game[name]) for name in ("WhiteElo", "BlackElo")]
        assert tensors["elo"][row].tolist() == (elos[::-1] if flip else elos)


def test_threads_and_out_give_the_same(archive: scoresheet.Archive) -> None:
    games, plies = archive.sample(5000, 2)
    once = archive.batch(games, plies, ALL, threads=1)
    many = archive.batch(games, plies, ALL)
    out = {name: numpy.empty_like(tensor) for name, tensor in once.items()}
    filled = archive.batch(games, plies, out=out)
    for name in ALL:
        assert numpy.array_equal(once[name], many[name]) and numpy.array_equal(once[name], out[name]), name
        assert filled[name] is out[name]
    with pytest.raises(ValueError, match="out"):
        archive.batch(games, plies, out={"planes": numpy.empty((1, 12, 8, 8), dtype=numpy.uint8)})
    with pytest.raises(ValueError, match="elements"):
        archive.batch([1], [0], out={"bitboards": numpy.empty(96, dtype=numpy.uint8)})


def test_wrong_positions(archive: scoresheet.Archive) -> None:
    for game, ply in ((0, 0), (3001, 0), (-1, 0), (2**62, 0), (1, 26), (1, -27), (0, -1), (1, -(2**63)), (1, 2**40)):
        with pytest.raises(IndexError):
            archive.batch([game], [ply])
    with pytest.raises(ValueError, match="plies"):
        archive.batch([1, 2], [1])
    with pytest.raises(ValueError, match="the tensors are planes"):
        archive.batch([1], [1], what=["nonsense"])
    with pytest.raises(TypeError):
        archive.batch([1.5], [1])
    with pytest.raises(IndexError, match="9223372036854775808"):
        archive.batch(numpy.array([2**63], dtype="u8"), [1])
    assert archive.batch(numpy.array([1], dtype="u8"), [1], "turn")["turn"].tolist() == [1]
    with pytest.raises(ValueError, match="'planes' is not in what: move"):
        archive.batch([1], [0], ["move"], out={"planes": numpy.zeros((1, 12, 8, 8), dtype=numpy.uint8)})
    assert archive.batch([], [])["planes"].shape == (0, 12, 8, 8)


def test_positions(archive: scoresheet.Archive) -> None:
    everything = [(game.number, ply) for game in archive for ply in range(game.plies)]
    positions = archive.positions()
    assert len(positions) == len(everything) and positions[0] == everything[0] and positions[-1] == everything[-1]
    games, plies = positions.locate(numpy.arange(len(positions)))
    assert list(zip(games.tolist(), plies.tolist())) == everything
    part = archive.positions(skip_plies=10, skip_last=3, mover_elo=(1700, 1900))
    selected = [
        (game.number, ply)
        for game in archive
        for ply in range(10, game.plies - 3)
        if game[("WhiteElo", "BlackElo")[ply % 2]].isdigit() and 1700 <= int(game[("WhiteElo", "BlackElo")[ply % 2]]) <= 1900
    ]
    assert [part[index] for index in range(len(part))] == selected
    with pytest.raises(IndexError):
        part[len(part)]


def test_quiet_positions(archive: scoresheet.Archive) -> None:
    few = archive[:40]
    quiet = few.positions(quiet=True, skip_plies=4)
    selected = []
    for game in few:
        board = chess.Board()
        for ply, move in enumerate(game.moves):
            move = chess.Move.from_uci(move)
            loud = board.is_check() or board.is_capture(move) or move.promotion or board.gives_check(move)
            if ply >= 4 and not loud:
                selected.append((game.number, ply))
            board.push(move)
    assert [quiet[index] for index in range(len(quiet))] == selected


def test_drops_are_quiet_if_they_give_no_check(write, tmp_path: Path) -> None:
    moves = "1. e4 d5 2. exd5 Qxd5 3. P@e4 Qe6 4. Nf3 P@h3 5. gxh3 a6 6. P@d7+ Kxd7 7. a3 *"
    archive = write(f'[Variant "Crazyhouse"]\n\n{moves}\n')
    # The moves of plies 4, 7 and 10 are drops.
    quiet = [0, 1, 4, 5, 6, 7, 9, 12]
    assert list(archive.where("variant = any").positions(quiet=True)) == [(1, ply) for ply in quiet]
    if COMMAND := os.environ.get("SCORESHEET_COMMAND"):
        options = ["1000", "--where", "variant = any", "--quiet-positions", "--format", "csv", "--columns", "ply"]
        done = subprocess.run([COMMAND, "sample", tmp_path / "own.bga", *options], capture_output=True, text=True)
        assert sorted(int(line) for line in done.stdout.split()[1:]) == quiet, done.stderr
    tensors = archive.batch([1, 1], [4, 5], ["move", "legal"])
    assert tensors["move"].tolist()[0] == -1 != tensors["move"].tolist()[1] and tensors["legal"][0].sum() > 0


def test_two_missing_bounds_are_no_condition(write) -> None:
    archive = write('[WhiteElo "2000"]\n\n1. e4 e5 *\n')
    for bounds, plies in (((None, None), [0, 1]), ((1, None), [0]), ((None, 1999), [])):
        assert list(archive.positions(mover_elo=bounds)) == [(1, ply) for ply in plies]


def test_games_without_moves_have_no_positions(write) -> None:
    archive = write('[FEN "4k3/8/8/8/8/8/8/4K2R w - - 0 1"]\n\n{[%eval 5.0]} *\n')
    assert len(archive) == 1 and len(archive.positions()) == 0
    if pyarrow := pytest.importorskip("pyarrow"):
        assert pyarrow.table(archive.table(["scores"]))["scores"].to_pylist() == [[500]]


def test_halfkp_has_a_limit_of_pieces(write) -> None:
    archive = write('[Variant "Horde"]\n\n1. e5 *\n')
    with pytest.raises(ValueError, match="more than 32 pieces"):
        archive.batch([1], [0], "halfkp")


def test_samples(archive: scoresheet.Archive) -> None:
    positions = archive.positions(skip_plies=6)
    games, plies = positions.sample(2000, 9)
    again = positions.sample(4000, 9)
    assert (games == again[0][:2000]).all() and (plies == again[1][:2000]).all()
    assert not (games == positions.sample(2000, 10)[0]).all()
    assert len(set(zip(games.tolist(), plies.tolist()))) == 2000
    every = positions.sample(10**9, 1)
    assert len(set(zip(*(array.tolist() for array in every)))) == len(positions)


def test_parts_have_no_game_in_common(archive: scoresheet.Archive) -> None:
    parts = [archive.positions(split=(part, 0.8, 3)) for part in ("train", "test")]
    games = [set(part.locate(range(len(part)))[0].tolist()) for part in parts]
    assert not games[0] & games[1] and len(games[0] | games[1]) == len({g.number for g in archive if g.plies})
    assert 0.7 < len(games[0]) / 3000 < 0.9
    lines = [{" ".join(archive.game(number).moves) for number in part} for part in games]
    assert not lines[0] & lines[1]
    with pytest.raises(ValueError):
        archive.positions(split=("valid", 0.5, 1))


def test_without_numpy(made: Path) -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "import scoresheet\n"
        f"a = scoresheet.open({str(made / 'games.bga')!r})\n"
        "games, plies = a.sample(50, 1)\n"
        "t = a.batch(games, plies)\n"
        "print(t['planes'].shape, len(t['move']), list(games)[:2] == [a.positions().sample(2, 1)[0][i] for i in (0, 1)])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "(50, 12, 8, 8) 50 True", done.stderr


def test_a_fork_has_separate_threads(archive: scoresheet.Archive) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    games, plies = archive.sample(5000, 2)
    before = archive.batch(games, plies, ["bitboards"])["bitboards"]
    child = os.fork()
    if child == 0:
        # Without a separate pool this would wait forever.
        same = numpy.array_equal(before, archive.batch(games, plies, ["bitboards"])["bitboards"])
        os._exit(0 if same and len(archive.find("e4 c5")) > 100 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_data_set_without_a_loader(made: Path) -> None:
    from scoresheet.torch import PositionDataset

    data = PositionDataset(made / "games.bga", where="elo >= 1800", skip_plies=8, split=("train", 0.9, 1))
    assert len(data) > 1000
    first = [batch["move"].tolist() for batch in data.epoch(7, 512)]
    assert first == [batch["move"].tolist() for batch in data.epoch(7, 512)]
    assert sum(len(batch) for batch in first) == len(data)
    again = pickle.loads(pickle.dumps(data))
    assert len(again) == len(data) and again[5]["move"] == data[5]["move"]


def test_a_loader_with_workers(made: Path) -> None:
    torch = pytest.importorskip("torch")
    from scoresheet.torch import PositionDataset, collate

    data = PositionDataset(made / "games.bga", skip_plies=8)

    def batches(workers: int, context: str | None = None) -> list:
        loader = torch.utils.data.DataLoader(
            data,
            batch_size=2048,
            shuffle=True,
            num_workers=workers,
            collate_fn=collate,
            generator=torch.Generator().manual_seed(5),
            multiprocessing_context=context,
        )
        return [(batch["planes"].sum().item(), batch["move"].tolist()) for batch in loader]

    alone = batches(0)
    assert alone == batches(2, "fork") == batches(2, "spawn")
    assert sum(len(move) for _, move in alone) == len(data)


def test_ratings_are_read_as_filters_read_them(write):
    ratings = [("1500?", "1720P"), ("2000.5", "-5"), ("?", "40000"), (" 1600", "+1700")]
    games = [f'[WhiteElo "{white}"]\n[BlackElo "{black}"]\n\n1. e4 *\n\n' for white, black in ratings]
    archive = write("".join(games))
    numbers = [1, 2, 3, 4]
    read = archive.batch(numbers, [0] * 4, what=["elo"])["elo"].tolist()
    assert read == [[1500, 1720], [2000, 0], [0, 0], [1600, 1700]]
    for number, (white, _) in zip(numbers, read):
        assert (number in archive.where(f"whiteelo = {white}").numbers) == (white > 0)
