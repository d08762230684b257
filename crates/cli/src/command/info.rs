//! `scoresheet info`: shows the contents of an archive, and the size of each part.

use crate::command::export::original;
use crate::failure::{Code, Failure};
use crate::output::archive_sizes::ArchiveSizes;
use crate::output::json::Object;
use crate::select::archives;
use crate::session::Session;
use crate::text::{count, hex, printable, ranges, thousands};
use crate::threads::Threads;
use scoresheet::archive::{Archive, GameSet, SideState};
use scoresheet::format::commit::{Commit, Unfinished};
use scoresheet::format::metadata::KEYS;
use scoresheet::format::source::SourceRecord;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// The number of sources that are listed without `--sources`.
const SOURCES: usize = 5;

/// Show the contents of an archive: games, plies, sizes, sources
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet info games.bga
  scoresheet info games.bga --sources    all sources, not only the first 5
  scoresheet info games.bga --digest     equal digests mean the same games")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Print only the content digest
    ///
    /// The digest is a SHA-256 of all games, independent of their storage. To compute it, `info` reads the complete
    /// archive.
    #[arg(long)]
    digest: bool,
    /// List every source [default: the first 5 and a total]
    #[arg(long)]
    sources: bool,
    /// Print one JSON object, with the digest if --digest is given
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.threads.install(|| info(args, session))
}

fn info(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    let failure = || Failure::of_archive(&args.archive);
    let digest = match args.digest {
        true => Some(archive.digest().map_err(failure())?.to_string()),
        false => None,
    };
    let mut out = session.stdout();
    match digest {
        Some(digest) if !args.json => writeln!(out, "{digest}")?,
        digest => {
            let totals = archive.totals().map_err(failure())?;
            let sources = archive.sources().map_err(failure())?;
            let parts = ArchiveSizes::new(totals, archive.file_length(), archive.index_file().len() as u64);
            let info = Info {
                // The PGN of some games is not in the total.
                parts: if sources.iter().any(is_unmeasured) { parts.without_pgn() } else { parts },
                totals,
                sources,
                metadata: archive.metadata().map_err(failure())?,
                models: archive.models().map_err(failure())?.into_iter().map(|(name, _)| name.number).collect(),
                unfinished: archive.unfinished().map_err(failure())?,
                changed: archive.changed().unwrap_or_default(),
                archive: &archive,
            };
            let text = if args.json { format!("{}\n", info.json(digest)) } else { info.text(args.sources) };
            out.write_all(text.as_bytes())?;
        }
    }
    out.flush()?;
    Ok(Code::Success)
}

struct Info<'a> {
    archive: &'a Archive,
    totals: Commit,
    sources: Vec<SourceRecord>,
    metadata: BTreeMap<String, String>,
    /// The numbers of the models that the archive contains.
    models: Vec<u32>,
    unfinished: Option<Unfinished>,
    /// The changed games, if their list is readable.
    changed: GameSet,
    parts: ArchiveSizes,
}

impl Info<'_> {
    fn index(&self) -> (&'static str, &'static str) {
        match self.archive.index_state() {
            SideState::File => ("good", "good"),
            SideState::Missing => ("missing", "missing; `scoresheet index` rebuilds it"),
            SideState::Stale => ("stale", "out of date; `scoresheet index` rebuilds it"),
            SideState::Damaged => ("damaged", "damaged; `scoresheet index` rebuilds it"),
        }
    }

    /// Returns the skippable blocks of a later version as text.
    fn unknown(&self) -> String {
        let unknown = self.archive.unknown_blocks().unwrap_or_default();
        let of_kind = |(kind, (blocks, bytes)): (u8, (u64, u64))| {
            format!("{} of unknown kind {kind} ({} bytes)", count(blocks, "block", "blocks"), thousands(bytes))
        };
        unknown.into_iter().map(of_kind).collect::<Vec<_>>().join(", ")
    }

    fn text(&self, all_sources: bool) -> String {
        let (archive, totals) = (self.archive, &self.totals);
        let (major, minor) = archive.version();
        let rows = [
            ("Archive", printable(&archive.path().display().to_string())),
            ("Format", format!("version {major}.{minor}, id {}", archive.id())),
            (
                "Games",
                format!(
                    "{} ({}{} with faults; {} more rejected)",
                    thousands(archive.len()),
                    match archive.deleted_count() {
                        0 => String::new(),
                        deleted => format!("{} of them deleted; ", thousands(deleted)),
                    },
                    thousands(totals.faulty),
                    thousands(totals.rejected)
                ),
            ),
            (
                "Changed",
                match self.changed.len() {
                    0 => "no game since its import".to_owned(),
                    games => {
                        format!("{} since the import: {}", count(games, "game", "games"), ranges(&self.changed, 5))
                    }
                },
            ),
            ("Plies", thousands(totals.plies)),
            ("Strings", thousands(totals.strings)),
            ("Unknown", self.unknown()),
            ("Commits", thousands(totals.sequence)),
            (
                "Files",
                format!(
                    "{} bytes, index {} bytes",
                    thousands(archive.file_length()),
                    thousands(archive.index_file().len() as u64)
                ),
            ),
            ("Index", self.index().1.to_owned()),
        ];
        let mut text = String::new();
        let said = KEYS.iter().filter_map(|key| self.metadata.get_key_value(*key));
        let custom = self.metadata.iter().filter(|(key, _)| !KEYS.contains(&key.as_str()));
        let said = said.chain(custom).map(|(key, value)| (capitalized(key), printable(value)));
        let rows = rows.into_iter().map(|(title, value)| (title.to_owned(), value)).chain(said);
        for (title, value) in rows.filter(|(_, value)| !value.is_empty()) {
            text += &format!("{title:<8} {value}\n");
        }
        text += &format!("\n{}\n", self.parts.table());
        let shown = if all_sources { self.sources.len() } else { SOURCES };
        for source in self.sources.iter().take(shown) {
            let (bytes, sha256) = match is_unmeasured(source) {
                true => ("length unknown".to_owned(), String::new()),
                false => {
                    let sha256 = format!("         sha256 {}\n", hex(&source.sha256, ""));
                    (format!("{} bytes", thousands(source.bytes)), sha256)
                }
            };
            text += &format!(
                "Source   {}\n         {bytes}, {} seen, {} rejected; {}{}\n{sha256}",
                printable(&source.name),
                count(source.seen, "game", "games"),
                thousands(source.rejected),
                match original::converted_from(archive, source) {
                    _ if source.exact => "exact".to_owned(),
                    Some(from) => format!("converted from {from}"),
                    None => "not exact".to_owned(),
                },
                match source.first_game {
                    0 => String::new(),
                    first => format!("; from game {}", thousands(first)),
                }
            );
        }
        if let Some(Unfinished { source, .. }) = &self.unfinished {
            text += &format!(
                "Source   {}\n         its import was interrupted at byte {}: import --resume continues it\n",
                printable(&source.name),
                thousands(source.bytes)
            );
        }
        let rest = self.sources.get(shown..).unwrap_or_default();
        if !rest.is_empty() {
            let sum = |of: fn(&SourceRecord) -> u64| rest.iter().map(of).sum::<u64>();
            text += &format!(
                "Sources  {} more: {} bytes, {} seen, {} rejected (--sources lists them)\n",
                thousands(rest.len() as u64),
                thousands(sum(|source| source.bytes)),
                count(sum(|source| source.seen), "game", "games"),
                thousands(sum(|source| source.rejected))
            );
        }
        let comes_back = |source: &&SourceRecord| source.exact || original::keeps_bytes(archive, source);
        let exact = self.sources.iter().filter(comes_back).count() as u64;
        let sources = count(self.sources.len() as u64, "source", "sources");
        text += &format!("Exact    {} of {sources} can be restored byte for byte\n", thousands(exact));
        text
    }

    fn json(&self, digest: Option<String>) -> Object {
        let (archive, totals) = (self.archive, &self.totals);
        let (major, minor) = archive.version();
        let sources: Vec<Object> = self.sources.iter().map(source_json).collect();
        let object = Object::new()
            .with("archive", archive.path().to_string_lossy())
            .with("format", format!("{major}.{minor}"))
            .with("id", archive.id().to_string())
            .object("metadata", &Object::from_value(&self.metadata))
            .with("models", self.models.clone())
            .with("games", archive.len())
            .with("deleted", archive.deleted_count())
            .with("changed", self.changed.len())
            .with("changed_games", ranges(&self.changed, usize::MAX))
            .with("plies", totals.plies)
            .with("faulty", totals.faulty)
            .with("rejected", totals.rejected)
            .with("strings", totals.strings)
            .with("commits", totals.sequence)
            .with("archive_bytes", archive.file_length())
            .with("index_bytes", archive.index_file().len())
            .with("index", self.index().0)
            .object("parts", &self.parts.json())
            .array("sources", &sources)
            .with("unfinished", self.unfinished.as_ref().map(|unfinished| unfinished.source.name.as_str()));
        match digest {
            Some(digest) => object.with("digest", digest),
            None => object,
        }
    }
}

/// Returns whether games of a source have been copied without its measures, because other games of it were left out.
fn is_unmeasured(source: &SourceRecord) -> bool {
    source.bytes == 0 && !source.exact && source.seen > 0
}

/// Formats a key as the title of a line.
fn capitalized(key: &str) -> String {
    let (first, rest) = key.split_at(1);
    first.to_uppercase() + rest
}

fn source_json(source: &SourceRecord) -> Object {
    Object::new()
        .with("name", source.name.as_str())
        .with("bytes", source.bytes)
        .with("sha256", hex(&source.sha256, ""))
        .with("seen", source.seen)
        .with("rejected", source.rejected)
        .with("exact", source.exact)
        .with("first_game", Some(source.first_game).filter(|first| *first > 0))
}
