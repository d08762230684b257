//! Extensions unknown to this version: skippable blocks, required blocks and features (FORMAT.md, "Extensions"). The
//! files are golden, made from the golden archive.

use crate::common::import::try_import;
use crate::common::sample::testdata;
use scoresheet::archive::{Level, TranscodeOptions};
use scoresheet::error::UnknownPart;
use scoresheet::format::block::{self, BlockHeader, BlockKind, HEADER};
use scoresheet::format::commit::Commit;
use scoresheet::format::header::{BLOCKS, Features, Header, PAGES};
use scoresheet::format::{ArchiveId, State};
use scoresheet::{Archive, ArchiveFile, Error, Existing};
use std::fs;
use std::path::{Path, PathBuf};

const DIGEST: &str = include_str!("../../testdata/golden/sample.digest");

/// Returns an archive of one commit with blocks of other kinds after some of its blocks, and with these features.
///
/// The moves block of its chunk must keep its offset, because of its page checksums.
fn with(file: &[u8], features: Features, more: impl Fn(BlockKind) -> Vec<u8>) -> Vec<u8> {
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let (mut out, mut state, mut commit) = (file[..BLOCKS as usize].to_vec(), State::new(id), 0);
    let mut at = BLOCKS as usize;
    while at < file.len() {
        let header = BlockHeader::decode(&file[at..], id, at as u64).unwrap();
        let block = &file[at..at + HEADER + header.length as usize];
        at += block.len();
        let (offset, payload) = (out.len() as u64, &block[HEADER..]);
        let block = match header.kind {
            BlockKind::Moves => {
                assert_eq!(offset as usize, at - block.len());
                block.to_vec()
            }
            BlockKind::Commit => {
                commit = offset;
                let payload = Commit { chain: state.chain, ..Commit::decode(payload).unwrap() }.encode();
                block::encode(header.kind, header.first, header.count, &payload, id, offset)
            }
            kind => block::encode(kind, header.first, header.count, payload, id, offset),
        };
        let mut push = |out: &mut Vec<u8>, block: Vec<u8>| {
            state.extend(&BlockHeader::decode(&block, id, out.len() as u64).unwrap());
            out.extend(block);
        };
        push(&mut out, block);
        for kind in more(header.kind) {
            let payload = b"what a later version says";
            let offset = out.len() as u64;
            push(&mut out, block::encode(BlockKind::from_number(kind).unwrap(), 7, 9, payload, id, offset));
        }
    }
    for header in [Header { features, ..Header::new(id) }, Header { state, commit, features, ..Header::new(id) }] {
        let (page, at) = (header.encode(), header.offset() as usize);
        out[at..at + page.len()].copy_from_slice(&page);
    }
    out
}

/// Returns the path of a golden file after comparing it, and the path of a writable copy.
fn golden(name: &str, features: Features, more: impl Fn(BlockKind) -> Vec<u8>) -> (PathBuf, tempfile::TempDir) {
    let path = testdata("golden").join(name);
    let made = with(&fs::read(testdata("golden").join("v1.0.bga")).unwrap(), features, more);
    assert!(fs::read(&path).unwrap() == made, "the bytes of {name} have changed");
    let folder = crate::common::tempdir().unwrap();
    fs::write(folder.path().join("a.bga"), made).unwrap();
    (folder.path().join("a.bga"), folder)
}

fn digest(path: &Path) -> String {
    Archive::open(path).unwrap().digest().unwrap().to_string()
}

fn is_intact(path: &Path) -> bool {
    Archive::verify(path, Level::Full, |_| {}).unwrap().is_intact()
}

/// Returns the number of blocks of unknown kinds in an archive.
fn unknown_blocks(path: &Path) -> usize {
    let file = fs::read(path).unwrap();
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let (mut at, mut found) = (BLOCKS as usize, 0);
    while let Some(header) = file.get(at..).and_then(|rest| BlockHeader::decode(rest, id, at as u64)) {
        found += usize::from(matches!(header.kind, BlockKind::Other(_)));
        at += HEADER + header.length as usize;
    }
    found
}

#[test]
fn skippable_blocks_are_passed_over() {
    let (path, folder) = golden("v1.0-skippable.bga", Features::default(), |after| match after {
        BlockKind::Moves => vec![191],
        BlockKind::Texts => vec![255, 200],
        BlockKind::Source => vec![192],
        _ => Vec::new(),
    });
    assert_eq!(unknown_blocks(&path), 4);
    let archive = Archive::open(&path).unwrap();
    assert_eq!(archive.digest().unwrap().to_string(), DIGEST.trim());
    let (sources, mut original) = (archive.sources().unwrap(), Vec::new());
    assert!(archive.write_original(&sources[0], &mut original).unwrap());
    assert!(is_intact(&path));
    // A damaged payload of such a block is detected.
    let mut damaged = fs::read(&path).unwrap();
    let at = damaged.windows(4).position(|window| window == b"what").unwrap();
    damaged[at] ^= 1;
    fs::write(folder.path().join("damaged.bga"), damaged).unwrap();
    assert!(!is_intact(&folder.path().join("damaged.bga")));
    // Appending keeps these blocks; copying the games to a new archive omits them.
    assert_eq!(Archive::delete(&path, [6]).unwrap().games, 1);
    assert!(is_intact(&path));
    assert_eq!((Archive::open(&path).unwrap().live().len(), unknown_blocks(&path)), (5, 4));
    let copy = folder.path().join("copy.bga");
    let options = TranscodeOptions::default();
    Archive::open(&path).unwrap().transcode(&copy, &options, |_| {}).unwrap();
    assert!(is_intact(&copy));
    assert_eq!((digest(&copy), unknown_blocks(&copy)), (digest(&path), 0));
    let repaired = folder.path().join("repaired.bga");
    Archive::repair(&path, &repaired, Existing::Refuse, |_| {}).unwrap();
    assert_eq!((digest(&repaired), unknown_blocks(&repaired)), (digest(&path), 0));
}

/// Also between a dictionary block and its copy; the golden archive has no dictionary.
#[test]
fn skippable_blocks_are_passed_over_in_a_dictionary() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("a.bga");
    let game = "[Event \"An event with a long name\"]\n[White \"A player of this name\"]\n\n1. e4 *\n\n";
    fs::write(folder.path().join("a.pgn"), game.repeat(300)).unwrap();
    try_import(&[folder.path().join("a.pgn")], &path, &Default::default()).unwrap();
    let before = digest(&path);
    let dictionaries = std::cell::Cell::new(0);
    let made = with(&fs::read(&path).unwrap(), Features::default(), |after| {
        dictionaries.set(dictionaries.get() + usize::from(after == BlockKind::Dictionary));
        let is_copy = after == BlockKind::Dictionary && dictionaries.get() == 2;
        if after == BlockKind::Layout || is_copy { vec![191] } else { Vec::new() }
    });
    assert_eq!(dictionaries.get(), 2);
    fs::write(&path, made).unwrap();
    assert_eq!(digest(&path), before);
    assert!(is_intact(&path));
}

#[test]
fn critical_blocks_are_refused_by_their_kind() {
    let (path, folder) = golden("v1.0-critical.bga", Features::default(), |after| match after {
        BlockKind::Layout => vec![100],
        _ => Vec::new(),
    });
    let assert_unknown = |error: Error| {
        assert!(matches!(error, Error::Unknown { part: UnknownPart::Block { kind: 100 }, .. }), "{error:?}");
        assert!(error.to_string().contains("a block of unknown kind 100"), "{error}");
    };
    assert_unknown(Archive::open(&path).unwrap_err());
    assert_unknown(Archive::verify(&path, Level::Full, |_| {}).unwrap_err());
    assert_unknown(Archive::delete(&path, [6]).unwrap_err());
    assert_unknown(Archive::repair(&path, folder.path().join("b.bga"), Existing::Refuse, |_| {}).unwrap_err());
    assert!(!folder.path().join("b.bga").exists());
}

/// A known kind in an unknown coding is refused like an unknown kind.
#[test]
fn other_codings_are_refused() {
    let (path, _folder) = golden("v1.0-skippable.bga", Features::default(), |after| match after {
        BlockKind::Moves => vec![191],
        BlockKind::Texts => vec![255, 200],
        BlockKind::Source => vec![192],
        _ => Vec::new(),
    });
    let mut file = fs::read(&path).unwrap();
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let mut at = BLOCKS as usize;
    loop {
        let header = BlockHeader::decode(&file[at..], id, at as u64).unwrap();
        if header.kind == BlockKind::Tags {
            let changed = BlockHeader { coding: 3, ..header }.encode(id, at as u64);
            file[at..at + HEADER].copy_from_slice(&changed);
            break;
        }
        at += HEADER + header.length as usize;
    }
    let error = Archive::open(ArchiveFile::from_bytes(file)).unwrap_err();
    assert!(matches!(error, Error::Unknown { part: UnknownPart::Coding { kind: 2, coding: 3 }, .. }), "{error:?}");
}

#[test]
fn features_decide_who_may_do_what() {
    let read = Features { read: 1 << 31, write: 0 };
    let (path, folder) = golden("v1.0-feature-read.bga", read, |_| Vec::new());
    let assert_unknown = |error: Error| {
        let part = UnknownPart::ReadFeatures(1 << 31);
        assert!(matches!(error, Error::Unknown { part: found, .. } if found == part), "{error:?}");
    };
    assert_unknown(Archive::open(&path).unwrap_err());
    assert_unknown(Archive::verify(&path, Level::Full, |_| {}).unwrap_err());
    assert_unknown(Archive::repair(&path, folder.path().join("b.bga"), Existing::Refuse, |_| {}).unwrap_err());
    // One page with the feature is enough.
    let mut file = fs::read(&path).unwrap();
    let id = ArchiveId(file[16..32].try_into().unwrap());
    let page = Header::new(id).encode();
    file[..page.len()].copy_from_slice(&page);
    assert_unknown(Archive::open(ArchiveFile::from_bytes(file)).unwrap_err());

    let write = Features { read: 0, write: 1 << 31 };
    let (path, _folder) = golden("v1.0-feature-write.bga", write, |_| Vec::new());
    assert_eq!(digest(&path), DIGEST.trim());
    assert!(is_intact(&path));
    let before = fs::read(&path).unwrap();
    let error = Archive::delete(&path, [6]).unwrap_err();
    let expected = UnknownPart::WriteFeatures(1 << 31);
    assert!(
        matches!(error, Error::Unknown { part, offset } if part == expected && offset == PAGES[1] + 80),
        "{error:?}"
    );
    assert!(fs::read(&path).unwrap() == before);
}
