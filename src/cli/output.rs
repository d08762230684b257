//! Where output goes: standard output, messages, and files that take their name when they are whole.

use crate::failure::Failure;
use crate::{inputs, interrupt};
use scoresheet::archive::{Access, Archive, ArchiveSet, Incomplete};
use scoresheet::error::Error;
use std::fs::File;
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
    let path = archive.path().display();
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

/// A sink for text: plain or compressed.
enum Sink<W: Write> {
    Plain(W),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Zstd(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Plain(sink) => sink.flush(),
            Sink::Zstd(sink) => sink.flush(),
        }
    }
}

/// A file being written under a temporary name, compressed where its name ends in `.zst`. Dropped before `finish`, it leaves nothing.
pub struct NewFile {
    sink: Sink<BufWriter<File>>,
    /// `None` where the file is a device or pipe and is written in place.
    temporary: Option<tempfile::TempPath>,
    path: PathBuf,
    force: bool,
}

impl NewFile {
    /// Starts a file; an existing one is an error unless `force` is given, and stays as it is until `finish`.
    pub fn create(path: &Path, force: bool) -> Result<NewFile, Failure> {
        let refused = |error: io::Error| Failure::Message(format!("cannot create {}: {error}", path.display()));
        let existing = std::fs::metadata(path).ok();
        if existing.is_some() && !force {
            return Err(exists(path));
        }
        let (file, temporary) = match existing {
            Some(file) if file.is_dir() => return Err(refused(io::ErrorKind::IsADirectory.into())),
            // To give a temporary file the name of a device would take the device away.
            Some(file) if !file.is_file() => (File::options().write(true).open(path).map_err(refused)?, None),
            _ => {
                let (file, temporary) = temporary(path).map_err(refused)?.into_parts();
                interrupt::remove_on_ctrl_c(temporary.to_path_buf());
                (file, Some(temporary))
            }
        };
        let buffered = BufWriter::with_capacity(1 << 18, file);
        let sink = if path.extension().is_some_and(|extension| extension == "zst") {
            Sink::Zstd(zstd::Encoder::new(buffered, 0).map_err(refused)?)
        } else {
            Sink::Plain(buffered)
        };
        Ok(NewFile { sink, temporary, path: path.to_path_buf(), force })
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Failure> {
        let mut buffered = match self.sink {
            Sink::Plain(buffered) => buffered,
            Sink::Zstd(encoder) => encoder.finish()?,
        };
        buffered.flush()?;
        let Some(temporary) = self.temporary else { return Ok(()) };
        buffered.get_ref().sync_data()?;
        let named = if self.force { temporary.persist(&self.path) } else { temporary.persist_noclobber(&self.path) };
        named.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.path),
            _ => Failure::Output(error.error),
        })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

fn exists(path: &Path) -> Failure {
    Failure::Message(format!("{} exists already: use --force to replace it", path.display()))
}

fn temporary(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".scoresheet-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: what the umask leaves of it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => builder.tempfile_in(parent),
        _ => builder.tempfile_in("."),
    }
}

/// Returns the error for a file that cannot be had.
pub fn cannot_read(path: &Path, source: io::Error) -> Failure {
    Error::Io { doing: "cannot open", path: path.to_path_buf(), source }.into()
}
