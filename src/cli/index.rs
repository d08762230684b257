//! `scoresheet index`: the index file, made again.

use crate::failure::{Code, Failure};
use crate::output::{count, note, thousands};
use scoresheet::archive::{Archive, index_path, writer};
use scoresheet::query::headers;
use std::path::PathBuf;

/// Make the index file of an archive again
///
/// The index games.bgi beside games.bga only saves time: an archive without it is walked through once when it is opened. Make it
/// again after it was lost, or after an import that was killed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet index games.bga
  scoresheet index games.bga --headers     also what makes --where fast")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Make the header columns too: games.bgh beside games.bga, which answers --where in milliseconds
    #[arg(long)]
    headers: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    let path = index_path(&args.archive);
    if path == args.archive {
        let what = "this is the name of an index, not of an archive";
        return Err(Failure::Message(format!("{}: {what}", path.display())));
    }
    let archive = Archive::open_without_index(&args.archive).map_err(Failure::of_archive(&args.archive))?;
    let index = archive.index_file();
    writer::write_whole(&path, &index)?;
    if !args.quiet {
        let size = thousands(index.len() as u64);
        note(&format!("{}: {size} bytes for {}", path.display(), count(archive.len(), "game", "games")));
    }
    if args.headers {
        let (size, names) = headers::write(&archive).map_err(Failure::of_archive(&args.archive))?;
        if !args.quiet {
            let path = headers::headers_path(&args.archive);
            let columns = count(names.len() as u64, "tag", "tags");
            note(&format!("{}: {} bytes, columns of {columns}", path.display(), thousands(size)));
        }
    }
    Ok(Code::Fine)
}
