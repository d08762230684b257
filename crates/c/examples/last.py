#!/usr/bin/env python3
"""Prints the last position of every game with ctypes: `last.py games.bga`. SCORESHEET_LIBRARY names the library."""
import ctypes
import os
import sys

library = ctypes.CDLL(os.environ.get("SCORESHEET_LIBRARY", "libscoresheet.so.1"))
library.scoresheet_code_name.restype = ctypes.c_char_p
library.scoresheet_game_plies.restype = ctypes.c_uint32
library.scoresheet_game_plies.argtypes = [ctypes.c_void_p]


def checked(code):
    if code:
        sys.exit(library.scoresheet_code_name(code).decode())


path = os.fsencode(sys.argv[1])
archive, games, length = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_size_t()
checked(library.scoresheet_open_path(path, ctypes.c_size_t(len(path)), None, ctypes.byref(archive), None))
checked(library.scoresheet_games(archive, ctypes.byref(games), None))
for number in range(1, games.value + 1):
    game, fen = ctypes.c_void_p(), ctypes.create_string_buffer(2720)
    if library.scoresheet_game_open(archive, ctypes.c_uint64(number), ctypes.byref(game), None):
        continue  # deleted
    plies = ctypes.c_uint32(library.scoresheet_game_plies(game))
    checked(library.scoresheet_game_fen(game, plies, fen, ctypes.c_size_t(2720), ctypes.byref(length), None))
    print(number, fen.value.decode())
    library.scoresheet_game_free(game)
library.scoresheet_close(archive)
