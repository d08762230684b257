#!/usr/bin/env python3
"""Runs the queries of crates/sql/suite in the DuckDB of this Python, over an archive and over a list of three archives
with the same games, and compares the rows with brute force: `suite.py EXTENSION SCORESHEET CORPORA [GAMES]`.

SCORESHEET is the command, and CORPORA the folder of test games. Needs the packages chess and duckdb.
"""
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter

import duckdb

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sql" / "suite"))
import suite  # noqa: E402

# The columns of `scoresheet sql` that DuckDB computes from others.
VIEW = r"""create or replace view games as
    with texts as (select *, split_part(split_part(time_control, ':', 1), '/', -1) as control from $G),
    controls as (select *, regexp_extract(control, '^(\d+)(?:\.\d+)?(?:\+(\d+)(?:\.\d+)?)?$', ['base', 'more']) as parts
        from texts)
    select *, try_strptime(date_text, '%Y.%m.%d')::date as date, try_cast(parts.base as integer) as base_seconds,
        case when try_cast(parts.base as integer) is not null
            then coalesce(try_cast(parts.more as integer), 0) end as increment_seconds
    from controls"""

# Queries whose functions have another form in DuckDB. None: DuckDB lacks the function. A scalar reads one archive.
FORMS = {
    "fen_at": "select game_id, case when plies >= 21 then fen_at('$A', game_id, 21) end, fen_at('$A', game_id, plies)"
    " from games where game_id % 50 = 0",
    "positions": None,
    "moves": "select game_id, main_line, coalesce(line, '') from games left join (select game_id,"
    " string_agg(uci, ' ' order by ply) as line from bga_positions($L) where uci is not null group by 1)"
    " using (game_id) where start_fen is null and game_id % 100 = 0",
    "pieces": "select sum(length(board) - length(replace(board, 'P', ''))),"
    " sum(length(board) - length(replace(board, 'q', '')))"
    " from (select split_part(fen_at('$A', game_id, plies), ' ', 1) as board from games)",
    "eco_of": None,
    "subfen": """select count(*) from read_bga($L, query := '{"sub-fen": "8/8/8/3N4/8/8/8/8"}')""",
    "scoutfish": """select game_id from read_bga($L, query := '{"material": "KRPkr"}')""",
    "tree": f"select san, games, white, draws, black from bga_tree($L, \"position\" := '{suite.QGD}')",
    "hits": f"select game_id, ply from read_bga($L, \"position\" := '{suite.QGD}')",
}


def main():
    extension, command, corpora = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    most = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute(f"load '{extension}'")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text = suite.pgn_of(corpora, most)
        parts = suite.re.split(r"(?m)^(?=\[Event )", text)[1:]
        third = len(parts) // 3
        chosen = {"all": parts, "1": parts[:third], "2": parts[third : 2 * third], "3": parts[2 * third :]}
        for name, part in chosen.items():
            (folder / f"{name}.pgn").write_text("".join(part), encoding="utf-8")
            subprocess.run([command, "import", "-q", folder / f"{name}.pgn", "-o", folder / f"{name}.bga"], check=True)
        subprocess.run([command, "index", "--all", folder / "1.bga"], check=True, stdout=subprocess.DEVNULL)
        games = []
        with open(folder / "all.pgn", encoding="utf-8") as file:
            while (game := suite.chess.pgn.read_game(file)) is not None:
                games.append(suite.Game(len(games) + 1, game))
        expected = {name: suite.as_text(brute(games)) for name, _, _, brute in suite.QUERIES}
        of_archives = "[" + ", ".join(f"'{folder}/{number}.bga'" for number in (1, 2, 3)) + "]"
        failed, compared = 0, Counter()
        for archives in (f"'{folder}/all.bga'", of_archives):
            connection.execute(VIEW.replace("$G", f"read_bga({archives})"))
            for name, query, *_ in suite.QUERIES:
                query = FORMS.get(name, query.replace("reaches(brenner,", "reaches('$A', game_id,"))
                if query is None or "$A" in query and archives == of_archives:
                    continue
                query = query.replace("$A", f"{folder}/all.bga").replace("$L", archives)
                rows, wanted = suite.as_text(connection.execute(query).fetchall()), expected[name]
                if "order by" not in suite_query(name):
                    rows, wanted = sorted(rows), sorted(wanted)
                compared["a list" if archives == of_archives else "an archive"] += 1
                if rows != wanted:
                    failed += 1
                    print(f"{name}: {len(rows)} rows, brute force {len(wanted)}: {rows[:3]} {wanted[:3]}")
        print(f"DuckDB {duckdb.__version__}, {len(games)} games: {dict(compared)} compared, {failed} differ")
        assert compared["an archive"] >= 40 and compared["a list"] >= 35, compared
        sys.exit(failed > 0)


def suite_query(name):
    return next(query for known, query, *_ in suite.QUERIES if known == name)


if __name__ == "__main__":
    main()
