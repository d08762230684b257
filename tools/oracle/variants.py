"""Plays random games of variants with python-chess (GPL; an oracle only), for crates/chess/tests/variants.rs.

python3 tools/oracle/variants.py GAMES SEED [PLIES] | zstd -19 -o testdata/variant-games.tsv.zst

Each line is a start (G, the variant, the FEN) or a move (M, UCI, SAN, the FEN after it, the number of legal moves before
it, the result after it).
"""

import random
import sys

import chess.variant

BOARDS = {
    "Crazyhouse": chess.variant.CrazyhouseBoard,
    "Atomic": chess.variant.AtomicBoard,
    "Antichess": chess.variant.AntichessBoard,
    "Horde": chess.variant.HordeBoard,
    "Three-check": chess.variant.ThreeCheckBoard,
    "King of the Hill": chess.variant.KingOfTheHillBoard,
    "Racing Kings": chess.variant.RacingKingsBoard,
}


def main(games, seed, plies=160):
    random.seed(seed)
    for name, new_board in BOARDS.items():
        for _ in range(games):
            board = new_board()
            if name == "Antichess":
                board.castling_rights = 0  # as on Lichess
            print("G", name, board.fen(en_passant="fen"), sep="\t")
            for _ in range(plies):
                moves = list(board.legal_moves)
                if not moves:
                    break
                share = random.random()
                captures = [move for move in moves if board.is_capture(move)]
                move = random.choice(captures if captures and share < 0.3 else moves)
                san = board.san(move)
                board.push(move)
                print("M", move.uci(), san, board.fen(en_passant="fen"), len(moves), board.result(), sep="\t")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
