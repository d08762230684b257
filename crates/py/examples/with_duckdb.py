"""Headers and moves in DuckDB, by Arrow and by Parquet: python with_duckdb.py games.bga [games.parquet]"""

import sys

import duckdb
import scoresheet

games = scoresheet.open(sys.argv[1]).table(["eco", "result", "white_elo", "plies"])
print(duckdb.sql("select eco, count(*) n, avg(plies) from games where white_elo >= 1800 group by eco order by n desc limit 5"))
if len(sys.argv) > 2:
    print(duckdb.sql(f"select eco, count(*) n from '{sys.argv[2]}' group by eco order by n desc limit 5"))
