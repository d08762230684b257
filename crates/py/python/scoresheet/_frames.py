"""Lazy frames of polars, and data sets of Hugging Face."""

from __future__ import annotations

import bisect
import datetime
import io
import json
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import _scoresheet
from ._scoresheet import Archive, Table, View

if TYPE_CHECKING:
    import datasets
    import pandas
    import polars

_BATCH = 65_536


def scan_bga(
    source: View | str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    /,
    columns: str | list[str] | None = None,
    where: str | None = None,
    *,
    dictionaries: bool = False,
) -> polars.LazyFrame:
    """Return a lazy frame of polars, which reads an archive when it is collected.

    `source` is an archive, a view, or anything that `open` accepts; `columns`, `where` and `dictionaries` are the same
    as for `View.table`. Only the columns that the query uses are read. The archive evaluates the conditions of the query
    that its filters can express, and polars checks all of them again. With a limit, reading stops after enough rows.

    >>> import polars
    >>> games = scoresheet.scan_bga("games.bga")
    >>> strong = games.filter(polars.col("white_elo") >= 2000).select("white", "plies")
    >>> strong.collect().height == len(archive.where("whiteelo >= 2000"))
    True
    """
    import polars
    from polars.io.plugins import register_io_source

    view = source if isinstance(source, View) else _scoresheet.open(source)
    chosen = view[:0].table(columns, dictionaries=dictionaries)
    schema = polars.DataFrame(chosen).schema
    if where is not None:
        view = view.where(where)

    def read(
        names: list[str] | None, predicate: polars.Expr | None, rows: int | None, batch_size: int | None
    ) -> Iterator[polars.DataFrame]:
        games, left = view, rows
        # A condition may need columns that the query does not return.
        kept = chosen.names if names is None else names
        needed = kept
        if predicate is not None:
            games = _passing(games, chosen, predicate)
            needed = list(dict.fromkeys([*kept, *predicate.meta.root_names()]))
        # Without any column, polars cannot count rows.
        needed = needed or chosen.names[:1]
        size = max(1, batch_size or _BATCH)
        start = 0
        while start < len(games) and (left is None or left > 0):
            count = size if left is None or predicate is not None else min(size, left)
            frame = polars.DataFrame(games[start : start + count].table(columns, dictionaries=dictionaries)[needed])
            # Texts are categories or strings, depending on what has been read from side files before.
            frame = frame.cast({name: schema[name] for name in frame.columns})
            start += count
            if predicate is not None:
                frame = frame.filter(predicate)
            frame = frame.select(kept or needed)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            yield frame

    return register_io_source(read, schema=schema, is_pure=True)


def _passing(view: View, table: Table, predicate: polars.Expr) -> View:
    """Return the games of a view that can satisfy a condition: at least all that do."""
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # The format is polars' own, and it cannot write all expressions.
        return view
    bounds = [bound for part in _conjuncts(tree) if (bound := _game_ids(part)) is not None]
    condition = _condition(table, tree)
    if bounds and isinstance(view, Archive):
        # The numbers of an archive are in ascending order.
        indexes, number = range(len(view)), view.numbers.__getitem__
        start = bisect.bisect_left(indexes, max(low for low, _ in bounds), key=number)
        stop = bisect.bisect_right(indexes, min(high for _, high in bounds), key=number)
        view = view[start : max(start, stop)]
    return view if condition is None else view.where(condition)


# The comparisons of polars as signs of filters, and the signs with exchanged sides.
_SIGNS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MOST_ITEMS = 1000


def _condition(table: Table, tree: Any) -> str | None:
    """Return a filter that passes at least the games that satisfy a condition; None if there is no such filter."""
    match tree:
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            return _joined(" and ", [side for side in (_condition(table, left), _condition(table, right)) if side])
        case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
            return _joined(" or ", [_condition(table, left), _condition(table, right)])
        case {"Function": {"input": [subject, low, high], "function": {"Boolean": {"IsBetween": {"closed": closed}}}}}:
            signs = (">=" if closed in ("Both", "Left") else ">", "<=" if closed in ("Both", "Right") else "<")
            sides = [_compared(table, subject, sign, bound) for sign, bound in zip(signs, (low, high), strict=True)]
            return _joined(" and ", [side for side in sides if side])
        case {"Function": {"input": [subject, listed], "function": {"Boolean": {"IsIn": {"nulls_equal": False}}}}}:
            items = _items(listed)
            return _joined(" or ", [_filter(table, subject, "=", item) for item in items or ()])
        case {"Function": {"input": [subject, text], "function": {"StringExpr": "StartsWith"}}}:
            return _compared(table, subject, "^=", text)
        case {"Function": {"input": [subject, text], "function": {"StringExpr": {"Contains": {"literal": True}}}}}:
            return _compared(table, subject, "~", text)
    comparison = _comparison(tree)
    return comparison and _compared(table, *comparison)


def _joined(word: str, sides: list[str | None]) -> str | None:
    known = [side for side in sides if side is not None]
    return word.join(f"({side})" for side in known) if known and len(known) == len(sides) else None


def _comparison(tree: Any) -> tuple[Any, str, Any] | None:
    """Return the column, the sign and the constant of a comparison."""
    match tree:
        case {"BinaryExpr": {"left": {"Column": _} as left, "op": op, "right": right}} if op in _SIGNS:
            return left, _SIGNS[op], right
        case {"BinaryExpr": {"left": left, "op": op, "right": {"Column": _} as right}} if op in _SIGNS:
            sign = _SIGNS[op]
            return right, _SWAPPED.get(sign, sign), left
    return None


def _compared(table: Table, subject: Any, sign: str, literal: Any) -> str | None:
    value = _value(literal)
    return None if value is None else _filter(table, subject, sign, value)


def _filter(table: Table, subject: Any, sign: str, value: int | str | datetime.date) -> str | None:
    match subject:
        case {"Column": str(name)} if name in table:
            return table._condition(name, sign, value)
    return None


def _value(literal: Any) -> int | str | datetime.date | None:
    match literal:
        case {"Literal": {"Dyn": {"Int": int(value)}}}:
            return value
        case {"Literal": {"Scalar": {"String": str(value)}}}:
            return value
        case {"Literal": {"Scalar": {"Date": int(day)}}}:
            try:
                return datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
            except OverflowError:
                return None
        case {"Literal": {"Scalar": scalar}} if isinstance(scalar, dict):
            [(kind, value)] = scalar.items()
            return value if kind.startswith(("Int", "UInt")) and isinstance(value, int) else None
    return None


def _items(literal: Any) -> list[int | str | datetime.date] | None:
    """Return the items of a list, which polars writes in Arrow's format of streams."""
    match literal:
        case {"Literal": {"Scalar": {"List": list(stream)}}}:
            import polars

            items = polars.read_ipc_stream(io.BytesIO(bytes(stream))).to_series()
            items = items.explode() if isinstance(items.dtype, polars.List) else items
            # A missing value equals nothing.
            values = items.drop_nulls().to_list() if len(items) <= _MOST_ITEMS else []
            kinds = (int, str, datetime.date)
            plain = all(isinstance(value, kinds) and not isinstance(value, (bool, datetime.datetime)) for value in values)
            return values if plain else None
    return None


def _conjuncts(tree: Any) -> Iterator[Any]:
    match tree:
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield tree


def _game_ids(tree: Any) -> tuple[int, int] | None:
    """Return the first and the last number of the games that a condition on `game_id` admits."""
    match tree:
        case {"Function": {"input": [{"Column": "game_id"}, low, high], "function": {"Boolean": {"IsBetween": _}}}}:
            first, last = _value(low), _value(high)
            return (first, last) if isinstance(first, int) and isinstance(last, int) else None
    match _comparison(tree):
        case ({"Column": "game_id"}, sign, literal) if isinstance(number := _value(literal), int):
            match sign:
                case "=":
                    return number, number
                case "<" | "<=":
                    return 0, number
                case ">" | ">=":
                    return number, 2**63
    return None


def to_pandas(table: Table) -> pandas.DataFrame:
    """Return a table as a data frame of pandas."""
    import pandas

    if hasattr(pandas.DataFrame, "from_arrow"):
        return pandas.DataFrame.from_arrow(table)
    # Before version 3, pandas reads Arrow through pyarrow.
    import pyarrow

    return pyarrow.table(table).to_pandas()


def to_dataset(table: Table) -> datasets.Dataset:
    """Return a table as a data set of Hugging Face."""
    import datasets
    import pyarrow

    return datasets.Dataset(pyarrow.table(table._plain()))
