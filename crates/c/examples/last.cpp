// Prints the last position of every game, with the library's objects in std::unique_ptr.
#include <scoresheet.h>

#include <cstdio>
#include <memory>
#include <string>

using Archive = std::unique_ptr<scoresheet_archive, decltype(&scoresheet_close)>;
using Game = std::unique_ptr<scoresheet_game, decltype(&scoresheet_game_free)>;

int main(int count, char **arguments) {
    if (count < 2) return 2;
    const std::string path = arguments[1];
    scoresheet_archive *opened = nullptr;
    if (const auto code = scoresheet_open_path(path.data(), path.size(), nullptr, &opened, nullptr)) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), scoresheet_code_name(code));
        return 1;
    }
    const Archive archive(opened, &scoresheet_close);
    std::uint64_t games = 0;
    if (scoresheet_games(archive.get(), &games, nullptr)) return 1;
    for (std::uint64_t number = 1; number <= games; ++number) {
        scoresheet_game *read = nullptr;
        if (scoresheet_game_open(archive.get(), number, &read, nullptr)) continue;  // deleted
        const Game game(read, &scoresheet_game_free);
        char fen[SCORESHEET_FEN_MAX];
        std::size_t length = 0;
        if (!scoresheet_game_fen(game.get(), scoresheet_game_plies(read), fen, sizeof fen, &length, nullptr)) {
            std::printf("%llu %s\n", static_cast<unsigned long long>(number), fen);
        }
    }
}
