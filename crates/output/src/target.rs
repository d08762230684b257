//! Restricts output files: rejects inputs, existing files of another kind, and names that do not match the content.

use crate::compression;
use crate::content::Content;
use crate::refused::Refused;
use crate::text::shown;
use scoresheet::archive::temporary::file_metadata;
use scoresheet::archive::{Archive, Existing, FileKind, Permissions};
use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// A path to which a program may write.
///
/// [`Outputs`] has an example.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
    written: Content,
    replace: bool,
    permissions: Permissions,
}

impl Target {
    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content that will be written.
    pub fn written(&self) -> Content {
        self.written
    }

    /// Returns how to treat an existing file: replace it or return an error.
    pub fn existing(&self) -> Existing {
        Existing::from_force(self.replace)
    }

    /// Returns the permissions that all inputs grant. A new file receives at most these permissions.
    pub(super) fn most_permissions(&self) -> Permissions {
        self.permissions
    }

    /// Returns a target for the same path, to write it again. Writing may then replace the existing file, because it is
    /// the program's own output.
    pub fn again(&self) -> Target {
        Target { replace: true, ..self.clone() }
    }
}

/// The files that a program reads, and the output files that it has been permitted to write.
///
/// ```
/// use scoresheet::Existing;
/// use scoresheet_output::{Content, Outputs};
///
/// # let folder = tempfile::tempdir()?;
/// # let [input, output] = ["games.pgn", "more.pgn"].map(|name| folder.path().join(name));
/// # std::fs::write(&input, "1. e4 *\n")?;
/// let mut outputs = Outputs::from_sources([&input]);
/// assert!(outputs.file(&input, Content::Pgn, Existing::Replace).is_err());
/// let target = outputs.file(&output, Content::Pgn, Existing::Refuse)?;
/// assert_eq!((target.path(), target.written()), (output.as_path(), Content::Pgn));
/// assert!(outputs.file(&output, Content::Pgn, Existing::Replace).is_err()); // it is another output now
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Outputs {
    known: HashMap<Identity, Known>,
    /// The permissions that all inputs grant.
    permissions: Permissions,
}

impl Default for Outputs {
    /// Returns the value for a program that reads no files.
    fn default() -> Outputs {
        Outputs { known: HashMap::new(), permissions: Permissions::ALL }
    }
}

/// A file that must not be written as another output.
#[derive(Debug)]
struct Known {
    path: PathBuf,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Input,
    /// A side file of an archive that is an input.
    Beside(FileKind),
    Output,
}

impl Outputs {
    /// Returns the value for a program that reads these files, which are not archives. In this case, `games.bgi` is not
    /// a side file of `games`.
    pub fn from_sources<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Outputs {
        let mut outputs = Outputs::default();
        inputs.into_iter().for_each(|input| outputs.know(input.as_ref(), Role::Input));
        outputs
    }

    /// Returns the value for a program that reads these archives, and possibly their side files.
    pub fn from_inputs<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Outputs {
        let inputs: Vec<P> = inputs.into_iter().collect();
        let mut outputs = Outputs::from_sources(&inputs);
        for input in &inputs {
            FileKind::BESIDE
                .into_iter()
                .for_each(|kind| outputs.know(&kind.of_archive(input.as_ref()), Role::Beside(kind)));
        }
        outputs
    }

    /// Returns the value for a program that reads these archives.
    pub fn from_archives<'a>(archives: impl IntoIterator<Item = &'a Archive>) -> Outputs {
        Outputs::from_inputs(archives.into_iter().map(Archive::path))
    }

    fn know(&mut self, path: &Path, role: Role) {
        if role == Role::Input {
            self.permissions = self.permissions.and(Permissions::from_inputs([path]));
        }
        for identity in Identity::all(path) {
            self.known.entry(identity).or_insert_with(|| Known { path: path.to_path_buf(), role });
        }
    }

    /// Permits a file to be written. For an archive, also permits its index to be written.
    ///
    /// Errors:
    /// - the file is an input, a side file of an input, or another output, even under another name;
    /// - the name stands for another kind of content;
    /// - the file exists and must not be replaced, or contains another kind of content.
    pub fn file(&mut self, path: &Path, written: Content, existing: Existing) -> Result<Target, Refused> {
        self.is_free(path, None)?;
        fits_name(path, written)?;
        self.allow(path, written, existing)
    }

    /// Permits an archive to be changed in place, and its index to be written. Errors: the archive is an input, or it is
    /// protected against changes, which a new file in its place would ignore.
    pub fn in_place(&mut self, archive: &Path) -> Result<(), Refused> {
        self.is_free(archive, None)?;
        if let Err(error) = fs::OpenOptions::new().write(true).open(archive)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Refused::new(archive, format!("cannot change {}: {}", shown(archive), error.kind())));
        }
        self.allow(archive, Content::Archive(FileKind::Archive), Existing::Append).map(drop)
    }

    /// Permits a side file of an input to be written. Errors: the path contains a file of another kind.
    pub fn beside(&mut self, archive: &Path, kind: FileKind) -> Result<PathBuf, Refused> {
        let path = kind.of_archive(archive);
        self.is_free(&path, Some(kind))?;
        may_replace(&path, Content::Archive(kind))?;
        Ok(path)
    }

    fn allow(&mut self, path: &Path, written: Content, existing: Existing) -> Result<Target, Refused> {
        match fs::metadata(path) {
            Ok(file) if file.is_dir() => return Err(Refused::new(path, format!("{} is a folder", shown(path)))),
            Ok(_) if existing == Existing::Refuse => return Err(Refused::exists(path)),
            Ok(file) if existing == Existing::Replace && file.is_file() => may_replace(path, written)?,
            _ => {}
        }
        if written == Content::Archive(FileKind::Archive) {
            let index = FileKind::Index.of_archive(path);
            self.is_free(&index, None)?;
            may_replace(&index, Content::Archive(FileKind::Index))?;
            self.know(&index, Role::Output);
        }
        self.know(path, Role::Output);
        Ok(Target {
            path: path.to_path_buf(),
            written,
            replace: existing == Existing::Replace,
            permissions: self.permissions,
        })
    }

    /// Returns an error if the path has been recorded, unless it is the side file of this kind under its own name.
    fn is_free(&self, path: &Path, side_file: Option<FileKind>) -> Result<(), Refused> {
        let is_side_file =
            |known: &Known| known.path == path && side_file.is_some_and(|kind| known.role == Role::Beside(kind));
        let known =
            Identity::all(path).find_map(|identity| self.known.get(&identity).filter(|known| !is_side_file(known)));
        let Some(known) = known else { return Ok(()) };
        let (file, known_file) = (shown(path), shown(&known.path));
        let same = if file == known_file { String::new() } else { format!(", the same file as {known_file}") };
        Err(Refused::new(
            path,
            match known.role {
                Role::Input => format!("{file}{same}: is both input and output: give the output another name"),
                Role::Beside(kind) => {
                    let what = Content::Archive(kind).name();
                    format!("{file}{same}: is {what} that is being read: give the output another name")
                }
                Role::Output => format!("{file}{same}: would be written twice: give each output another name"),
            },
        ))
    }
}

/// Removes the paths that name the same file as an earlier path, also through a link, and returns them.
pub fn take_repeats(paths: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut known = HashSet::new();
    let is_repeat = |path: &mut PathBuf| {
        let all: Vec<Identity> = Identity::all(path).collect();
        let is_known = all.iter().any(|identity| known.contains(identity));
        known.extend(all);
        is_known
    };
    paths.extract_if(.., is_repeat).collect()
}

/// The identity of a file, independent of its name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Identity {
    /// The device and the inode of an existing file.
    #[cfg(unix)]
    Node(u64, u64),
    /// The path without symbolic links, for a file that need not exist.
    Path(PathBuf),
}

impl Identity {
    /// Returns all identities of a file, or none for a device or a pipe.
    fn all(path: &Path) -> impl Iterator<Item = Identity> {
        let file = file_metadata(path);
        let is_special = file.as_ref().is_some_and(|file| !file.is_file());
        let (node, real_path) =
            if is_special { (None, None) } else { (file.and_then(|file| node(&file)), real_path(path)) };
        node.into_iter().chain(real_path.map(Identity::Path))
    }
}

#[cfg(unix)]
fn node(file: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some(Identity::Node(file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn node(_: &Metadata) -> Option<Identity> {
    None
}

/// Returns the path without symbolic links. For a missing file, resolves the links of the folder and appends the name.
fn real_path(path: &Path) -> Option<PathBuf> {
    if let Ok(real_path) = path.canonicalize() {
        return Some(real_path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}

/// Returns an error if the name stands for other content, or for a compression that this program never writes.
fn fits_name(path: &Path, written: Content) -> Result<(), Refused> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let refuse = |what: String| Err(Refused::new(path, format!("{}: {what}", shown(path))));
    if compression::is_never_written(&name) {
        return refuse(
            "cannot write this kind of file: end the name in .gz, .bz2, .zst or .zip for a compressed one".to_owned(),
        );
    }
    let is_archive = written == Content::Archive(FileKind::Archive);
    if is_archive && compression::by_name(&name).is_some() {
        return refuse("an archive is already compressed: use a name like games.bga".to_owned());
    }
    let Some(named) = Content::from_name(path).filter(|named| !named.may_hold(written)) else { return Ok(()) };
    let advice = match named {
        Content::Archive(FileKind::Archive) => {
            format!("; `scoresheet list ARCHIVE -o {}` copies games to a new archive", shown(path))
        }
        Content::Pgn if is_archive => "; `scoresheet export` writes PGN".to_owned(),
        _ => String::new(),
    };
    refuse(format!("this would be {}, but the name is that of {}{advice}", written.name(), named.name()))
}

/// Returns an error if a file has content of another kind than `written`: `--force` replaces only files of the same
/// kind. Unknown content may be replaced if the name of the file stands for the content to write.
fn may_replace(path: &Path, written: Content) -> Result<(), Refused> {
    let content = match fs::metadata(path) {
        Ok(file) if file.is_file() => Content::from_file(path)
            .map_err(|error| Refused::new(path, format!("cannot read {}: {error}", shown(path))))?,
        _ => None,
    };
    let Some(content) = content else { return Ok(()) };
    if content
        .may_become(written)
        .unwrap_or_else(|| Content::from_name(path).is_some_and(|named| named.is_like(written)))
    {
        return Ok(());
    }
    Err(Refused::new(
        path,
        format!(
            "{} is {}, and {} would replace it: give another name, or remove it first",
            shown(path),
            content.name(),
            written.name()
        ),
    ))
}
