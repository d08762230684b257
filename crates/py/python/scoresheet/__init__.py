"""Chess game archives: PGN databases with random access to every position.

>>> import scoresheet
>>> archive = scoresheet.open("games.bga")
>>> archive[0]["White"], archive[0].fen(2)
('BFG9k', 'rnbqkbnr/pppp1ppp/4p3/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2')

`open` returns an `Archive`, a sequence of games. `import_pgn` makes an archive from PGN files, and `ArchiveWriter` from
your own games. `read_pgn` reads PGN without an archive. Games are numbered from 1 (`archive[0]` is game 1), and plies
from 0, the starting position.
"""

from collections.abc import Mapping, Sequence

from ._frames import scan_bga
from ._scoresheet import (
    Analysis,
    Archive,
    ArchiveError,
    ArchiveWriter,
    Comment,
    DamagedError,
    DeletedError,
    Eval,
    Fault,
    Game,
    Games,
    Numbers,
    PgnReader,
    Position,
    Positions,
    PositionTable,
    QueryError,
    ScoresheetError,
    Summary,
    Table,
    Tree,
    TreeMove,
    Variation,
    View,
    __version__,
    import_pgn,
    move_names,
    open,
    read_pgn,
)

__all__ = [
    "Analysis",
    "Archive",
    "ArchiveError",
    "ArchiveWriter",
    "Comment",
    "DamagedError",
    "DeletedError",
    "Eval",
    "Fault",
    "Game",
    "Games",
    "Numbers",
    "PgnReader",
    "Position",
    "PositionTable",
    "Positions",
    "QueryError",
    "ScoresheetError",
    "Summary",
    "Table",
    "Tree",
    "TreeMove",
    "Variation",
    "View",
    "__version__",
    "import_pgn",
    "move_names",
    "open",
    "read_pgn",
    "scan_bga",
]

# Registered as sequences: they have a length, accept indexes, and iterate in order. A game is a mapping of its tags,
# but equal tags do not make games equal: it must be the same game, or games in memory with equal content.
for _sequence in (View, Numbers, Positions, Tree):
    Sequence.register(_sequence)
Mapping.register(Game)
del Mapping, Sequence, _sequence
