/* What an opening explorer asks for: the moves of a position with results, the games that reach it page by page, with
 * filters, and one game with everything. Asks at random, and prints how long the answers take.
 *
 *     cc -std=c99 explorer_backend.c $(pkg-config --cflags --libs scoresheet) -o explorer_backend
 *     ./explorer_backend games.bga 300
 */
#define _POSIX_C_SOURCE 200809L
#include <scoresheet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE 50

static void fail(scoresheet_error *error) {
    const char *text = "no memory";
    size_t length = strlen(text);
    scoresheet_error_message(error, &text, &length);
    fprintf(stderr, "%.*s\n", (int)length, text);
    scoresheet_error_free(error);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1000.0 + (double)time.tv_nsec / 1e6;
}

/* Adds the games of a move. A window would add a line to its table. */
static int32_t add_branch(void *user, const scoresheet_branch *branch) {
    *(uint64_t *)user += branch->white + branch->draws + branch->black + branch->unknown;
    return 0;
}

/* Returns the number of games that continue from a position. */
static uint64_t moves_of(const scoresheet_archive *archive, const char *fen, size_t length) {
    scoresheet_error *error = NULL;
    uint64_t games = 0;
    if (scoresheet_tree(archive, fen, length, add_branch, &games, &error)) fail(error);
    return games;
}

/* Reads a page of the games that reach a position and pass a filter, which may be NULL, with their players. Returns the
 * number of games. */
static int page_of(const scoresheet_archive *archive, const char *fen, const char *filter, unsigned page) {
    static const char *const names[] = {"White", "Black", "Result"};
    char text[512];
    scoresheet_query *query;
    scoresheet_cursor *cursor;
    scoresheet_error *error = NULL;
    uint64_t number;
    uint32_t ply;
    int32_t code;
    int games = 0;
    int length = snprintf(text, sizeof text, "{\"fen\": \"%s\"%s%s%s, \"offset\": %u, \"limit\": %d}", fen,
                          filter ? ", \"where\": \"" : "", filter ? filter : "", filter ? "\"" : "", page * PAGE, PAGE);
    if (length < 0 || (size_t)length >= sizeof text) exit(1);
    if (scoresheet_query_parse(text, (size_t)length, &query, &error)) fail(error);
    if (scoresheet_find(archive, query, &cursor, &error)) fail(error);
    scoresheet_query_free(query);
    while ((code = scoresheet_cursor_next(cursor, &number, &ply, &error)) == SCORESHEET_OK) {
        scoresheet_game *game;
        if (scoresheet_game_open(archive, number, &game, &error)) fail(error);
        for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
            const char *value;
            size_t value_length;
            code = scoresheet_game_tag(game, names[index], strlen(names[index]), &value, &value_length, &error);
            if (code != SCORESHEET_OK && code != SCORESHEET_NOT_FOUND) fail(error);
            if (code != SCORESHEET_OK) scoresheet_error_free(error);
            error = NULL;
        }
        scoresheet_game_free(game);
        games++;
    }
    if (code != SCORESHEET_END) fail(error);
    scoresheet_cursor_free(cursor);
    return games;
}

/* Reads a game as PGN: tags, moves, comments and variations. Returns its length in bytes. */
static size_t game_of(const scoresheet_archive *archive, uint64_t number) {
    scoresheet_game *game;
    scoresheet_error *error = NULL;
    size_t needed = 0;
    char *text;
    if (scoresheet_game_open(archive, number, &game, &error)) fail(error);
    scoresheet_game_pgn(game, NULL, 0, &needed, NULL);
    text = malloc(needed);
    if (text == NULL || scoresheet_game_pgn(game, text, needed, &needed, &error)) fail(error);
    free(text);
    scoresheet_game_free(game);
    return needed;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void report(const char *name, double *times, size_t count) {
    if (count == 0) return;
    qsort(times, count, sizeof *times, compare);
    printf("%-34s %9.2f %9.2f %9.2f ms (median, p95, most)\n", name, times[count / 2], times[count * 95 / 100],
           times[count - 1]);
}

static uint64_t state = 1;

static uint64_t random_below(uint64_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % (below ? below : 1);
}

int main(int count, char **arguments) {
    static const char *const kinds[] = {"moves of a position", "a page of its games",
                                        "a page of its games, with filter", "one game"};
    static const char *const filters[] = {"elo >= 2500", "result = 1-0 and year >= 2005", "eco = B and plies > 80"};
    scoresheet_archive *archive;
    scoresheet_error *error = NULL;
    uint64_t games, shown = 0;
    size_t questions, asked = 0;
    double *times, *all;

    if (count < 2) {
        fprintf(stderr, "usage: explorer_backend ARCHIVE.bga [QUESTIONS]\n");
        return 2;
    }
    questions = count > 2 ? strtoul(arguments[2], NULL, 10) : 20;
    if (scoresheet_open_path(arguments[1], strlen(arguments[1]), NULL, &archive, &error)) fail(error);
    if (scoresheet_games(archive, &games, &error)) fail(error);
    times = calloc(questions * 4 + 1, sizeof *times);
    all = calloc(questions * 4 + 1, sizeof *all);
    if (times == NULL || all == NULL) return 1;
    printf("%llu games, %llu in the starting position\n", (unsigned long long)games,
           (unsigned long long)moves_of(archive, "", 0));
    for (size_t index = 0; index < questions && games > 0; index++) {
        /* A position of a game, as reached by clicking through it. */
        uint64_t number = random_below(games) + 1;
        scoresheet_game *game;
        char fen[SCORESHEET_FEN_MAX];
        size_t length;
        uint32_t plies;
        double start[5];
        if (scoresheet_game_open(archive, number, &game, NULL)) continue;
        plies = scoresheet_game_plies(game);
        plies = (uint32_t)random_below((plies < 24 ? plies : 24) + 1);
        if (scoresheet_game_fen(game, plies, fen, sizeof fen, &length, &error)) fail(error);
        scoresheet_game_free(game);

        start[0] = now();
        shown += moves_of(archive, fen, strlen(fen));
        start[1] = now();
        shown += (uint64_t)page_of(archive, fen, NULL, (unsigned)random_below(3));
        start[2] = now();
        shown += (uint64_t)page_of(archive, fen, filters[index % 3], 0);
        start[3] = now();
        shown += game_of(archive, number);
        start[4] = now();
        for (size_t kind = 0; kind < 4; kind++) {
            times[kind * questions + asked] = all[asked * 4 + kind] = start[kind + 1] - start[kind];
        }
        asked++;
    }
    for (size_t kind = 0; kind < 4; kind++) report(kinds[kind], times + kind * questions, asked);
    report("all questions", all, asked * 4);
    free(times);
    free(all);
    scoresheet_close(archive);
    return shown > 0 ? 0 : 1;
}
