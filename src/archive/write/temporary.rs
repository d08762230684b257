//! Temporary files: each output has a temporary name until it is complete, and an interrupted process removes its own
//! temporary files.
//!
//! Every temporary file and folder of the process is registered from its creation until it is removed or has its final
//! name. To remove these files on interruption, a program calls [`remove_all`] from the thread that handles its
//! signals.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The parts of a temporary name: `.scoresheet-`, then `RANDOM` letters and digits, then `.tmp`. Users are unlikely to
/// choose such names.
const PREFIX: &str = ".scoresheet-";
const RANDOM: usize = 16;
const SUFFIX: &str = ".tmp";
/// The age at which an unchanged temporary file of an ended process is removed. An archive that is being written is
/// also locked, but other files are not.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

/// The temporary files and folders of this process, for the signal handler.
static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all temporary files and folders of this process and returns whether there were any.
///
/// Call this function directly before the process ends. After the call, no file can be created or renamed to its final
/// name. A thread that tries this waits forever.
pub fn remove_all() -> bool {
    let live = live();
    for path in live.iter() {
        // A file that cannot be removed remains. The next archive created in the same folder removes it when it is a
        // day old.
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
    let any = !live.is_empty();
    // Locked forever.
    std::mem::forget(live);
    any
}

/// A file under a temporary name, in the folder of its final name. The file is removed if the value is dropped before
/// `persist`.
#[derive(Debug)]
pub struct Temporary(Option<tempfile::TempPath>);

impl Temporary {
    /// Creates an empty file for reading and writing that will replace `target`. The new file receives the permissions
    /// of the file `like`. If `like` does not exist, the new file receives at most the permissions `most`.
    pub fn create(target: &Path, like: &Path, most: Permissions) -> io::Result<(File, Temporary)> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(RANDOM).suffix(SUFFIX);
        let mode = Mode::from_path(like);
        mode.prepare(&mut builder, most);
        // The file is registered before other code can see it.
        let mut live = live();
        let (file, path) = builder.tempfile_in(folder_of(target)).map_err(unnamed_error)?.into_parts();
        live.insert(path.to_path_buf());
        drop(live);
        let temporary = Temporary(Some(path));
        mode.finish(&file)?;
        Ok((file, temporary))
    }

    /// Returns the temporary path.
    pub(in crate::archive) fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    /// Renames the file to its final name, atomically. `replace` determines whether an existing file is replaced or
    /// causes an error.
    pub fn persist(mut self, target: &Path, replace: bool) -> io::Result<()> {
        let Some(path) = self.0.take() else { return Ok(()) };
        let mut live = live();
        live.remove(&path.to_path_buf());
        // On an error, the path in the error is dropped, which removes the file while the lock is still held.
        if replace { path.persist(target) } else { path.persist_noclobber(target) }.map_err(|error| error.error)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let mut live = live();
            live.remove(&path.to_path_buf());
            drop(path);
        }
    }
}

/// A folder for temporary files, in the system's temporary folder. When dropped, it is removed with its contents.
#[derive(Debug)]
pub struct TemporaryFolder(Option<tempfile::TempDir>);

impl TemporaryFolder {
    /// Makes an empty folder.
    pub fn create() -> io::Result<TemporaryFolder> {
        let mut live = live();
        let builder = &mut tempfile::Builder::new();
        let folder = builder.prefix(PREFIX).rand_bytes(RANDOM).suffix(SUFFIX).tempdir().map_err(unnamed_error)?;
        live.insert(folder.path().to_path_buf());
        Ok(TemporaryFolder(Some(folder)))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.0.as_ref().map_or(Path::new(""), tempfile::TempDir::path)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Some(folder) = self.0.take() {
            let mut live = live();
            live.remove(folder.path());
            drop(folder);
        }
    }
}

/// Converts an error to the system's error without the temporary name.
fn unnamed_error(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((system, _)) => io::Error::new(error.kind(), system),
        None => error,
    }
}

/// Returns a file without a name, in the folder of `beside`. The system removes the file when it is closed.
pub fn unnamed(beside: &Path) -> io::Result<File> {
    // On some systems, the file briefly has a name.
    let _live = live();
    tempfile::tempfile_in(folder_of(beside)).map_err(unnamed_error)
}

/// Returns the folder that contains a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Removes temporary files of killed processes from a folder: files that are a day old and not locked.
pub(in crate::archive) fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_ours(entry.file_name().as_encoded_bytes())) {
        // For a link, this call returns the metadata of the link itself.
        let is_old = entry.metadata().is_ok_and(|file| {
            file.is_file() && file.modified().is_ok_and(|time| time.elapsed().is_ok_and(|age| age >= LEFT_BEHIND))
        });
        if is_old && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            // A file that cannot be removed remains, and causes no harm.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn is_ours(name: &[u8]) -> bool {
    let random = name.strip_prefix(PREFIX.as_bytes()).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    random.is_some_and(|random| random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric))
}

/// The permissions that all inputs of a program grant. A new file receives at most these permissions, so a copy of a
/// private file is private. Systems without mode bits grant all permissions.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let (source, target) = (folder.path().join("games.csv"), folder.path().join("games.bga"));
/// # std::fs::write(&source, "e4,e5\n")?;
/// use scoresheet::archive::Permissions;
/// use scoresheet::{Import, ImportOptions};
///
/// // Games read from a file of another format: the archive is as private as that file.
/// let options = ImportOptions { permissions: Permissions::from_inputs([&source]), ..ImportOptions::default() };
/// Import::new(&target).options(options).run_reader("games.csv", &b"1. e4 e5 *\n"[..])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permissions(u32);

impl Permissions {
    /// The permissions of a program that reads no file.
    pub const ALL: Permissions = Permissions(0o777);

    /// Returns the permissions that all these files grant. `-` is standard input. A device, a pipe or a missing file
    /// grants all permissions.
    pub fn from_inputs<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Permissions {
        inputs.into_iter().fold(Permissions::ALL, |all, input| all.and(Permissions::of_file(input.as_ref())))
    }

    /// Returns the permissions that both values grant.
    #[must_use]
    pub fn and(self, other: Permissions) -> Permissions {
        Permissions(self.0 & other.0)
    }

    #[cfg(unix)]
    fn of_file(path: &Path) -> Permissions {
        use std::os::unix::fs::PermissionsExt;
        let file = file_metadata(path).filter(std::fs::Metadata::is_file);
        file.map_or(Permissions::ALL, |file| Permissions(file.permissions().mode() & 0o777))
    }

    #[cfg(not(unix))]
    fn of_file(_: &Path) -> Permissions {
        Permissions::ALL
    }
}

/// Returns the metadata of an input. `-` is the file that is standard input.
pub fn file_metadata(path: &Path) -> Option<std::fs::Metadata> {
    if path.as_os_str() != "-" {
        return std::fs::metadata(path).ok();
    }
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        File::from(io::stdin().as_fd().try_clone_to_owned().ok()?).metadata().ok()
    }
    #[cfg(not(unix))]
    None
}

/// The permissions for a new file, copied from an existing file.
#[cfg(unix)]
struct Mode(Option<u32>);

#[cfg(unix)]
impl Mode {
    fn from_path(path: &Path) -> Mode {
        use std::os::unix::fs::PermissionsExt;
        let file = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
        Mode(file.map(|file| file.permissions().mode() & 0o777))
    }

    /// Sets the permissions of the temporary file: the umask applies as for any new file, and the final permissions are
    /// the maximum.
    fn prepare(&self, builder: &mut tempfile::Builder, most: Permissions) {
        use std::os::unix::fs::PermissionsExt;
        let mode = self.0.unwrap_or(0o666 & most.0);
        builder.permissions(std::fs::Permissions::from_mode(mode | 0o600));
    }

    fn finish(&self, file: &File) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let Some(mode) = self.0 else { return Ok(()) };
        match file.set_permissions(std::fs::Permissions::from_mode(mode)) {
            // Some file systems do not support permissions.
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(not(unix))]
struct Mode;

#[cfg(not(unix))]
impl Mode {
    fn from_path(_: &Path) -> Mode {
        Mode
    }

    fn prepare(&self, _: &mut tempfile::Builder, _: Permissions) {}

    fn finish(&self, _: &File) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_is_in_use_or_the_users_stays() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - LEFT_BEHIND - Duration::from_secs(60);
        let made = |name: &str, time| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(time).unwrap();
            file
        };
        drop(made(".scoresheet-0123456789abcdEF.tmp", old));
        let mut stay = vec![
            (".scoresheet-fresh56789abcdef.tmp", SystemTime::now()),
            (".scoresheet-notes", old),
            (".scoresheet-notes.tmp", old),
            (".scoresheet-0123456789abcde-.tmp", old),
            (".scoresheet-0123456789abcdef0.tmp", old),
            (".scoresheet-0123456789abcdef", old),
            ("games.bga", old),
            ("scoresheet-0123456789abcdef.tmp", old),
        ];
        stay.iter().for_each(|(name, time)| drop(made(name, *time)));
        let locked = ".scoresheet-locked6789abcdef.tmp";
        let held = made(locked, old);
        held.lock().unwrap();
        let inner = ".scoresheet-folder6789abcdef.tmp";
        std::fs::create_dir(folder.path().join(inner)).unwrap();
        stay.extend([(locked, old), (inner, old)]);
        #[cfg(unix)]
        {
            let link = ".scoresheet-link456789abcdef.tmp";
            std::os::unix::fs::symlink("games.bga", folder.path().join(link)).unwrap();
            stay.push((link, old));
        }
        sweep(folder.path());
        let mut stay: Vec<&str> = stay.into_iter().map(|(name, _)| name).collect();
        stay.sort_unstable();
        assert_eq!(names(folder.path()), stay);
    }

    #[test]
    fn a_temporary_file_has_a_name_that_is_swept_and_is_registered_while_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("games.bga");
        let (file, temporary) = Temporary::create(&target, &target, Permissions::ALL).unwrap();
        drop(file);
        let [name] = names(folder.path()).try_into().unwrap();
        assert!(is_ours(name.as_bytes()), "{name}");
        let path = folder.path().join(&name);
        assert!(live().contains(&path));
        drop(temporary);
        assert!(!live().contains(&path));
        assert!(names(folder.path()).is_empty());
        for (replace, expected) in [(false, true), (false, false), (true, true)] {
            let (_, temporary) = Temporary::create(&target, &target, Permissions::ALL).unwrap();
            assert_eq!(temporary.persist(&target, replace).is_ok(), expected);
            assert_eq!(names(folder.path()), ["games.bga"]);
        }
        assert!(!live().iter().any(|path| path.starts_with(folder.path())));
    }

    #[cfg(unix)]
    #[test]
    fn what_takes_the_place_of_a_private_file_or_stands_beside_it_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("games.bga");
        std::fs::write(&target, b"").unwrap();
        for mode in [0o600, 0o640, 0o444, 0o666] {
            std::fs::set_permissions(&target, std::fs::Permissions::from_mode(mode)).unwrap();
            let made = |target: &str, like, most| {
                let (file, _temporary) = Temporary::create(&folder.path().join(target), like, most).unwrap();
                file.metadata().unwrap().permissions().mode() & 0o777
            };
            assert_eq!(made("games.bgi", &target, Permissions::ALL), mode);
            // The owner can always read and write a new file.
            let copy = folder.path().join("copy.bga");
            let both = Permissions::from_inputs([&target, folder.path()]);
            assert_eq!(made("copy.bga", &copy, both) & !0o022, (mode | 0o600) & !0o022);
            assert_eq!(made("copy.bga", &copy, both.and(Permissions(0o700))), 0o600);
        }
    }
}
