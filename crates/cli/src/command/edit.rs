//! `scoresheet edit`: changes one game in an editor.

use crate::failure::{Code, Failure};
use crate::output::changed::Changing;
use crate::select::archives;
use crate::session::Session;
use crate::text::{printable, shown};
use crate::threads::Threads;
use scoresheet::Game;
use scoresheet::archive::{GameRef, GameSet};
use scoresheet::pgn::{Disposition, PgnWriter, ReadOptions, read_game};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Edit a game in your editor: comments, variations, moves, tags
///
/// The program in $VISUAL or $EDITOR opens the game as PGN. The saved game replaces the old game under the same number.
/// If the file is unchanged or does not contain a complete game, `edit` does not change the archive. The archive keeps
/// the original game (see `scoresheet set`).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet edit games.bga 7
  EDITOR='code --wait' scoresheet edit games.bga 7
  scoresheet edit games.bga 7 --from better.pgn           without an editor
  scoresheet edit games.bga 7 --from - < better.pgn --dry-run")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// The number of the game to edit
    #[arg(value_name = "GAME", value_parser = clap::value_parser!(u64).range(1..))]
    game: u64,
    /// Read the game from this PGN file instead; - for standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    changing: Changing,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    let mut writer = PgnWriter::new();
    let old = archive.game(args.game).map_err(Failure::of_archive(&args.archive))?;
    old.write_pgn(&mut writer).map_err(Failure::of_archive(&args.archive))?;
    let before = old.to_game().map_err(Failure::of_archive(&args.archive))?;
    let (text, name, kept) = match &args.from {
        Some(path) if path.as_os_str() == "-" => {
            let mut text = Vec::new();
            let read = std::io::stdin().read_to_end(&mut text);
            read.map_err(|error| Failure::Message(format!("cannot read standard input: {error}")))?;
            (text, "standard input".to_owned(), None)
        }
        Some(path) => (read(path)?, shown(path), None),
        None => {
            let path = write_draft(args.game, writer.as_bytes())?;
            open_editor(&path)?;
            (read(&path)?, shown(&path), Some(path))
        }
    };
    let new = parse(&text, &name).map_err(|what| {
        if let Some(path) = &kept {
            let (archive, path) = (shown(&args.archive), shown(path));
            session
                .note(&format!("your text is kept; correct it, then run: scoresheet edit {archive} {} \\", args.game));
            session.note(&format!("  --from {path}"));
        }
        Failure::Message(format!("{what}; the archive is unchanged"))
    })?;
    if let Some(path) = kept {
        // Removes the draft, because its text will be stored next, or was not changed.
        let _ = fs::remove_file(path);
    }
    // Writing a game as text can change its form, but not its content. If the text is unchanged, the game stays
    // unchanged.
    let unchanged = text == writer.as_bytes();
    let new = if unchanged { before } else { new };
    let change = |_: &GameRef| Ok(Some(new.clone()));
    let games = GameSet::from_numbers(archive.len(), [args.game]);
    args.threads.install(|| {
        args.changing.change(session, archive, &games, &change)?;
        Ok(Code::Success)
    })
}

/// Returns the only game of a text, or the reason why the text does not contain exactly one game.
fn parse(text: &[u8], name: &str) -> Result<Game, String> {
    let (mut games, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let mut game = Game::default();
        let read = read_game(text, at, &ReadOptions::default(), &mut game);
        if let Some(fault) = read.faults.first() {
            let before = text.get(..at + fault.offset.saturating_sub(at)).unwrap_or(text);
            let line = memchr::memchr_iter(b'\n', before).count() + 1;
            return Err(format!("{name}:{line}: {}", printable(&fault.to_string())));
        }
        if read.disposition == Some(Disposition::Stored) {
            games.push(game);
        }
        at = read.next.max(at + 1);
    }
    match games.len() {
        0 => Err(format!("{name}: contains no game")),
        1 => Ok(games.swap_remove(0)),
        games => Err(format!("{name}: contains {games} games; expected one")),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::Message(format!("cannot read {}: {error}", shown(path))))
}

/// Writes the game to a new file in the folder for temporary files, readable only by its owner, and returns its path.
fn write_draft(game: u64, pgn: &[u8]) -> Result<PathBuf, Failure> {
    let write = || {
        let mut file = tempfile::Builder::new().prefix(&format!("game-{game}-")).suffix(".pgn").tempfile()?;
        file.write_all(pgn)?;
        file.flush()?;
        let (_, path) = file.keep()?;
        Ok(path)
    };
    write().map_err(|error: std::io::Error| Failure::Message(format!("cannot write a file for the editor: {error}")))
}

/// Runs the editor and waits until the user closes it.
fn open_editor(path: &Path) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let fallback = if cfg!(windows) { "notepad" } else { "vi" };
    let editor = named.into_iter().find(|editor| !editor.trim().is_empty()).unwrap_or_else(|| fallback.to_owned());
    let mut command = command(&editor);
    let failed = |what: String| {
        let _ = fs::remove_file(path);
        Err(Failure::Message(format!("editor {editor:?}: {what}; set $EDITOR to another program")))
    };
    match command.arg(path).status() {
        Err(error) => failed(error.to_string()),
        Ok(status) if !status.success() => failed(format!("ended with {status}")),
        Ok(_) => Ok(()),
    }
}

/// Returns a command in which the shell splits the variable into words, with its quotes.
#[cfg(unix)]
fn command(editor: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{editor} \"$@\""), editor]);
    command
}

/// Returns the program at this path, or the program named by the first word with the other words as arguments.
#[cfg(not(unix))]
fn command(editor: &str) -> Command {
    let mut words = editor.split_whitespace();
    match words.next() {
        Some(program) if !Path::new(editor).is_file() => {
            let mut command = Command::new(program);
            command.args(words);
            command
        }
        _ => Command::new(editor),
    }
}
