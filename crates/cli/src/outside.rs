//! Runs separate programs as subcommands, as git does: `scoresheet serve` runs `scoresheet-serve`.
//!
//! The input is a subcommand that clap does not know, and the output is the exit code of the program. This file uses no
//! other parts of the command.

use std::env::{self, consts::EXE_SUFFIX};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The programs of this project, and the arguments of `cargo install` for them.
pub const KNOWN: [(&str, &str); 5] = [
    ("serve", "scoresheet-serve"),
    ("site", "scoresheet-site"),
    ("sql", "scoresheet-sql"),
    ("cluster", "--path crates/cluster"),
    ("parquet", "scoresheet-arrow --features command"),
];

/// Returns the arguments `PROGRAM --help` for the arguments `help PROGRAM`.
pub fn of_help(args: &[OsString]) -> Option<Vec<OsString>> {
    let [help, name] = args else { return None };
    let is_known = help == "help" && KNOWN.iter().any(|(known, _)| name == known);
    is_known.then(|| vec![name.clone(), OsString::from("--help")])
}

/// Returns the arguments for the program `parquet` if the given arguments export to Parquet or Arrow, or import Parquet
/// files. This program does not include the libraries for these formats.
pub fn of_tables(args: &[OsString]) -> Option<Vec<OsString>> {
    let texts: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let formats = ["parquet", "arrow"];
    let of_tables = match *texts.first()? {
        "export" => {
            let after = |text: &&str| text.strip_prefix("--format=").is_some_and(|format| formats.contains(&format));
            let pair =
                |pair: &[&str]| pair.first() == Some(&"--format") && pair.last().is_some_and(|f| formats.contains(f));
            texts.iter().any(after) || texts.windows(2).any(pair)
        }
        "import" => texts.iter().skip(1).any(|text| !text.starts_with('-') && text.ends_with(".parquet")),
        _ => false,
    };
    of_tables.then(|| [OsString::from("parquet")].into_iter().chain(args.iter().cloned()).collect())
}

/// The result of the search for a subcommand that is not built in.
pub enum Outside {
    /// A program that implements the subcommand.
    Program(Command),
    /// A known program that is not installed, with the message for the user.
    Missing(String),
}

/// Returns the program for these arguments (given without the command's name). Returns `None` if the first argument is
/// not the name of a subcommand, or if there is no such program.
///
/// Searches the folder of this program first, then `PATH`.
pub fn find(args: &[OsString]) -> Option<Outside> {
    let (name, rest) = args.split_first()?;
    let name = name.to_str().filter(|name| is_name(name))?;
    let file = format!("scoresheet-{name}{EXE_SUFFIX}");
    let program = env::current_exe().ok();
    let folder = program.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = folder.into_iter().chain(env::split_paths(&path));
    if let Some(program) = folders.map(|folder| folder.join(&file)).find(|file| is_program(file)) {
        return Some(Outside::Program(command(&program, rest)));
    }
    if name == "shell" && cfg!(not(feature = "shell")) {
        let what = "this command was built without the prompt: build it with the feature `shell`";
        return Some(Outside::Missing(what.to_owned()));
    }
    let (_, source) = KNOWN.iter().find(|(known, _)| *known == name)?;
    Some(Outside::Missing(format!(
        "'scoresheet {name}' needs the program {file}, which is neither beside scoresheet nor on PATH; \
         install it with: cargo install {source}"
    )))
}

/// Replaces this process by a program if possible; otherwise runs the program and waits for its end.
///
/// Errors: the program cannot be started.
pub fn run(mut program: Command) -> std::io::Result<ExitCode> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        Err(program.exec())
    }
    #[cfg(not(unix))]
    {
        let code = program.status()?.code().unwrap_or(1);
        Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
    }
}

/// Returns whether a name consists of lowercase letters, digits and dashes, so it cannot lead out of a folder.
fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.bytes().next().is_some_and(|first| first.is_ascii_lowercase()) && name.bytes().all(fits)
}

fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    file.is_file()
}

fn command(program: &Path, args: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}
