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
use scoresheet_query::value;

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
    let (depth, mut read, mut lost) = (merge.depth as usize, 0, 0);
    // The games from the standard position, and those from the first other position or of the first variant.
    let (mut standard, mut set_up) = (MoveTree::new(Position::standard(), depth), None::<MoveTree>);
    for (archive, _, units) in work {
        for unit in units {
            unit.each(archive, |_, game| match game.and_then(|game| game.to_game()) {
                Ok(game) => {
                    read += 1;
                    let title = title(&game);
                    if !standard.add(&game, &title) {
                        let start = || MoveTree::new(game.start_by_rules(), depth);
                        set_up.get_or_insert_with(start).add(&game, &title);
                    }
                }
                Err(error) => {
                    session.unread(&archives::fault(archive, &error));
                    lost += 1;
                }
            });
        }
    }
    let tree = if standard.games() > 0 { Some(standard) } else { set_up };
    let others = read - tree.as_ref().map_or(0, MoveTree::games);
    if others > 0 && !merge.quiet {
        let others = count(others, "game is", "games are");
        session.note(&format!("{others} left out: a tree has the games of one starting position and one variant"));
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
    let year = value::played(game.tag("Date"), game.tag("UTCDate")).and_then(|date| value::year(date.as_bytes()));
    let result = Outcome::of_game(game.tag("Result").map(str::as_bytes), game.outcome).token();
    let year = year.map_or_else(String::new, |year| format!(", {year}"));
    format!("{} - {}{year}, {result}", tag("White"), tag("Black"))
}
