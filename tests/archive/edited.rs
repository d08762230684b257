//! Games changed under their numbers: the changes, the other games, and the source byte for byte.

use crate::common::frozen::is_current;
use crate::common::import::{append, archive_of, try_import};
use crate::common::sample::{first_games, first_games_text, testdata};
use scoresheet::archive::copy::{self, Part};
use scoresheet::archive::{Coding, FileKind, Level, TranscodeOptions};
use scoresheet::game::{Event, TextKind};
use scoresheet::import::{Edited, original_game};
use scoresheet::{Archive, Error, Existing, Game, GameSet, ImportOptions};
use std::fs;
use std::path::{Path, PathBuf};

/// The number of games in these archives.
const GAMES: usize = 800;

fn part(folder: &Path) -> PathBuf {
    first_games(folder, GAMES)
}

/// Gives every third game another name and every fifth a comment at the end; changes no other game.
fn changed(number: u64, mut game: Game) -> Option<Game> {
    if !number.is_multiple_of(3) && !number.is_multiple_of(5) {
        return None;
    }
    if number.is_multiple_of(3) {
        game.tags.iter_mut().find(|(name, _)| name == "White").unwrap().1 = format!("Ändert \"{number}\"");
        game.tags.push(("Annotator".to_owned(), "nobody".to_owned()));
    }
    if number.is_multiple_of(5) {
        game.events.push(Event::Text(TextKind::Brace, format!("the end of {number} [%clk 0:00:01]")));
    }
    Some(game)
}

fn change(path: &Path, games: &GameSet) -> Edited {
    Archive::edit(path, games, &|game| Ok(changed(game.number(), game.to_game()?)), scoresheet::Monitor::new()).unwrap()
}

fn games(archive: &Archive) -> Vec<(u64, Game)> {
    archive.games().map(|game| game.unwrap()).map(|game| (game.number(), game.to_game().unwrap())).collect()
}

fn gives_back_its_source(archive: &Archive) {
    let mut source = Vec::new();
    assert!(archive.write_original(&archive.sources().unwrap()[0], &mut source).unwrap());
    assert!(source == first_games_text(GAMES));
}

/// In plain and packed archives with deleted games, the selected games change, and no others.
#[test]
fn changed_games_are_changed_and_no_others() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    for pack in [false, true] {
        let options = ImportOptions { pack, chunk_bytes: 100_000, batch: 3, ..ImportOptions::default() };
        archive_of(&[part(folder.path())], &target, options);
        Archive::delete(&target, [3, 10, 11]).unwrap();
        let before = Archive::open(&target).unwrap();
        let mut expected = games(&before);
        let selected = GameSet::from_numbers(before.len(), 1..=600);
        for (number, game) in &mut expected {
            if selected.contains(*number) {
                *game = changed(*number, game.clone()).unwrap_or_else(|| game.clone());
            }
        }
        let edited = change(&target, &selected);
        let after = Archive::open(&target).unwrap();
        assert!(games(&after) == expected);
        let numbers = selected.iter().filter(|game| (game % 3 == 0 || game % 5 == 0) && ![3, 10].contains(game));
        assert!(after.changed().unwrap().iter().eq(numbers));
        assert_eq!(edited.games, after.changed().unwrap().len());
        assert_eq!((after.id(), after.len(), after.deleted_count()), (before.id(), before.len(), 3));
        assert_ne!(after.state(), before.state());
        assert_eq!(after.index_state(), scoresheet::archive::SideState::File);
        assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
        // The deleted games are unchanged.
        Archive::undelete(&target, [3, 10, 11]).unwrap();
        let archive = Archive::open(&target).unwrap();
        assert!(!archive.game(3).unwrap().is_changed());
        gives_back_its_source(&archive);
        // After a second change, a game still restores its source, and setting the source's values makes it unchanged.
        let twice = GameSet::from_numbers(archive.len(), [6]);
        change(&target, &twice);
        let back = Archive::edit(
            &target,
            &GameSet::all(archive.len()),
            &|game| Ok(if game.is_changed() { original_game(game)?.map(|(game, _)| game) } else { None }),
            |_| {},
        );
        assert_eq!(back.unwrap().games, edited.games);
        let restored = Archive::open(&target).unwrap();
        assert!(restored.changed().unwrap().is_empty());
        assert_eq!(restored.totals().unwrap().plies, before.totals().unwrap().plies);
        gives_back_its_source(&restored);
        let plain = folder.path().join("again.bga");
        let again = archive_of(&[part(folder.path())], &plain, ImportOptions::default());
        assert_eq!(restored.digest().unwrap(), again.digest().unwrap());
    }
}

/// Moves and results, also of a game with a fault and of a game from a set-up position.
#[test]
fn moves_are_changed() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let source = testdata("golden").join("sample.pgn");
    try_import(std::slice::from_ref(&source), &target, &ImportOptions::default()).unwrap();
    let before = Archive::open(&target).unwrap();
    let faulty = before.games().find_map(|game| game.ok().filter(|game| game.has_fault())).unwrap().number();
    let plies = before.totals().unwrap().plies - u64::from(before.game(faulty).unwrap().plies());
    let mut game = Game::default();
    game.tags.push(("White".to_owned(), "New".to_owned()));
    game.events.push(Event::Move(game.start.parse_san(b"e4").unwrap()));
    let new = game.clone();
    let all = GameSet::from_numbers(before.len(), [faulty]);
    assert_eq!(Archive::edit(&target, &all, &|_| Ok(Some(new.clone())), |_| {}).unwrap().games, 1);
    let after = Archive::open(&target).unwrap();
    assert_eq!(after.game(faulty).unwrap().to_game().unwrap(), game);
    assert!(!after.game(faulty).unwrap().has_fault());
    assert_eq!((after.totals().unwrap().plies, after.totals().unwrap().faulty), (plies + 1, 0));
    assert!(Archive::verify(&target, Level::Full, |_| {}).unwrap().is_intact());
    let mut original = Vec::new();
    assert!(after.write_original(&after.sources().unwrap()[0], &mut original).unwrap());
    assert_eq!(original, fs::read(&source).unwrap());
    // The restored text has its fault again.
    let back = |game: &scoresheet::GameRef| Ok(original_game(game)?.map(|(game, _)| game));
    Archive::edit(&target, &all, &back, |_| {}).unwrap();
    let restored = Archive::open(&target).unwrap();
    assert!(restored.game(faulty).unwrap().has_fault() && !restored.game(faulty).unwrap().is_changed());
    assert_eq!(restored.digest().unwrap(), before.digest().unwrap());
}

/// Copied, packed, unpacked, extended and repaired archives keep their changes and their sources.
#[test]
fn changes_survive() {
    let folder = crate::common::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let before = archive_of(&[part(folder.path())], &path("games.bga"), ImportOptions::default());
    change(&path("games.bga"), &GameSet::all(before.len()));
    let archive = Archive::open(path("games.bga")).unwrap();
    let numbers = archive.changed().unwrap();
    let is_same = |name: &str| {
        let copy = Archive::open(path(name)).unwrap();
        assert_eq!(copy.digest().unwrap(), archive.digest().unwrap(), "{name}");
        assert_eq!(copy.changed().unwrap(), numbers, "{name}");
        gives_back_its_source(&copy);
    };
    copy::write(path("copy.bga"), Existing::Refuse, &[Part { archive: &archive, games: archive.live() }], |_| {})
        .unwrap();
    is_same("copy.bga");
    let packed = TranscodeOptions { coding: Coding::Packed(scoresheet::archive::MODEL), ..TranscodeOptions::default() };
    archive.transcode(path("packed.bga"), &packed, |_| {}).unwrap();
    is_same("packed.bga");
    Archive::open(path("packed.bga"))
        .unwrap()
        .transcode(path("plain.bga"), &TranscodeOptions::default(), |_| {})
        .unwrap();
    assert!(fs::read(path("plain.bga")).unwrap() == fs::read(path("games.bga")).unwrap());
    append(&testdata("golden").join("sample.pgn"), &path("games.bga"), ImportOptions::default());
    let grown = Archive::open(path("games.bga")).unwrap();
    assert_eq!(grown.len(), before.len() + 6);
    assert!(grown.changed().unwrap().iter().eq(numbers.iter()));
    gives_back_its_source(&grown);
}

/// If nothing changes or an edit fails, the archive is unchanged, to the byte.
#[test]
fn nothing_happens_by_halves() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let archive = archive_of(&[part(folder.path())], &target, ImportOptions::default());
    let bytes = fs::read(&target).unwrap();
    let all = GameSet::all(archive.len());
    let is_as_it_was = || {
        assert!(fs::read(&target).unwrap() == bytes);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    };
    assert_eq!(Archive::edit(&target, &all, &|_| Ok(None), |_| {}).unwrap().games, 0);
    is_as_it_was();
    assert_eq!(Archive::edit(&target, &all, &|game| game.to_game().map(Some), |_| {}).unwrap().games, 0);
    is_as_it_was();
    let broken = Archive::edit(
        &target,
        &all,
        &|game| {
            let mut changed_game = game.to_game()?;
            if game.number() == 799 {
                changed_game.events.push(Event::Close);
            }
            changed_game.tags.clear();
            Ok(Some(changed_game))
        },
        |_| {},
    );
    assert!(matches!(&broken, Err(Error::Input { .. })), "{broken:?}");
    assert!(broken.unwrap_err().to_string().contains("game 799"));
    is_as_it_was();
    let stop = std::sync::atomic::AtomicBool::new(true);
    let stopped = Archive::edit(&target, &all, &|_| Ok(Some(Game::default())), scoresheet::Monitor::new().stop(&stop));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    is_as_it_was();
    // Another writer has the archive open.
    let writer = scoresheet::ArchiveWriter::append(&target).unwrap();
    let busy = Archive::edit(&target, &all, &|_| Ok(Some(Game::default())), |_| {});
    assert!(busy.unwrap_err().to_string().contains("another program is writing to it"));
    drop(writer);
    is_as_it_was();
}

#[test]
fn changed_games_are_written_as_they_were() {
    let golden = |name: &str| testdata("golden").join(name);
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("changed.bga");
    try_import(&[golden("sample.pgn")], &target, &ImportOptions::default()).unwrap();
    let games = GameSet::from_numbers(6, [1, 2]);
    Archive::edit(
        &target,
        &games,
        &|game| {
            let mut game = game.to_game()?;
            game.tags.push(("Annotator".to_owned(), "Golden".to_owned()));
            Ok(Some(game))
        },
        |_| {},
    )
    .unwrap();
    is_current("changed.bga", &fs::read(&target).unwrap());
    is_current("changed.bgi", &fs::read(FileKind::Index.beside(&target)).unwrap());
    let archive = Archive::open(golden("v1.0-changed.bga")).unwrap();
    assert!(archive.changed().unwrap().iter().eq([1, 2]));
    let mut source = Vec::new();
    assert!(archive.write_original(&archive.sources().unwrap()[0], &mut source).unwrap());
    assert_eq!(source, fs::read(golden("sample.pgn")).unwrap());
}
