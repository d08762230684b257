#!/usr/bin/env python3
"""Tests the extension in the DuckDB of this Python: `tables.py EXTENSION ARCHIVE FOLDER COMMAND`.

ARCHIVE is an archive of the games below. The expected rows were written by hand from these games.
The archives of FOLDER, intact and damaged, give rows or an error with a text. COMMAND is `scoresheet`.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import duckdb

GAMES = """[Event "Casual"]
[White "Anderssen"]
[Black "Kieseritzky"]
[WhiteElo "2600"]
[Result "1-0"]

1. e4 {best} e5 2. f4 exf4 3. Nf3 g5 4. Bc4 g4 5. O-O 1-0

[White "Short"]
[Black "Long"]

1. e4 {[%eval 0.3] [%clk 0:03:00.5]} c5 {[%clk 0:02:58] [%eval #-4]} 2. Nf3 {[%eval 999]} 1/2-1/2

[White "Pawn"]
[SetUp "1"]
[FEN "7k/P7/8/8/8/8/8/K7 w - - 0 1"]

1. a8=N 0-1
"""


def games(connection, path):
    """Return the number of games in an archive whose games can all be read, or None."""
    try:
        return connection.execute(f"select count(white) from '{path}'").fetchone()[0]
    except duckdb.Error:
        return None


def main():
    extension, archive, folder_of_faults, command = sys.argv[1:5]
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"load '{extension}'")
    tests = 0

    def rows(query, *expected):
        nonlocal tests
        found = connection.execute(query.replace("$A", archive)).fetchall()
        assert found == list(expected), f"{query}\n{found}\n{list(expected)}"
        tests += 1

    def fails(query, text):
        nonlocal tests
        try:
            connection.execute(query.replace("$A", archive)).fetchall()
        except duckdb.Error as error:
            assert text in str(error), f"{query}\n{error}"
        else:
            raise AssertionError(f"no error: {query}")
        tests += 1

    rows("select count(*) from read_bga('$A')", (3,))
    rows("select count(*) from '$A'", (3,))
    rows("select white, result, white_elo, plies from '$A' order by game_id",
         ("Anderssen", "1-0", 2600, 9), ("Short", "1/2-1/2", None, 3), ("Pawn", "0-1", None, 1))
    rows("select plies, game_id from '$A' where white = 'Short'", (3, 2))
    rows("select event, site, eco, black from '$A' where game_id = 1", ("Casual", None, None, "Kieseritzky"))
    rows("select game_id, start_fen from '$A' where start_fen is not null", (3, "7k/P7/8/8/8/8/8/K7 w - - 0 1"))
    rows("select main_line from '$A' where game_id = 2", ("e4 c5 Nf3",))
    rows("""select game_id from read_bga('$A', "where" := 'elo >= 2500')""", (1,))
    rows("select game_id, ply from read_bga('$A', moves := 'e4 c5')", (2, 2))
    rows("select game_id, ply from read_bga('$A', \"position\" := '7k/P7/8/8/8/8/8/K7 w')", (3, 0))
    rows("select game_id from read_bga('$A', games := '2-3') order by 1", (2,), (3,))
    rows("""select game_id from read_bga('$A', query := '{"moves": "e4", "limit": 1}')""", (1,))
    rows("select count(*), max(ply) from bga_positions('$A')", (16, 9))
    rows("select ply, san, uci, fen from bga_positions('$A', games := '3') order by ply",
         (0, None, None, "7k/P7/8/8/8/8/8/K7 w - - 0 1"), (1, "a8=N", "a7a8n", "N6k/8/8/8/8/8/8/K7 b - - 0 1"))
    positions = "from bga_positions('$A', games := '2') order by ply"
    rows(f"select ply, move, score, result, wdl, clock {positions}",
         (0, "e2e4", None, "1/2-1/2", 0.5, None), (1, "c7c5", 30, "1/2-1/2", 0.5, 180.5),
         (2, "g1f3", -31992, "1/2-1/2", 0.5, 178.0), (3, None, 32767, "1/2-1/2", 0.5, None))
    rows(f"select move, ply, score {positions} limit 1", ("e2e4", 0, None))
    rows("select game_id, max(wdl), count(score) from bga_positions('$A') group by 1 order by 1",
         (1, 1.0, 0), (2, 0.5, 3), (3, 0.0, 0))
    rows("""select count(*) from bga_positions('$A') a join bga_positions('$A') b
            on a.game_id = b.game_id and a.ply + 1 = b.ply where a.move <> b.uci""", (0,))
    rows("select * from bga_tree('$A', moves := 'e4') order by san",
         ("c5", "c7c5", 1, 0, 1, 0, 0), ("e5", "e7e5", 1, 1, 0, 0, 0))
    rows("select fen_at('$A', 3, 1), fen_at(null, 3, 1)", ("N6k/8/8/8/8/8/8/K7 b - - 0 1", None))
    fen = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    rows(f"select game_id from '$A' where reaches('$A', game_id, '{fen}')", (2,))
    rows(f"select reaches('$A', 1, '{fen}'), reaches('$A', null, '{fen}')", (False, None))
    rows(f"select san('{fen}', 'g1f3'), uci('{fen}', 'Nf3'), san(null, 'e4'), uci('{fen}', 'd2d4')",
         ("Nf3", "g1f3", None, "d2d4"))
    rows("""select count(*) from (select *, lag(fen) over (partition by game_id order by ply) as before
            from bga_positions('$A')) where san(before, uci) <> san or uci(before, san) <> uci""", (0,))
    folder = str(pathlib.Path(archive).parent)
    rows(f"select count(*) from read_bga('{folder}/g?mes.bga')", (3,))
    rows(f"select count(*) from '{folder}/games*.bga'", (3,))
    rows("select count(*), max(game_id) from read_bga(['$A', '$A'])", (6, 6))
    rows(f"select count(*) from read_bga(['$A', '{folder}', '{folder}/g*.bga'])", (9,))
    rows("select game_id, white from read_bga(['$A', '$A'], games := '2,5') order by 1", (2, "Short"), (5, "Short"))
    rows("select san, games from bga_tree(['$A', '$A'], moves := 'e4') order by san", ("c5", 2), ("e5", 2))
    rows("select count(*) from bga_positions(list_value('$A', '$A', '$A'))", (48,))
    rows("""select count(*) from bga_positions('$A') as p
            where p.fen <> fen_at('$A', p.game_id, p.ply)""", (0,))
    rows("select white from '$A' semi join (select 2 as game_id) using (game_id)", ("Short",))

    fails("select * from read_bga('/no/such/file.bga')", "/no/such/file.bga")
    fails(f"select * from read_bga('{pathlib.Path(__file__)}')", "archive")
    fails("select * from read_bga(null)", "")
    fails("""select * from read_bga('$A', "where" := 'elo >')""", "column 6")
    fails("select * from read_bga('$A', \"position\" := 'x')", "")
    fails("select * from read_bga('$A', \"position\" := 'startpos', moves := 'e4')", "exclude")
    fails("select * from read_bga('$A', games := '9-')", "")
    fails("select * from read_bga('$A', query := '[]')", "")
    fails("select * from read_bga('$A', query := '{\"moves\": \"e4\"}', moves := 'd4')", "as a member")
    fails("select * from read_bga('$A', query := '{\"games\": \"1\"}', games := '2')", "leave out games")
    fails("select * from bga_tree('$A', \"position\" := 'x')", "")
    fails("select * from read_bga('/no/such/*.bga')", "no file matches")
    fails("select * from read_bga([])", "the list of paths is empty")
    fails("select * from read_bga(['$A', null])", "NULL")
    fails("select * from read_bga(['$A', '/no/such/file.bga'])", "/no/such/file.bga")
    fails("select * from read_bga(['$A', '/no/such/*.bga'])", "no file matches")
    fails("select * from read_bga([['$A']])", "")
    fails("select * from read_bga(7)", "")
    fails("select * from read_bga({'path': '$A'})", "")
    fails("select san('startpos', 'e4')", "")
    fails(f"select san('{fen}', 'e6')", "not a legal move")
    fails(f"select reaches('$A', 9, '{fen}')", "no game 9")
    fails("select reaches('$A', 1, 'x')", "")
    fails("select fen_at('$A', 9, 0)", "no game 9")
    rows("select fen_at('$A', 1, 99), fen_at('$A', 1, -1)", (None, None))
    rows("select count(fen_at('$A', game_id, 3)) from '$A'", (2,))
    fails("select * from bga_tree('$A', \"position\" := '8/8/8/8/8/8/8/K6k')", "castling rights")
    fails("select fen_at('$A', -1, 0)", "no game -1")
    refused = 0
    for path in sorted(pathlib.Path(folder_of_faults).rglob("*.bga")):
        queries = [
            f"select count(*), max(plies) from (select * from read_bga('{path}'))",
            f"select max(ply), max(fen) from bga_positions('{path}')",
            f"select max(score), max(wdl), max(clock), max(move) from bga_positions('{path}')",
            f"select sum(games) from bga_tree('{path}', moves := 'e4')",
            f"select fen_at('{path}', 1, 0)",
            f"select reaches('{path}', 1, '{fen}')",
        ]
        for query in queries:
            try:
                connection.execute(query).fetchall()
            except duckdb.Error as error:
                assert str(error) and "defect" not in str(error), f"{query}\n{error}"
                refused += 1
            tests += 1
    assert refused > 50, refused
    rows("select count(*) from '$A'", (3,))

    # Archives stay open between queries, and are opened anew after a change.
    with tempfile.TemporaryDirectory() as folder:
        changing = pathlib.Path(folder, "changing.bga")
        count = f"select count(*), max(white) from '{changing}'"
        shutil.copy(archive, changing)
        rows(count, (3, "Short"))
        if sys.platform == "linux":
            assert str(changing) in pathlib.Path("/proc/self/maps").read_text()
        other = next(path for path in sorted(pathlib.Path(folder_of_faults).rglob("*.bga")) if games(connection, path) not in (None, 3))
        expected = connection.execute(f"select count(*), max(white) from '{other}'").fetchall()
        shutil.copy(other, changing)
        rows(count, *expected)
        shutil.copy(archive, pathlib.Path(folder, "next.bga"))
        pathlib.Path(folder, "next.bga").replace(changing)
        rows(count, (3, "Short"))
        changing.unlink()
        fails(count, "changing.bga")

        # An archive that lost its end is no shorter table.
        cut = pathlib.Path(folder, "cut.bga")
        cut.write_bytes(pathlib.Path(archive).read_bytes()[:-100])
        for query in ("select count(*) from '{}'", "select count(*) from bga_positions('{}')", "select * from bga_tree('{}')"):
            fails(query.format(cut), "truncated")

        # The FEN of Three-check counts checks.
        pgn = pathlib.Path(folder, "checks.pgn")
        pgn.write_text('[Variant "Three-check"]\n\n1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 4. Qh5+ *\n')
        checks = pathlib.Path(folder, "checks.bga")
        subprocess.run([command, "import", "-q", pgn, "-o", checks], check=True)
        rows(f"select count(*) from bga_positions('{checks}') where fen is distinct from fen_at('{checks}', game_id, ply)", (0,))
        rows(f"select ply from bga_positions('{checks}') where fen ~ '.* [12][+]3 .*'", *((ply,) for ply in (5, 6, 7)))
        rows(f"""select game_id from read_bga('{checks}', "position" := fen_at('{checks}', 1, 5))""", (1,))

        # Long texts are lent to DuckDB: rows that are read later, and kept chunks, have them although their archive has
        # been replaced, closed and removed.
        pgn = pathlib.Path(folder, "long.pgn")
        number = 20_000
        pgn.write_text("".join(f'[White "A player with a long name {game}"]\n\n*\n\n' for game in range(number)))
        lent = pathlib.Path(folder, "lent.bga")
        subprocess.run([command, "import", "-q", pgn, "-o", lent], check=True)
        subprocess.run([command, "index", "-q", "--tag-columns", lent], check=True)
        expected = [(f"A player with a long name {game}",) for game in range(number)]
        names = f"select white from '{lent}' order by game_id"
        later = connection.cursor().execute(names.split(" order")[0])
        first = later.fetchmany(10)
        sorted_names = connection.cursor().execute(names)
        kept = connection.cursor().execute(names)
        lent.unlink()
        shutil.copy(archive, lent)
        for other in range(12):
            shutil.copy(archive, pathlib.Path(folder, f"{other}.bga"))
            rows(f"select count(white) from '{pathlib.Path(folder, f'{other}.bga')}'", (3,))
        assert sorted(first + later.fetchall()) == sorted(expected)
        assert sorted_names.fetchall() == expected
        connection.execute(f"select white from '{lent}'").fetchall()
        assert kept.fetchall() == expected
        tests += 3

    plan = connection.execute("explain select * from read_bga('$A')".replace("$A", archive)).fetchall()[0][1]
    assert "3" in plan, plan
    print(f"DuckDB {duckdb.__version__}: {tests} queries")


if __name__ == "__main__":
    main()
