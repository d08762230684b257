"""Runs forty queries with five engines and compares the rows: scoresheet-sql over an archive, scoresheet-cluster with
two executors over the same games in three archives, scoresheet-sql over Parquet, DuckDB over the same Parquet, and brute
force over the PGN with python-chess.

    suite.py BIN-FOLDER CORPORA [GAMES]

BIN-FOLDER has scoresheet-sql, scoresheet-cluster and scoresheet-parquet; CORPORA is the folder of test games. Needs the
packages chess and duckdb. Without duckdb, the suite reports its absence and skips that engine.
"""

import csv
import datetime
import io
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot

try:
    import duckdb
except ImportError:
    duckdb = None

SICILIAN = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
QGD = "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3"
START = chess.STARTING_FEN


def key(board):
    """Returns the identity of a position: pieces, side to move, castling rights, legal en passant captures."""
    return (board.board_fen(), board.turn, board.clean_castling_rights(), board.ep_square if board.has_legal_en_passant() else None)


class Game:
    """A game as python-chess reads it, with independently computed columns."""

    def __init__(self, number, game):
        tag = {name: value for name, value in game.headers.items()}
        board = game.board()
        self.id, self.tag, self.moves = number, tag, list(game.mainline_moves())
        self.positions = [board.copy(stack=False)]
        self.san = []
        for move in self.moves:
            self.san.append(board.san(move))
            board.push(move)
            self.positions.append(board.copy(stack=False))
        self.keys = [key(position) for position in self.positions]
        self.plies = len(self.moves)
        self.result = tag.get("Result")
        self.white, self.black, self.event = tag.get("White"), tag.get("Black"), tag.get("Event")
        self.eco, self.opening, self.time_control = tag.get("ECO"), tag.get("Opening"), tag.get("TimeControl")
        self.termination = tag.get("Termination")
        self.white_elo, self.black_elo = rating(tag.get("WhiteElo")), rating(tag.get("BlackElo"))
        self.date = day(tag.get("Date")) or day(tag.get("UTCDate"))
        self.start_fen = tag.get("FEN")
        control = re.fullmatch(r"(\d+)(?:\.\d+)?(?:\+(\d+)(?:\.\d+)?)?", (tag.get("TimeControl") or "").split(":")[0].split("/")[-1])
        self.base = int(control[1]) if control else None
        self.increment = int(control[2] or 0) if control else None

    def fen(self, ply):
        ply = ply if ply >= 0 else self.plies + 1 + ply
        return self.positions[ply].fen(en_passant="fen") if 0 <= ply <= self.plies else None


def rating(text):
    found = re.match(r"\s*\+?(\d+)", text or "")
    number = int(found[1]) if found else 0
    return number if 0 < number < 1 << 15 else None


def day(text):
    try:
        return datetime.date(*map(int, text.split(".")))
    except (AttributeError, ValueError, TypeError):
        return None


def group(games, by, *values):
    """Returns the rows of a grouping: the keys of `by`, then the result of each function of `values` for a group."""
    groups = defaultdict(list)
    for game in games:
        groups[by(game)].append(game)
    return [
        (*(k if isinstance(k, tuple) else (k,)), *(value(members) for value in values)) for k, members in groups.items()
    ]


def first_hit(game, fen):
    position = key(chess.Board(fen))
    return game.keys.index(position) if position in game.keys else None


def reaches(game, fen):
    return first_hit(game, fen) is not None


def material(board):
    return tuple(len(board.pieces(piece, color)) for color in (True, False) for piece in range(1, 7))


def most(numbers):
    numbers = [number for number in numbers if number is not None]
    return max(numbers) if numbers else None


def openings():
    """Returns the opening of each position in the table. The first line of a position decides."""
    table = {}
    folder = Path(__file__).resolve().parents[2] / "query" / "data" / "openings"
    for path in [folder / f"{volume}.tsv" for volume in "abcde"]:
        for line in path.read_text().splitlines()[1:]:
            eco, name, moves = line.split("\t")
            board = chess.Board()
            for word in moves.split():
                if not word[0].isdigit():
                    board.push_san(word)
            table.setdefault(key(board), (eco, name))
    return table


TABLE = openings()


def opening_of(game):
    if game.start_fen:
        return None
    found = [TABLE[k] for k in game.keys if k in TABLE]
    return found[-1] if found else None


def tree(games, fen):
    position, branches = key(chess.Board(fen)), defaultdict(list)
    for game in games:
        if position in game.keys:
            ply = game.keys.index(position)
            if ply < game.plies:
                branches[game.san[ply]].append(game)
    return [
        (san, len(members), *(sum(g.result == r for g in members) for r in ("1-0", "1/2-1/2", "0-1")))
        for san, members in branches.items()
    ]


def last_has(game, pieces):
    return any(material(position) == pieces for position in game.positions)


# Name, query, the query for DuckDB (None if it is the same, False if DuckDB lacks the function), brute force. The order
# of rows is ignored unless the query specifies an order and a limit.
QUERIES = [
    ("count", "select count(*) from games", None, lambda g: [(len(g),)]),
    ("ratings", "select count(*) from games where white_elo >= 2000", None,
     lambda g: [(sum((x.white_elo or 0) >= 2000 for x in g),)]),
    ("below", "select count(*) from games where black_elo < 1500", None,
     lambda g: [(sum(x.black_elo is not None and x.black_elo < 1500 for x in g),)]),
    ("not a rating", "select count(*) from games where not (white_elo = 1500)", None,
     lambda g: [(sum(x.white_elo is not None and x.white_elo != 1500 for x in g),)]),
    ("no rating", "select count(*) from games where white_elo is null", None,
     lambda g: [(sum(x.white_elo is None for x in g),)]),
    ("both ratings", "select game_id from games where white_elo > 1900 and black_elo > 1900", None,
     lambda g: [(x.id,) for x in g if (x.white_elo or 0) > 1900 and (x.black_elo or 0) > 1900]),
    ("either rating", "select game_id from games where white_elo > 2400 or black_elo <= 1000", None,
     lambda g: [(x.id,) for x in g if (x.white_elo or 0) > 2400 or (x.black_elo or 9999) <= 1000]),
    ("between", "select count(*), max(white_elo) from games where white_elo between 1600 and 1700", None,
     lambda g: [(sum(1600 <= (x.white_elo or 0) <= 1700 for x in g),
                 most(x.white_elo for x in g if 1600 <= (x.white_elo or 0) <= 1700))]),
    ("a name", "select game_id, white, black from games where white = 'BFG9k'", None,
     lambda g: [(x.id, x.white, x.black) for x in g if x.white == "BFG9k"]),
    ("names", "select white, count(*) from games where white in ('BFG9k', 'Desmond_Wilson', 'nobody at all') group by white",
     None, lambda g: group([x for x in g if x.white in ("BFG9k", "Desmond_Wilson")], lambda x: x.white, len)),
    ("like", "select count(*) from games where opening like 'Sicilian%'", None,
     lambda g: [(sum((x.opening or "").startswith("Sicilian") for x in g),)]),
    ("like within", "select count(*) from games where opening like '%Gambit%'", None,
     lambda g: [(sum("Gambit" in (x.opening or "") for x in g),)]),
    ("like with a blank", "select count(*) from games where eco like 'B_0'", None,
     lambda g: [(sum(re.fullmatch("B.0", x.eco or "") is not None for x in g),)]),
    ("not like", "select count(*) from games where opening not like 'Sicilian%'", None,
     lambda g: [(sum(x.opening is not None and not x.opening.startswith("Sicilian") for x in g),)]),
    ("result", "select result, count(*) from games group by result", None, lambda g: group(g, lambda x: x.result, len)),
    ("won by white", "select count(*) from games where result = '1-0' and plies > 80", None,
     lambda g: [(sum(x.result == "1-0" and x.plies > 80 for x in g),)]),
    ("eco", "select eco, count(*) from games group by eco", None, lambda g: group(g, lambda x: x.eco, len)),
    ("eco and result", "select eco, result, count(*), min(plies), max(plies) from games group by eco, result having count(*) > 5",
     None, lambda g: [row for row in group(g, lambda x: (x.eco, x.result), len, lambda o: min(x.plies for x in o),
                                           lambda o: max(x.plies for x in o)) if row[2] > 5]),
    ("top", "select white, count(*) as n from games group by white order by n desc, white limit 10", None,
     lambda g: sorted(group(g, lambda x: x.white, len), key=lambda r: (-r[1], r[0]))[:10]),
    ("dates", "select count(*) from games where date >= date '2013-01-01'", None,
     lambda g: [(sum(x.date is not None and x.date >= datetime.date(2013, 1, 1) for x in g),)]),
    ("a day", "select game_id from games where date = date '2012-12-31' and white_elo > 1800", None,
     lambda g: [(x.id,) for x in g if x.date == datetime.date(2012, 12, 31) and (x.white_elo or 0) > 1800]),
    ("years", "select extract(year from date) as y, count(*) from games group by y", None,
     lambda g: group(g, lambda x: x.date.year if x.date else None, len)),
    ("no date", "select count(*) from games where date is null", None, lambda g: [(sum(x.date is None for x in g),)]),
    ("plies", "select min(plies), max(plies), sum(plies) from games", None,
     lambda g: [(min(x.plies for x in g), max(x.plies for x in g), sum(x.plies for x in g))]),
    ("short", "select game_id, plies, result from games where plies < 10 order by plies, game_id limit 7", None,
     lambda g: sorted(((x.id, x.plies, x.result) for x in g if x.plies < 10), key=lambda r: (r[1], r[0]))[:7]),
    ("numbers", "select game_id, white from games where game_id between 100 and 104 or game_id = 4000", None,
     lambda g: [(x.id, x.white) for x in g if 100 <= x.id <= 104 or x.id == 4000]),
    ("first", "select game_id, event from games order by game_id limit 3", None, lambda g: [(x.id, x.event) for x in g[:3]]),
    ("last", "select game_id from games order by game_id desc limit 3", None, lambda g: [(x.id,) for x in g[:-4:-1]]),
    ("seconds", "select base_seconds, increment_seconds, count(*) from games where base_seconds <= 180 group by 1, 2", None,
     lambda g: group([x for x in g if x.base is not None and x.base <= 180], lambda x: (x.base, x.increment), len)),
    ("a tag", "select count(*) from games where start_fen is not null", None,
     lambda g: [(sum(x.start_fen is not None for x in g),)]),
    ("joined", "select count(*) from games a join games b on a.white = b.black and a.game_id < b.game_id "
     "where a.white_elo > 1900", None,
     lambda g: (lambda later: [(sum(sum(i > x.id for i in later[x.white]) for x in g
                                    if (x.white_elo or 0) > 1900 and x.white is not None),)])(
         (lambda d: [d[x.black].append(x.id) for x in g] and d)(defaultdict(list)))),
    ("distinct", "select count(distinct white), count(distinct eco) from games", None,
     lambda g: [(len({x.white for x in g} - {None}), len({x.eco for x in g} - {None}))]),
    ("reaches", f"select game_id from games where reaches(brenner, '{SICILIAN}')", False,
     lambda g: [(x.id,) for x in g if reaches(x, SICILIAN)]),
    ("reaches and rating", f"select count(*) from games where reaches(brenner, '{ITALIAN}') and white_elo >= 1700", False,
     lambda g: [(sum(reaches(x, ITALIAN) and (x.white_elo or 0) >= 1700 for x in g),)]),
    ("reaches either", f"select count(*) from games where reaches(brenner, '{ITALIAN}') or not reaches(brenner, '{SICILIAN}')",
     False, lambda g: [(sum(reaches(x, ITALIAN) or not reaches(x, SICILIAN) for x in g),)]),
    ("fen_at", "select game_id, fen_at(brenner, 21), fen_at(brenner, -1) from games where game_id % 50 = 0", False,
     lambda g: [(x.id, x.fen(21), x.fen(-1)) for x in g if x.id % 50 == 0]),
    ("positions", "select count(distinct zobrist_at(brenner, 8)) from games", False,
     lambda g: [(len({x.keys[8] for x in g if x.plies >= 8}),)]),
    ("moves", "select game_id, array_to_string(to_san(brenner), ' '), array_to_string(to_uci(brenner), ' ') from games "
     "where start_fen is null and game_id % 100 = 0", False,
     lambda g: [(x.id, " ".join(x.san), " ".join(m.uci() for m in x.moves)) for x in g
                if not x.start_fen and x.id % 100 == 0]),
    ("pieces", "select sum(piece_counts_at(brenner, -1)['white_pawns']), sum(piece_counts_at(brenner, -1)['black_queens']) "
     "from games", False,
     lambda g: [(sum(material(x.positions[-1])[0] for x in g), sum(material(x.positions[-1])[10] for x in g))]),
    ("eco_of", "select eco_of(brenner), count(*) from games group by 1", False,
     lambda g: group(g, lambda x: (opening_of(x) or (None,))[0], len)),
    ("subfen", "select count(*) from games where matches_subfen(brenner, '8/8/8/3N4/8/8/8/8')", False,
     lambda g: [(sum(any(p.piece_at(chess.D5) == chess.Piece(chess.KNIGHT, True) for p in x.positions) for x in g),)]),
    ("scoutfish", """select game_id from games where scoutfish_query(brenner, '{"material": "KRPkr"}')""", False,
     lambda g: [(x.id,) for x in g if last_has(x, (1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1))]),
    ("tree", f"select san, games, white, draws, black from tree('{QGD}')", False, lambda g: tree(g, QGD)),
    ("hits", f"select game_id, ply from hits('{QGD}')", False,
     lambda g: [(x.id, first_hit(x, QGD)) for x in g if reaches(x, QGD)]),
]
OF_ARCHIVES = {"tree", "hits"}


def rows_of(text):
    return [tuple(row) for row in csv.reader(io.StringIO(text))][1:]


def as_text(rows):
    def cell(value):
        if value is None:
            return ""
        if isinstance(value, (list, tuple)):
            return " ".join(map(cell, value))
        if isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value)

    return [tuple(map(cell, row)) for row in rows]


def pgn_of(corpora, most_games):
    """Returns a PGN text of that many games: Lichess, tournaments, and Chess960 from set-up positions."""
    parts = [("lichess-2013-01-first70.pgn", most_games * 7 // 10), ("otb/aic_Adams.pgn", most_games * 2 // 10), ("otb/aic_Alekseev.pgn", most_games)]
    parts[1:1] = [(f"engine960/{path.name}", most_games // 40) for path in sorted((corpora / "engine960").glob("*.pgn"))[:4]]
    text, games = [], 0
    for name, share in parts:
        chosen = re.split(r"(?m)^(?=\[Event )", (corpora / name).read_text(encoding="utf-8", errors="replace"))
        chosen = [game for game in chosen if game.strip()][: min(share, most_games - games)]
        games += len(chosen)
        text += [game.rstrip() + "\n\n" for game in chosen]
    return "".join(text)


class Cluster:
    """A scheduler and two executors over the games in three archives. They run until the end of the `with` block."""

    def __init__(self, folder, work, pgn, importer):
        self.program, self.work, self.processes = folder / "scoresheet-cluster", work, []
        games = re.split(r"(?m)^(?=\[Event )", pgn.read_text(encoding="utf-8"))[1:]
        parts = [games[: len(games) // 2], games[len(games) // 2 : len(games) * 3 // 4], games[len(games) * 3 // 4 :]]
        archives = [work / f"part-{index}.bga" for index in range(len(parts))]
        for part, archive in zip(parts, archives):
            text = archive.with_suffix(".pgn")
            text.write_text("".join(part), encoding="utf-8")
            subprocess.run([importer, "import", text, "-o", archive, "-q"], check=True)
        # One archive has tag columns and signatures; the others have neither.
        subprocess.run([importer, "index", archives[0], "--tag-columns"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([importer, "index", archives[0], "--signatures"], check=True, stdout=subprocess.DEVNULL)
        listed = work / "games.json"
        subprocess.run([self.program, "manifest", *archives, "-o", listed], check=True, stdout=subprocess.DEVNULL)
        self.port = self.free_port()
        self.start("scheduler", listed, "--port", str(self.port))
        self.wait(self.port)
        for _ in range(2):
            port = self.free_port()
            self.start("executor", "--scheduler", f"127.0.0.1:{self.port}", "--port", str(port), "--threads", "2")
            self.wait(port)

    def start(self, *arguments):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(subprocess.Popen([self.program, *arguments], **quiet))

    @staticmethod
    def free_port():
        """Returns the first of two consecutive unused ports."""
        while True:
            with socket.socket() as first, socket.socket() as second:
                first.bind(("127.0.0.1", 0))
                port = first.getsockname()[1]
                try:
                    second.bind(("127.0.0.1", port + 1))
                    return port
                except OSError:
                    continue

    @staticmethod
    def wait(port):
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"nothing listens at {port}")

    def answer(self, query):
        arguments = [self.program, "query", query, "--scheduler", f"127.0.0.1:{self.port}", "--format", "csv"]
        run = subprocess.run(arguments, capture_output=True, text=True)
        return rows_of(run.stdout) if run.returncode == 0 else [("failed", run.stderr.strip())]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def main():
    folder, corpora = Path(sys.argv[1]), Path(sys.argv[2])
    most_games = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    work = Path(tempfile.mkdtemp(prefix="suite-"))
    pgn, archive, parquet = work / "games.pgn", work / "games.bga", work / "games.parquet"
    pgn.write_text(pgn_of(corpora, most_games), encoding="utf-8")
    importer = os.environ.get("SCORESHEET", "scoresheet")
    subprocess.run([importer, "import", pgn, "-o", archive, "-q"], check=True)
    subprocess.run([importer, "index", archive, "--tag-columns"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([importer, "index", archive, "--signatures"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([folder / "scoresheet-parquet", "export", archive, "-o", parquet, "-q"], check=True)
    games = []
    with open(pgn, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            games.append(Game(len(games) + 1, game))
    if duckdb is None:
        print("without DuckDB: the package duckdb is not installed")
    else:
        connection = duckdb.connect()
        connection.execute(f"create view games as select * from '{parquet}'")

    def sql(query, data):
        run = subprocess.run([folder / "scoresheet-sql", query, data, "--format", "csv"], capture_output=True, text=True)
        return rows_of(run.stdout) if run.returncode == 0 else [("failed", run.stderr.strip())]

    with Cluster(folder, work, pgn, importer) as cluster:
        failed = compare(games, archive, parquet, sql, cluster, None if duckdb is None else connection)
    sys.exit(failed > 0)


def compare(games, archive, parquet, sql, cluster, connection):
    """Returns the number of answers that differ from brute force."""
    failed, compared = 0, Counter()
    for name, query, duck, brute in QUERIES:
        expected = as_text(brute(games))
        answers = {"archive": sql(query, archive), "cluster": cluster.answer(query)}
        if name not in OF_ARCHIVES:
            answers["parquet"] = sql(query, parquet)
        if duck is not False and connection is not None:
            answers["duckdb"] = as_text(connection.execute(duck or query).fetchall())
        for engine, rows in answers.items():
            compared[engine] += 1
            ordered = "order by" in query
            # Prints and parses all values, because the engines then have the same texts.
            rows = as_text(rows)
            if (rows if ordered else sorted(rows)) != (expected if ordered else sorted(expected)):
                failed += 1
                differ = list((Counter(rows) - Counter(expected)).items())[:3], list((Counter(expected) - Counter(rows)).items())[:3]
                print(f"{name}: {engine} gives {len(rows)} rows, brute force {len(expected)}; only there, only here: {differ}")
    print(f"{len(games)} games, {len(QUERIES)} queries: {dict(compared)} compared with brute force, {failed} differ")
    return failed


if __name__ == "__main__":
    main()
