//! The sample of `testdata/` as an archive, and checksums.

#![allow(dead_code)] // no bench uses all of it

use scoresheet::Existing;
use scoresheet::Import;
use scoresheet::archive::{Archive, Digest};
use scoresheet::import::{ImportOptions, Progress, Summary};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// The number of games in the sample.
pub const GAMES: u64 = 3_000;
/// The number of plies of all its games.
pub const PLIES: u64 = 197_005;
/// The size of its PGN in bytes.
pub const PGN_BYTES: u64 = 2_281_449;
/// Its content digest.
pub const DIGEST: &str = "261b22f0b8283d96fccfd87dbf05a89f54819ee0a9eeeb6b2b4dfa5e93bf6a91";
/// The checksum of the FENs of all positions of all games, ply 0 included.
pub const STATES: u64 = 13_894_941_183_866_117_417;

/// Returns the path of the sample. The package of the benches is in a subfolder of the repository.
pub fn compressed() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("FORMAT.md").exists()).expect("a folder with FORMAT.md");
    root.join("testdata/lichess-sample.pgn.zst")
}

/// The sample, decompressed, in a temporary folder.
pub struct Sample {
    folder: TempDir,
    /// Its PGN.
    pub pgn: PathBuf,
}

impl Sample {
    /// Decompresses it.
    pub fn new() -> Sample {
        let packed = std::fs::read(compressed()).expect("the sample is there");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pgn = folder.path().join("sample.pgn");
        let text = zstd::decode_all(packed.as_slice()).expect("the sample can be unpacked");
        assert_eq!(text.len() as u64, PGN_BYTES);
        std::fs::write(&pgn, text).expect("room for the sample");
        Sample { folder, pgn }
    }

    /// Returns a path in the folder of the sample.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Imports the sample, with all checks, and opens the archive.
    pub fn archive(&self) -> Archive {
        let target = self.path("sample.bga");
        check(&import_file(&self.pgn, &target, 0));
        let archive = Archive::open(&target).expect("the archive opens");
        assert_eq!(digest(&archive).to_string(), DIGEST);
        archive
    }
}

/// Imports a file on this number of threads; 0 uses one thread per core.
pub fn import_file(source: &Path, target: &Path, threads: usize) -> Summary {
    let options = ImportOptions { threads, existing: Existing::Replace, ..ImportOptions::default() };
    let (progress, stop) = (Progress::default(), AtomicBool::new(false));
    Import::new(target)
        .options(options)
        .progress(&progress)
        .stop(&stop)
        .on_fault(|fault| panic!("a fault: {}", fault.fault))
        .run(&[source.to_path_buf()])
        .expect("the import runs")
}

/// Asserts that an import of the sample was complete.
pub fn check(summary: &Summary) {
    let Summary { seen, stored, faulty, rejected, plies, .. } = *summary;
    assert_eq!((seen, stored, faulty, rejected, plies), (GAMES, GAMES, 0, 0, PLIES));
}

/// Returns the digest of an archive's content.
pub fn digest(archive: &Archive) -> Digest {
    archive.digest().expect("a sound archive")
}

/// Adds bytes to a checksum that depends on their order, eight at a time.
#[inline]
pub fn fold(sum: u64, bytes: &[u8]) -> u64 {
    let mut sum = sum;
    let mut words = bytes.chunks_exact(8);
    let mut add = |word| sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    for word in &mut words {
        add(word.try_into().unwrap_or_default());
    }
    let mut last = [0; 8];
    let rest = words.remainder();
    last[..rest.len()].copy_from_slice(rest);
    add(last);
    sum
}
