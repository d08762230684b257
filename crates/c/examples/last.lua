-- Prints the last position of every game with LuaJIT: `luajit last.lua games.bga`. SCORESHEET_LIBRARY is the library.
local ffi = require("ffi")
ffi.cdef [[
typedef struct scoresheet_archive scoresheet_archive;
typedef struct scoresheet_game scoresheet_game;
const char *scoresheet_code_name(int32_t code);
int32_t scoresheet_open_path(const char *path, size_t length, const void *options, scoresheet_archive **archive,
                             void **error);
int32_t scoresheet_games(const scoresheet_archive *archive, uint64_t *games, void **error);
int32_t scoresheet_game_open(const scoresheet_archive *archive, uint64_t number, scoresheet_game **game, void **error);
uint32_t scoresheet_game_plies(const scoresheet_game *game);
int32_t scoresheet_game_fen(const scoresheet_game *game, uint32_t ply, char *buffer, size_t capacity, size_t *needed,
                            void **error);
void scoresheet_game_free(scoresheet_game *game);
void scoresheet_close(scoresheet_archive *archive);
]]
local library = ffi.load(os.getenv("SCORESHEET_LIBRARY") or "scoresheet")

local function checked(code)
  if code ~= 0 then error(ffi.string(library.scoresheet_code_name(code))) end
end

local path = arg[1]
local opened, games = ffi.new("scoresheet_archive *[1]"), ffi.new("uint64_t[1]")
checked(library.scoresheet_open_path(path, #path, nil, opened, nil))
local archive = ffi.gc(opened[0], library.scoresheet_close)
checked(library.scoresheet_games(archive, games, nil))
local game, fen, length = ffi.new("scoresheet_game *[1]"), ffi.new("char[2720]"), ffi.new("size_t[1]")
for number = 1, tonumber(games[0]) do
  if library.scoresheet_game_open(archive, number, game, nil) == 0 then -- otherwise deleted
    checked(library.scoresheet_game_fen(game[0], library.scoresheet_game_plies(game[0]), fen, 2720, length, nil))
    print(number .. " " .. ffi.string(fen, length[0]))
    library.scoresheet_game_free(game[0])
  end
end
