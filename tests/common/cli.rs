//! Shared by tests of the command line: games, and a room that runs the command.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// Three games: one with a comment and variations, a draw, and one from a set-up position.
pub const PGN: &str = r#"[Event "Coffee house"]
[Site "Vienna"]
[Date "2024.01.02"]
[Round "1"]
[White "Adler, A"]
[Black "Buche, Björn"]
[Result "1-0"]
[ECO "C20"]
[WhiteElo "2100"]

1. e4 e5 {king's pawn} 2. Qh5 (2. Nf3 Nc6 (2... d6) 3. Bb5) 2... Nc6 3. Bc4 Nf6 $4
4. Qxf7# 1-0

[Event "Coffee house"]
[Date "????.??.??"]
[White "Buche, Björn"]
[Black "Adler, A"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 c6 3. cxd5 cxd5 1/2-1/2

[Event "Endgame"]
[White "Ce"]
[Black "De"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/P7/8/8/8/8/8/4K3 w - - 0 40"]

40. a8=Q+ Kd7 *
"#;

/// A game with an illegal move at the end.
pub const FAULTY: &str = "[Event \"Faulty\"]\n[White \"Ef\"]\n[Result \"0-1\"]\n\n1. d4 d5 2. Nf5 Nf6 0-1\n";

/// A temporary folder, and the command run in it.
pub struct Room(pub TempDir);

/// The result of a command.
pub struct Done {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Room {
    pub fn new() -> Room {
        Room(crate::common::tempdir().unwrap())
    }

    /// A folder with the archive `g.bga` of the three games in it.
    pub fn with_archive() -> Room {
        let room = Room::new();
        room.write("g.pgn", PGN);
        room.fine(&["import", "g.pgn", "-o", "g.bga", "--quiet"]);
        room
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = names.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn run_with(&self, args: &[&str], input: impl Into<Vec<u8>>) -> Done {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        self.done(command.args(args).write_stdin(input))
    }

    /// Runs the command with a known width of 80 columns, like on a terminal.
    pub fn on_screen(&self, args: &[&str]) -> Done {
        self.done(Command::new(env!("CARGO_BIN_EXE_scoresheet")).args(args).env("COLUMNS", "80"))
    }

    /// Runs the command with variables of the environment.
    pub fn run_env(&self, args: &[&str], variables: &[(&str, &str)]) -> Done {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        self.done(command.args(args).envs(variables.iter().copied()))
    }

    fn done(&self, command: &mut Command) -> Done {
        // Ignore the default options of the user who runs the tests.
        if !command.get_envs().any(|(name, _)| name == "SCORESHEET_CONFIG") {
            command.env("SCORESHEET_CONFIG", "");
        }
        let output = command.current_dir(self.0.path()).output().unwrap();
        Done {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub fn run(&self, args: &[&str]) -> Done {
        self.run_with(args, "")
    }

    /// Runs a command that must succeed in a pseudo-terminal of 80 columns, with a script in Python that calls `press`
    /// with keys and `until` with a text on the screen, and with keys to press until it comes. Returns false, with a message, if there is no Python.
    #[cfg(unix)]
    pub fn at_terminal(&self, args: &[&str], variables: &[(&str, &str)], keys: &str) -> bool {
        let script = [TERMINAL, keys, "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"].concat();
        let mut python = std::process::Command::new("python3");
        python.args(["-c", &script, env!("CARGO_BIN_EXE_scoresheet")]).args(args).current_dir(self.0.path());
        let Ok(done) = python.envs(variables.iter().copied()).output() else {
            eprintln!("skipped: there is no python3");
            return false;
        };
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        true
    }

    /// Runs a command that must succeed, and returns its standard output.
    pub fn fine(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, Some(0), "{args:?}: {}{}", done.out, done.err);
        done.out
    }

    /// Runs a command that must fail with this code and one line with these words.
    pub fn fails(&self, args: &[&str], code: i32, words: &[&str]) -> Done {
        let done = self.run(args);
        done.failed(args, code, words);
        done
    }

    pub fn digest(&self, name: &str) -> String {
        self.fine(&["info", name, "--digest"])
    }
}

/// Starts a command in a pseudo-terminal.
#[cfg(unix)]
const TERMINAL: &str = r#"
import fcntl, os, pty, select, struct, sys, termios, time
pid, terminal = pty.fork()
if pid == 0:
    # The terminal gets its size first.
    time.sleep(0.2)
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
seen = b""
def press(keys):
    os.write(terminal, keys)
def until(text, keys=b""):
    global seen
    end = time.time() + 60
    while text not in seen:
        if time.time() > end:
            sys.exit("no %r in %r" % (text, seen[-3000:]))
        if select.select([terminal], [], [], 0.5)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:
                sys.exit("the end, and no %r in %r" % (text, seen[-3000:]))
        else:
            # The command may not have started when the keys were pressed before.
            press(keys)
    # What follows may have come with the text.
    seen = seen[seen.find(text) + len(text):]
"#;

impl Done {
    pub fn failed(&self, args: &[&str], code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{args:?}: {}{}", self.out, self.err);
        let last = self.err.lines().last().unwrap_or_default();
        assert!(last.starts_with("scoresheet: "), "{args:?}: {}", self.err);
        assert!(!self.err.contains("panicked"), "{args:?}: {}", self.err);
        for word in words {
            assert!(last.contains(word), "{args:?}: no {word:?} in {last:?}");
        }
    }
}

pub fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Many games, each a little different.
pub fn many(games: usize) -> String {
    (1..=games)
        .map(|game| {
            let moves = ["1. e4 e5 2. Nf3 {well} Nc6", "1. d4 d5", "1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7"];
            let moves = moves[game % 3];
            format!("[Event \"Event {}\"]\n[Site \"https://example.org/{game}\"]\n[White \"Player {}\"]\n[Black \"B\"]\n[Result \"*\"]\n\n{moves} *\n\n", game / 50, game * 7 % 311)
        })
        .collect()
}
