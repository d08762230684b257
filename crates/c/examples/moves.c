/* Prints the first games that match a query, and the moves that were played in the starting position.
 *
 *     cc moves.c $(pkg-config --cflags --libs scoresheet) -o moves
 *     ./moves games.bga "elo >= 2700"
 */
#include <scoresheet.h>
#include <stdio.h>
#include <string.h>

static int failed(scoresheet_error *error) {
    const char *text = "";
    size_t length = 0;
    scoresheet_error_message(error, &text, &length);
    fprintf(stderr, "%.*s\n", (int)length, text);
    scoresheet_error_free(error);
    return 1;
}

static int32_t print_move(void *user, const scoresheet_branch *branch) {
    (void)user;
    printf("%.*s %llu\n", (int)branch->san_length, branch->san,
           (unsigned long long)(branch->white + branch->draws + branch->black + branch->unknown));
    return 0;
}

int main(int count, char **arguments) {
    scoresheet_archive *archive;
    scoresheet_query *query;
    scoresheet_cursor *cursor;
    scoresheet_error *error;
    const char *filter = count > 2 ? arguments[2] : "";
    uint64_t number;
    uint32_t ply;
    int left = 3, result = 0;

    if (count < 2) return 2;
    if (scoresheet_open_path(arguments[1], strlen(arguments[1]), NULL, &archive, &error)) return failed(error);
    if (scoresheet_query_parse(filter, strlen(filter), &query, &error)) result = failed(error);
    if (result == 0 && scoresheet_find(archive, query, &cursor, &error)) result = failed(error);
    scoresheet_query_free(query);
    if (result == 0) {
        while (left-- > 0 && scoresheet_cursor_next(cursor, &number, &ply, NULL) == SCORESHEET_OK) {
            scoresheet_game *game;
            char fen[SCORESHEET_FEN_MAX];
            size_t length;
            if (scoresheet_game_open(archive, number, &game, &error)) {
                failed(error);
                continue;
            }
            if (scoresheet_game_fen(game, scoresheet_game_plies(game), fen, sizeof fen, &length, NULL) == 0) {
                printf("%llu %s\n", (unsigned long long)number, fen);
            }
            scoresheet_game_free(game);
        }
        scoresheet_cursor_free(cursor);
        if (scoresheet_tree(archive, "", 0, print_move, NULL, &error)) result = failed(error);
    }
    scoresheet_close(archive);
    return result;
}
