//! Side files kept up to date: what they grow by, and what they cost.

use scoresheet::archive::{FileKind, SideState};
use scoresheet::query::games::{Before, build, update};
use scoresheet::query::{Filter, TagColumns};
use scoresheet::{Archive, GameRef, GameSet, Monitor};

/// Tags of all games changed again and again: the file does not grow, and says what the games say.
#[test]
fn what_is_out_of_use_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.bga");
    let pgn: String = (0..2000).map(|game| format!("[White \"{game}\"]\n\n1. e4 *\n\n")).collect();
    scoresheet::Import::new(&path).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let first = build(&Archive::open(&path).unwrap(), FileKind::TagColumns, 1 << 20, Monitor::new()).unwrap();
    for round in 0..6 {
        let before = Before::of(&Archive::open(&path).unwrap());
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
        let columns = TagColumns::of(&archive);
        assert_eq!((columns.state(), columns.uncovered()), (SideState::File, Vec::new()));
        let games = Filter::parse(&format!("white ^= \"{round}-\"")).unwrap().games(&columns).games;
        assert_eq!(games.len(), 2000);
    }
}
