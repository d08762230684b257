//! `scoresheet export --one-tree`: merges games into one game.

use crate::failure::Failure;
use crate::select::archives;
use crate::select::shape::ShapeArgs;
use crate::select::units::Unit;
use crate::session::Session;
use crate::text::count;
use scoresheet::archive::Archive;
use scoresheet::chess::Position;
use scoresheet::game::{Game, MoveTree, Outcome};

/// A request to merge games.
pub struct Merge<'a> {
    /// The number of plies to keep of each game.
    pub depth: u32,
    /// Moves of fewer games are left out.
    pub least: u64,
    pub shape: &'a ShapeArgs,
    pub quiet: bool,
}

/// Returns the PGN of the merged games, and the number of unreadable games.
pub fn text(
    merge: &Merge<'_>,
    session: &Session,
    work: &[(&Archive, Option<String>, Vec<Unit>)],
) -> Result<(Vec<u8>, u64), Failure> {
    let (mut tree, mut others, mut lost) = (None::<MoveTree>, 0, 0);
    let mut is_standard = false;
    for (archive, _, units) in work {
        units
            .iter()
            .for_each(|unit| unit.each(archive, |_, game| is_standard |= game.is_ok_and(|game| !game.is_set_up())));
    }
    for (archive, name, units) in work {
        for unit in units {
            unit.each(archive, |_, game| match game.and_then(|game| game.to_game()) {
                Ok(game) => {
                    let start = if is_standard { Position::standard() } else { game.start.clone() };
                    let start = || MoveTree::new(start, merge.depth as usize);
                    others += u64::from(!tree.get_or_insert_with(start).add(&game, &title(&game)));
                }
                Err(error) => {
                    session.unread(&archives::fault(name.as_deref(), &error));
                    lost += 1;
                }
            });
        }
    }
    if others > 0 && !merge.quiet {
        let others = count(others, "game from another starting position is", "games from other starting positions are");
        session.note(&format!("{others} left out"));
    }
    let mut writer = merge.shape.writer();
    if let Some(tree) = tree {
        let mut game = tree.to_game(merge.least);
        merge.shape.shape().apply(&mut game);
        writer.write(&game);
    }
    Ok((writer.into_bytes(), lost))
}

/// Returns how a comment names a game: `Tal, M - Botvinnik, M, 1960, 1-0`.
fn title(game: &Game) -> String {
    let tag = |name: &str| game.tag(name).unwrap_or("?");
    let year = game.tag("Date").or_else(|| game.tag("UTCDate")).and_then(|date| date.get(..4)).unwrap_or("????");
    let result = Outcome::of_game(game.tag("Result").map(str::as_bytes), game.outcome).token();
    let year = if year.contains('?') { String::new() } else { format!(", {year}") };
    format!("{} - {}{year}, {result}", tag("White"), tag("Black"))
}
