#!/usr/bin/env python3
"""Compares scoresheet's search results with python-chess, move by move, on some thousand games.

    python3 tools/brute/compare.py target/release/scoresheet testdata/lichess-sample.pgn [GAMES]

Adds seeded clocks and evaluations to the first games, imports them, and compares the results of the same queries: moves
with captures, checks and mates, sacrifices on h7, material, mates by piece, clocks, mistakes and accuracy, players,
results. Prints a line for each query. The exit code is 1 if any results differ. Needs python-chess (GPL), which no
released file uses.
"""

import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import chess
import chess.pgn

SIDES = (chess.WHITE, chess.BLACK)


def annotated(source, most):
    """Returns games with clocks and evaluations after most moves, and their text."""
    chance = random.Random(19)
    games, texts = [], []
    with open(source, encoding="utf-8") as file:
        while len(games) < most and (game := chess.pgn.read_game(file)) is not None:
            kind = len(games) % 4
            clocks = {side: 180.0 for side in SIDES}
            pawns = 0.2
            for node in game.mainline():
                side = not node.turn()
                # Every fourth game has neither clocks nor evaluations, and some have gaps.
                clocks[side] = max(0, clocks[side] - chance.expovariate(0.2) + 1)
                pawns += chance.gauss(0, 0.9) * (6 if chance.random() < 0.05 else 0.4)
                node.comment = ""
                if kind in (0, 1) and chance.random() < 0.999:
                    node.set_clock(int(clocks[side]))
                if kind in (0, 2) and not node.board().is_game_over() and (kind == 0 or chance.random() < 0.97):
                    mate = abs(pawns) > 12
                    score = chess.engine.Mate(3 if pawns > 0 else -3) if mate else chess.engine.Cp(round(pawns * 100))
                    node.set_eval(chess.engine.PovScore(score, chess.WHITE))
            game.headers["TimeControl"] = "180+1"
            games.append(game)
            texts.append(str(game))
    return games, "\n\n".join(texts) + "\n"


class Ply:
    """A move of a game, with the boards before and after it."""

    def __init__(self, number, ply, before, node):
        self.number, self.ply, self.before, self.move = number, ply, before, node.move
        self.node, self.after = node, node.board()

    def color(self):
        return self.before.turn

    def piece(self):
        return self.before.piece_at(self.move.from_square).symbol().upper()

    def captures(self):
        return self.before.is_capture(self.move)

    def to(self):
        return chess.square_name(self.move.to_square)

    def plain(self):
        """Returns whether it is not castling, whose target square exists only in UCI."""
        return not self.before.is_castling(self.move)


def plies(number, game):
    board = game.board()
    for ply, node in enumerate(game.mainline(), 1):
        yield Ply(number, ply, board.copy(stack=False), node)
        board.push(node.move)


def counts(board):
    found = {}
    for piece in board.piece_map().values():
        found[piece.symbol()] = found.get(piece.symbol(), 0) + 1
    return found


def moves(color, piece, to, captures=False, check=False, mate=False, promotion=None):
    def fits(ply):
        return (
            ply.color() == color
            and ply.plain()
            and ply.piece() == piece
            and ply.to() == to
            and (not captures or ply.captures())
            and (not check or ply.after.is_check())
            and (not mate or ply.after.is_checkmate())
            and (promotion is None or ply.move.promotion == promotion)
        )

    return fits


def material(white, black):
    """Returns the pieces with the minimum and maximum of each; other pieces must be absent."""

    def fits(ply):
        found = counts(ply.after)
        limits = {**{key: (1, 1) for key in "Kk"}, **white, **black}
        return all(
            limits.get(key, (0, 0))[0] <= found.get(key, 0) <= limits.get(key, (0, 0))[1] for key in "PNBRQKpnbrqk"
        )

    return fits


# Evaluations, from the description in crates/query/src/measure/accuracy.rs and not its code.


def centipawns(score):
    return max(-1000, min(1000, score.score(mate_score=100_000)))


def chances(value):
    return 2 / (1 + math.exp(-0.00368208 * value)) - 1


def judged(before, after, side):
    """Returns 0 to 3: no mistake, an inaccuracy, a mistake, a blunder."""
    before, after = (before, after) if side == chess.WHITE else (-before, -after)
    if before.mate() is None and after.mate() is None:
        lost = 50 * (chances(before.score()) - chances(after.score()))
        return 3 if lost >= 15 else 2 if lost >= 10 else 1 if lost >= 5 else 0
    if before.mate() is None:
        if after.mate() > 0:
            return 0
        behind = -before.score()
        return 1 if behind > 999 else 2 if behind > 700 else 3
    if after.mate() is None:
        if before.mate() < 0:
            return 0
        ahead = after.score()
        return 1 if ahead > 999 else 2 if ahead > 700 else 3
    return 3 if before.mate() > 0 > after.mate() else 0


def evaluations(game):
    """Returns the evaluations from the starting position on, for White; checkmate on the board counts as a mate."""
    found = [chess.engine.Cp(15)]
    for node in game.mainline():
        score = node.eval()
        found.append(None if score is None else score.white())
    last = game.end()
    if len(found) > 1 and found[-1] is None and last.board().is_checkmate() and any(found[1:]):
        found[-1] = chess.engine.Mate(1 if last.turn() == chess.BLACK else -1)
    return found


def mistakes(number, game):
    scores = evaluations(game)
    if not any(score is not None for score in scores[1:]):
        return
    side = game.turn()
    for ply, (before, after) in enumerate(zip(scores, scores[1:]), 1):
        if before is not None and after is not None and judged(before, after, side):
            yield ply, judged(before, after, side), side
        side = not side


def accuracy(game):
    scores = evaluations(game)
    if all(node.eval() is None for node in game.mainline()):
        return {}
    known = []
    for score in scores:
        if score is None:
            break
        known.append(50 + 50 * chances(centipawns(score)))
    if len(known) < 2 or len(known) + 1 < len(scores):
        return {}
    size = max(2, min(8, (len(known) - 1) // 10))
    windows = [known[:size]] * (min(size, len(known)) - 2)
    windows += [known[at : at + size] for at in range(len(known) - size + 1)]
    found = {side: [] for side in SIDES}
    side = game.turn()
    for before, after, window in zip(known, known[1:], windows):
        drop = before - after if side == chess.WHITE else after - before
        value = 100.0
        if drop > 0:
            value = 103.1668100711649 * math.exp(-0.04354415386753951 * drop) - 3.166924740191411 + 1
        mean = sum(window) / len(window)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in window) / len(window))
        found[side].append((max(0.0, min(100.0, value)), max(0.5, min(12.0, deviation))))
        side = not side
    means = {}
    for side, values in found.items():
        if values:
            weighted = sum(value * weight for value, weight in values) / sum(weight for _, weight in values)
            harmonic = len(values) / sum(1 / max(1, value) for value, _ in values)
            means[side] = (weighted + harmonic) / 2
    return means


def main():
    program, source = sys.argv[1], sys.argv[2]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    games, text = annotated(source, most)
    folder = tempfile.TemporaryDirectory()
    pgn, archive = Path(folder.name, "games.pgn"), Path(folder.name, "games.bga")
    pgn.write_text(text, encoding="utf-8")

    def run(*arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout.split("\n")[:-1]

    run("import", str(pgn), "-o", str(archive), "--quiet")
    run("index", str(archive), "--signatures", "--tag-columns", "--quiet")
    failures = 0

    def report(question, ours, theirs):
        nonlocal failures
        ours, theirs = set(ours), set(theirs)
        print(f"{'same' if ours == theirs else 'DIFFERENT':<10}{len(theirs):>6}  {question}")
        if ours != theirs:
            failures += 1
            print(f"    only scoresheet: {sorted(ours - theirs)[:8]}")
            print(f"    only python-chess: {sorted(theirs - ours)[:8]}")

    def pairs(*options):
        return [tuple(map(int, line.split(":"))) for line in run("find", str(archive), "--all-plies", "--format", "pairs", *options)]

    white, black = chess.WHITE, chess.BLACK
    by_move = {
        ("--white-move", "Bxh7+"): moves(white, "B", "h7", captures=True, check=True),
        ("--white-move", "Bxh7"): moves(white, "B", "h7", captures=True),
        ("--white-move", "Bh7"): moves(white, "B", "h7"),
        ("--black-move", "Bxh2+"): moves(black, "B", "h2", captures=True, check=True),
        ("--white-move", "Qxf7#"): moves(white, "Q", "f7", captures=True, mate=True),
        ("--white-move", "Nxe5"): moves(white, "N", "e5", captures=True),
        ("--white-move", "Ne5"): moves(white, "N", "e5"),
        ("--black-move", "exd5"): lambda ply: moves(black, "P", "d5", captures=True)(ply)
        and chess.square_file(ply.move.from_square) == 4,
        ("--black-move", "Qe1#"): moves(black, "Q", "e1", mate=True),
        ("--white-move", "Rd8+"): moves(white, "R", "d8", check=True),
        ("--white-move", "e8=Q+"): moves(white, "P", "e8", check=True, promotion=chess.QUEEN),
        ("--black-move", "O-O+"): lambda ply: ply.color() == black
        and ply.before.is_kingside_castling(ply.move)
        and ply.after.is_check(),
        ("--captured", "Q", "--moved", "P"): lambda ply: ply.piece() == "P"
        and ply.captures()
        and not ply.before.is_en_passant(ply.move)
        and ply.before.piece_type_at(ply.move.to_square) == chess.QUEEN,
        ("--material", "KRP+krp+"): material({"R": (1, 1), "P": (1, 9)}, {"r": (1, 1), "p": (1, 9)}),
        ("--material", "KQPkq"): material({"Q": (1, 1), "P": (1, 1)}, {"q": (1, 1)}),
        ("--material", "KP+k"): material({"P": (1, 9)}, {}),
    }
    for piece in "PNBRQK":
        by_move["--mate", "--moved", piece] = (
            lambda piece: lambda ply: ply.after.is_checkmate() and ply.piece() == piece and ply.node.is_end()
        )(piece)
    found = {options: [] for options in by_move}
    for number, game in enumerate(games, 1):
        for ply in plies(number, game):
            for options, fits in by_move.items():
                if fits(ply):
                    found[options].append((number, ply.ply))
    for options, expected in found.items():
        report("find " + " ".join(options), pairs(*options), expected)
    swapped = found["--white-move", "Bxh7+"] + found["--black-move", "Bxh2+"]
    report("find --white-move Bxh7+ --either-color", pairs("--white-move", "Bxh7+", "--either-color"), swapped)

    judgements = [(number, *found) for number, game in enumerate(games, 1) for found in mistakes(number, game)]
    for least, name in enumerate(("inaccuracy", "mistake", "blunder"), 1):
        expected = [(number, ply) for number, ply, worst, _ in judgements if worst >= least]
        report(f"find --mistake {name}", pairs("--mistake", name), expected)
    clocks = {}
    for number, game in enumerate(games, 1):
        for ply, node in enumerate(game.mainline(), 1):
            if node.clock() is not None:
                clocks[number, ply] = node.clock()
    short = [location for location, clock in clocks.items() if clock < 10]
    report("find --clock-below 10", pairs("--clock-below", "10"), short)
    hasty = [(number, ply) for number, ply, worst, _ in judgements if worst == 3 and clocks.get((number, ply), 99) < 10]
    report("find --mistake blunder --clock-below 10", pairs("--mistake", "blunder", "--clock-below", "10"), hasty)

    columns = "game,whiteblunders,blackblunders,whitelowclock,blacklowclock,whiteaccuracy,blackaccuracy"
    rows = [json.loads(line) for line in run("list", str(archive), "--columns", columns, "--json")]
    results, expected = [], []
    for number, (game, row) in enumerate(zip(games, rows), 1):
        exact = accuracy(game)
        for side, name in ((white, "white"), (black, "black")):
            is_judged = any(node.eval() is not None for node in game.mainline())
            count = sum(1 for _, worst, color in mistakes(number, game) if worst == 3 and color == side)
            left = [clock for (at, ply), clock in clocks.items() if at == number and (ply % 2 == 1) == (side == white)] if any(
                node.clock() is not None for node in game.mainline()
            ) else []
            value = exact.get(side)
            near = value is not None and row[f"{name}accuracy"] is not None and abs(value - row[f"{name}accuracy"]) < 0.006
            results.append((number, name, row[f"{name}blunders"], row[f"{name}lowclock"], True))
            expected.append((number, name, count if is_judged else None, min(left, default=None),
                          near or value is None and row[f"{name}accuracy"] is None))
    report("blunders, lowest clock and accuracy of each side", results, expected)

    def listed(filter):
        return [int(line) for line in run("list", str(archive), "--where", filter, "--format", "numbers")]

    def numbers(fits):
        return [number for number, game in enumerate(games, 1) if fits(game.headers)]

    names = [game.headers["White"] for game in games]
    name = max(set(names), key=names.count)
    report(f"list --where 'winner = {name}'", listed(f'winner = "{name}"'), numbers(
        lambda tags: (tags["Result"], tags["White"]) == ("1-0", name) or (tags["Result"], tags["Black"]) == ("0-1", name)))
    report(f"list --where 'player = {name} and color = black and score = 0'",
           listed(f'player = "{name}" and color = black and score = 0'),
           numbers(lambda tags: tags["Black"] == name and tags["Result"] == "1-0"))
    report(f"list --where 'player = {name} and opponentelo >= 1600 and score >= 0.5'",
           listed(f'player = "{name}" and opponentelo >= 1600 and score >= 0.5'),
           numbers(lambda tags: any(
               tags[color] == name and tags.get(f"{foe}Elo", "?").isdigit() and int(tags[f"{foe}Elo"]) >= 1600
               and tags["Result"] in (win, "1/2-1/2")
               for color, foe, win in (("White", "Black", "1-0"), ("Black", "White", "0-1")))))
    return 1 if failures else 0


if __name__ == "__main__":
    import chess.engine

    sys.exit(main())
