#!/usr/bin/env python3
"""Queries a running server with berserk, an independent Python client of Lichess's API.

    python3 tools/berserk_check.py http://127.0.0.1:8064

Needs the package berserk and an archive of games with ratings. Exits with a message if an answer differs from
those of Lichess's explorer.
"""
import io
import sys

import berserk


def main(address):
    explorer = berserk.Client(explorer_url=address).opening_explorer

    root = explorer.get_masters_games(top_games=3, moves=5)
    games = root["white"] + root["draws"] + root["black"]
    assert games > 0 and 1 <= len(root["moves"]) <= 5 and len(root["topGames"]) <= 3, root
    first = root["moves"][0]
    after = explorer.get_masters_games(play=[first["uci"]])
    assert after["white"] + after["draws"] + after["black"] <= first["white"] + first["draws"] + first["black"], after
    by_fen = explorer.get_masters_games(position="rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    assert by_fen["opening"]["name"] == "King's Pawn Game", by_fen["opening"]

    name = root["topGames"][0]["id"]
    pgn = explorer.get_otb_master_game(name)
    assert pgn.startswith("[") and "1. " in pgn, pgn

    lichess = explorer.get_lichess_games(speeds=["blitz", "rapid", "classical", "bullet"], ratings=["1600", "1800"], history=True)
    assert {"white", "moves", "topGames", "recentGames", "history"} <= set(lichess), lichess
    assert sum(month["white"] for month in lichess["history"]) <= lichess["white"], lichess["history"]

    player = root["topGames"][0]["white"]["name"]
    found = explorer.get_player_games(player=player, color="white")
    assert found["queuePosition"] == 0 and found["moves"], found
    last = list(explorer.stream_player_games(player=player, color="white"))[-1]
    assert last["moves"] == found["moves"]
    assert all("performance" in move and "averageOpponentRating" in move for move in found["moves"]), found
    print(f"berserk {berserk.__version__}: {games} games, {player} with White {sum(found[key] for key in ('white', 'draws', 'black'))}")


if __name__ == "__main__":
    main(sys.argv[1])
