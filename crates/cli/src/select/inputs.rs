//! Expands arguments to files: paths, folders, and patterns that the shell did not expand.

use crate::failure::Failure;
use crate::text::{is_address, shown};
use scoresheet::archive::files_in;
use scoresheet::error::Error;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A kind of file: its name, and the extensions that identify files of this kind in folders.
pub struct Kind(&'static str, &'static [&'static str]);

/// PGN files.
pub const PGN: Kind = Kind("PGN file", PGN_ENDINGS);
#[cfg(feature = "lzma")]
const PGN_ENDINGS: &[&str] = &[".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2", ".pgn.zip", ".pgn.xz", ".pgn.7z"];
#[cfg(not(feature = "lzma"))]
const PGN_ENDINGS: &[&str] = &[".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2", ".pgn.zip"];
/// Archives.
pub const ARCHIVES: Kind = Kind("archive", &[".bga"]);
/// Lists of FENs and EPDs.
pub const POSITIONS: Kind = Kind("list of positions", &[".epd", ".fen", ".sfen"]);

/// Returns the files in the order of the arguments. Addresses are not expanded. Files of a folder or pattern are sorted
/// by path.
///
/// A folder stands for the files of this kind in the folder and its subfolders; links to folders are not followed. `*`
/// and `?` match any characters within a name, unless a file has exactly this name. A pattern or folder without any
/// file is an error.
pub fn expand(arguments: &[PathBuf], kind: &Kind) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for argument in arguments {
        let is_pattern = argument.to_str().is_some_and(|text| text.contains(['*', '?']));
        if is_address(argument) {
            files.push(argument.clone());
        } else if argument.is_dir() {
            folder(argument, kind, &mut files)?;
        } else if is_pattern && !argument.exists() {
            for path in matches(argument)? {
                if path.is_dir() { folder(&path, kind, &mut files)? } else { files.push(path) }
            }
        } else {
            files.push(argument.clone());
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, Failure> {
    let read = |source| Failure::from(Error::Io { doing: "cannot read", path: folder.to_path_buf(), source });
    fs::read_dir(folder).map_err(read)?.collect::<Result<_, _>>().map_err(read)
}

fn folder(root: &Path, kind: &Kind, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let found = files_in(root, kind.1)?;
    if found.is_empty() {
        return Err(Failure::Message(format!("{}: no {} in this folder", shown(root), kind.0)));
    }
    files.extend(found);
    Ok(())
}

/// Returns whether a path is a broken link.
fn is_dangling(path: &Path) -> bool {
    path.is_symlink() && !path.exists()
}

/// Returns the paths that a pattern matches, sorted.
fn matches(pattern: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let text = part.as_os_str().to_string_lossy();
        if !matches!(part, Component::Normal(_)) || !text.contains(['*', '?']) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut next = Vec::new();
        for folder in &found {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            if !here.is_dir() {
                continue;
            }
            for entry in entries(here)? {
                let name = entry.file_name();
                let hidden = name.as_encoded_bytes().starts_with(b".") && !text.starts_with('.');
                if !hidden && fits(text.as_bytes(), name.as_encoded_bytes()) {
                    next.push(folder.join(name));
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.exists() || is_dangling(path));
    if found.is_empty() {
        return Err(Failure::Message(format!("{}: no file matches this pattern", shown(pattern))));
    }
    found.sort();
    Ok(found)
}

/// Returns whether a name matches a pattern with `*` (any characters) and `?` (one character).
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // The position after the last `*` in the pattern, and the position in the name at which the last attempt to match
    // the rest began.
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                p += 1;
                back = Some((p, n));
            }
            Some(b'?') => {
                // Skips all bytes of a character.
                n += 1 + name[n + 1..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
                p += 1;
            }
            Some(byte) if *byte == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((after, next_start)) = back else { return false };
                (p, n) = (after, next_start + 1);
                back = Some((after, next_start + 1));
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (pattern, name) in [
            ("*.pgn", "a.pgn"),
            ("*", ""),
            ("a*b*c", "aXbbYc"),
            ("?.pgn", "é.pgn"),
            ("**", "x"),
            ("twic*.pgn", "twic920.pgn"),
            ("*ab", "aab"),
        ] {
            assert!(fits(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
        for (pattern, name) in [("*.pgn", "a.pgn.zst"), ("?", ""), ("?", "ab"), ("a*b", "ac"), ("", "a")] {
            assert!(!fits(pattern.as_bytes(), name.as_bytes()), "{pattern} {name}");
        }
    }
}
