//! Stand-alone strings, the alternate notation and move ids over every game of the corpora.
//!
//! Runs if SCORESHEET_CORPORA names a folder; reads every `.pgn` file in it.

use rayon::prelude::*;
use scoresheet::brenner::alternate::{from_alternate, to_alternate};
use scoresheet::brenner::explain::{Notation, explain};
use scoresheet::brenner::move_id::MoveId;
use scoresheet::brenner::standalone::{self, StandaloneError};
use scoresheet::chess::Variant;
use scoresheet::game::{Event, Game, TextKind};
use scoresheet::pgn::{Disposition, ReadOptions, Splitter, read_game};
use std::ops::Add;
use std::path::{Path, PathBuf};

#[derive(Default, Clone, Copy, Debug)]
struct Seen {
    games: u64,
    /// Games with U+0000 in a tag or text, which are refused.
    refused: u64,
    plies: u64,
    bytes: u64,
    moves: u64,
}

impl Add for Seen {
    type Output = Seen;

    fn add(self, other: Seen) -> Seen {
        Seen {
            games: self.games + other.games,
            refused: self.refused + other.refused,
            plies: self.plies + other.plies,
            bytes: self.bytes + other.bytes,
            moves: self.moves + other.moves,
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "pgn") {
            found.push(path);
        }
    }
}

/// Returns the parts of a game that a stand-alone string keeps: all except the kinds of texts. A start without a tag
/// gets its FEN tag.
fn kept(game: &Game) -> (Vec<(String, String)>, Vec<Event>) {
    let brace = |event: &Event| match event {
        Event::Text(_, text) => Event::Text(TextKind::Brace, text.clone()),
        event => event.clone(),
    };
    (game.tags.clone(), game.events.iter().map(brace).collect())
}

fn check(game: &Game, name: &Path) -> Seen {
    let bytes = match standalone::encode(game) {
        Ok(bytes) => bytes,
        Err(StandaloneError::ZeroCharacter) => return Seen { games: 1, refused: 1, ..Seen::default() },
        Err(error) => panic!("{}: {error}", name.display()),
    };
    let alternate = to_alternate(&bytes);
    assert_eq!(from_alternate(&alternate), bytes, "{}", name.display());
    assert_eq!(to_alternate(&from_alternate(&bytes)), bytes, "{}", name.display());
    for (text, notation) in [(&bytes, Notation::Table), (&alternate, Notation::Alternate)] {
        explain(text, notation, |_| {}).unwrap_or_else(|error| panic!("{}: {error}", name.display()));
    }
    let back =
        standalone::decode(&bytes).unwrap_or_else(|error| panic!("{}: {error}: {:?}", name.display(), game.tags));
    assert_eq!(back.start, game.start, "{}", name.display());
    let (mut tags, events) = kept(&back);
    if tags.len() == game.tags.len() + 1 {
        assert_eq!(tags.remove(0), ("FEN".to_owned(), game.start.fen()));
    }
    assert_eq!((tags, events), kept(game), "{}", name.display());
    assert_eq!(standalone::encode(&back).as_ref(), Ok(&bytes), "{}", name.display());
    let mut position = game.start.clone();
    let mut plies = 0;
    for m in game.main_line() {
        // Drops and promotions to a king have no id.
        let is_chess = game.start.variant() == Variant::Chess;
        for chess960 in [false, true].into_iter().filter(|_| is_chess) {
            let id = MoveId::from_move(m, chess960).expect("every move has an id");
            assert_eq!(id.to_move(&position), Some(m), "{}", position.fen());
        }
        position.play_unchecked(m);
        plies += 1;
    }
    let moves = game.events.iter().filter(|event| matches!(event, Event::Move(_))).count() as u64;
    Seen { games: 1, refused: 0, plies, bytes: bytes.len() as u64, moves }
}

fn read(path: &Path) -> Seen {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let options = ReadOptions::default();
    let mut splitter = Splitter::new(file, 0, options.limits);
    let mut seen = Seen::default();
    while let Some(piece) = splitter.next_batch(1 << 20).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
        seen = seen
            + piece
                .spans
                .par_iter()
                .map(|region| {
                    let text = piece.span(region);
                    let (mut at, mut seen) = (0, Seen::default());
                    while at < text.len() {
                        let mut game = Game::default();
                        let reading = read_game(text, at, &options, &mut game);
                        match reading.disposition {
                            None => break,
                            Some(Disposition::Stored) => seen = seen + check(&game, path),
                            Some(Disposition::Rejected) => {}
                        }
                        at = reading.next.max(at + 1);
                    }
                    seen
                })
                .reduce(Seen::default, Seen::add);
    }
    seen
}

#[test]
fn every_game_of_the_corpora_transcodes_exactly() {
    let Some(folder) = crate::common::corpora::folder() else {
        println!("skipped: SCORESHEET_CORPORA is not set");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    paths.sort();
    let seen = paths.par_iter().map(|path| read(path)).reduce(Seen::default, Seen::add);
    println!("{} files: {seen:?}", paths.len());
    assert!(seen.games > 0, "no games below the folder");
}
