"""Games on the workers of Dask, each with its own archives or ranges of games: python with_dask.py games.bga .."""

import sys

import dask
import dask.dataframe as dd
import pandas as pd
import scoresheet


@dask.delayed
def part(path: str, first: int, past: int) -> pd.DataFrame:
    """Returns the games of a range; the task opens the archive."""
    return scoresheet.open(path)[first:past].table(["eco", "plies"], dictionaries=False).to_arrow().to_pandas()


STEP = 50_000
work = [(path, at, at + STEP) for path in sys.argv[1:] for at in range(0, len(scoresheet.open(path)), STEP)]
meta = part(*work[0]).compute().iloc[:0]
if __name__ == "__main__":
    games = dd.from_delayed([part(*span) for span in work], meta=meta)
    print(games.groupby("eco").plies.agg(["count", "mean"]).compute().sort_values("count", ascending=False).head(5))
