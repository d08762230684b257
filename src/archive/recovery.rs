//! What a crash leaves behind: the last whole commit, and the writer that goes on from a commit (FORMAT.md, "Commits").

use super::map::Map;
use super::new_file::lock;
use super::read_at::ReadAt;
use super::reader::read_header;
use super::scan::{IndexBuilder, Scan};
use super::storage::Storage;
use super::writer::{Interner, Writer};
use crate::error::{Damage, Error, Result};
use crate::format::ArchiveId;
use crate::format::block::Kind;
use crate::format::commit::{Commit, Unfinished};
use crate::format::dictionary::Strings;
use crate::format::header::{BLOCKS, Mark};
use crate::format::index::Index;
use crate::format::source::Source;
use std::fs::{File, OpenOptions};
use std::ops::Deref;
use std::path::Path;

/// An archive file that is shorter than its last commit says: what is left of it ends at an earlier commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The length of the file in bytes.
    pub length: u64,
    /// The length that its last commit says, in bytes.
    pub committed: u64,
    /// The number of games that its last commit says.
    pub games: u64,
}

/// Returns the mark of the last commit that is whole in an archive that has been cut short; that of an empty archive if there
/// is none.
pub(super) fn last_whole_commit<R: ReadAt + ?Sized>(archive: &R, id: ArchiveId) -> Mark {
    let mut mark = Mark { length: BLOCKS, ..Mark::default() };
    for block in Scan::new(archive, id).map_while(std::result::Result::ok) {
        if block.header.kind == Kind::Commit
            && let Some(commit) = block.checked(archive, id).ok().and_then(|payload| Commit::decode(&payload))
        {
            mark = Mark { sequence: commit.sequence, length: block.end(), games: commit.games, commit: block.offset };
        }
    }
    mark
}

/// An archive opened to be written to.
pub struct Opened<S> {
    /// Goes on behind the last commit.
    pub writer: Writer<S>,
    /// Knows the archive's strings.
    pub interner: Interner,
    /// The sources that were read to their end.
    pub sources: Vec<Source>,
    /// How far the last import was, if it did not come to its end.
    pub unfinished: Option<Unfinished>,
}

impl<S: Storage> Opened<S> {
    /// A new archive.
    pub fn new(writer: Writer<S>) -> Opened<S> {
        Opened { writer, interner: Interner::default(), sources: Vec::new(), unfinished: None }
    }

    /// Returns whether anything has been committed.
    pub fn has_commits(&self) -> bool {
        self.writer.sequence() > 0
    }
}

impl<S: Storage> Writer<S> {
    /// Opens an archive to append to it. `all` are the bytes of the storage; `path` is what errors call it. What lies beyond the last
    /// commit is cut off, when `all` has been dropped.
    ///
    /// Errors: those of opening an archive. An archive that is shorter than its last commit is not written to: that would make it seem sound.
    pub fn open_on(mut storage: S, all: impl Deref<Target = [u8]>, path: &Path) -> Result<Opened<S>> {
        let header = read_header(&*all, path)?;
        let mark = header.mark;
        let length = all.len() as u64;
        let committed = usize::try_from(mark.length).ok().and_then(|end| all.get(..end));
        let bytes = committed.ok_or(Damage::new(length, "the file is shorter than its last commit"))?;
        let mut index = IndexBuilder { index: Index { id: header.id, ..Index::default() } };
        let (mut interner, mut sources) = (Interner::default(), Vec::new());
        let (mut totals, mut unfinished) = (Commit::default(), None);
        for block in Scan::new(bytes, header.id) {
            let block = block?;
            index.add(&block)?;
            let damage = Damage::new(block.offset, "damaged block");
            match block.header.kind {
                // The second copy of a dictionary block comes when its strings are known already.
                Kind::Dictionary if block.header.first == interner.known() => {
                    let count = block.header.count as usize;
                    let strings = Strings::decode(&block.checked(bytes, header.id)?, count).ok_or(damage)?;
                    (0..count).filter_map(|string| strings.get(string)).for_each(|string| interner.learn(string));
                }
                Kind::Source => {
                    let payload = block.checked(bytes, header.id)?;
                    sources.push(Source::decode(block.header.first, &payload).ok_or(damage)?);
                }
                Kind::Commit => {
                    let payload = block.checked(bytes, header.id)?;
                    totals = Commit::decode(&payload).ok_or(damage)?;
                    unfinished = Unfinished::of(&payload);
                }
                _ => {}
            }
        }
        if (index.index.games, totals.sequence) != (mark.games, mark.sequence) {
            return Err(Damage::new(mark.commit, "the commit does not agree with its mark").into());
        }
        drop(all);
        if length > mark.length {
            storage.set_length(mark.length).map_err(Error::io("cannot cut", path))?;
        }
        let mut writer = Writer::at(storage, header.id, mark, totals, index);
        // A commit for something else does not make it a finished one.
        writer.set_unfinished(unfinished.clone());
        Ok(Opened { writer, interner, sources, unfinished })
    }
}

impl Writer<File> {
    /// Opens an archive file to append to it, as `open_on` does.
    ///
    /// Errors: those of opening an archive; and another writer has it open.
    pub fn open(path: &Path) -> Result<Opened<File>> {
        let file = locked(path)?;
        let length = file.metadata().map_err(Error::io("cannot read", path))?.len();
        let map = Map::of(&file, length).map_err(Error::io("cannot map", path))?;
        Writer::open_on(file, map, path)
    }
}

/// Opens a file for writing and locks it; what has the lock is what has the name.
fn locked(path: &Path) -> Result<File> {
    loop {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(Error::io("cannot open", path))?;
        lock(&file, path)?;
        if is_named(&file, path) {
            return Ok(file);
        }
    }
}

/// Returns whether `path` still is the name of an open file: another may have been put in its place before this one was locked.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => place(open) == place(named),
        // Whatever this is, opening it again will tell.
        (_, Err(error)) => error.kind() != std::io::ErrorKind::NotFound,
        _ => true,
    }
}

/// Where a file that is open cannot lose its name to another.
#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> bool {
    true
}
