//! Changed databases of Scid: no panic, memory stays small, and every archive is intact.
//!
//!     SCORESHEET_SEED=1 SCORESHEET_STATES=1000000 SCORESHEET_CORPORA=FOLDER \
//!       cargo test --release -p scoresheet-scid --test mutants -- --nocapture

/// Temporary folders.
#[path = "../../../tests/common/folder.rs"]
mod folder;
/// The changes.
#[path = "../../../tests/common/mutants.rs"]
mod mutants;
/// The seeded generator of the other tests.
#[allow(dead_code)]
#[path = "../../../tests/common/random.rs"]
mod random;
/// Numbers from the environment.
#[allow(dead_code)]
#[path = "../../../tests/common/settings.rs"]
mod settings;

use mutants::{Run, changed, peak_memory};
use random::Random;
use scoresheet::import::ImportSource;
use scoresheet::{Archive, Import, Monitor, archive::Level};
use scoresheet_scid::Base;
use settings::number;
use std::fs;
use std::path::{Path, PathBuf};

/// The number of games of a mutant.
const GAMES: usize = 6;

/// The peak of memory that a run may have, in MiB. A batch of games takes up to 64 MiB.
const MEMORY: u64 = 400;

/// The files of a base: index, games, names.
struct Files {
    version: u8,
    index: Vec<u8>,
    games: Vec<u8>,
    names: Vec<u8>,
}

impl Files {
    fn read(index: &Path) -> Files {
        let version = index.to_str().unwrap().bytes().last().unwrap();
        let of = |letter: char| fs::read(index.with_extension(format!("s{letter}{}", version as char))).unwrap();
        Files { version: version - b'0', index: of('i'), games: of('g'), names: of('n') }
    }

    fn layout(&self) -> (usize, usize) {
        if self.version == 5 { (0, 56) } else { (182, 47) }
    }

    fn len(&self) -> usize {
        let (header, entry) = self.layout();
        (self.index.len() - header) / entry
    }

    /// Returns the offset and length of a game in the file of games.
    fn place(&self, game: usize) -> (usize, usize) {
        let (header, entry) = self.layout();
        let entry = &self.index[header + game * entry..][..entry];
        let little = |at: usize| u32::from_le_bytes(entry[at..at + 4].try_into().unwrap()) as usize;
        match self.version {
            5 => (little(36), little(32) >> 15),
            _ => {
                let big = |at: usize, bytes: usize| entry[at..at + bytes].iter().fold(0, |n, b| n << 8 | *b as usize);
                (big(0, 4), big(4, 2) + ((entry[6] as usize >> 7) << 16))
            }
        }
    }

    /// Returns a base of a few games, which follow each other in its file of games. It keeps all names.
    fn part(&self, first: usize) -> Files {
        let (header, size) = self.layout();
        let mut part =
            Files { index: self.index[..header].to_vec(), games: Vec::new(), names: self.names.clone(), ..*self };
        for game in first..(first + GAMES).min(self.len()) {
            let (offset, length) = self.place(game);
            let mut entry = self.index[header + game * size..][..size].to_vec();
            let new = part.games.len() as u32;
            match self.version {
                5 => entry[36..40].copy_from_slice(&new.to_le_bytes()),
                _ => entry[..4].copy_from_slice(&new.to_be_bytes()),
            }
            part.index.extend(entry);
            part.games.extend_from_slice(&self.games[offset..offset + length]);
        }
        part
    }
}

#[test]
fn corpora_of_scid_may_be_damaged() {
    let Some(corpora) = std::env::var_os("SCORESHEET_CORPORA").map(PathBuf::from) else {
        return eprintln!("skipped: SCORESHEET_CORPORA names no folder");
    };
    let bases = ["base4.si4", "base5.si5"].map(|name| corpora.join("scid").join(name));
    if !bases.iter().all(|base| base.exists()) {
        return eprintln!("skipped: no bases of Scid in the corpora");
    }
    let bases = bases.map(|index| Files::read(&index));
    let (seed, from, states) =
        (number("SCORESHEET_SEED", 1), number("SCORESHEET_FROM", 0), number("SCORESHEET_STATES", 300));
    let folder = folder::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let (mut run, mut stored, mut opened) = (Run::new("scid"), 0, 0);
    for state in from..from + states {
        run.state(state, seed, || {
            let random = &mut Random::new(seed.wrapping_mul(1 << 40).wrapping_add(state));
            let base = &bases[random.below(2)];
            let mut part = base.part(random.below(base.len()));
            match random.below(8) {
                0 | 1 => part.index = changed(&part.index, random),
                2 => part.names = changed(&part.names, random),
                3 => {
                    part.index = changed(&part.index, random);
                    part.games = changed(&part.games, random);
                }
                _ => part.games = changed(&part.games, random),
            }
            let index = folder.path().join(format!("base.si{}", part.version));
            for (letter, bytes) in [('i', &part.index), ('g', &part.games), ('n', &part.names)] {
                fs::write(index.with_extension(format!("s{letter}{}", part.version)), bytes).unwrap();
            }
            let Ok(base) = Base::open(&index) else { return };
            opened += 1;
            let import = Import::new(&target).replace().threads(1);
            let Ok(summary) = import.run([ImportSource::games("base", base)]) else { return };
            stored += summary.stored;
            if summary.stored > 0 {
                let report = Archive::verify(&target, Level::Full, Monitor::new()).unwrap();
                assert!(report.is_intact(), "{report:?}");
            }
        });
    }
    run.report(from + states);
    println!("scid: {opened} of {states} bases could be opened, {stored} games were stored");
    assert!(opened * 2 > states && stored > states, "the changes leave games");
    assert!(peak_memory().is_none_or(|memory| memory < MEMORY), "{:?} MiB", peak_memory());
}
