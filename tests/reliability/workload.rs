//! Imports of a few small games in many small batches, recorded on a simulated disk.

use crate::common::import::try_import;
use crate::common::random::Random;
use crate::disk::{Disk, Event, Plan};
use scoresheet::Existing;
use scoresheet::archive::writer::{Opened, Writer};
use scoresheet::archive::{Archive, Digest, FileKind, Level, SideState};
use scoresheet::import::{Progress, Summary};
use scoresheet::{Error, Import, ImportOptions};
use scoresheet_query::{PositionIndex, Signatures, TagColumns, position::index, tag_columns};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// An import and its undisturbed result.
pub struct Workload {
    folder: TempDir,
    pub sources: Vec<PathBuf>,
    pub options: ImportOptions,
    /// The archive before the import; only a header for a new archive.
    pub start: Vec<u8>,
    /// The last commit of that archive.
    pub first: u64,
    /// The archive after.
    pub end: Vec<u8>,
    pub last: u64,
    /// The events of the disk during the import.
    pub events: Vec<Event>,
    /// The number of games at each commit.
    pub games: Vec<u64>,
    digests: Vec<Digest>,
    /// The files beside the archive after the import, by extension: a crash may leave them beside an earlier state.
    beside: Vec<(FileKind, Vec<u8>)>,
}

/// Games with data for all columns; some names recur.
fn pgn(random: &mut Random, games: usize) -> String {
    const LINES: [&str; 6] = [
        "1. e4 e5 2. Nf3 {[%clk 0:03:00]} 2... Nc6 {[%clk 0:02:59]} 3. Bb5 a6 1-0",
        "1. d4 d5 (1... Nf6 2. c4 {well} e6) 2. c4! e6 3. Nc3 Nf6 1/2-1/2",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 0-1",
        "1. Nf3 *",
        "1. e4 e5 2. Ke2 Ke7 3. Kf8 1-0",
        "{nothing played} *",
    ];
    let mut text = String::new();
    for game in 0..games {
        let (white, black) = (random.below(12), random.below(400));
        text += &format!(
            "[Event \"Open {}\"]\n[Site \"?\"]\n[White \"Player {white}\"]\n[Black \"Guest {black}\"]\n",
            white % 3
        );
        match random.below(12) {
            0 => text += "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 40\"]\n[SetUp \"1\"]\n\n40. a8=Q+ Kd7 *\n\n",
            1 => text += "[Variant \"Suicide\"]\n\n1. e4 e5 *\n\n",
            _ => text += &format!("[Round \"{game}\"]\n\n{}\n\n", LINES[random.below(LINES.len())]),
        }
    }
    text
}

impl Workload {
    /// Makes the workload with this number. Odd ones append to an existing archive.
    pub fn new(number: u64) -> Workload {
        let folder = crate::common::tempdir().unwrap();
        let mut random = Random::new(number + 1000);
        let sources: Vec<PathBuf> = (0..1 + random.below(3))
            .map(|source| {
                let path = folder.path().join(format!("{source}.pgn"));
                let games = 3 + random.below(14);
                fs::write(&path, pgn(&mut random, games)).unwrap();
                path
            })
            .collect();
        let options = ImportOptions {
            threads: 1,
            level: 1,
            existing: Existing::Append,
            batch: 1 + random.below(3) as u32,
            chunk_bytes: 200 + random.below(1200),
            ..ImportOptions::default()
        };
        let base = folder.path().join("base.bga");
        let target = folder.path().join("whole.bga");
        let bring = |files: &[PathBuf], target: &Path| try_import(files, target, &options).unwrap();
        let (start, first) = if number % 2 == 1 {
            let old = folder.path().join("old.pgn");
            fs::write(&old, pgn(&mut random, 5)).unwrap();
            let summary = bring(&[old], &base);
            fs::copy(&base, &target).unwrap();
            (fs::read(&base).unwrap(), summary.totals.sequence)
        } else {
            (Vec::new(), 0)
        };
        let summary = bring(&sources, &target);
        let report = Archive::verify(&target, Level::Full, |_| {}).unwrap();
        assert!(report.is_intact(), "{:?}", report.damage);
        let archive = Archive::open(&target).unwrap();
        Signatures::build(&archive).write(&archive).unwrap();
        index::build(&archive, 1 << 20, |_| {}).unwrap();
        tag_columns::write(&archive).unwrap();
        let mut workload = Workload {
            sources,
            options,
            start,
            first,
            end: fs::read(&target).unwrap(),
            last: summary.totals.sequence,
            events: Vec::new(),
            games: Vec::new(),
            digests: archive.games().map(|game| game.unwrap().digest().unwrap()).collect(),
            beside: FileKind::BESIDE.map(|kind| (kind, fs::read(kind.beside(&target)).unwrap())).into(),
            folder,
        };
        let games = &mut workload.games;
        for block in scoresheet::archive::Scan::new(&workload.end[..], archive.id()) {
            let block = block.unwrap();
            if block.header.kind == scoresheet::format::block::BlockKind::Commit {
                let payload = block.checked(&workload.end[..], archive.id()).unwrap();
                if games.is_empty() {
                    games.push(0);
                }
                games.push(scoresheet::format::commit::Commit::decode(&payload).unwrap().games);
            }
        }
        assert_eq!(games.len() as u64, workload.last + 1);
        if workload.first == 0 {
            let disk = Disk::default();
            Writer::create(disk.clone(), archive.id()).unwrap();
            workload.start = disk.live();
        }
        let disk = Disk::with(&workload.start);
        workload.go_on(&disk).unwrap();
        assert!(disk.live() == workload.end, "an import on a disk in memory is one on a file");
        workload.events = disk.events();
        workload
    }

    /// Opens the archive on the disk, and imports the missing games.
    pub fn go_on(&self, disk: &Disk) -> Result<Summary, Error> {
        let opened = self.open(disk)?;
        let options = ImportOptions { resume: true, ..self.options.clone() };
        let observer = disk.clone();
        let progress = Progress::with_acknowledge(move |done| observer.acknowledge(done.sequence));
        let path = Path::new("simulated.bga");
        Import::new(path).options(options).progress(&progress).run_on(opened, &self.sources)
    }

    pub fn open(&self, disk: &Disk) -> Result<Opened<Disk>, Error> {
        Writer::open_on(disk.clone(), disk.live(), Path::new("simulated.bga"))
    }

    /// Continues on a disk with one failing operation; returns the resulting error.
    pub fn fail(&self, disk: &Disk, plan: Plan) -> Option<Error> {
        disk.fail(plan);
        self.go_on(disk).err()
    }

    /// Opens a state with the reader: its commit is in the range, and each of its games is complete. Returns the
    /// commit.
    pub fn check(&self, name: &str, state: &[u8], commits: std::ops::RangeInclusive<u64>, thorough: bool) -> u64 {
        let path = self.folder.path().join(format!("{name}.bga"));
        fs::write(&path, state).unwrap();
        for (kind, bytes) in &self.beside {
            fs::write(kind.beside(&path), bytes).unwrap();
        }
        let archive = Archive::open(&path).unwrap();
        assert_eq!(archive.incomplete(), None);
        // A file beside it is used only in its own state.
        let is_end = archive.sequence() == self.last;
        let used = if is_end { SideState::File } else { SideState::Stale };
        let states =
            [Signatures::open(&archive).1, PositionIndex::open(&archive).1, TagColumns::open(&archive).state()];
        assert_eq!((archive.index_state(), states), (used, [used; 3]));
        let sequence = archive.totals().unwrap().sequence;
        // A page of zeros may be a lost one, so the first commit counts as soon as it is complete in the file.
        let commits = *commits.start()..=(*commits.end()).max(1);
        assert!(commits.contains(&sequence), "commit {sequence}, not one of {commits:?}");
        assert_eq!(archive.len(), self.games[sequence as usize]);
        for (game, digest) in archive.games().zip(&self.digests) {
            assert_eq!(game.unwrap().digest().unwrap(), *digest);
        }
        if thorough {
            let report = Archive::verify(&path, Level::Full, |_| {}).unwrap();
            // The page of an unacknowledged commit may be torn.
            assert!(report.damage.iter().all(|damage| damage.offset < 8192), "{:?}", report.damage);
            assert_eq!(report.uncommitted, state.len() as u64 - archive.file_length());
        }
        drop(archive);
        fs::remove_file(&path).unwrap();
        FileKind::BESIDE.into_iter().for_each(|kind| drop(fs::remove_file(kind.beside(&path))));
        sequence
    }

    /// Recovers a state twice, and continues the import: the final archive is the same as without a crash.
    pub fn recover(&self, state: &[u8], sequence: u64) {
        let disk = Disk::with(state);
        let opened = self.open(&disk).unwrap();
        // A writer accepts a complete commit if its page was not begun.
        let found = opened.writer.sequence();
        assert!((sequence..=sequence + 1).contains(&found), "commit {found} after {sequence}");
        assert_eq!(disk.live().len() as u64, opened.writer.committed_length(), "the torn tail is cut");
        drop(opened);
        let (once, operations) = (disk.live(), disk.operations());
        drop(self.open(&disk).unwrap());
        assert!(disk.live() == once && disk.operations() == operations, "recovery is idempotent");
        self.go_on(&disk).unwrap();
        assert!(disk.live() == self.end, "the import goes on to the same end");
    }
}
