//! Side files kept up to date: their growth, and their cost.

use scoresheet::archive::{FileKind, SideState};
use scoresheet::game::Event;
use scoresheet::{Archive, GameRef, GameSet, Monitor, Position};
use scoresheet_query::games::{self, Before, build, update};
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{Filter, PositionQuery, SearchOptions, SideFiles, TagColumns};

/// After repeated changes of all games, the tag columns do not grow, and have the current values.
#[test]
fn what_is_out_of_use_is_left_out() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let pgn: String = (0..2000).map(|game| format!("[White \"{game}\"]\n\n1. e4 *\n\n")).collect();
    scoresheet::Import::new(&path).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let first = build(&Archive::open(&path).unwrap(), FileKind::TagColumns, 1 << 20, Monitor::new()).unwrap();
    for round in 0..6 {
        let before = Before::new(&Archive::open(&path).unwrap());
        let change = |game: &GameRef| {
            let mut game = game.to_game()?;
            game.tags[0].1 = format!("{round}-{}", game.tags[0].1);
            Ok(Some(game))
        };
        let edited = Archive::edit(&path, &GameSet::all(2000), &change, Monitor::new()).unwrap();
        let archive = Archive::open(&path).unwrap();
        before.carry(&archive, &edited.change.unwrap()).unwrap();
        let [updated] = update(&archive, 1 << 20, Monitor::new()).unwrap()[..] else { panic!("one file") };
        assert_eq!(updated.games, 0);
        assert!(updated.bytes < 3 * first + (1 << 16), "{} of {first}", updated.bytes);
        let columns = TagColumns::open(&archive);
        assert_eq!((columns.state(), columns.uncovered()), (SideState::File, Vec::new()));
        let games = Filter::parse(&format!("white ^= \"{round}-\"")).unwrap().games(&columns).games;
        assert_eq!(games.len(), 2000);
    }
}

/// Columns that several segments contain together are available without reading games.
#[test]
fn segments_are_joined_to_available_columns() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let import = |count: usize, name: &str| {
        let pgn: String = (0..count).map(|game| format!("[White \"{name} {game}\"]\n\n1. e4 e5 *\n\n")).collect();
        scoresheet::Import::new(&path).append().run_reader("games.pgn", pgn.as_bytes()).unwrap();
        Archive::open(&path).unwrap()
    };
    let [white, black, plies] = [Key::Tag("White".to_owned()), Key::Tag("Black".to_owned()), Key::Plies];
    build(&import(2000, "Adams"), FileKind::TagColumns, 1 << 20, Monitor::new()).unwrap();
    let archive = import(10, "Zhu");
    assert!(TagColumns::open(&archive).available(&white).is_none(), "the games of Zhu must be read");
    let [updated] = update(&archive, 1 << 20, Monitor::new()).unwrap()[..] else { panic!("one file") };
    assert_eq!(updated.games, 10);
    let columns = TagColumns::open(&archive);
    assert_eq!((columns.state(), columns.uncovered()), (SideState::File, Vec::new()));
    let names = columns.available(&white).unwrap();
    assert_eq!((names.text(2000), names.text(2001)), (Some(&b"Adams 1999"[..]), Some(&b"Zhu 0"[..])));
    assert_eq!(columns.available(&plies).unwrap().get(2010), 2);
    assert_eq!(columns.available(&black).unwrap().text(2001), None);
    assert!(TagColumns::without_file(&archive).available(&white).is_none());
}

/// A backup from before games were appended does not use a segment that was rebuilt with these games, nor the segments
/// that it replaced.
#[test]
fn what_was_changed_does_not_come_back_with_a_backup() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let import = |count: usize| {
        let pgn = "[White \"Adams\"]\n\n1. e4 e5 *\n\n".repeat(count);
        scoresheet::Import::new(&path).append().run_reader("games.pgn", pgn.as_bytes()).unwrap();
    };
    import(30);
    import(3);
    let open = || Archive::open(&path).unwrap();
    for kind in games::KINDS {
        build(&open(), kind, 1 << 20, Monitor::new()).unwrap();
    }
    let before = Before::new(&open());
    let mut position = Position::standard();
    let d4 = position.parse_san("d4").unwrap();
    let change = |game: &GameRef| {
        let mut game = game.to_game()?;
        game.tags[0].1 = "Zhu".to_owned();
        game.events = vec![Event::Move(d4)];
        Ok(Some(game))
    };
    let edited = Archive::edit(&path, &GameSet::from_numbers(33, [32]), &change, Monitor::new()).unwrap();
    before.carry(&open(), &edited.change.unwrap()).unwrap();
    let backup = std::fs::read(&path).unwrap();
    import(2);
    update(&open(), 1 << 20, Monitor::new()).unwrap();
    std::fs::write(&path, backup).unwrap();

    let archive = open();
    let columns = TagColumns::open(&archive);
    let named = |name: &str| Filter::parse(&format!("white = {name}")).unwrap().games(&columns).games.len();
    assert_eq!((named("Adams"), named("Zhu")), (32, 1));
    position.play_unchecked(d4);
    let files = SideFiles::open(&archive);
    let found = files.search(&archive).position(&PositionQuery::from(&position), SearchOptions::default());
    assert_eq!(found.hits.iter().map(|hit| hit.game).collect::<Vec<_>>(), [32]);
    assert_eq!(files.search(&archive).tree(&Position::standard()).branches.len(), 2);
}
