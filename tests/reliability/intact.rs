//! Archives to damage, and checks of the remaining games.

use crate::common::import::append;
use crate::common::sample::{lichess_text, testdata};
use scoresheet::archive::repair::Repair;
use scoresheet::archive::{Access, Digest, Level};
use scoresheet::{Archive, ArchiveFile, Error, Existing, ImportOptions};
use std::fs;
use std::path::Path;

/// An archive and its contents.
pub struct IntactArchive {
    pub file: Vec<u8>,
    pub index: Vec<u8>,
    /// The digest of each game.
    pub digests: Vec<Digest>,
    /// Each game's moves.
    pub moves: Vec<Vec<u8>>,
    /// The length of each game's record.
    pub records: Vec<usize>,
    /// First and last games of each chunk, and the offset of its moves.
    pub chunks: Vec<(u64, u64, usize)>,
}

impl IntactArchive {
    pub fn of(path: &Path) -> IntactArchive {
        let archive = Archive::open(path).unwrap();
        assert!(Archive::verify(path, Level::Full, |_| {}).unwrap().is_intact());
        let file = fs::read(path).unwrap();
        let (mut chunks, mut records) = (Vec::new(), Vec::new());
        for (_, at) in blocks(&file).into_iter().filter(|(kind, _)| *kind == 1) {
            let first = u64::from_le_bytes(file[at + 8..at + 16].try_into().unwrap());
            let count = u32::from_le_bytes(file[at + 16..at + 20].try_into().unwrap()) as usize;
            let width = 1 << (file[at + 5] >> 4);
            let lengths = &file[at + 40 + count.div_ceil(16) * 4..][..count * width];
            let length = |bytes: &[u8]| bytes.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte));
            records.extend(lengths.chunks(width).map(length));
            chunks.push((first, first + count as u64 - 1, at));
        }
        IntactArchive {
            chunks,
            records,
            file,
            index: archive.index_file(),
            digests: archive.games().map(|game| game.unwrap().digest().unwrap()).collect(),
            moves: archive.games().map(|game| game.unwrap().brenner().to_vec()).collect(),
        }
    }

    /// About 64 KiB: games of the sample with comments, in several chunks and two sources, the second one appended in a
    /// second commit.
    pub fn small() -> IntactArchive {
        let folder = crate::common::tempdir().unwrap();
        let sample = lichess_text();
        let commented = fs::read(testdata("golden/sample.pgn")).unwrap();
        let games: Vec<&[u8]> = split(&sample).into_iter().take(520).collect();
        let target = folder.path().join("small.bga");
        for (number, part) in games.chunks(games.len().div_ceil(4)).enumerate() {
            let source = folder.path().join(format!("{number}.pgn"));
            fs::write(&source, [&part.concat(), commented.as_slice()].concat()).unwrap();
            append(&source, &target, ImportOptions { threads: 1, ..ImportOptions::default() });
        }
        IntactArchive::of(&target)
    }

    /// Checks the remaining games: each is correct, or an error. Compares all moves, and the complete content of the
    /// games in `content`. Returns the number of games with correct content.
    pub fn falsifies_nothing(&self, archive: &Archive, content: impl Fn(u64) -> bool, what: &str) -> usize {
        let mut right = 0;
        for number in 1..=archive.len().min(self.digests.len() as u64) {
            let index = number as usize - 1;
            let game = match archive.game(number) {
                Ok(game) => game,
                Err(Error::Damaged(_)) => continue,
                Err(error) => panic!("{what}: {error}"),
            };
            assert_eq!(game.brenner(), self.moves[index], "{what}: moves of game {number}");
            if !content(number) {
                continue;
            }
            match game.digest() {
                Ok(digest) => {
                    assert_eq!(digest, self.digests[index], "{what}: game {number}");
                    right += 1;
                }
                Err(Error::Damaged(_)) => {}
                Err(error) => panic!("{what}: {error}"),
            }
        }
        right
    }

    /// Repairs a damaged copy: the new archive is intact, its games are unchanged, and the report lists the losses.
    /// Returns the report.
    pub fn repaired(&self, damaged: &[u8], index: Option<&[u8]>, what: &str) -> Option<Repair> {
        let folder = crate::common::tempdir().unwrap();
        let (broken, target) = (folder.path().join("broken.bga"), folder.path().join("whole.bga"));
        fs::write(&broken, damaged).unwrap();
        if let Some(index) = index {
            fs::write(folder.path().join("broken.bgi"), index).unwrap();
        }
        let access = if damaged.len().is_multiple_of(2) { Access::Map } else { Access::Read };
        let repair = match Archive::repair(ArchiveFile::at(&broken).options(access), &target, Existing::Refuse, |_| {})
        {
            Ok(repair) => repair,
            Err(Error::NotAnArchive { .. } | Error::Newer { .. } | Error::Older { .. }) => return None,
            Err(error) => panic!("{what}: {error}"),
        };
        assert!(fs::read(&broken).unwrap() == damaged, "{what}: the damaged archive has been written to");
        let report = Archive::verify(&target, Level::Full, |_| {}).unwrap();
        assert!(report.is_intact(), "{what}: {report:?}");
        assert_eq!(report.index, Some(true), "{what}");
        let archive = Archive::open(&target).unwrap();
        assert_eq!(archive.len(), repair.kept_games(), "{what}");
        let lost = |game: u64| repair.losses.iter().any(|loss| (loss.first..=loss.last).contains(&game));
        let gone = |game: u64| {
            repair.losses.iter().any(|loss| loss.part.is_none() && (loss.first..=loss.last).contains(&game))
        };
        let mut now = 0;
        for kept in &repair.kept {
            assert_eq!(kept.now, now + 1, "{what}");
            for old in kept.first..=kept.last {
                now += 1;
                assert!(!gone(old), "{what}: game {old} is kept and lost");
                let game = archive.game(now).unwrap();
                let index = old as usize - 1;
                if !lost(old) {
                    assert_eq!(game.digest().unwrap(), self.digests[index], "{what}: game {old}");
                }
                let plies = scoresheet::brenner::replay::count_plies(&self.moves[index]);
                assert_eq!(game.plies(), plies, "{what}: game {old}");
            }
        }
        assert_eq!(repair.kept_games() + repair.lost_games() + repair.deleted, repair.games, "{what}: {repair:?}");
        Some(repair)
    }
}

/// Returns the games of a text, each with the text after it.
pub fn split(text: &[u8]) -> Vec<&[u8]> {
    let mut starts: Vec<usize> = memmem(text, b"[Event ").collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn memmem<'a>(text: &'a [u8], word: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    text.windows(word.len()).enumerate().filter(move |(_, window)| *window == word).map(|(at, _)| at)
}

/// Returns kind and offset of each block.
pub fn blocks(file: &[u8]) -> Vec<(u8, usize)> {
    let (mut at, mut found) = (8192, Vec::new());
    while at < file.len() {
        found.push((file[at + 4], at));
        at += 40 + u64::from_le_bytes(file[at + 24..at + 32].try_into().unwrap()) as usize;
    }
    found
}
