//! An archive as a folder for any web server: the pages of `scoresheet serve`, the reader as WebAssembly, the archive
//! cut into parts, and a site file that makes the explorer's steps cheap (docs/site.md).
//!
//! `file` makes the site file with `positions`; `parts` cuts files; `pages` writes the pages, the service worker and
//! the page of licences; `package` the same reader as a package for npm. Archives are read and never written.

pub mod file;
mod options;
mod package;
mod pages;
mod parts;
mod positions;

pub use options::{Begin, Done, Options};
pub use package::write as write_package;

use scoresheet::query::PositionIndex;
use scoresheet::query::position::index;
use scoresheet::{Archive, Monitor};
use serde_json::json;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What was made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    /// Games, those deleted left out.
    pub games: u64,
    /// Files and their bytes in all.
    pub files: (u64, u64),
    /// The bytes of the archive, and of the site file.
    pub archive: u64,
    /// The bytes of the site file.
    pub site: u64,
    /// What the first visit loads, as it is stored.
    pub shell: u64,
}

/// The folder for what is made on the way.
const WORK: &str = ".making";
/// Memory for sorting the position index.
const MEMORY: u64 = 512 << 20;

/// Makes the folder. One that a site was made in before is brought up to date: parts that are the same stay.
///
/// Errors: the archive cannot be opened or read; the folder holds something else, or cannot be written.
pub fn make(archive: &Path, folder: &Path, options: &Options, begin: &Begin<'_>) -> io::Result<Made> {
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty && !folder.join(parts::MANIFEST).exists() && !folder.join(WORK).exists() {
        return Err(io::Error::other(format!("{} holds something else than a site", folder.display())));
    }
    let opened = Archive::open(archive).map_err(io::Error::other)?;
    if opened.incomplete().is_some() {
        return Err(io::Error::other(format!("{} is damaged: scoresheet repair mends it", archive.display())));
    }
    fs::create_dir_all(folder)?;
    let work = folder.join(WORK);
    let _ = fs::remove_dir_all(&work);
    fs::create_dir(&work)?;
    let made = within(opened, archive, folder, &work, options, begin);
    let _ = fs::remove_dir_all(&work);
    made
}

fn within(
    mut archive: Archive,
    path: &Path,
    folder: &Path,
    work: &Path,
    options: &Options,
    begin: &Begin<'_>,
) -> io::Result<Made> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut positions = PositionIndex::open(&archive).0.filter(|index| index.whole().is_some());
    if positions.is_none() {
        // Beside the archive nothing is written.
        let own = work.join("games.bga");
        fs::hard_link(path, &own).or_else(|_| fs::copy(path, &own).map(drop))?;
        archive = Archive::open(&own).map_err(io::Error::other)?;
        let done = begin("position index", archive.len() * 2);
        index::build(&archive, MEMORY, Monitor::new().on_progress(done)).map_err(io::Error::other)?;
        positions = PositionIndex::open(&archive).0;
    }
    let Some(positions) = positions else { return Err(io::Error::other("the position index cannot be read")) };
    let index = archive.index_file();
    let (games, sequence, length) =
        (archive.len() - archive.deleted_count(), archive.sequence(), archive.file_length());
    let id = archive.id().to_string();
    let site = work.join("site");
    let own = archive.path().to_path_buf();
    let site_length = file::make(archive, &positions, &name, &site, begin)?;
    drop(positions);

    let done = begin("writing", length + site_length);
    let mut parts = parts::Parts::new(folder, options.part)?;
    let archive_parts = parts.file(&own, length, &*done)?;
    let index_parts = parts.bytes(&index)?;
    let site_parts = parts.file(&site, site_length, &*done)?;
    let manifest = json!({
        "scoresheet": 1,
        "title": options.title,
        "name": name,
        "id": id,
        "commit": sequence,
        "games": games,
        "part": options.part,
        "archive": archive_parts,
        "index": index_parts,
        "site": site_parts,
    });
    let shell = pages::write(folder, &manifest, options)?;
    parts.finish(&manifest)?;
    let files = count(folder, work)?;
    Ok(Made { games, files, archive: length, site: site_length, shell })
}

/// Returns how many files a folder has, and their bytes.
fn count(folder: &Path, but: &Path) -> io::Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    let mut folders: Vec<PathBuf> = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.metadata()? {
                _ if entry.path() == but => {}
                meta if meta.is_dir() => folders.push(entry.path()),
                meta => (files, bytes) = (files + 1, bytes + meta.len()),
            }
        }
    }
    Ok((files, bytes))
}
