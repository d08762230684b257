//! Selects the parts of a game to write: omits comments, variations, NAGs and tags, and sorts tags.

use crate::game::{Event, Game, TextKind};
use scoresheet_chess::Variant;

/// The tags that every game must have, in the order of the standard.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// The tags to write.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum TagChoice {
    /// All tags.
    #[default]
    All,
    /// Write only the tags with these names.
    Only(Vec<String>),
    /// Write the seven tag roster, with placeholders such as `?` for missing tags.
    Roster,
    /// Write only the tags that a set-up position requires.
    None,
}

/// The selection of the parts of a game to write. The default is everything.
///
/// ```
/// use scoresheet_pgn::{PgnWriter, Shape, TagChoice};
///
/// # let mut game = scoresheet_pgn::game::Game::default();
/// # let pgn = b"[White \"Tal\"]\n[Opening \"Italian\"]\n\n1. e4! {[%clk 0:03:00] best} e5 (1... c5) *";
/// # scoresheet_pgn::read_game(pgn, 0, &Default::default(), &mut game);
/// // [White "Tal"] [Opening "Italian"] 1. e4! {[%clk 0:03:00] best} e5 (1... c5) *
/// let tags = TagChoice::Only(vec!["White".to_owned()]);
/// let shape = Shape { no_commands: true, no_variations: true, tags, ..Shape::default() };
/// shape.apply(&mut game);
/// let mut writer = PgnWriter::new();
/// writer.write(&game);
/// assert_eq!(writer.as_bytes(), b"[White \"Tal\"]\n\n1. e4! {best} 1... e5 *\n\n");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shape {
    /// Omit comments.
    pub no_comments: bool,
    /// Omit commands such as `[%clk 0:03:00]` in comments. A comment that contains only commands is omitted completely.
    pub no_commands: bool,
    /// Omit variations.
    pub no_variations: bool,
    /// Omit NAGs, and the marks `!` and `?` after moves.
    pub no_nags: bool,
    /// The tags to write.
    pub tags: TagChoice,
    /// Further tags to omit.
    pub drop: Vec<String>,
    /// Write the complete seven tag roster first, in its order, and then all other tags sorted by name, as in the
    /// standard's export format.
    pub roster_first: bool,
    /// Let the tag Result and the result after the moves agree ([`Game::fix_result`]).
    pub fix_results: bool,
    /// Add the times used that clocks determine ([`Game::add_elapsed`]).
    pub add_elapsed: bool,
}

impl Shape {
    /// Returns whether no part of a game is omitted, added or reordered.
    pub fn is_everything(&self) -> bool {
        *self == Shape::default()
    }

    /// Adds what is to be added, and then removes the parts of a game that are not to be written. A set-up game always
    /// keeps its FEN and SetUp tags, and a game of a variant its tag Variant.
    pub fn apply(&self, game: &mut Game) {
        if self.fix_results {
            game.fix_result();
        }
        if self.add_elapsed {
            game.add_elapsed();
        }
        self.shape_tags(game);
        let mut depth = 0usize;
        game.events.retain_mut(|event| {
            let within = depth > 0;
            match event {
                Event::Open => depth += 1,
                Event::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            if self.no_variations && (within || *event == Event::Open) {
                return false;
            }
            match event {
                Event::Suffix(_) | Event::Nag(_) => !self.no_nags,
                Event::Text(TextKind::Brace | TextKind::Line | TextKind::Escape, _) if self.no_comments => false,
                Event::Text(TextKind::Brace, text) if self.no_commands && text.contains("[%") => {
                    *text = without_commands(text);
                    !text.trim().is_empty()
                }
                _ => true,
            }
        });
    }

    fn shape_tags(&self, game: &mut Game) {
        let start = game.start_by_rules();
        let is_needed = |name: &str| match name {
            "SetUp" | "FEN" => !start.is_usual_start(),
            "Variant" => start.variant() != Variant::Chess,
            _ => false,
        };
        let is_roster = |name: &str| ROSTER.contains(&name);
        let kept = |name: &str| match &self.tags {
            TagChoice::All => true,
            TagChoice::Only(names) => names.iter().any(|known| known == name),
            TagChoice::Roster => is_roster(name),
            TagChoice::None => false,
        };
        let mut tags = std::mem::take(&mut game.tags);
        let all = tags.clone();
        tags.retain(|(name, _)| (kept(name) && !self.drop.iter().any(|known| known == name)) || is_needed(name));
        if self.tags == TagChoice::Roster || self.roster_first {
            let mut rest = tags;
            let mut first = Vec::with_capacity(rest.len() + ROSTER.len());
            for name in ROSTER.into_iter().filter(|name| !self.drop.iter().any(|known| known == name)) {
                match rest.iter().position(|(tag, _)| tag == name) {
                    Some(index) => first.push(rest.remove(index)),
                    None => first.push((name.to_owned(), unknown(name, game, &all))),
                }
            }
            // The sort is stable, so tags with the same name keep their order.
            rest.sort_by(|(left, _), (right, _)| left.cmp(right));
            first.append(&mut rest);
            tags = first;
        }
        game.tags = tags;
    }
}

/// Returns the value for a roster tag that a game does not have.
fn unknown(name: &str, game: &Game, tags: &[(String, String)]) -> String {
    // Lichess writes the date only in `UTCDate`.
    let day = || tags.iter().find(|(tag, _)| tag == "UTCDate").map(|(_, day)| day.as_str());
    match name {
        "Date" => day().unwrap_or("????.??.??"),
        "Result" => game.outcome.map_or("*", |outcome| outcome.token()),
        _ => "?",
    }
    .to_owned()
}

/// Returns a comment without its commands and the blanks around them.
fn without_commands(text: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find("[%") {
        let (before, command) = rest.split_at(start);
        let Some(end) = command.find(']') else { break };
        plain.push_str(before.trim_end());
        rest = command.get(end + 1..).unwrap_or_default();
        let next = rest.trim_start();
        if !plain.is_empty() && !next.is_empty() && !next.starts_with("[%") {
            plain.push(' ');
        }
        rest = next;
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{PgnWriter, ReadOptions, read_game};

    fn shaped(pgn: &str, shape: &Shape) -> String {
        let mut game = Game::default();
        read_game(pgn.as_bytes(), 0, &ReadOptions::default(), &mut game);
        shape.apply(&mut game);
        assert!(game.check().is_ok());
        let mut writer = PgnWriter::new();
        writer.write(&game);
        String::from_utf8(writer.into_bytes()).unwrap()
    }

    const PGN: &str = "[Black \"B\"]\n[Annotator \"x\"]\n[White \"A\"]\n\n1. e4! {a [%clk 0:01:00] b} e5 $14 (1... c5 {s} (1... d5) 2. Nf3) {[%eval 0.1]} 2. Nf3 ; rest\n1-0\n";

    #[test]
    fn what_is_dropped_is_gone_and_nothing_else() {
        let everything = shaped(PGN, &Shape::default());
        assert!(everything.contains("1... c5 {s} (1... d5) 2. Nf3)") && everything.contains("; rest"));
        let moves = |shape: &Shape| shaped(PGN, shape).split("\n\n").nth(1).unwrap().replace('\n', " ");
        assert_eq!(
            moves(&Shape { no_variations: true, ..Shape::default() }),
            "1. e4! {a [%clk 0:01:00] b} 1... e5 $14 {[%eval 0.1]} 2. Nf3 ; rest 1-0"
        );
        assert_eq!(
            moves(&Shape { no_commands: true, no_variations: true, ..Shape::default() }),
            "1. e4! {a b} 1... e5 $14 2. Nf3 ; rest 1-0"
        );
        let bare = Shape { no_comments: true, no_variations: true, no_nags: true, ..Shape::default() };
        assert_eq!(moves(&bare), "1. e4 e5 2. Nf3 1-0");
    }

    #[test]
    fn tags_come_in_the_order_of_the_standard() {
        let tags = |shape: &Shape| {
            let text = shaped(PGN, shape);
            text.split("\n\n").next().unwrap().replace("[", "").replace("]\n", " ").replace(']', "")
        };
        assert_eq!(
            tags(&Shape { roster_first: true, ..Shape::default() }),
            "Event \"?\" Site \"?\" Date \"????.??.??\" Round \"?\" White \"A\" Black \"B\" Result \"1-0\" Annotator \"x\""
        );
        let roster = Shape { tags: TagChoice::Roster, drop: vec!["Site".to_owned()], ..Shape::default() };
        assert_eq!(tags(&roster), "Event \"?\" Date \"????.??.??\" Round \"?\" White \"A\" Black \"B\" Result \"1-0\"");
        let only = Shape { tags: TagChoice::Only(vec!["White".to_owned()]), ..Shape::default() };
        assert_eq!(tags(&only), "White \"A\"");
    }

    #[test]
    fn a_set_up_game_keeps_its_position() {
        let pgn = "[White \"A\"]\n[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 40\"]\n\n40. a8=Q+ *\n";
        let text = shaped(pgn, &Shape { tags: TagChoice::None, ..Shape::default() });
        assert!(text.starts_with("[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 40\"]\n\n40. a8=Q+ *"), "{text}");
    }
}
