//! Archives of databases: `.cbv`, and `.cbz` without a password.

use cbvault_format::archive::{Archive, Member};
use scoresheet::error::{Error, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The files of a database that its reader uses. Others, such as media, are not unpacked.
const USED: [&str; 11] = ["cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbj", "cbtt", "flags"];

/// The maximum size of an unpacked database in bytes. The largest published database has 4 GB.
const MOST_BYTES: u64 = 32 << 30;

/// Unpacks the database in an archive. Returns its folder, which is removed when it is dropped, and the path of its
/// index.
///
/// Errors: the archive is damaged, needs a password, or contains no database or more than one; the folder cannot be
/// written.
pub fn unpack(path: &Path) -> Result<(TempDir, PathBuf)> {
    let refused = |what: String| Error::input(path.display().to_string(), what);
    let archive = Archive::open(path).map_err(|error| refused(not_opened(path, &error.to_string())))?;
    let members: Vec<&Member> = archive.list().iter().filter(|member| is_used(member)).collect();
    match members.iter().filter(|member| ending(member).as_deref() == Some("cbh")).count() {
        1 => {}
        0 => return Err(refused("the archive of ChessBase contains no .cbh".to_owned())),
        bases => return Err(refused(format!("the archive contains {bases} databases: unpack it and import each"))),
    }
    let bytes = members.iter().fold(0u64, |bytes, member| bytes.saturating_add(member.size()));
    if bytes > MOST_BYTES {
        return Err(refused(format!(
            "the archive of ChessBase states {bytes} unpacked bytes; {MOST_BYTES} are allowed"
        )));
    }
    let folder = tempfile::tempdir().map_err(Error::io("cannot create a temporary folder for", path))?;
    // Names in the archive are not trusted, so the files get names of ours.
    for member in &members {
        let content = archive.decode(member).map_err(|error| refused(format!("damaged: {error}")))?;
        let target = folder.path().join("base").with_extension(ending(member).unwrap_or_default());
        std::fs::write(&target, content).map_err(Error::io("cannot write", &target))?;
    }
    let index = folder.path().join("base.cbh");
    Ok((folder, index))
}

fn not_opened(path: &Path, reason: &str) -> String {
    match path.extension().and_then(OsStr::to_str).is_some_and(|ending| ending.eq_ignore_ascii_case("cbz")) {
        true => format!("the archive needs a password, or is damaged: {reason}"),
        false => format!("no archive of ChessBase, or damaged: {reason}"),
    }
}

fn ending(member: &Member) -> Option<String> {
    Path::new(member.name()).extension()?.to_str().map(str::to_ascii_lowercase)
}

fn is_used(member: &Member) -> bool {
    ending(member).is_some_and(|ending| USED.contains(&ending.as_str()))
}
