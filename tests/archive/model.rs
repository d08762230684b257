//! Compares an archive with a list of games in memory. After any sequence of changes, backups and restored backups,
//! every query has the same result from the list, from the archive alone, and from the archive with its side files.
//!
//! `SCORESHEET_SEED`, `SCORESHEET_FROM` and `SCORESHEET_STATES` (sequences) as in docs/long-tests.md.

use crate::common::import::try_import;
use crate::common::number;
use crate::common::random::Random;
use scoresheet::Existing;
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::{FileKind, GameRef, GameSet, Level, SideState};
use scoresheet::chess::Position;
use scoresheet::game::Event;
use scoresheet::{Archive, Import, ImportOptions, Monitor};
use scoresheet_query::report::duplicates::{self, Options};
use scoresheet_query::{
    Compare, Filter, PositionIndex, PositionQuery, Search, SearchOptions, Signatures, TagColumns, games,
    position::index, tag_columns,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const LINES: [&str; 6] = [
    "e4 e5 Nf3 Nc6 Bb5 a6",
    "e4 e5 Nf3 Nc6 Bc4 Bc5",
    "e4 c5 Nf3 d6 d4 cxd4",
    "d4 d5 c4 e6 Nc3 Nf6",
    "d4 d5 c4 e6 Nf3 Nf6",
    "Nf3 d5 d4 Nf6 c4 e6",
];
const NAMES: [&str; 4] = ["Adams", "Botvinnik", "Carlsen", "Ding"];

#[derive(Clone, Debug, PartialEq)]
struct Game {
    white: usize,
    line: usize,
    deleted: bool,
}

/// The expected games of the archive by their numbers.
type Model = Vec<Game>;
/// The bytes of an archive and of its index and side files, if present.
type Files = Vec<(FileKind, Option<Vec<u8>>)>;
/// A position, the games that reach it, and the move that each plays there.
type Reached = (Position, Vec<(u64, Option<String>)>);

struct World {
    folder: tempfile::TempDir,
    model: Model,
    /// Backups with their games: each file by its kind, if present.
    backups: Vec<(Model, Files)>,
    random: Random,
}

impl World {
    fn path(&self) -> PathBuf {
        self.folder.path().join("games.bga")
    }

    /// Makes some new games, and a PGN file of them.
    fn games(&mut self, most: usize) -> (Model, PathBuf) {
        let random = &mut self.random;
        let game = |random: &mut Random| Game {
            white: random.below(NAMES.len()),
            line: random.below(LINES.len()),
            deleted: false,
        };
        let games: Model = (0..1 + random.below(most)).map(|_| game(random)).collect();
        let text: String = games
            .iter()
            .map(|game| {
                let (white, line) = (NAMES[game.white], LINES[game.line]);
                format!(
                    "[White \"{white}\"]\n[Black \"Elo\"]\n[Date \"2020.01.01\"]\n[Result \"1-0\"]\n\n{line} 1-0\n\n"
                )
            })
            .collect();
        let path = self.folder.path().join("games.pgn");
        fs::write(&path, text).unwrap();
        (games, path)
    }

    fn import(&mut self, existing: Existing) -> Model {
        let (games, source) = self.games(12);
        let options = ImportOptions { existing, ..ImportOptions::default() };
        let summary =
            Import::new(self.path()).options(options).on_fault(|fault| panic!("{}", fault.fault)).run(&[source]);
        assert_eq!(summary.unwrap().stored, games.len() as u64);
        games
    }

    fn some(&mut self, deleted: bool) -> Vec<u64> {
        let numbers: Vec<u64> =
            (1..).zip(&self.model).filter(|(_, game)| game.deleted == deleted).map(|(number, _)| number).collect();
        let take = 1 + self.random.below(3);
        (0..take.min(numbers.len())).map(|_| self.random.pick(&numbers)).collect()
    }

    /// Makes a change; returns its name for messages.
    fn step(&mut self) -> &'static str {
        let path = self.path();
        match self.random.below(26) {
            0 => {
                self.model = self.import(Existing::Replace);
                "import anew"
            }
            1 | 2 => {
                let more = self.import(Existing::Append);
                self.model.extend(more);
                "append"
            }
            3..6 => {
                let numbers = self.some(false);
                let done = Archive::delete(&path, numbers.iter().copied()).unwrap();
                let mut once = numbers.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(done.games, once.len() as u64);
                numbers.iter().for_each(|number| self.model[*number as usize - 1].deleted = true);
                "delete"
            }
            6 => {
                let numbers = self.some(true);
                Archive::undelete(&path, numbers.iter().copied()).unwrap();
                numbers.iter().for_each(|number| self.model[*number as usize - 1].deleted = false);
                "undelete"
            }
            7 => {
                let Some(number) = self.some(false).first().copied() else { return "nothing to replace" };
                let (games, source) = self.games(2);
                let mut set = GameSet::new(self.model.len() as u64);
                set.insert(number);
                let options = ImportOptions::default();
                Import::new(&path).options(options.clone()).run_in_place_of(&set, [source]).unwrap();
                self.model[number as usize - 1].deleted = true;
                self.model.extend(games);
                "replace"
            }
            8 => {
                let archive = Archive::open(&path).unwrap();
                let doubles = duplicates::find(&[TagColumns::open(&archive)], Options::default()).unwrap();
                drop(archive);
                Archive::delete(&path, doubles.iter().map(|double| double.game)).unwrap();
                for double in &doubles {
                    let [gone, kept] = [double.game, double.kept].map(|game| self.model[game as usize - 1].clone());
                    assert_eq!(gone, kept);
                    self.model[double.game as usize - 1].deleted = true;
                }
                let mut live: Vec<_> = self.live().map(|(_, game)| (game.white, game.line)).collect();
                live.sort_unstable();
                assert!(live.windows(2).all(|pair| pair[0] != pair[1]), "a double is left: {live:?}");
                "dedupe"
            }
            9 => {
                let target = self.folder.path().join("copy.bga");
                let archive = Archive::open(&path).unwrap();
                copy::write(&target, Existing::Replace, &[Part { archive: &archive, games: archive.live() }], |_| {})
                    .unwrap();
                drop(archive);
                fs::rename(FileKind::Index.beside(&target), FileKind::Index.beside(&path)).unwrap();
                fs::rename(target, path).unwrap();
                self.model.retain(|game| !game.deleted);
                "copy over itself"
            }
            10..12 => {
                let files = FileKind::ALL.into_iter().map(|kind| (kind, fs::read(kind.beside(&path)).ok())).collect();
                self.backups.push((self.model.clone(), files));
                "backup"
            }
            12..16 => {
                let Some((model, files)) = (!self.backups.is_empty()).then(|| {
                    self.backups[self.backups.len() - 1 - self.random.below(2).min(self.backups.len() - 1)].clone()
                }) else {
                    return "no backup";
                };
                // The archive alone, or with some of its files.
                let alone = self.random.chance(200);
                for (kind, bytes) in files {
                    if kind == FileKind::Archive || (!alone && self.random.one_in(2)) {
                        match bytes {
                            Some(bytes) => fs::write(kind.beside(&path), bytes).unwrap(),
                            None => drop(fs::remove_file(kind.beside(&path))),
                        }
                    }
                }
                self.model = model;
                "restore"
            }
            // Backups and restored backups must survive the same kind of change, made differently.
            16..18 => {
                let (model, before) = (self.model.clone(), fs::read(&path).unwrap());
                let delete_one = |world: &mut World| {
                    let Some(number) = world.some(false).first().copied() else { return };
                    Archive::delete(world.path(), [number]).unwrap();
                    world.model[number as usize - 1].deleted = true;
                };
                delete_one(self);
                let archive = Archive::open(&path).unwrap();
                Signatures::build(&archive).write(&archive).unwrap();
                index::build(&archive, 1 << 20, |_| {}).unwrap();
                tag_columns::write(&archive).unwrap();
                drop(archive);
                fs::write(&path, before).unwrap();
                self.model = model;
                delete_one(self);
                "delete, index, take it back, delete another"
            }
            // Tags or moves of some games changed in place, with their side files updated or left stale.
            18..22 => {
                let numbers = self.some(false);
                let (white, line) = (self.random.below(NAMES.len()), self.random.below(LINES.len()));
                let moves = self.random.one_in(2);
                let set = GameSet::from_numbers(self.model.len() as u64, numbers.iter().copied());
                let before = games::Before::new(&Archive::open(&path).unwrap());
                let change = |game: &GameRef| {
                    let mut game = game.to_game()?;
                    game.tags[0].1 = NAMES[white].to_owned();
                    if moves {
                        let mut position = Position::standard();
                        game.events.clear();
                        for san in LINES[line].split(' ') {
                            let m = position.parse_san(san.as_bytes()).unwrap();
                            game.events.push(Event::Move(m));
                            position.play_unchecked(m);
                        }
                    }
                    Ok(Some(game))
                };
                let edited = Archive::edit(&path, &set, &change, Monitor::new()).unwrap();
                for number in numbers {
                    let game = &mut self.model[number as usize - 1];
                    game.white = white;
                    game.line = if moves { line } else { game.line };
                }
                if let Some(change) = edited.change.filter(|_| self.random.chance(180)) {
                    before.carry(&Archive::open(&path).unwrap(), &change).unwrap();
                }
                "edit"
            }
            _ => {
                let archive = Archive::open(&path).unwrap();
                if self.random.chance(200) {
                    Signatures::build(&archive).write(&archive).unwrap();
                }
                if self.random.chance(200) {
                    index::build(&archive, 1 << 20, |_| {}).unwrap();
                }
                if self.random.chance(200) {
                    tag_columns::write(&archive).unwrap();
                }
                "index"
            }
        }
    }

    fn live(&self) -> impl Iterator<Item = (u64, &Game)> {
        (1..).zip(&self.model).filter(|(_, game)| !game.deleted)
    }

    /// Runs all queries on the list, on the archive alone, and on the archive with its side files.
    fn check(&self) {
        let archive = Archive::open(self.path()).unwrap();
        assert_eq!(archive.len(), self.model.len() as u64);
        let live: Vec<u64> = self.live().map(|(number, _)| number).collect();
        assert!(archive.live().iter().eq(live.iter().copied()), "{live:?}");
        for (number, game) in self.live() {
            let read = archive.game(number).unwrap();
            assert_eq!(read.tag("White").unwrap().as_deref(), Some(NAMES[game.white]));
            assert_eq!(read.plies() as usize, LINES[game.line].split(' ').count());
        }
        let (index, signatures) = (PositionIndex::open(&archive).0, Signatures::open(&archive).0);
        let alone = Search::new(&archive);
        let mut helped = Search::new(&archive);
        if let Some(signatures) = &signatures {
            helped = helped.with_signatures(signatures);
        }
        let signed = helped.clone();
        if let Some(index) = &index {
            helped = helped.with_index(index);
        }
        for (position, reached) in positions_of(&self.model) {
            let query = PositionQuery::new(&position, Compare::default());
            let expected: Vec<u64> = reached.iter().map(|(number, _)| *number).collect();
            for (search, name) in [(&alone, "alone"), (&signed, "signatures"), (&helped, "index")] {
                let found = search.position(&query, SearchOptions::default());
                let found: Vec<u64> = found.hits.iter().map(|hit| hit.game).collect();
                assert_eq!(found, expected, "{name}: {}", position.fen());
                let tree = search.tree(&position);
                let mut played: BTreeMap<String, u64> = BTreeMap::new();
                reached
                    .iter()
                    .filter_map(|(_, next)| next.clone())
                    .for_each(|next| *played.entry(next).or_default() += 1);
                let branches: BTreeMap<String, u64> =
                    tree.branches.iter().map(|branch| (position.san(branch.m), branch.tally.games())).collect();
                assert_eq!(
                    (tree.tally.games(), branches),
                    (expected.len() as u64, played),
                    "{name}: {}",
                    position.fen()
                );
            }
        }
        for (white, name) in NAMES.iter().enumerate() {
            let filter = Filter::parse(&format!("white = {name:?}")).unwrap();
            let expected: Vec<u64> =
                self.live().filter(|(_, game)| game.white == white).map(|(number, _)| number).collect();
            for headers in [TagColumns::without_file(&archive), TagColumns::open(&archive)] {
                let games: Vec<u64> = filter.games(&headers).games.iter().collect();
                assert_eq!(games, expected, "{name}: columns from {:?}", headers.state());
            }
        }
    }
}

/// Returns every position of the main lines of live games, with the games that reach it and the move that each plays
/// there.
fn positions_of(model: &Model) -> Vec<Reached> {
    let mut all: BTreeMap<String, Reached> = BTreeMap::new();
    for (line, moves) in LINES.iter().enumerate() {
        let mut position = Position::standard();
        let mut moves = moves.split(' ').peekable();
        loop {
            let key: String = position.fen().split(' ').take(3).collect::<Vec<_>>().join(" ");
            let entry = all.entry(key).or_insert_with(|| (position.clone(), Vec::new()));
            let next = moves.next();
            let games = (1..).zip(model).filter(|(_, game)| game.line == line && !game.deleted);
            entry.1.extend(games.map(|(number, _)| (number, next.map(str::to_owned))));
            let Some(san) = next else { break };
            let m = position.parse_san(san.as_bytes()).unwrap();
            position.play_unchecked(m);
        }
    }
    let mut all: Vec<_> = all.into_values().collect();
    all.iter_mut().for_each(|(_, games)| games.sort());
    all
}

#[test]
fn the_list_and_the_archive_agree() {
    let from = number("SCORESHEET_FROM", 0);
    for sequence in from..from + number("SCORESHEET_STATES", 8) {
        let random = Random::new(sequence ^ number("SCORESHEET_SEED", 0) << 32);
        let folder = crate::common::tempdir().unwrap();
        let mut world = World { folder, model: Vec::new(), backups: Vec::new(), random };
        world.model = world.import(Existing::Refuse);
        let mut steps = Vec::new();
        for _ in 0..40 {
            steps.push(world.step());
            if world.random.one_in(2) {
                games::update_beside(&world.path(), 1 << 20, Monitor::new()).unwrap();
                steps.push("update");
            }
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| world.check()));
            assert!(checked.is_ok(), "sequence {sequence}: after {steps:?}");
        }
        assert!(Archive::verify(world.path(), Level::Full, |_| {}).unwrap().is_intact(), "sequence {sequence}");
    }
}

/// Two sources with the same first games give archives with the same identity. Side files of one must not be used for
/// the other.
#[test]
fn side_files_of_another_content_are_not_used() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let text = |last: &str| {
        let mut text = String::new();
        for game in 0..9_000 {
            let moves = if game == 8_990 { last } else { "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6" };
            text +=
                &format!("[Event \"E{}\"]\n[White \"P{}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n", game % 7, game % 50);
        }
        text
    };
    let [first, second] =
        ["1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7", "1. d4 d5 2. c4 e6 3. Nf3 Nf6 4. Bg5 Be7"].map(|last| {
            let source = folder.path().join("games.pgn");
            fs::write(&source, text(last)).unwrap();
            let options =
                ImportOptions { existing: Existing::Replace, chunk_bytes: 1 << 14, ..ImportOptions::default() };
            try_import(&[source], &path, &options).unwrap();
            let archive = Archive::open(&path).unwrap();
            Signatures::build(&archive).write(&archive).unwrap();
            index::build(&archive, 1 << 20, |_| {}).unwrap();
            tag_columns::write(&archive).unwrap();
            let files = FileKind::ALL.map(|kind| (kind, fs::read(kind.beside(&path)).unwrap()));
            (archive.state(), files)
        });
    let (mut alike, state) = (first.0, second.0);
    assert_eq!(
        (alike.id, alike.sequence, alike.length, alike.games),
        (state.id, state.sequence, state.length, state.games)
    );
    assert_ne!(alike, state, "the chain tells them apart");
    alike.chain = state.chain;
    assert_eq!(alike, state);
    // The archive of the second source, with the side files of the first.
    for (kind, bytes) in &first.1 {
        if *kind != FileKind::Archive {
            fs::write(kind.beside(&path), bytes).unwrap();
        }
    }
    let archive = Archive::open(&path).unwrap();
    let states = [
        archive.index_state(),
        Signatures::open(&archive).1,
        PositionIndex::open(&archive).1,
        TagColumns::open(&archive).state(),
    ];
    assert_eq!(states, [SideState::Stale; 4]);
}
