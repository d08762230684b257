//! Selects the commit at which an archive is opened, from two header pages and the file after them (FORMAT.md, "Which
//! commit counts").
//!
//! A page that is not intact was either torn by a crash or damaged later. The page itself does not show which happened.
//! The blocks show it, because they are synced before the page that covers them. If a page is invalid, the file is
//! searched block by block for commits after the other page's commit. If such a commit is found, the archive opens at
//! this commit. Otherwise games may be missing, which is reported.

use crate::archive::read::blocks::{BlockRef, check_block, walk};
use crate::archive::read::read_at::{Access, ReadAt, Store};
use crate::error::{Damage, DamageKind, Error, Result};
use crate::format::State;
use crate::format::block::BlockKind;
use crate::format::commit::Commit;
use crate::format::header::{BLOCKS, FEATURES, Header, PAGES, Page};
use std::fs::File;
use std::io;
use std::path::Path;

/// The reason why an open archive may lack committed games.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 *\n"[..])?;
/// use scoresheet::archive::{ArchiveFile, Cut, Incomplete};
/// use scoresheet::{Archive, Import};
///
/// # Import::new(&target).append().run_reader("more.pgn", &b"1. d4 *\n"[..])?;
/// let bytes = std::fs::read(&target)?; // two games, each in a commit
/// let cut_off = bytes[..bytes.len() - 1].to_vec();
/// let archive = Archive::open(ArchiveFile::from_bytes(cut_off))?;
/// let Some(Incomplete::Cut(Cut { committed, games, .. })) = archive.incomplete() else { panic!("a cut archive") };
/// assert_eq!((archive.len(), games, committed), (1, 2, bytes.len() as u64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incomplete {
    /// The file is shorter than its last commit, so the archive opens at an earlier commit.
    Cut(Cut),
    /// A header page is damaged, and no commit after the other page's commit can be found. Either no later commit
    /// existed, or it is also damaged.
    HeaderPage {
        /// The offset in bytes of the damaged page.
        offset: u64,
    },
}

impl std::fmt::Display for Incomplete {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Incomplete::Cut(cut) => write!(
                f,
                "damaged: truncated at {} of {} bytes, so not all of its {} games can be read",
                cut.length, cut.committed, cut.games
            ),
            Incomplete::HeaderPage { offset } => {
                write!(f, "damaged: the header page at byte {offset} cannot be read, so games may be missing")
            }
        }
    }
}

/// The state of an archive file that is shorter than its last commit, and therefore opened at an earlier commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The length of the file in bytes.
    pub length: u64,
    /// The length of the file at its last commit, in bytes.
    pub committed: u64,
    /// The number of games at its last commit.
    pub games: u64,
}

/// Whether to use commits that follow the commits of two intact header pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// Ignore these commits: a writer may still be working on them.
    Leave,
    /// Use these commits: the caller is the only writer, and committed blocks are kept.
    Adopt,
}

/// The commit at which an archive is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The header that counts.
    pub header: Header,
    /// The commits found after the commit of the newest intact page, in order. `header` is the
    /// last commit.
    pub found: Vec<Header>,
    /// The offset of a header page that should be intact but is damaged.
    pub damaged_page: Option<u64>,
    /// The reason why games may be missing.
    pub incomplete: Option<Incomplete>,
}

impl Opening {
    /// Finds the valid commit in a file, and returns the commit with all bytes of the file. The file may grow during
    /// this search.
    ///
    /// Errors: the errors of `of`, or the file cannot be read.
    pub fn from_file(file: &File, path: &Path, access: Access, tail: Tail) -> Result<(Store, Opening)> {
        let length = || file.metadata().map(|file| file.len()).map_err(Error::io("cannot read", path));
        let handle = || file.try_clone().map_err(Error::io("cannot read", path));
        let mut known = length()?;
        loop {
            let store = Store::from_file(handle()?, known, access).map_err(Error::io("cannot map", path))?;
            let opening = Opening::read(&store, path, tail)?;
            let now = length()?;
            // Either the page was read during a write, or it covers bytes that were written after the length was read.
            if opening.incomplete.is_none() || now == known {
                return Ok((store, opening));
            }
            known = now;
        }
    }

    /// Finds the valid commit. `file` is the whole file, including bytes beyond the last commit.
    ///
    /// Errors: the file is not an archive, has another version, or contains no intact header page.
    pub fn read(file: &(impl ReadAt + ?Sized), path: &Path, tail: Tail) -> Result<Opening> {
        let pages = Page::read_both(&file.read_at(0, BLOCKS.min(file.length()))?);
        let header = newest(&pages, path)?;
        let state = header.state;
        let damaged_page = PAGES.into_iter().zip(&pages).find_map(|(offset, page)| match page {
            Page::Intact(_) => None,
            // A new archive has only one header page.
            Page::Zero if state.sequence == 0 => None,
            _ => Some(offset),
        });
        if state.sequence > 0
            && let Ok(block) = BlockRef::at(file, state.id, header.commit)
            && (block.header.kind != BlockKind::Commit || block.end() != state.length)
        {
            // The blocks after the last commit belong to no commit, and a copy would lose them.
            return Err(Damage::new(header.commit, DamageKind::BlocksOfOtherCommit).into());
        }
        let mut opening = Opening { header, found: Vec::new(), damaged_page, incomplete: None };
        if file.length() < state.length {
            opening.header = commits(file, Header::new(state.id), |_| true).pop().unwrap_or(Header::new(state.id));
            let cut = Cut { length: file.length(), committed: state.length, games: state.games };
            opening.incomplete = Some(Incomplete::Cut(cut));
            return Ok(opening);
        }
        let both = pages.iter().all(|page| page.header().is_some());
        if file.length() > state.length && (!both || tail == Tail::Adopt) {
            // After a crash before the sync, blocks may be incomplete. Therefore only complete commits are valid.
            opening.found = commits(file, header, |block| check_block(file, state.id, block).is_empty());
        }
        match (opening.found.last(), damaged_page) {
            (Some(last), _) => opening.header = *last,
            (None, Some(offset)) => opening.incomplete = Some(Incomplete::HeaderPage { offset }),
            (None, None) => {}
        }
        Ok(opening)
    }

    /// Returns the damage of the header pages, or the damage of a file that is too short.
    pub fn damage(&self) -> Option<Damage> {
        let what = DamageKind::HeaderPageFound;
        self.refused().or(self.damaged_page.map(|page| Damage::new(page, what)))
    }

    /// Returns the damage of a header page that is zero, as in a new archive, although an intact commit block follows
    /// blocks that are not intact. Either damage made the page zero, or a crash interrupted the first commit.
    pub fn hidden_commit(&self, file: &(impl ReadAt + ?Sized)) -> Option<Damage> {
        let (id, [_, page]) = (self.header.state.id, PAGES);
        let is_new = self.header.state.sequence == 0 && self.found.is_empty() && self.incomplete.is_none();
        let is_commit = |block: &BlockRef| block.header.kind == BlockKind::Commit && block.checked(file, id).is_ok();
        let is_hidden = is_new && walk(file, id).0.iter().any(is_commit);
        is_hidden.then(|| Damage::new(page, DamageKind::HeaderPageLost))
    }

    /// Returns the reason why the archive is read-only, if any: a writer could truncate or overwrite the missing games.
    pub fn refused(&self) -> Option<Damage> {
        self.incomplete.map(|incomplete| match incomplete {
            Incomplete::Cut(cut) => Damage::new(cut.length, DamageKind::CutOff),
            Incomplete::HeaderPage { offset } => Damage::new(offset, DamageKind::HeaderPageLost),
        })
    }
}

/// Opens the file of an archive to read it. Errors: it cannot be opened, or is a folder. Some systems open a folder like
/// a file.
pub fn open_file(path: &Path) -> Result<File> {
    let opened = match path.is_dir() {
        true => Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder; name an archive in it")),
        false => File::open(path),
    };
    opened.map_err(Error::io("cannot open", path))
}

/// Returns the header of the intact page with the later commit.
fn newest(pages: &[Page; 2], path: &Path) -> Result<Header> {
    let path = || path.to_path_buf();
    // A newer program may have committed blocks that this program does not support.
    if let Some(version) =
        pages.iter().find_map(|page| if let Page::Newer(version) = page { Some(*version) } else { None })
    {
        return Err(Error::Newer { path: path(), version });
    }
    let [first, second] = [pages[0].header(), pages[1].header()];
    for (offset, header) in PAGES.into_iter().zip([first, second]) {
        if let Some(part) = header.and_then(|header| header.features.unknown_to_reader()) {
            return Err(Error::Unknown { offset: offset + FEATURES, part });
        }
    }
    if let (Some(first), Some(second)) = (first, second)
        && first.state.id != second.state.id
    {
        return Err(Damage::new(0, DamageKind::TwoArchives).into());
    }
    if let Some(header) = first.into_iter().chain(second).max_by_key(|header| header.state.sequence) {
        return Ok(header);
    }
    if let Some(version) =
        pages.iter().find_map(|page| if let Page::Older(version) = page { Some(*version) } else { None })
    {
        return Err(Error::Older { path: path(), version });
    }
    if pages.iter().all(|page| matches!(page, Page::NotAnArchive | Page::Zero)) {
        return Err(Error::NotAnArchive { path: path() });
    }
    Err(Damage::new(0, DamageKind::FileHeader).into())
}

/// Returns the consecutive commits after `from`, found block by block, in order. Each commit contains the next sequence
/// number and the chain of all preceding blocks. The search stops at the first block that `holds` rejects.
fn commits(file: &(impl ReadAt + ?Sized), from: Header, holds: impl Fn(&BlockRef) -> bool) -> Vec<Header> {
    let (mut commits, mut state) = (Vec::new(), from.state);
    while let Ok(block) = BlockRef::at(file, state.id, state.length)
        && holds(&block)
    {
        let before = state;
        state.extend(&block.header);
        if block.header.kind != BlockKind::Commit {
            continue;
        }
        let payload = block.checked(file, state.id).ok();
        let Some(commit) = payload.and_then(|payload| Commit::decode(&payload)) else { break };
        let stated = State { sequence: commit.sequence, games: commit.games, ..state };
        if commit.chain != before.chain || stated != state || state.sequence != before.sequence + 1 {
            break;
        }
        commits.push(Header { state, commit: block.offset, ..from });
    }
    commits
}
