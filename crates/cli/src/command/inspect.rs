//! `scoresheet inspect`: shows the parts of an archive, index or side file, each with its offset, checksum and meaning.

use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::output::table;
use crate::session::Session;
use crate::text::{hex, printable, shown};
use scoresheet::archive::Access;
use scoresheet::archive::map::Map;
use scoresheet::format::inspect::{Part, inspect};
use std::fs::File;
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// Show the blocks and fields of an archive, index or side file
///
/// Each line shows a part: offset, size in bytes, name and meaning. Parts within a part are indented. Offsets that
/// begin with + are offsets in the decompressed bytes of a block. `inspect` shows damaged files up to the first part
/// that cannot be read, marks invalid parts, and exits with 4. FORMAT.md describes each part.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet inspect games.bga             pages, blocks and their fields
  scoresheet inspect games.bgi --all       every entry of an index
  scoresheet inspect games.bga --at 8354  the part at this byte
  scoresheet inspect games.bga --bytes     every byte, in hexadecimal
  scoresheet inspect games.bga --json | jq -c 'select(.intact == false)'")]
pub struct Args {
    /// The file to show: .bga, .bgi, .bgs, .bgp or .bgh
    file: PathBuf,
    /// Show each record, entry, string and number
    #[arg(long)]
    all: bool,
    /// Show every part with its bytes
    #[arg(long)]
    bytes: bool,
    /// Show only the parts that contain this byte of the file
    #[arg(long, value_name = "OFFSET")]
    at: Option<u64>,
    /// Print one JSON object per part
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let file = bytes_of(&args.file, session.access)?;
    let mut out = session.stdout();
    let (mut written, mut intact) = (Ok(()), true);
    // A part selected with --at is shown in full.
    let width = if args.all || args.at.is_some() { usize::MAX } else { session.width() };
    let is_ours = inspect(&file, args.all || args.bytes || args.at.is_some(), &mut |part| {
        intact &= part.intact != Some(false);
        if written.is_ok() && args.at.is_none_or(|offset| has(part, offset)) {
            written = out.write_all(
                match args.json {
                    true => json(part, args.bytes),
                    false if args.bytes => dump(part),
                    false => line(part, width),
                }
                .as_bytes(),
            );
        }
    });
    if !is_ours {
        return Err(Failure::Message(format!("{} is not an archive, index or side file", shown(&args.file))));
    }
    written?;
    out.flush()?;
    if !intact {
        session.message(&format!("{}: a part is damaged", shown(&args.file)));
        return Ok(Code::Damaged);
    }
    Ok(Code::Success)
}

/// Returns the bytes of a file, and maps the file unless `--no-map` is set.
fn bytes_of(path: &Path, access: Access) -> Result<Box<dyn Deref<Target = [u8]>>, Failure> {
    let read = || -> io::Result<Box<dyn Deref<Target = [u8]>>> {
        Ok(match access {
            // Some systems open a folder like a file.
            _ if path.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; name a file"));
            }
            Access::Map => {
                let file = File::open(path)?;
                let length = file.metadata()?.len();
                Box::new(Map::new(&file, length)?)
            }
            Access::Read => Box::new(std::fs::read(path)?),
        })
    };
    read().map_err(|error| Failure::cannot_open(path, error))
}

/// Returns whether a part contains a byte of the file.
fn has(part: &Part, offset: u64) -> bool {
    !part.unpacked && offset.checked_sub(part.offset).is_some_and(|distance| distance < part.bytes.len() as u64)
}

/// Returns the displayed offset of a part.
fn offset(part: &Part) -> String {
    if part.bytes.is_empty() {
        return String::new();
    }
    format!("{}{}", if part.unpacked { "+" } else { "" }, part.offset)
}

/// Returns the name and meaning of a part, indented.
fn meaning(part: &Part) -> String {
    let value = match part.value.is_empty() {
        true => String::new(),
        false => format!(": {}", printable(part.value)),
    };
    let wrong = if part.intact == Some(false) { "  <- damaged" } else { "" };
    format!("{:indent$}{}{value}{wrong}", "", printable(part.name), indent = 2 * part.depth)
}

fn line(part: &Part, width: usize) -> String {
    let size = if part.bytes.is_empty() { String::new() } else { part.bytes.len().to_string() };
    let line = format!("{:>12} {size:>11}  {}", offset(part), meaning(part));
    // A truncated hash is useless, so hashes are shown in full.
    let is_word = !part.value.contains(' ') && !part.value.starts_with('"');
    if is_word || part.intact == Some(false) { line + "\n" } else { table::shortened(&line, width) + "\n" }
}

/// The number of bytes per line.
const ROW: usize = 8;

/// Returns a part with its bytes. If the part has inner parts, the inner parts show the bytes.
fn dump(part: &Part) -> String {
    let bytes = if part.leaf { part.bytes } else { &[] };
    let zeros = bytes.len() > 2 * ROW && bytes.iter().all(|byte| *byte == 0);
    let mut rows = bytes.chunks(ROW).map(|row| hex(row, " ").to_uppercase());
    let first = match zeros {
        true => format!("00 .. {} times", bytes.len()),
        false => rows.next().unwrap_or_default(),
    };
    let mut text = format!("{:>7}  {first:<width$}  {}\n", offset(part), meaning(part), width = 3 * ROW - 1);
    if !zeros {
        rows.for_each(|row| text += &format!("{:>7}  {row}\n", ""));
    }
    text
}

fn json(part: &Part, bytes: bool) -> String {
    let mut object = Object::new().with("depth", part.depth).with("name", part.name);
    if !part.bytes.is_empty() {
        object = object.with("offset", part.offset).with("size", part.bytes.len());
    }
    object = object.with("unpacked", part.unpacked).with("value", part.value).with("intact", part.intact);
    if bytes && part.leaf {
        object = object.with("bytes", hex(part.bytes, ""));
    }
    format!("{object}\n")
}
