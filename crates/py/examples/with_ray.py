"""Games on the workers of Ray, a task for each range of games: python with_ray.py games.bga .."""

import sys

import pyarrow as pa
import ray
import scoresheet


@ray.remote
def part(path: str, first: int, past: int) -> pa.Table:
    """Counts the openings of a range in the task that reads the archive."""
    games = scoresheet.open(path)[first:past].table(["eco"], dictionaries=False).to_arrow()
    return games.group_by("eco").aggregate([("eco", "count")])


STEP = 50_000
work = [(path, at, at + STEP) for path in sys.argv[1:] for at in range(0, len(scoresheet.open(path)), STEP)]
ray.init(log_to_driver=False)
counted = pa.concat_tables(ray.get([part.remote(*span) for span in work]))
print(counted.group_by("eco").aggregate([("eco_count", "sum")]).sort_by([("eco_count_sum", "descending")]).slice(0, 5))
