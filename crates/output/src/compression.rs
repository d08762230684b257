//! Determines the compression that the name of a file requests.

use scoresheet::pgn::Compression;

/// The supported compressions, by file extension.
const ENDINGS: [(&str, Compression); 4] =
    [(".zst", Compression::Zstd), (".gz", Compression::Gzip), (".bz2", Compression::Bzip2), (".zip", Compression::Zip)];
/// The compressions that are only read.
const READ_ONLY: [(&str, Compression); 2] = [(".xz", Compression::Xz), (".7z", Compression::SevenZip)];
/// The extensions of compressed formats that this program never writes.
const OTHERS: [&str; 10] = [".xz", ".lzma", ".lz4", ".lzo", ".br", ".7z", ".rar", ".z", ".tar", ".tgz"];

/// Returns the compression that a lower-case name requests, and the name without the extension.
pub fn by_name(name: &str) -> Option<(Compression, &str)> {
    ENDINGS.iter().find_map(|(ending, kind)| Some((*kind, name.strip_suffix(ending)?)))
}

/// Returns the compression of a source with this name, and the name without the extension.
pub fn of_source(name: &str) -> Option<(Compression, &str)> {
    let read_only = || READ_ONLY.iter().find_map(|(ending, kind)| Some((*kind, name.strip_suffix(ending)?)));
    by_name(name).or_else(read_only)
}

/// Returns whether a lower-case name requests a format that this program never writes.
pub fn is_never_written(name: &str) -> bool {
    OTHERS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(by_name("x.pgn.bz2"), Some((Compression::Bzip2, "x.pgn")));
        assert_eq!(by_name("x.pgn"), None);
        assert_eq!((by_name("x.pgn.xz"), of_source("x.pgn.xz")), (None, Some((Compression::Xz, "x.pgn"))));
        assert!(is_never_written("x.pgn.xz") && !is_never_written("x.pgn.gz"));
    }
}
