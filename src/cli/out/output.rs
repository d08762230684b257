//! Where output goes: standard output, and messages.

use crate::failure::Failure;
use crate::select::inputs;
use scoresheet::archive::{Access, Archive, ArchiveSet, Incomplete};
use scoresheet::error::Error;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// How archives are opened: said once, by `main`, before anything is.
static ACCESS: OnceLock<Access> = OnceLock::new();

/// Says how archives are to be opened from now on; the first call counts.
pub fn set_access(access: Access) {
    let _ = ACCESS.set(access);
}

/// Returns how archives are to be opened.
pub fn access() -> Access {
    ACCESS.get().copied().unwrap_or_default()
}

/// Whether an archive has been opened of which games may be missing.
static INCOMPLETE: AtomicBool = AtomicBool::new(false);

/// Returns whether an archive has been opened of which games may be missing: then no command ends as if all were well.
pub fn is_incomplete() -> bool {
    INCOMPLETE.load(Ordering::Relaxed)
}

/// Opens an archive; errors name it. One of which games may be missing is reported.
pub fn open(path: &Path) -> Result<Archive, Failure> {
    let archive = Archive::open_with(path, access()).map_err(Failure::of_archive(path))?;
    report_incomplete(&archive);
    Ok(archive)
}

/// Reports an archive of which games may be missing.
pub fn report_incomplete(archive: &Archive) {
    let Some(incomplete) = archive.incomplete() else { return };
    INCOMPLETE.store(true, Ordering::Relaxed);
    let path = shown(archive.path());
    let games = thousands(archive.len());
    message(&match incomplete {
        Incomplete::Cut(cut) => format!(
            "{path} is damaged: it has been cut short at {} of {} bytes; of its {}, the first {games} are here",
            thousands(cut.length),
            thousands(cut.committed),
            count(cut.games, "game", "games"),
        ),
        Incomplete::HeaderPage { offset } => format!(
            "{path} is damaged: the header page at byte {offset} cannot be read, and with it perhaps games after the {games} that are here; \
             `scoresheet repair` makes a new archive of all that can be found"
        ),
    });
}

/// Opens archives, those of a folder too; errors name the one at fault.
pub fn open_all(paths: &[PathBuf]) -> Result<ArchiveSet, Failure> {
    let paths = inputs::expand(paths, &inputs::ARCHIVES)?;
    paths.iter().map(|path| open(path)).collect::<Result<_, _>>().map(ArchiveSet::of)
}

/// Returns standard output, buffered. It must be flushed, so that errors are seen.
pub fn stdout() -> BufWriter<Stdout> {
    BufWriter::with_capacity(64 << 10, io::stdout())
}

/// Returns whether standard output is a terminal.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes a line of standard error that begins with the program's name. Where that fails there is nobody left to tell.
pub fn message(text: &str) {
    note(&format!("scoresheet: {text}"));
}

/// Writes a line of standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(text));
}

/// Returns the text with control characters made visible: a tag of a foreign file must not command the terminal.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() { safe.extend(letter.escape_default()) } else { safe.push(letter) }
    }
    safe
}

/// Returns the number with commas between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns `one` or `many` with its number, as in `1 game` or `1,200 games`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// Returns the quotient, 0 where there is nothing to divide by.
pub fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Returns a path as it may be printed.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// Warns that an archive is complete, but its index is not beside it.
pub fn report_unindexed(archive: &Path, unindexed: Option<&Error>) {
    if let Some(error) = unindexed {
        let archive = shown(archive);
        message(&format!(
            "warning: {archive} is complete, but without its index: {error}; make it with `scoresheet index {archive}`"
        ));
    }
}

/// Returns the error for a file that cannot be had.
pub fn cannot_read(path: &Path, source: io::Error) -> Failure {
    Error::Io { doing: "cannot open", path: path.to_path_buf(), source }.into()
}
