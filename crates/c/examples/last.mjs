// Prints the last position of every game with koffi: `node last.mjs games.bga`. SCORESHEET_LIBRARY names the library.
import koffi from 'koffi'

const library = koffi.load(process.env.SCORESHEET_LIBRARY ?? 'libscoresheet.so.1')
koffi.opaque('scoresheet_archive')
koffi.opaque('scoresheet_game')
const codeName = library.func('const char *scoresheet_code_name(int32_t code)')
const open = library.func(
  'int32_t scoresheet_open_path(const char *path, size_t length, void *options, _Out_ scoresheet_archive **archive, void *error)'
)
const countGames = library.func(
  'int32_t scoresheet_games(scoresheet_archive *archive, _Out_ uint64_t *games, void *error)'
)
const openGame = library.func(
  'int32_t scoresheet_game_open(scoresheet_archive *archive, uint64_t number, _Out_ scoresheet_game **game, void *error)'
)
const plies = library.func('uint32_t scoresheet_game_plies(scoresheet_game *game)')
const readFen = library.func(
  'int32_t scoresheet_game_fen(scoresheet_game *game, uint32_t ply, _Out_ uint8_t *buffer, size_t capacity, _Out_ size_t *needed, void *error)'
)
const freeGame = library.func('void scoresheet_game_free(scoresheet_game *game)')
const close = library.func('void scoresheet_close(scoresheet_archive *archive)')

function checked(code) {
  if (code !== 0) throw new Error(codeName(code))
}

const path = process.argv[2]
const [archive, games] = [[null], [0]]
checked(open(path, Buffer.byteLength(path), null, archive, null))
checked(countGames(archive[0], games, null))
const [fen, length] = [Buffer.alloc(2720), [0]]
for (let number = 1; number <= games[0]; number++) {
  const game = [null]
  if (openGame(archive[0], number, game, null) !== 0) continue // deleted
  checked(readFen(game[0], plies(game[0]), fen, fen.length, length, null))
  console.log(number, fen.toString('utf8', 0, Number(length[0])))
  freeGame(game[0])
}
close(archive[0])
