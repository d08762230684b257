#!/usr/bin/env python3
"""Tests the extension in the DuckDB of this Python: `tables.py EXTENSION ARCHIVE`.

ARCHIVE is an archive of the games below. The expected rows were written by hand from these games.
"""
import pathlib
import sys

import duckdb

GAMES = """[Event "Casual"]
[White "Anderssen"]
[Black "Kieseritzky"]
[WhiteElo "2600"]
[Result "1-0"]

1. e4 {best} e5 2. f4 exf4 3. Nf3 g5 4. Bc4 g4 5. O-O 1-0

[White "Short"]
[Black "Long"]

1. e4 c5 2. Nf3 1/2-1/2

[White "Pawn"]
[SetUp "1"]
[FEN "7k/P7/8/8/8/8/8/K7 w - - 0 1"]

1. a8=N 0-1
"""


def main():
    extension, archive = sys.argv[1:3]
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
    rows("select * from bga_tree('$A', moves := 'e4') order by san",
         ("c5", "c7c5", 1, 0, 1, 0, 0), ("e5", "e7e5", 1, 1, 0, 0, 0))
    rows("select fen_at('$A', 3, 1), fen_at(null, 3, 1)", ("N6k/8/8/8/8/8/8/K7 b - - 0 1", None))
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
    fails("select * from bga_tree('$A', \"position\" := 'x')", "")
    fails("select fen_at('$A', 9, 0)", "no game 9")
    fails("select fen_at('$A', 1, 99)", "no ply 99")
    fails("select fen_at('$A', -1, 0)", "no game -1")
    plan = connection.execute("explain select * from read_bga('$A')".replace("$A", archive)).fetchall()[0][1]
    assert "3" in plan, plan
    print(f"DuckDB {duckdb.__version__}: {tests} queries")


if __name__ == "__main__":
    main()
