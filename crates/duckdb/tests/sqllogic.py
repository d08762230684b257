#!/usr/bin/env python3
"""Runs tests in the format of DuckDB's sqllogictest in the DuckDB of this Python: `sqllogic.py EXTENSION TEST..`.

Knows `require`, `statement ok`, `statement error` and `query`, which the tests of packaging/duckdb use. Paths in tests
begin in the current folder.
"""
import pathlib
import sys

import duckdb


def main():
    extension, tests = sys.argv[1], sys.argv[2:]
    for test in tests:
        connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        lines = [line for line in pathlib.Path(test).read_text().splitlines() if not line.startswith("#")]
        blocks = [block.split("\n") for block in "\n".join(lines).split("\n\n") if block.strip()]
        for block in ([line for line in block if line] for block in blocks):
            command = block[0].split()
            if command[0] == "require":
                connection.execute(f"load '{extension}'")
                continue
            end = block.index("----") if "----" in block else len(block)
            query, expected = "\n".join(block[1:end]), block[end + 1 :]
            try:
                found = connection.execute(query).fetchall()
            except duckdb.Error as error:
                assert command[:2] == ["statement", "error"] and "\n".join(expected) in str(error), f"{query}\n{error}"
                continue
            assert command[:2] != ["statement", "error"], f"no error: {query}"
            if command[0] == "query":
                assert all(len(row) == len(command[1]) for row in found), query
                rows = ["\t".join("NULL" if value is None else str(value) for value in row) for row in found]
                assert rows == expected, f"{query}\n{rows}\n{expected}"
        print(f"{pathlib.Path(test).name}: {len(blocks)} statements in DuckDB {duckdb.__version__}")


if __name__ == "__main__":
    main()
