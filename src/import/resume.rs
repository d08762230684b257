//! Determines where an import starts: at the beginning, or at the last commit of an interrupted import.

use super::feed::{Begin, Feed};
use super::options::ImportOptions;
use crate::archive::Existing;
use crate::archive::storage::Storage;
use crate::archive::writer::{Opened, Writer};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::commit::Unfinished;
use crate::format::source::SourceRecord;
use std::path::Path;

/// The point at which an import starts.
#[derive(Debug, Default)]
pub struct Start {
    /// The completely imported sources.
    pub done: Vec<SourceRecord>,
    /// The position in the next source, if an interrupted import has partly read that source.
    pub begin: Option<Begin>,
    /// The number in the archive of the import's first source.
    pub first_source: u64,
    /// A previous import that was interrupted and that this import does not continue.
    pub left: Option<Unfinished>,
    /// Whether the archive must have been created from the same sources.
    pub same_identity: bool,
}

impl Start {
    /// Determines the start of an import in an existing archive.
    pub fn new<S: Storage>(
        opened: &Opened<S>,
        names: &[String],
        options: &ImportOptions,
        target: &Path,
    ) -> Result<Start> {
        let refuse = |what: String| Err(Error::input(target.display().to_string(), what));
        let sources = &opened.sources;
        let afresh = Start { first_source: sources.len() as u64, ..Start::default() };
        if !options.resume {
            return Ok(Start { left: opened.unfinished.clone(), ..afresh });
        }
        let Some(unfinished) = &opened.unfinished else {
            // The import may have finished without being able to report it.
            let first = sources.len().checked_sub(names.len()).filter(|_| !names.is_empty());
            if let Some(done) = first.and_then(|first| sources.get(first..))
                && done.iter().map(|source| &source.name).eq(names)
            {
                let first_source = (sources.len() - done.len()) as u64;
                return Ok(Start { done: done.to_vec(), first_source, ..Start::default() });
            }
            return match (opened.has_commits(), options.existing) {
                (false, _) => Ok(Start { same_identity: true, ..afresh }),
                (true, Existing::Append) => Ok(afresh),
                _ => Err(Error::NothingToResume { path: target.to_path_buf() }),
            };
        };
        let known = usize::try_from(unfinished.first_source).ok().and_then(|first| sources.get(first..));
        let done = known.ok_or(Damage::new(0, DamageKind::CommitDisagrees))?;
        let known = done.iter().chain([&unfinished.source]).map(|source| &source.name);
        for (index, known) in known.enumerate() {
            match names.get(index) {
                Some(name) if name == known => {}
                Some(name) => {
                    return refuse(format!(
                        "the interrupted import read {known} instead of {name}: give the same files in the same order"
                    ));
                }
                None => {
                    return refuse(format!(
                        "the interrupted import also read {known}: give the same files in the same order"
                    ));
                }
            }
        }
        if unfinished.options != options.words() {
            return refuse(format!(
                "the interrupted import had other options ({}); this one has {}",
                unfinished.options,
                options.words()
            ));
        }
        let begin = Begin { source: unfinished.source.clone(), line: unfinished.line };
        let first_source = unfinished.first_source;
        Ok(Start { done: done.to_vec(), begin: Some(begin), first_source, ..Start::default() })
    }

    /// Checks that an archive without any commit was created by an import of these sources.
    pub fn check<S: Storage>(&self, feed: &Feed, writer: &Writer<S>, target: &Path) -> Result<()> {
        if self.same_identity && feed.identity() != writer.id() {
            let what = "the interrupted import began with another file, or had another level";
            return Err(Error::input(target.display().to_string(), what));
        }
        Ok(())
    }

    /// Returns the number of source bytes that have already been imported.
    pub fn passed_over(&self) -> u64 {
        let begin = self.begin.as_ref().map_or(0, |begin| begin.source.bytes);
        self.done.iter().map(|source| source.bytes).sum::<u64>() + begin
    }
}

impl ImportOptions {
    /// Returns the options that affect the stored data, as text. A resumed import must have the same options.
    pub fn words(&self) -> String {
        let encoding = match self.read.encoding {
            crate::pgn::Encoding::Auto => "auto",
            crate::pgn::Encoding::Utf8 => "utf-8",
            crate::pgn::Encoding::Windows1252 => "windows-1252",
            crate::pgn::Encoding::Latin1 => "latin1",
        };
        let strict = if self.read.strict { ", strict" } else { "" };
        let limits = &self.read.limits;
        let mut words = format!("level {}, batch {}, encoding {encoding}{strict}", self.level, self.batch);
        if self.pack {
            words += ", packed";
        }
        let standard = ImportOptions::default();
        if self.chunk_bytes != standard.chunk_bytes {
            words += &format!(", chunks of {} bytes", self.chunk_bytes);
        }
        if *limits != standard.read.limits {
            let crate::pgn::ReadLimits { max_plies, max_tag_bytes, max_comment_bytes, max_depth, max_game_bytes } =
                limits;
            words += &format!(
                ", limits {max_plies} plies, {max_tag_bytes} bytes a tag, {max_comment_bytes} a comment, {max_game_bytes} a game, depth {max_depth}"
            );
        }
        words
    }
}
