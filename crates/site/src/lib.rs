//! Writes an archive as a folder for any web server: the pages of `scoresheet serve`, the reader as WebAssembly, and
//! the archive in parts. A site file reduces the amount of data that a step in the explorer fetches (docs/site.md).
//!
//! `file` writes the site file with `positions`. `parts` splits files. `pages` writes the pages, the service worker and
//! the page of licenses. `package` writes the reader as an npm package. The crate only reads archives.

mod feed;
pub mod file;
mod options;
mod package;
mod pages;
mod parts;
mod positions;

pub use options::{Begin, Done, Options};
pub use package::write as write_package;

use scoresheet::archive::copy::{self, Part};
use scoresheet::chess::Variant;
use scoresheet::{Archive, Error, Existing, Monitor};
use scoresheet_answers::{Fault, variants};
use scoresheet_query::PositionIndex;
use scoresheet_query::position::index;
use serde_json::{Map, Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A summary of a site that was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    /// The number of games, excluding deleted games.
    pub games: u64,
    /// The missing data of damaged archives; `None` if the archives are intact.
    pub lost: Option<Lost>,
    /// The number of files, and their total size in bytes.
    pub files: (u64, u64),
    /// The size of the archive in bytes, including the site file.
    pub archive: u64,
    /// The size of the site file in bytes.
    pub site: u64,
    /// The size in bytes of the files that the first visit loads, as stored.
    pub shell: u64,
}

/// The folder for temporary files.
const WORK: &str = ".making";
/// The memory for sorting the position index.
const MEMORY: u64 = 512 << 20;

/// Writes the site to the folder, or updates an existing site without rewriting unchanged parts. Joins several archives
/// in the given order. The site of a damaged archive contains the intact games and reports the number of missing games.
///
/// Errors: an archive cannot be opened or read; the folder contains other files or cannot be written; an option is
/// invalid.
pub fn make<P: AsRef<Path>>(archives: &[P], folder: &Path, options: &Options, begin: &Begin<'_>) -> io::Result<Made> {
    options.check()?;
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty && !folder.join(parts::MANIFEST).exists() && !folder.join(WORK).exists() {
        return Err(io::Error::other(format!(
            "{} contains other files; choose a new folder or an earlier site",
            folder.display()
        )));
    }
    let paths: Vec<PathBuf> = archives.iter().map(|path| path.as_ref().to_path_buf()).collect();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = paths.iter().map(name).collect::<Vec<_>>().join(", ");
    let are_intact = paths.iter().map(|path| is_intact(path)).collect::<io::Result<Vec<bool>>>()?;
    fs::create_dir_all(folder)?;
    let work = folder.join(WORK);
    let job = Job { name: &name, folder, work: &work, options, begin };
    renew(&work)?;
    // Reading the games can discover further damage.
    let made = match are_intact.contains(&false) {
        true => job.of_intact(&paths),
        false => match job.of_all(&paths, None) {
            Err(error) if is_damage(&error) => renew(&work).and_then(|()| job.of_intact(&paths)),
            made => made,
        },
    };
    let _ = fs::remove_dir_all(&work);
    made
}

/// Treat a missing file as removed.
fn absent(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// Deletes and recreates the folder for temporary files.
fn renew(work: &Path) -> io::Result<()> {
    let _ = fs::remove_dir_all(work);
    fs::create_dir(work)
}

/// Returns whether the archive opens without damage.
fn is_intact(path: &Path) -> io::Result<bool> {
    match Archive::open(path) {
        Ok(opened) => Ok(opened.incomplete().is_none()),
        Err(Error::Damaged(_)) => Ok(false),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Returns whether the error reports damage of an archive.
fn is_damage(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| {
        inner.downcast_ref::<Error>().is_some_and(|error| matches!(error, Error::Damaged(_)))
            || inner.downcast_ref::<Fault>().is_some_and(|fault| fault.code == "damaged")
            || inner.is::<file::Lacking>()
    })
}

/// The missing data of damaged archives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// The number of unreadable games.
    pub games: u64,
    /// The number of games without their tags, texts or layout.
    pub partial: u64,
}

/// The inputs of a site build.
struct Job<'a> {
    /// The name of the archives on the pages.
    name: &'a str,
    folder: &'a Path,
    /// The folder for temporary files.
    work: &'a Path,
    options: &'a Options,
    begin: &'a Begin<'a>,
}

impl Job<'_> {
    /// Builds the site from repaired copies, which contain the intact games.
    fn of_intact(&self, paths: &[PathBuf]) -> io::Result<Made> {
        let (mut copies, mut lost) = (Vec::new(), Lost::default());
        for (number, path) in paths.iter().enumerate() {
            let copy = self.work.join(format!("intact-{number}.bga"));
            let monitor = Monitor::new().on_progress((self.begin)("repairing", fs::metadata(path)?.len()));
            let repair = Archive::repair(path, &copy, Existing::Refuse, monitor).map_err(io::Error::other)?;
            lost.games += repair.lost_games();
            let partial = repair.losses.iter().filter(|loss| loss.part.is_some());
            lost.partial += partial.map(|loss| loss.last - loss.first + 1).sum::<u64>();
            copies.push((copy, repair.kept_games()));
        }
        // A site must contain at least one game.
        copies.retain(|(_, kept)| *kept > 0);
        let copies: Vec<PathBuf> = copies.into_iter().map(|(copy, _)| copy).collect();
        if copies.is_empty() {
            return Err(io::Error::other(format!("{}: no game can be read", self.name)));
        }
        self.of_all(&copies, Some(lost))
    }

    /// Builds the site of one archive, which may be a joined copy of several archives.
    fn of_all(&self, paths: &[PathBuf], lost: Option<Lost>) -> io::Result<Made> {
        let open = |path: &PathBuf| Archive::open(path).map_err(io::Error::other);
        if let [path] = paths {
            return self.of_one(open(path)?, path, lost);
        }
        let archives = paths.iter().map(open).collect::<io::Result<Vec<Archive>>>()?;
        let parts: Vec<Part> = archives.iter().map(|archive| Part { games: archive.live(), archive }).collect();
        let copy = self.work.join("all.bga");
        let games = parts.iter().map(|part| part.games.len()).sum();
        let monitor = Monitor::new().on_progress((self.begin)("copying", games));
        copy::write(&copy, Existing::Refuse, &parts, monitor).map_err(io::Error::other)?;
        drop(parts);
        self.of_one(open(&copy)?, &copy, lost)
    }

    fn of_one(&self, mut archive: Archive, path: &Path, lost: Option<Lost>) -> io::Result<Made> {
        let mut positions =
            PositionIndex::open(&archive).0.filter(|index| index.only_segment().is_some() || archive.is_empty());
        if positions.is_none() {
            // The command writes no files next to the archive.
            let copy_path = self.work.join("games.bga");
            fs::hard_link(path, &copy_path).or_else(|_| fs::copy(path, &copy_path).map(drop))?;
            archive = Archive::open(&copy_path).map_err(io::Error::other)?;
            let done = (self.begin)("position index", archive.len() * 2);
            index::build(&archive, MEMORY, Monitor::new().on_progress(done)).map_err(io::Error::other)?;
            positions = PositionIndex::open(&archive).0;
        }
        let Some(positions) = positions else { return Err(io::Error::other("the position index cannot be read")) };
        let changed = fs::metadata(path)?.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let metadata = archive.metadata().map_err(io::Error::other)?;
        let title = self.options.title.clone().or_else(|| metadata.get("title").cloned());
        let options = &Options { title, ..self.options.clone() };
        let feed = feed::feed(&archive, self.name, options, &feed::written(changed)).map_err(io::Error::other)?;
        let index = archive.index_file();
        let (games, sequence, length) =
            (archive.len() - archive.deleted_count(), archive.sequence(), archive.file_length());
        let id = archive.id().to_string();
        let of_variant = |(variant, games): (Variant, u64)| (variant.name().to_owned(), games.into());
        let variants: Map<String, Value> = variants(&archive).into_iter().map(of_variant).collect();
        let site = self.work.join("site");
        let archive_path = archive.path().to_path_buf();
        let site_length = file::make(archive, &positions, self.name, &site, self.begin)?;
        drop(positions);

        let done = (self.begin)("writing", length + site_length);
        let mut parts = parts::Parts::new(self.folder, self.options.part)?;
        let archive_parts = parts.file(&archive_path, length, &*done)?;
        let index_parts = parts.bytes(&index)?;
        let site_parts = parts.file(&site, site_length, &*done)?;
        let manifest = json!({
            "scoresheet": 1,
            "title": options.title(),
            "name": self.name,
            "metadata": metadata,
            "id": id,
            "commit": sequence,
            "games": games,
            "variants": variants,
            "part": self.options.part,
            "archive": archive_parts,
            "index": index_parts,
            "site": site_parts,
            "engine": self.options.engine,
            "logo": self.options.logo.as_ref().map(|_| pages::logo_path(self.options)),
            "lost": lost.map(|lost| json!({"games": lost.games, "partial": lost.partial})),
        });
        let shell = pages::write(self.folder, &manifest, options)?;
        match feed {
            Some(feed) => fs::write(self.folder.join(pages::FEED), feed)?,
            None => fs::remove_file(self.folder.join(pages::FEED)).or_else(absent)?,
        }
        parts.finish(&manifest)?;
        let files = count(self.folder, self.work)?;
        Ok(Made { games, lost, files, archive: length, site: site_length, shell })
    }
}

/// Returns the number of files in a folder, and their total size in bytes.
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
