/* Calls every function of libscoresheet with known games. `api FOLDER LOOPS` repeats the calls that read, so that a
 * checker of memory finds what is lost. Prints the number of calls. */
#include "scoresheet.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

#define OK(call) \
    do { \
        int32_t code_ = (call); \
        if (code_ != SCORESHEET_OK) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, scoresheet_code_name(code_)); \
            exit(1); \
        } \
    } while (0)

static const char PGN[] = "[Event \"Casual\"]\n[White \"Anderssen\"]\n[Black \"Kieseritzky\"]\n[WhiteElo \"2600\"]\n"
                          "[Result \"1-0\"]\n\n1. e4 {best} e5 2. f4 exf4 3. Nf3 g5 4. Bc4 g4 5. O-O 1-0\n\n"
                          "[White \"Short\"]\n[Black \"Long\"]\n\n1. e4 c5 2. Nf3 1/2-1/2\n\n"
                          "[White \"Pawn\"]\n[SetUp \"1\"]\n[FEN \"7k/P7/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8=N 0-1\n";

static int32_t stop_at_third(void *user, uint64_t done) {
    (void)done;
    return ++*(int *)user >= 3;
}

static int32_t count_progress(void *user, uint64_t done) {
    (void)done;
    ++*(int *)user;
    return 0;
}

static int32_t keep_text(void *user, size_t index, const char *text, size_t length) {
    char *kept = (char *)user + index * SCORESHEET_FEN_MAX;
    CHECK(length < SCORESHEET_FEN_MAX);
    memcpy(kept, text, length);
    kept[length] = 0;
    return 0;
}

static int32_t refuse_text(void *user, size_t index, const char *text, size_t length) {
    (void)text;
    (void)length;
    *(size_t *)user = index;
    return 1;
}

static int32_t add_branch(void *user, const scoresheet_branch *branch) {
    CHECK(branch->struct_size == sizeof *branch);
    CHECK(branch->san_length > 0 && branch->uci_length >= 4);
    *(uint64_t *)user = *(uint64_t *)user * 100 + branch->white + branch->draws + branch->black + branch->unknown;
    return 0;
}

struct memory {
    uint8_t *bytes;
    size_t length;
    int released;
    int fails;
};

static uint64_t memory_length(void *user) { return ((struct memory *)user)->length; }

static int64_t memory_read(void *user, uint64_t offset, uint8_t *bytes, size_t size) {
    const struct memory *memory = (const struct memory *)user;
    size_t rest;
    if (memory->fails) return -1;
    if (offset >= memory->length) return 0;
    rest = memory->length - (size_t)offset;
    /* At most 1,000 bytes, because a reader may return less than it was asked for. */
    size = size < rest ? size : rest;
    size = size < 1000 ? size : 1000;
    memcpy(bytes, memory->bytes + offset, size);
    return (int64_t)size;
}

static void memory_release(void *user) { ((struct memory *)user)->released++; }

static struct memory whole_file(const char *path) {
    struct memory memory = {NULL, 0, 0, 0};
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fseek(file, 0, SEEK_END) == 0);
    memory.length = (size_t)ftell(file);
    rewind(file);
    memory.bytes = (uint8_t *)malloc(memory.length);
    CHECK(memory.bytes != NULL && fread(memory.bytes, 1, memory.length, file) == memory.length);
    fclose(file);
    return memory;
}

/* Every function that reads. Returns the number of calls. */
static long read_all(const scoresheet_archive *archive) {
    long calls = 0;
    scoresheet_error *error = NULL;
    scoresheet_game *game;
    scoresheet_query *query;
    scoresheet_cursor *cursor;
    char text[SCORESHEET_FEN_MAX], pgn[2000], fens[2][SCORESHEET_FEN_MAX];
    const char *name, *value;
    uint16_t moves[16];
    uint8_t board[64];
    size_t length, name_length, count;
    uint64_t number, offset, games[2] = {1, 3};
    uint32_t ply, column, plies[2] = {9, 0};
    int32_t flag;

    OK(scoresheet_games(archive, &number, &error));
    CHECK(number == 3 && error == NULL);
    OK(scoresheet_is_complete(archive, &flag, NULL));
    CHECK(flag == 1);
    OK(scoresheet_game_open(archive, 1, &game, &error));
    CHECK(scoresheet_game_number(game) == 1 && scoresheet_game_plies(game) == 9);
    CHECK(scoresheet_game_result(game) == SCORESHEET_RESULT_WHITE);
    OK(scoresheet_game_tag(game, "White", 5, &value, &length, NULL));
    CHECK(length == 9 && memcmp(value, "Anderssen", 9) == 0);
    CHECK(scoresheet_game_tag(game, "Nobody", 6, &value, &length, &error) == SCORESHEET_NOT_FOUND);
    CHECK(scoresheet_error_code(error) == SCORESHEET_NOT_FOUND);
    OK(scoresheet_error_message(error, &value, &length));
    CHECK(length == strlen("game 1 has no tag Nobody") && memcmp(value, "game 1 has no tag Nobody", length) == 0);
    OK(scoresheet_error_place(error, &offset, &number, &column));
    CHECK(offset == 0 && number == 1 && column == 0);
    scoresheet_error_free(error);
    OK(scoresheet_game_tag_count(game, &count, NULL));
    CHECK(count == 5);
    OK(scoresheet_game_tag_at(game, 3, &name, &name_length, &value, &length, NULL));
    CHECK(name_length == 8 && memcmp(name, "WhiteElo", 8) == 0 && length == 4 && memcmp(value, "2600", 4) == 0);
    CHECK(scoresheet_game_tag_at(game, 5, &name, &name_length, &value, &length, NULL) == SCORESHEET_NOT_FOUND);
    OK(scoresheet_game_moves(game, moves, 16, &count, NULL));
    CHECK(count == 9);
    CHECK(SCORESHEET_MOVE_FROM(moves[0]) == 12 && SCORESHEET_MOVE_TO(moves[0]) == 28);
    CHECK(SCORESHEET_MOVE_FROM(moves[8]) == 4 && SCORESHEET_MOVE_TO(moves[8]) == 6);
    OK(scoresheet_game_moves(game, NULL, 0, &count, NULL));
    CHECK(count == 9);
    OK(scoresheet_game_uci(game, 9, text, sizeof text, &length, NULL));
    CHECK(strcmp(text, "e1g1") == 0 && length == 4);
    OK(scoresheet_game_san(game, 4, text, sizeof text, &length, NULL));
    CHECK(strcmp(text, "exf4") == 0);
    CHECK(scoresheet_game_san(game, 0, text, sizeof text, &length, NULL) == SCORESHEET_NOT_FOUND);
    CHECK(scoresheet_game_uci(game, 10, text, sizeof text, &length, NULL) == SCORESHEET_NOT_FOUND);
    OK(scoresheet_game_fen(game, 9, text, sizeof text, &length, NULL));
    CHECK(length == strlen(text) && strncmp(text, "rnbqkbnr/pppp1p1p/8/8/2B1Ppp1/5N2/PPPP2PP/RNBQ1RK1 b kq", 55) == 0);
    /* Exactly one byte too few, then exactly enough. */
    strcpy(pgn, text);
    memset(text, 'x', sizeof text);
    OK(scoresheet_game_fen(game, 9, text, length, &count, NULL));
    CHECK(count == length && text[0] == 0 && text[1] == 'x');
    OK(scoresheet_game_fen(game, 9, text, length + 1, &count, NULL));
    CHECK(strcmp(text, pgn) == 0);
    CHECK(scoresheet_game_fen(game, 10, text, sizeof text, &length, NULL) == SCORESHEET_NOT_FOUND);
    OK(scoresheet_game_board(game, 1, board, NULL));
    CHECK(board[28] == 'P' && board[12] == 0 && board[60] == 'k');
    OK(scoresheet_game_pgn(game, NULL, 0, &length, NULL));
    CHECK(length > 100 && length < sizeof pgn);
    OK(scoresheet_game_pgn(game, pgn, sizeof pgn, &length, NULL));
    CHECK(strstr(pgn, "[White \"Anderssen\"]") != NULL && strstr(pgn, "{best}") != NULL && strlen(pgn) == length);
    scoresheet_game_free(game);
    CHECK(scoresheet_game_open(archive, 4, &game, &error) == SCORESHEET_NOT_FOUND && game == NULL);
    scoresheet_error_free(error);
    OK(scoresheet_game_open(archive, 3, &game, NULL));
    OK(scoresheet_game_moves(game, moves, 16, &count, NULL));
    CHECK(count == 1 && SCORESHEET_MOVE_PROMOTION(moves[0]) == 1);
    OK(scoresheet_game_uci(game, 1, text, sizeof text, &length, NULL));
    CHECK(strcmp(text, "a7a8n") == 0);
    scoresheet_game_free(game);
    calls += 32;

    OK(scoresheet_fens(archive, games, plies, 2, keep_text, fens, NULL));
    CHECK(strcmp(fens[0], pgn) != 0 && strcmp(fens[1], "7k/P7/8/8/8/8/8/K7 w - - 0 1") == 0);
    CHECK(scoresheet_fens(archive, games, plies, 2, refuse_text, &count, NULL) == SCORESHEET_CANCELLED && count == 0);
    plies[0] = 10;
    CHECK(scoresheet_fens(archive, games, plies, 2, keep_text, fens, NULL) == SCORESHEET_NOT_FOUND);

    OK(scoresheet_query_parse("elo >= 2500", 11, &query, &error));
    OK(scoresheet_count(archive, query, &number, NULL));
    CHECK(number == 1);
    OK(scoresheet_find(archive, query, &cursor, NULL));
    scoresheet_query_free(query);
    OK(scoresheet_cursor_next(cursor, &number, &ply, &error));
    CHECK(number == 1 && ply == 0);
    CHECK(scoresheet_cursor_next(cursor, &number, &ply, &error) == SCORESHEET_END && error == NULL);
    CHECK(scoresheet_cursor_next(cursor, &number, &ply, &error) == SCORESHEET_END);
    scoresheet_cursor_free(cursor);
    CHECK(scoresheet_query_parse("elo >", 5, &query, &error) == SCORESHEET_INVALID && query == NULL);
    OK(scoresheet_error_place(error, &offset, &number, &column));
    CHECK(column == 6);
    scoresheet_error_free(error);
    OK(scoresheet_query_parse("{\"moves\": \"e4 c5\"}", 18, &query, NULL));
    OK(scoresheet_find(archive, query, &cursor, NULL));
    OK(scoresheet_cursor_next(cursor, &number, &ply, NULL));
    CHECK(number == 2 && ply == 2);
    scoresheet_cursor_free(cursor);
    scoresheet_query_free(query);
    OK(scoresheet_query_position("7k/P7/8/8/8/8/8/K7 w", 20, &query, NULL));
    OK(scoresheet_count(archive, query, &number, NULL));
    CHECK(number == 1);
    scoresheet_query_free(query);
    number = 0;
    OK(scoresheet_tree(archive, "", 0, add_branch, &number, NULL));
    CHECK(number == 2);
    number = 0;
    OK(scoresheet_tree(archive, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", 58, add_branch, &number,
                       NULL));
    CHECK(number == 101);
    return calls + 22;
}

struct job {
    const scoresheet_archive *archive;
    long loops;
};

static void *read_on_thread(void *argument) {
    const struct job *job = (const struct job *)argument;
    long loop;
    for (loop = 0; loop < job->loops; loop++) read_all(job->archive);
    return NULL;
}

int main(int count, char **arguments) {
    char path[1000];
    long loops, loop, calls = 0;
    size_t length;
    int reports = 0, index;
    int32_t changed;
    scoresheet_error *error;
    scoresheet_archive *archive, *again;
    scoresheet_import *import;
    scoresheet_game *game;
    scoresheet_import_options options = {sizeof options, SCORESHEET_REFUSE, 0, 1, 0};
    scoresheet_import_summary summary = {sizeof summary, 0, 0, 0, 0, 0};
    scoresheet_open_options open_options = SCORESHEET_OPEN_OPTIONS_INIT;
    struct memory memory;
    scoresheet_reader reader;
    pthread_t threads[8];
    struct job job;

    CHECK(count == 3);
    loops = atol(arguments[2]);
    CHECK(snprintf(path, sizeof path, "%s/api.bga", arguments[1]) < (int)sizeof path);
    CHECK(scoresheet_version_number() >= SCORESHEET_VERSION_NUMBER && strlen(scoresheet_version()) >= 5);
    CHECK(strcmp(scoresheet_code_name(SCORESHEET_BUSY), "busy") == 0 && scoresheet_code_name(-1) != NULL);

    CHECK(scoresheet_open_path(path, strlen(path), NULL, &archive, &error) == SCORESHEET_NOT_FOUND);
    CHECK(archive == NULL && scoresheet_error_code(error) == SCORESHEET_NOT_FOUND);
    scoresheet_error_free(error);
    OK(scoresheet_import_new(path, strlen(path), &options, &import, NULL));
    CHECK(scoresheet_import_run(import, &summary, NULL) == SCORESHEET_INVALID);
    OK(scoresheet_import_add_bytes(import, (const uint8_t *)PGN, sizeof PGN - 1, NULL));
    OK(scoresheet_import_progress(import, count_progress, &reports, NULL));
    OK(scoresheet_import_run(import, &summary, NULL));
    CHECK(summary.seen == 3 && summary.stored == 3 && summary.faulty == 0 && summary.plies == 13 && reports > 0);
    CHECK(scoresheet_import_run(import, &summary, NULL) == SCORESHEET_EXISTS);
    scoresheet_import_free(import);

    OK(scoresheet_open_path(path, strlen(path), &open_options, &archive, &error));
    open_options.flags = 2;
    CHECK(scoresheet_open_path(path, strlen(path), &open_options, &again, NULL) == SCORESHEET_UNSUPPORTED);
    open_options.flags = SCORESHEET_NO_MAP;
    open_options.header_version = 2000000000;
    CHECK(scoresheet_open_path(path, strlen(path), &open_options, &again, NULL) == SCORESHEET_UNSUPPORTED);
    open_options.header_version = 0;
    for (loop = 0; loop < loops; loop++) {
        calls += read_all(archive);
        if (loop % 20 == 0) {
            OK(scoresheet_open_path(path, strlen(path), &open_options, &again, NULL));
            OK(scoresheet_verify(again, 1, NULL, NULL, NULL));
            OK(scoresheet_refresh(again, &changed, NULL));
            CHECK(changed == 0);
            scoresheet_close(again);
            calls += 4;
        }
    }
    reports = 0;
    OK(scoresheet_verify(archive, 0, count_progress, &reports, NULL));
    CHECK(reports > 0);

    /* Eight threads on one archive. */
    job.archive = archive;
    job.loops = loops / 8 + 1;
    for (index = 0; index < 8; index++) CHECK(pthread_create(&threads[index], NULL, read_on_thread, &job) == 0);
    for (index = 0; index < 8; index++) CHECK(pthread_join(threads[index], NULL) == 0);

    /* The archive in memory and behind a reader; a game outlives its archive. */
    memory = whole_file(path);
    OK(scoresheet_open_bytes(memory.bytes, memory.length, NULL, &again, NULL));
    calls += read_all(again);
    CHECK(scoresheet_refresh(again, &changed, NULL) == SCORESHEET_UNSUPPORTED);
    OK(scoresheet_game_open(again, 2, &game, NULL));
    scoresheet_close(again);
    OK(scoresheet_game_pgn(game, NULL, 0, &length, NULL));
    CHECK(length > 50);
    scoresheet_game_free(game);
    memset(&reader, 0, sizeof reader);
    reader.struct_size = sizeof reader;
    reader.user = &memory;
    CHECK(scoresheet_open_reader(&reader, NULL, &again, NULL) == SCORESHEET_INVALID && memory.released == 0);
    reader.length = memory_length;
    reader.read_at = memory_read;
    reader.release = memory_release;
    OK(scoresheet_open_reader(&reader, NULL, &again, NULL));
    calls += read_all(again);
    OK(scoresheet_verify(again, 1, NULL, NULL, NULL));
    scoresheet_close(again);
    CHECK(memory.released == 1);
    memory.fails = 1;
    CHECK(scoresheet_open_reader(&reader, NULL, &again, NULL) == SCORESHEET_IO && again == NULL);
    CHECK(memory.released == 2);
    /* Damage is found. */
    memory.bytes[memory.length - 1] ^= 1;
    if (scoresheet_open_bytes(memory.bytes, memory.length, NULL, &again, NULL) == SCORESHEET_OK) {
        CHECK(scoresheet_verify(again, 0, NULL, NULL, &error) == SCORESHEET_DAMAGED);
        scoresheet_error_free(error);
        scoresheet_close(again);
    }
    free(memory.bytes);

    /* A later commit, which the open archive sees after a refresh. */
    options.pack = 5;
    CHECK(scoresheet_import_new(path, strlen(path), &options, &import, NULL) == SCORESHEET_INVALID && import == NULL);
    options.pack = 0;
    options.existing = SCORESHEET_APPEND;
    summary.struct_size = 2 * sizeof(size_t);
    summary.stored = 77;
    OK(scoresheet_import_new(path, strlen(path), &options, &import, NULL));
    OK(scoresheet_import_add_bytes(import, (const uint8_t *)PGN, sizeof PGN - 1, NULL));
    OK(scoresheet_import_run(import, &summary, NULL));
    CHECK(summary.seen == 3 && summary.stored == 77);
    scoresheet_import_free(import);
    OK(scoresheet_game_open(archive, 1, &game, NULL));
    OK(scoresheet_refresh(archive, &changed, NULL));
    CHECK(changed == 1);
    {
        uint64_t games;
        OK(scoresheet_games(archive, &games, NULL));
        CHECK(games == 6 && scoresheet_game_plies(game) == 9);
    }
    scoresheet_game_free(game);
    scoresheet_close(archive);

    /* A stopped import. */
    options.existing = SCORESHEET_REPLACE;
    reports = 2;
    summary.struct_size = sizeof summary;
    OK(scoresheet_import_new(path, strlen(path), &options, &import, NULL));
    for (index = 0; index < 200; index++) {
        OK(scoresheet_import_add_bytes(import, (const uint8_t *)PGN, sizeof PGN - 1, NULL));
    }
    OK(scoresheet_import_add_path(import, "/no/such/file.pgn", 17, NULL));
    OK(scoresheet_import_progress(import, stop_at_third, &reports, NULL));
    CHECK(scoresheet_import_run(import, &summary, NULL) != SCORESHEET_OK);
    scoresheet_import_free(import);
    printf("%ld calls\n", calls);
    return 0;
}
