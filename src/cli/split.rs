//! `scoresheet split`: one archive made several.

use crate::args::Threads;
use crate::copying;
use crate::failure::{Code, Failure};
use crate::output;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::query::Headers;
use scoresheet::query::headers::Key;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Split an archive into several: by number of games, or by year or another tag
///
/// The new archives go into a folder. They are called after the archive, with a number, or with the tag's value behind the name.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet split games.bga --count 100000 -o parts/
  scoresheet split games.bga --by year -o years/
  scoresheet split games.bga --by Event -o events/")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// So many games each, the last with what is left
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), required_unless_present = "by")]
    count: Option<u64>,
    /// An archive for each year, or for each value of this tag
    #[arg(long, value_name = "year|TAG", conflicts_with = "count")]
    by: Option<String>,
    /// The folder for the new archives; made if it is not there
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Replace archives that exist already
    #[arg(long)]
    force: bool,
    /// Say nothing but errors, and show no progress
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

/// The most archives that are made in one go.
const MOST: usize = 10_000;

pub fn run(args: &Args) -> Result<Code, Failure> {
    let archive = output::open(&args.archive)?;
    args.threads.install(|| {
        let parts = match (&args.by, args.count) {
            (Some(tag), _) => by_tag(&archive, tag)?,
            (None, Some(count)) => by_count(&archive, count),
            // clap asks for one of them.
            (None, None) => BTreeMap::new(),
        };
        if parts.len() > MOST {
            let what = format!("this would make {} archives; {MOST} are the most", parts.len());
            return Err(Failure::Message(what));
        }
        let refused = |error| Failure::Message(format!("cannot make {}: {error}", args.output.display()));
        std::fs::create_dir_all(&args.output).map_err(refused)?;
        let stem = args.archive.file_stem().unwrap_or_default().to_string_lossy();
        for (name, games) in parts {
            let path = args.output.join(format!("{stem}-{name}.bga"));
            copying::write(&path, args.force, args.quiet, &[Part { archive: &archive, games }])?;
        }
        Ok(Code::Fine)
    })
}

fn by_count(archive: &Archive, count: u64) -> BTreeMap<String, GameSet> {
    let live = archive.live();
    let width = live.len().div_ceil(count).to_string().len();
    let mut parts = BTreeMap::new();
    for (place, game) in (0u64..).zip(live.iter()) {
        let name = format!("{:0width$}", place / count + 1);
        parts.entry(name).or_insert_with(|| GameSet::new(archive.len())).insert(game);
    }
    parts
}

fn by_tag(archive: &Archive, tag: &str) -> Result<BTreeMap<String, GameSet>, Failure> {
    let headers = Headers::of(archive);
    let mut parts = BTreeMap::new();
    let mut put = |name: String, game| {
        parts.entry(name).or_insert_with(|| GameSet::new(archive.len())).insert(game);
    };
    let failed = || Failure::of_archive(archive.path());
    if tag.eq_ignore_ascii_case("year") {
        let years = headers.years().map_err(failed())?;
        for game in archive.live().iter() {
            put(years.get(game).map_or_else(|| "unknown".to_owned(), |year| format!("{year:04}")), game);
        }
    } else {
        let columns = headers.columns(&[Key::Tag(tag.to_owned())]).map_err(failed())?;
        for game in archive.live().iter() {
            let value = columns.first().and_then(|column| column.text(game));
            put(file_name(&String::from_utf8_lossy(value.unwrap_or(b"unknown"))), game);
        }
    }
    Ok(parts)
}

/// The value as a part of a file's name: whatever is not a letter, digit or one of `._-` becomes `_`.
fn file_name(value: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "._-".contains(letter) { letter } else { '_' };
    value.chars().take(80).map(plain).collect()
}
