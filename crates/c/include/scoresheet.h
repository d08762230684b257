/*
 * libscoresheet: chess game archives (.bga) from C, and from every language that calls C.
 *
 * An archive holds games with all their tags, moves, comments and variations. Any position of any game can be read
 * without reading the games before it. Games are numbered from 1. Ply 0 is the starting position of a game, and move
 * number 1 leads to ply 1.
 *
 *     scoresheet_archive *archive;
 *     scoresheet_error *error;
 *     char fen[SCORESHEET_FEN_MAX];
 *     size_t length;
 *     if (scoresheet_open_path("games.bga", 9, NULL, &archive, &error) == SCORESHEET_OK) {
 *         scoresheet_game *game;
 *         if (scoresheet_game_open(archive, 1, &game, NULL) == SCORESHEET_OK) {
 *             scoresheet_game_fen(game, 20, fen, sizeof fen, &length, NULL);
 *             scoresheet_game_free(game);
 *         }
 *         scoresheet_close(archive);
 *     }
 *
 * Codes and errors. A function that can fail returns a code. Its last parameter, `error`, may be NULL. Otherwise it is
 * set to NULL on success, and to a new error object on failure, which the caller frees with scoresheet_error_free().
 * Results are set only on success, except that a pointer to a new object is set to NULL on failure.
 *
 * Pointers. A NULL pointer is never a crash: the function returns SCORESHEET_INVALID unless its description allows
 * NULL. Any other pointer must be valid. The free functions accept NULL.
 *
 * Texts are a pointer and a length in bytes. They may contain NUL bytes. Texts that you pass must be UTF-8, except
 * paths on Unix and names of tags. Texts that you receive are UTF-8, except tags, which hold the bytes of their source.
 * A function that fills a buffer of `capacity` bytes sets `needed` to the length of the text. If the text and a NUL
 * byte fit, the buffer holds both; otherwise it holds the empty string, and you call again with `needed` + 1 bytes.
 * With a capacity of 0, the buffer may be NULL.
 *
 * Threads. Any number of threads may use an archive or a query at once. A game, a cursor, an import and an error belong
 * to one thread at a time, and may move between threads. No two threads may free an object, or use it while it is
 * freed. Games and cursors stay valid after their archive is closed.
 *
 * Functions that you pass are called on the thread that called the library, with one exception: the functions of a
 * reader. They must return normally: no exception and no longjmp() may leave them, and they must not free the objects
 * of the call that runs them.
 *
 * Binary interface. The library only ever gains functions. Numbers of codes and members of structures never change.
 * Structures that may grow begin with `struct_size`: set it to sizeof the structure, and all unused members to 0.
 */
#ifndef SCORESHEET_H
#define SCORESHEET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header: major * 1,000,000 + minor * 1,000 + patch. */
#define SCORESHEET_VERSION_NUMBER 1000000

/* Functions that return a code return one of these. */
enum {
    SCORESHEET_OK = 0,
    /* A cursor has no further games. This is not an error, and there is no error object. */
    SCORESHEET_END = 1,
    /* There is no such file, game, ply or tag, or the game has been deleted. */
    SCORESHEET_NOT_FOUND = 2,
    /* An argument is invalid: a NULL pointer, a query with a fault, an option without meaning. */
    SCORESHEET_INVALID = 3,
    /* The system cannot read or write. */
    SCORESHEET_IO = 4,
    /* The archive is damaged. Other games may be intact. */
    SCORESHEET_DAMAGED = 5,
    /* The archive exceeds a limit of the reader, for example block_limit. */
    SCORESHEET_LIMIT = 6,
    /* A function of the caller has stopped the work. */
    SCORESHEET_CANCELLED = 7,
    /* Another program is writing to the archive. */
    SCORESHEET_BUSY = 8,
    /* Not an archive, or an archive, option or header of another version. */
    SCORESHEET_UNSUPPORTED = 9,
    SCORESHEET_NO_MEMORY = 10,
    /* A defect of the library, which it has survived. Free the object in question, and report the message. */
    SCORESHEET_PANIC = 11,
    /* The file exists, and must not be replaced. */
    SCORESHEET_EXISTS = 12
};

typedef struct scoresheet_archive scoresheet_archive;
typedef struct scoresheet_game scoresheet_game;
typedef struct scoresheet_query scoresheet_query;
typedef struct scoresheet_cursor scoresheet_cursor;
typedef struct scoresheet_import scoresheet_import;
typedef struct scoresheet_error scoresheet_error;

/* ---- The library ---- */

/* Returns the version of the library, for example "1.0.0". */
const char *scoresheet_version(void);

/* Returns the version of the library as a number, which is at least SCORESHEET_VERSION_NUMBER of a suitable header. */
uint32_t scoresheet_version_number(void);

/* Returns a short English name of a code, for example "not found". Never NULL. */
const char *scoresheet_code_name(int32_t code);

/* Returns the code of an error. NULL is SCORESHEET_OK. */
int32_t scoresheet_error_code(const scoresheet_error *error);

/* Sets `text` to the message of an error, which lives as long as the error. Messages are for people and may change. */
int32_t scoresheet_error_message(const scoresheet_error *error, const char **text, size_t *length);

/* Sets the place of an error: the offset in the archive in bytes, the game, and the column of a query from 1. Each is 0
 * if unknown. */
int32_t scoresheet_error_place(const scoresheet_error *error, uint64_t *offset, uint64_t *game, uint32_t *column);

void scoresheet_error_free(scoresheet_error *error);

/* ---- Archives ---- */

/* Reads the file on demand instead of mapping it into memory. If another program truncates a mapped file, the process
 * ends with SIGBUS; with this flag, reads fail instead. */
#define SCORESHEET_NO_MAP 1u

typedef struct {
    size_t struct_size;
    /* SCORESHEET_VERSION_NUMBER, to refuse a library older than this header; or 0. */
    uint32_t header_version;
    uint32_t flags;
    /* The maximum size of a block in bytes; 0 is the default, 1 GiB. Set it for files of unknown origin. */
    uint32_t block_limit;
    uint32_t reserved;
} scoresheet_open_options;

#define SCORESHEET_OPEN_OPTIONS_INIT { sizeof(scoresheet_open_options), SCORESHEET_VERSION_NUMBER, 0, 0, 0 }

/* The bytes of an archive behind functions of the caller, such as range requests. `length` is called once. The library
 * calls `read_at` on any of its threads, on several at once. It fills at most `size` bytes from `offset` on, and
 * returns their number, 0 at the end, or a negative number if they cannot be read. `release` may be NULL; it is called
 * once, when no object uses the reader any more, or when opening fails after `length` was called. */
typedef struct {
    size_t struct_size;
    void *user;
    uint64_t (*length)(void *user);
    int64_t (*read_at)(void *user, uint64_t offset, uint8_t *bytes, size_t size);
    void (*release)(void *user);
} scoresheet_reader;

/* Opens the archive at a path, and its index and side files, which are in the same folder. `options` may be NULL. On
 * Windows, the path is UTF-8. */
int32_t scoresheet_open_path(const char *path, size_t length, const scoresheet_open_options *options,
                             scoresheet_archive **archive, scoresheet_error **error);

/* Opens an archive in memory. The bytes must live, unchanged, until the archive is closed and its games and cursors are
 * freed. `options` may be NULL. */
int32_t scoresheet_open_bytes(const uint8_t *bytes, size_t length, const scoresheet_open_options *options,
                              scoresheet_archive **archive, scoresheet_error **error);

/* Opens an archive through functions of the caller. The structure is copied. `options` may be NULL. */
int32_t scoresheet_open_reader(const scoresheet_reader *reader, const scoresheet_open_options *options,
                               scoresheet_archive **archive, scoresheet_error **error);

void scoresheet_close(scoresheet_archive *archive);

/* Advances an archive at a path to the latest commit of its file, and sets `changed` to 1 if there was a later one.
 * Objects that exist keep their commit. */
int32_t scoresheet_refresh(const scoresheet_archive *archive, int32_t *changed, scoresheet_error **error);

/* Sets `games` to the number of games, including deleted games. */
int32_t scoresheet_games(const scoresheet_archive *archive, uint64_t *games, scoresheet_error **error);

/* Sets `complete` to 0 if games are missing because the file is cut off or its header is damaged, otherwise to 1. */
int32_t scoresheet_is_complete(const scoresheet_archive *archive, int32_t *complete, scoresheet_error **error);

/* Receives the work done so far, about ten times a second. Returns 0 to continue, or another value to stop. */
typedef int32_t (*scoresheet_progress)(void *user, uint64_t done);

/* Verifies the archive. Level 0 checks the structure and every checksum, level 1 also every move of every game.
 * `progress` may be NULL; its unit is a byte. Returns SCORESHEET_DAMAGED, with the place of the first damage, if the
 * archive is damaged. */
int32_t scoresheet_verify(const scoresheet_archive *archive, int32_t level, scoresheet_progress progress, void *user,
                          scoresheet_error **error);

/* ---- Games ---- */

/* Opens a game. Reads its moves, but not its tags. */
int32_t scoresheet_game_open(const scoresheet_archive *archive, uint64_t number, scoresheet_game **game,
                             scoresheet_error **error);

void scoresheet_game_free(scoresheet_game *game);

/* Returns the number of the game. NULL is 0. */
uint64_t scoresheet_game_number(const scoresheet_game *game);

/* Returns the number of plies of the main line. NULL is 0. */
uint32_t scoresheet_game_plies(const scoresheet_game *game);

enum {
    SCORESHEET_RESULT_UNKNOWN = 0,
    SCORESHEET_RESULT_WHITE = 1,
    SCORESHEET_RESULT_BLACK = 2,
    SCORESHEET_RESULT_DRAW = 3
};

/* Returns the result at the end of the moves, which can differ from the tag Result. NULL is unknown. */
int32_t scoresheet_game_result(const scoresheet_game *game);

/* Sets `count` to the number of tags. */
int32_t scoresheet_game_tag_count(const scoresheet_game *game, size_t *count, scoresheet_error **error);

/* Sets the name and value of tag `index`, from 0, in the order of the source. They live as long as the game. */
int32_t scoresheet_game_tag_at(const scoresheet_game *game, size_t index, const char **name, size_t *name_length,
                               const char **value, size_t *value_length, scoresheet_error **error);

/* Sets the value of the first tag with a name, which lives as long as the game. */
int32_t scoresheet_game_tag(const scoresheet_game *game, const char *name, size_t name_length, const char **value,
                            size_t *value_length, scoresheet_error **error);

/* The parts of a move. Squares are 0 (a1), 1 (b1) to 63 (h8). The king castles to the g- or c-file, or to the square of
 * its rook in Chess960, as in UCI. Promotions are 1 to 4: knight, bishop, rook, queen. A null move is
 * 0, and so are a drop and a promotion to a king, in variants. */
#define SCORESHEET_MOVE_FROM(move) ((move) & 63)
#define SCORESHEET_MOVE_TO(move) ((move) >> 6 & 63)
#define SCORESHEET_MOVE_PROMOTION(move) ((move) >> 12 & 7)

/* Fills `moves` with the first `capacity` moves of the main line, and sets `count` to the number of all of them. */
int32_t scoresheet_game_moves(const scoresheet_game *game, uint16_t *moves, size_t capacity, size_t *count,
                              scoresheet_error **error);

/* Sizes of buffers that hold any text of their kind, with its NUL. A set-up position of Crazyhouse can have pockets of
 * 2,550 pieces; all other FENs have less than 128 bytes. */
#define SCORESHEET_FEN_MAX 2720
#define SCORESHEET_MOVE_MAX 16

/* Copies the UCI notation of move `ply`, from 1, for example "e2e4". A null move is "0000". */
int32_t scoresheet_game_uci(const scoresheet_game *game, uint32_t ply, char *buffer, size_t capacity, size_t *needed,
                            scoresheet_error **error);

/* Copies the SAN of move `ply`, from 1, for example "Nf3" or "exd8=Q+". */
int32_t scoresheet_game_san(const scoresheet_game *game, uint32_t ply, char *buffer, size_t capacity, size_t *needed,
                            scoresheet_error **error);

/* Copies the FEN of the position after `ply` moves. */
int32_t scoresheet_game_fen(const scoresheet_game *game, uint32_t ply, char *buffer, size_t capacity, size_t *needed,
                            scoresheet_error **error);

/* Fills `board`, of 64 bytes from a1, b1 to h8, with the letters of FEN ('P', 'n'), and 0 for an empty square. */
int32_t scoresheet_game_board(const scoresheet_game *game, uint32_t ply, uint8_t *board, scoresheet_error **error);

/* Copies the game as PGN, with its comments and variations. */
int32_t scoresheet_game_pgn(const scoresheet_game *game, char *buffer, size_t capacity, size_t *needed,
                            scoresheet_error **error);

/* Receives text `index`, from 0. Returns 0 to continue, or another value to stop. */
typedef int32_t (*scoresheet_text_sink)(void *user, size_t index, const char *text, size_t length);

/* Passes the FENs of `count` positions to `sink`: each is the position of a game after a number of moves. One call
 * serves any number of positions, which saves the cost of opening each game. */
int32_t scoresheet_fens(const scoresheet_archive *archive, const uint64_t *games, const uint32_t *plies, size_t count,
                        scoresheet_text_sink sink, void *user, scoresheet_error **error);

/* ---- Searches ---- */

/* Parses a query: a filter ("elo >= 2700 and year > 2010"), or JSON, which also has positions, patterns, an order and a
 * limit ({"moves": "e4 c5", "where": "elo >= 2700", "sort": "-elo", "limit": 10}). docs/QUERY.md describes both. The
 * empty text selects all games. The place of an error has the column. */
int32_t scoresheet_query_parse(const char *text, size_t length, scoresheet_query **query, scoresheet_error **error);

/* Makes a query for the games that reach a position. Fields that the FEN omits are not compared. */
int32_t scoresheet_query_position(const char *fen, size_t length, scoresheet_query **query, scoresheet_error **error);

void scoresheet_query_free(scoresheet_query *query);

/* Begins a search. The query may be freed at once. */
int32_t scoresheet_find(const scoresheet_archive *archive, const scoresheet_query *query, scoresheet_cursor **cursor,
                        scoresheet_error **error);

/* Sets the next game that was found, and the first ply that matches, which is 0 if the query has no condition on the
 * board. Returns SCORESHEET_END after the last game. An unreadable game is an error, after which you may continue. */
int32_t scoresheet_cursor_next(scoresheet_cursor *cursor, uint64_t *number, uint32_t *ply, scoresheet_error **error);

void scoresheet_cursor_free(scoresheet_cursor *cursor);

/* Sets `count` to the number of games that match. An unreadable game is an error. */
int32_t scoresheet_count(const scoresheet_archive *archive, const scoresheet_query *query, uint64_t *count,
                         scoresheet_error **error);

/* A move of an opening tree, and the number of games that continue with it, by result. */
typedef struct {
    size_t struct_size;
    const char *san;
    size_t san_length;
    const char *uci;
    size_t uci_length;
    uint64_t white;
    uint64_t draws;
    uint64_t black;
    uint64_t unknown;
} scoresheet_branch;

/* Receives a move, which lives until the function returns. Returns 0 to continue, or another value to stop. */
typedef int32_t (*scoresheet_branch_sink)(void *user, const scoresheet_branch *branch);

/* Passes the moves that were played in a position to `sink`, the most frequent first. Each game counts once, at its
 * first visit. An empty FEN is the standard starting position. */
int32_t scoresheet_tree(const scoresheet_archive *archive, const char *fen, size_t length, scoresheet_branch_sink sink,
                        void *user, scoresheet_error **error);

/* ---- Imports ---- */

enum { SCORESHEET_REFUSE = 0, SCORESHEET_APPEND = 1, SCORESHEET_REPLACE = 2 };

typedef struct {
    size_t struct_size;
    /* What happens to an existing archive: SCORESHEET_REFUSE, _APPEND or _REPLACE. */
    int32_t existing;
    /* 1 packs the moves to under three bits each: smaller archives, slower imports. */
    int32_t pack;
    /* The number of threads; 0 is one per core. */
    uint32_t threads;
    uint32_t reserved;
} scoresheet_import_options;

typedef struct {
    size_t struct_size;
    /* The games of the sources, the stored ones, those of them with a fault, and the rejected ones. */
    uint64_t seen;
    uint64_t stored;
    uint64_t faulty;
    uint64_t rejected;
    /* The plies of the main lines of stored games. */
    uint64_t plies;
} scoresheet_import_summary;

/* Prepares an import into the archive at a path. `options` may be NULL. Nothing is written yet. */
int32_t scoresheet_import_new(const char *path, size_t length, const scoresheet_import_options *options,
                              scoresheet_import **import, scoresheet_error **error);

/* Adds a PGN file, plain or compressed. Only the command `scoresheet import` reads databases of Scid and ChessBase, and
 * training data of engines. */
int32_t scoresheet_import_add_path(scoresheet_import *import, const char *path, size_t length,
                                   scoresheet_error **error);

/* Adds PGN in memory, plain or compressed. The bytes are copied to a temporary file. */
int32_t scoresheet_import_add_bytes(scoresheet_import *import, const uint8_t *bytes, size_t length,
                                    scoresheet_error **error);

/* Sets the function that receives the number of games stored so far. `progress` may be NULL. */
int32_t scoresheet_import_progress(scoresheet_import *import, scoresheet_progress progress, void *user,
                                   scoresheet_error **error);

/* Runs the import, and sets `summary`, whose `struct_size` must be set. When the function returns SCORESHEET_OK, the
 * games are durable. If it is stopped, or a source cannot be read to its end, the games before that point are stored,
 * the summary counts them, and the function returns an error. */
int32_t scoresheet_import_run(scoresheet_import *import, scoresheet_import_summary *summary, scoresheet_error **error);

void scoresheet_import_free(scoresheet_import *import);

#ifdef __cplusplus
}
#endif

#endif
