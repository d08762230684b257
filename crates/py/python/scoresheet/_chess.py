"""Converts games to python-chess and back."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from . import _scoresheet

if TYPE_CHECKING:
    import chess.pgn

    from ._scoresheet import Game


def to_chess(game: Game) -> chess.pgn.Game:
    """Return a game of python-chess, built with calls of its PGN reader's builder."""
    import chess
    import chess.pgn

    builder = chess.pgn.GameBuilder()
    builder.begin_game()
    builder.begin_headers()
    headers = builder.game.headers
    for name, value in game.tags:
        # The first of several such tags states the start and the rules.
        if name not in ("FEN", "Variant") or name not in headers:
            # python-chess rejects some names and line breaks in values.
            with contextlib.suppress(ValueError):
                builder.visit_header(name, value)
    builder.end_headers()
    built = builder.game
    try:
        board = built.board()
        # Games of lists of positions and of training data have no tag FEN.
        if "FEN" not in headers and board.fen(en_passant="fen").split()[:4] != game.start_fen.split()[:4]:
            headers["SetUp"], headers["FEN"] = "1", game.start_fen
            board = built.board()
    except ValueError:
        # python-chess rejects this FEN, and reports it when the caller requests the board.
        board = chess.Board()
    from_uci = chess.Move.from_uci
    # python-chess follows the tag Variant, even if the game starts from the standard position.
    for kind, value in game._events(board.chess960):
        if kind == "move":
            builder.visit_move(board, from_uci(value))
        elif kind == "comment":
            builder.visit_comment(value)
        elif kind == "nag":
            builder.visit_nag(value)
        elif kind == "open":
            builder.begin_variation()
        else:
            builder.end_variation()
    builder.visit_result(game.result)
    builder.end_game()
    return builder.result()


def from_chess(game: chess.pgn.Game) -> Game:
    """Convert a game of python-chess."""
    import chess.pgn

    class Collector(chess.pgn.BaseVisitor[None]):
        def __init__(self) -> None:
            self.tags: list[tuple[str, str]] = []
            self.events: list[tuple[str, Any]] = []

        def visit_header(self, tagname: str, tagvalue: str) -> None:
            self.tags.append((tagname, tagvalue))

        def visit_move(self, board: chess.Board, move: chess.Move) -> None:
            self.events.append(("move", move.uci()))

        def visit_nag(self, nag: int) -> None:
            self.events.append(("nag", nag))

        def visit_comment(self, comment: Any) -> None:
            # Later versions have several comments at one node.
            for text in [comment] if isinstance(comment, str) else comment:
                if text:
                    self.events.append(("comment", text))

        def begin_variation(self) -> None:
            self.events.append(("open", None))

        def end_variation(self) -> None:
            self.events.append(("close", None))

        def result(self) -> None:
            return None

    collector = Collector()
    game.accept(collector)
    result = game.headers.get("Result", "*")
    return _scoresheet._game_of_events(collector.tags, collector.events, result)
