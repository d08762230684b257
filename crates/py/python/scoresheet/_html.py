"""HTML for notebooks: games with a board, archives and tables with their first rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._scoresheet import Game, Table, Tree, View

# The number of rows shown.
ROWS = 10


def _rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{'' if cell is None else escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def view(games: View) -> str:
    """Return games as a table."""
    names = ["", "White", "Black", "Result", "Date", "Event", "plies"]
    rows = [
        [game.number, *(game.get(name) for name in names[1:3]), game.result, game.get("Date"), game.get("Event"), game.plies]
        for game in games[:ROWS]
    ]
    more = f"<p>{len(games):,} games</p>"
    return f"<p><code>{escape(repr(games))}</code></p>{_rows(names, rows)}{more}"


def game(game: Game) -> str:
    """Return a game as its tags, its last position and its moves."""
    headers = game.headers
    title = f"{headers.get('White', '?')} - {headers.get('Black', '?')}, {game.result}"
    where = ", ".join(value for name in ("Event", "Site", "Date") if (value := headers.get(name)))
    start = game.position(0)
    number, white = start.fullmove_number, start.turn == "white"
    moves = []
    for index, san in enumerate(game.san):
        if white or index == 0:
            moves.append(f"<b>{number}{'.' if white else '...'}</b>")
        moves.append(escape(san))
        number, white = number + (not white), not white
    return (
        f"<div style='display:flex;gap:1em'><div>{game.svg(-1)}</div>"
        f"<div style='max-width:28em'><b>{escape(title)}</b><br>{escape(where)}<p>{' '.join(moves)}</p></div></div>"
    )


def tree(tree: Tree) -> str:
    """Return an opening tree as a table, with its position."""
    names = ["move", "games", "White", "draws", "Black", "score", "rating", "last year"]
    rows = [
        [
            move.san,
            f"{move.games:,}",
            move.white,
            move.draws,
            move.black,
            "" if move.score is None else f"{move.score:.1%}",
            move.average_rating,
            move.last_year,
        ]
        for move in tree
    ]
    return f"<div style='display:flex;gap:1em'><div>{tree.position.svg()}</div><div>{_rows(names, rows)}</div></div>"


def table(table: Table) -> str:
    """Return the column names and types of a table, and its number of games."""
    return f"<p>{len(table):,} games</p>{_rows(['column', 'type'], table.types)}"
