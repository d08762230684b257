//! Opens the writer that continues from a commit after any crash (FORMAT.md, "Commits").

use crate::archive::read::blocks::{IndexBuilder, Scan};
use crate::archive::read::map::Map;
use crate::archive::read::opening::{Opening, Tail};
use crate::archive::write::new_file::lock;
use crate::archive::write::storage::Storage;
use crate::archive::write::writer::{Interner, Writer};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::block::BlockKind;
use crate::format::commit::{Commit, Unfinished};
use crate::format::dictionary::BlockStrings;
use crate::format::header::FEATURES;
use crate::format::source::SourceRecord;
use std::fs::{File, OpenOptions};
use std::ops::Deref;
use std::path::Path;

/// An archive that is opened for writing.
pub struct Opened<S> {
    /// A writer that continues after the last commit.
    pub writer: Writer<S>,
    /// Knows the archive's strings.
    pub interner: Interner,
    /// The completely imported sources.
    pub sources: Vec<SourceRecord>,
    /// The progress of the last import if it did not finish.
    pub unfinished: Option<Unfinished>,
}

impl<S: Storage> Opened<S> {
    /// Returns the result for a new archive.
    pub fn new(writer: Writer<S>) -> Opened<S> {
        Opened { writer, interner: Interner::default(), sources: Vec::new(), unfinished: None }
    }

    /// Returns whether the archive contains any commit.
    pub fn has_commits(&self) -> bool {
        self.writer.sequence() > 0
    }
}

impl<S: Storage> Writer<S> {
    /// Opens an archive for appending. `all` contains all bytes in the storage, and `path` is used in errors.
    ///
    /// Accepts complete commits after the commit of the header pages, and writes header pages for them. Truncates bytes
    /// beyond the last commit after `all` has been dropped.
    ///
    /// Errors: an error of opening an archive. An archive that may lack games is rejected, because it would seem intact
    /// after a write.
    pub fn open_on(storage: S, all: impl Deref<Target = [u8]>, path: &Path) -> Result<Opened<S>> {
        let opening = Opening::read(&*all, path, Tail::Adopt)?;
        Writer::continue_at(&opening, storage, all, path)
    }

    /// Opens an archive like `open_on`, at the commit that has been found.
    fn continue_at(
        opening: &Opening,
        mut storage: S,
        all: impl Deref<Target = [u8]>,
        path: &Path,
    ) -> Result<Opened<S>> {
        if let Some(damage) = opening.refused() {
            return Err(damage.into());
        }
        let header = opening.header;
        if let Some(part) = header.features.unknown_to_writer() {
            return Err(Error::Unknown { offset: header.offset() + FEATURES, part });
        }
        let length = all.len() as u64;
        let id = header.state.id;
        let committed = usize::try_from(header.state.length).ok().and_then(|end| all.get(..end));
        let bytes = committed.ok_or(Damage::new(length, DamageKind::CutOff))?;
        let mut index = IndexBuilder::new(id);
        let (mut interner, mut sources) = (Interner::default(), Vec::new());
        let (mut totals, mut unfinished) = (Commit::default(), None);
        for block in Scan::new(bytes, id) {
            let block = block?;
            index.add(&block)?;
            let damage = Damage::new(block.offset, DamageKind::BlockContent);
            match block.header.kind {
                // A dictionary block whose strings are already known is a second copy.
                BlockKind::Dictionary if block.header.first == interner.known() => {
                    let count = block.header.count as usize;
                    let strings = BlockStrings::decode(&block.checked(bytes, id)?, count).ok_or(damage)?;
                    (0..count).filter_map(|string| strings.get(string)).for_each(|string| interner.learn(string));
                }
                BlockKind::Source => {
                    let payload = block.checked(bytes, id)?;
                    sources.push(SourceRecord::decode(block.header.first, &payload).ok_or(damage)?);
                }
                BlockKind::Commit => {
                    let payload = block.checked(bytes, id)?;
                    totals = Commit::decode(&payload).ok_or(damage)?;
                    unfinished = Unfinished::from_commit(&payload);
                }
                _ => {}
            }
        }
        if (index.index.state, totals.sequence) != (header.state, header.state.sequence) {
            return Err(Damage::new(header.commit, DamageKind::BlocksOfOtherCommit).into());
        }
        drop(all);
        let failed = || Error::io("cannot write", path);
        for found in &opening.found {
            // The blocks may not have reached the disk yet. The two pages are written alternately, so one page is
            // always valid.
            storage.sync().map_err(failed())?;
            storage.write_at(found.offset(), &found.encode()).map_err(failed())?;
            storage.sync().map_err(failed())?;
        }
        if length > header.state.length {
            storage.set_length(header.state.length).map_err(Error::io("cannot truncate", path))?;
        }
        let mut writer = Writer::at(storage, header, totals, index);
        // A commit of other changes does not complete the import.
        writer.set_unfinished(unfinished.clone());
        Ok(Opened { writer, interner, sources, unfinished })
    }
}

impl Writer<File> {
    /// Opens an archive file to append to it, like `open_on`. Refuses an archive with a commit that damage may have
    /// hidden.
    ///
    /// Errors: the errors of opening an archive, or another writer has opened the archive.
    pub fn open(path: &Path) -> Result<Opened<File>> {
        let (file, map) = mapped(path)?;
        let opening = Opening::read(&*map, path, Tail::Adopt)?;
        match opening.hidden_commit(&*map) {
            Some(damage) => Err(damage.into()),
            None => Writer::continue_at(&opening, file, map, path),
        }
    }

    /// Opens an archive file to resume its import, which reads the sources of a hidden commit again.
    ///
    /// Errors: the errors of opening an archive, or another writer has opened the archive.
    pub fn open_to_resume(path: &Path) -> Result<Opened<File>> {
        let (file, map) = mapped(path)?;
        Writer::open_on(file, map, path)
    }
}

fn mapped(path: &Path) -> Result<(File, Map)> {
    let file = locked(path)?;
    let length = file.metadata().map_err(Error::io("cannot read", path))?.len();
    let map = Map::new(&file, length).map_err(Error::io("cannot map", path))?;
    Ok((file, map))
}

/// Opens a file for writing and locks it, repeatedly if necessary. The locked file must be the file that `path` names.
fn locked(path: &Path) -> Result<File> {
    loop {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(Error::io("cannot open", path))?;
        lock(&file, path)?;
        if is_named(&file, path) {
            return Ok(file);
        }
    }
}

/// Returns whether `path` still names the open file. Another process may have replaced the file before it was locked.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode_of = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => inode_of(open) == inode_of(named),
        // Any other error recurs when the file is opened again.
        (_, Err(error)) => error.kind() != std::io::ErrorKind::NotFound,
        _ => true,
    }
}

/// This version is for systems on which a rename cannot replace an open file.
#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> bool {
    true
}
