// Prints the last position of every game, with Mono or .NET: `mcs last.cs && mono last.exe games.bga`. LD_LIBRARY_PATH
// contains the folder of the library.
using System;
using System.Runtime.InteropServices;
using System.Text;

static class Last
{
    const string Library = "scoresheet";
    [DllImport(Library)] static extern IntPtr scoresheet_code_name(int code);
    [DllImport(Library)] static extern int scoresheet_open_path(
        byte[] path, UIntPtr length, IntPtr options, out IntPtr archive, IntPtr error);
    [DllImport(Library)] static extern int scoresheet_games(IntPtr archive, out ulong games, IntPtr error);
    [DllImport(Library)] static extern int scoresheet_game_open(
        IntPtr archive, ulong number, out IntPtr game, IntPtr error);
    [DllImport(Library)] static extern uint scoresheet_game_plies(IntPtr game);
    [DllImport(Library)] static extern int scoresheet_game_fen(
        IntPtr game, uint ply, byte[] buffer, UIntPtr capacity, out UIntPtr needed, IntPtr error);
    [DllImport(Library)] static extern void scoresheet_game_free(IntPtr game);
    [DllImport(Library)] static extern void scoresheet_close(IntPtr archive);

    static void Check(int code)
    {
        if (code != 0) throw new Exception(Marshal.PtrToStringAnsi(scoresheet_code_name(code)));
    }

    static void Main(string[] arguments)
    {
        byte[] path = Encoding.UTF8.GetBytes(arguments[0]), fen = new byte[2720];
        Check(scoresheet_open_path(path, (UIntPtr)path.Length, IntPtr.Zero, out IntPtr archive, IntPtr.Zero));
        Check(scoresheet_games(archive, out ulong games, IntPtr.Zero));
        for (ulong number = 1; number <= games; number++)
        {
            // Deleted games cannot be opened.
            if (scoresheet_game_open(archive, number, out IntPtr game, IntPtr.Zero) != 0) continue;
            Check(scoresheet_game_fen(game, scoresheet_game_plies(game), fen, (UIntPtr)fen.Length, out UIntPtr length, IntPtr.Zero));
            Console.WriteLine($"{number} {Encoding.ASCII.GetString(fen, 0, (int)length)}");
            scoresheet_game_free(game);
        }
        scoresheet_close(archive);
    }
}
