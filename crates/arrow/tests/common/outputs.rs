//! Tests of programs that write a file. No program replaces its input, under any name, or a file of another kind. The
//! output is private if the input is private.

use scoresheet::archive::FileKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with the archive `g.bga`, its side files, and another archive and a table that must stay unchanged.
pub struct Room(tempfile::TempDir);

impl Room {
    pub fn new() -> Room {
        let room = Room(tempfile::tempdir().unwrap());
        for name in ["g.bga", "other.bga"] {
            let pgn = b"[White \"A\"]\n\n1. e4 e5 1-0\n\n1. d4 *\n";
            scoresheet::Import::new(room.path(name)).run_reader("g.pgn", &pgn[..]).unwrap();
        }
        scoresheet_query::tag_columns::write(&scoresheet::Archive::open(room.path("g.bga")).unwrap()).unwrap();
        std::fs::write(room.path("notes.csv"), "{\"not\": \"a table\"}").unwrap();
        std::fs::create_dir(room.path("folder")).unwrap();
        std::fs::hard_link(room.path("g.bga"), room.path("hard.parquet")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("g.bga", room.path("link.csv")).unwrap();
        room
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a program in the folder.
    pub fn run(&self, program: &str, args: &[&str]) -> Output {
        Command::new(program).args(args).current_dir(self.0.path()).output().unwrap()
    }

    /// Returns the names and bytes of all files.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = std::fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<(PathBuf, Vec<u8>)> =
            files.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect();
        files.sort();
        files
    }

    /// Fails if the program, with OUT for each name, changes any file or succeeds.
    pub fn refuses(&self, program: &str, args: &[&str], inputs: &[&str]) {
        let side = FileKind::TagColumns.beside(Path::new("g.bga"));
        let index = FileKind::Index.beside(Path::new("g.bga"));
        let absolute = self.path("g.bga");
        let mut names =
            vec!["./g.bga", "folder/../g.bga", absolute.to_str().unwrap(), "other.bga", "new.bga", "folder"];
        names.extend([side.to_str().unwrap(), index.to_str().unwrap(), "hard.parquet"]);
        names.extend(cfg!(unix).then_some("link.csv"));
        names.extend(inputs);
        for name in names {
            let before = self.files();
            let args: Vec<String> = args.iter().map(|arg| arg.replace("OUT", name)).collect();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let done = self.run(program, &args);
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(!done.status.success(), "{args:?} succeeds");
            assert_eq!(done.status.code(), Some(1), "{args:?}: {said}");
            assert!(said.contains("error:"), "{args:?}: {said}");
            assert!(self.files() == before, "{args:?} changes a file: {said}");
        }
    }

    /// Fails if the program, with OUT for a new file, does not write it, or gives it the wrong permissions.
    pub fn keeps_private(&self, program: &str, args: &[&str], name: &str) {
        let args: Vec<String> = args.iter().map(|arg| arg.replace("OUT", name)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let write = || {
            let done = self.run(program, &args);
            assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let set = |name, mode| {
                std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
            };
            let mode = || std::fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o777;
            set("g.bga", 0o600);
            write();
            assert_eq!(mode(), 0o600, "{args:?}");
            set(name, 0o640);
            write();
            assert_eq!(mode(), 0o640, "{args:?}");
            set("g.bga", 0o644);
        }
        write();
    }
}
