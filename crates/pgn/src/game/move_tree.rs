//! Merges games into one game: their common moves as main line and variations.

use super::{Event, Game, Outcome, TextKind};
use scoresheet_chess::{Color, Move, Position, Variant};

/// Games merged into a tree of moves from one starting position. Transpositions stay apart.
///
/// ```
/// use scoresheet_pgn::game::{Game, MoveTree};
///
/// let mut tree = MoveTree::new(scoresheet_chess::Position::standard(), 20);
/// # let read = |pgn: &str| {
/// #     let mut game = Game::default();
/// #     scoresheet_pgn::read_game(pgn.as_bytes(), 0, &Default::default(), &mut game);
/// #     game
/// # };
/// for (pgn, name) in [("1. e4 e5 1-0", "A"), ("1. e4 c5 0-1", "B"), ("1. e4 c5 1/2-1/2", "C")] {
///     let game: Game = read(pgn);
///     assert!(tree.add(&game, name));
/// }
/// let merged = tree.to_game(1);
/// let mut writer = scoresheet_pgn::PgnWriter::new();
/// writer.write(&merged);
/// let text = String::from_utf8_lossy(writer.as_bytes()).replace('\n', " ");
/// assert!(text.contains("1. e4 c5 {2 games, 25 %. B; C} (1... e5 {1 game, 100 %. A}) *"), "{text}");
/// ```
#[derive(Clone, Debug)]
pub struct MoveTree {
    start: Position,
    depth: usize,
    nodes: Vec<Node>,
    names: Vec<String>,
}

/// A position, as the moves that lead to it.
#[derive(Clone, Default, Debug)]
struct Node {
    /// The moves from here, in the order in which they were first played, with the indexes of their nodes.
    moves: Vec<(Move, u32)>,
    games: u64,
    /// White's half points, and the number of games with a known result.
    halves: u64,
    known: u64,
    /// The games that end here, or are cut off here.
    ends: Vec<u32>,
}

/// The maximum number of games to name in a comment.
const MOST_NAMES: usize = 5;

impl MoveTree {
    /// Creates an empty tree for the games that start from a position and have its rules. `depth` is the number of plies
    /// of each game to keep, at most 1,000.
    pub fn new(start: Position, depth: usize) -> MoveTree {
        // Each ply can open a variation inside the last one.
        let depth = depth.min(1000);
        MoveTree { start, depth, nodes: vec![Node::default()], names: Vec::new() }
    }

    /// Adds the main line of a game, with its name for comments. Returns false, and adds nothing, if the game starts from
    /// another position, has other rules ([`Game::start_by_rules`]), or is the 2^32nd game.
    pub fn add(&mut self, game: &Game, name: &str) -> bool {
        let Ok(number) = u32::try_from(self.names.len()) else { return false };
        if game.start_by_rules() != self.start {
            return false;
        }
        let outcome = Outcome::of_game(game.tag("Result").map(str::as_bytes), game.outcome);
        let halves = outcome.half_points(Color::White);
        let mut at = 0u32;
        self.count(at, halves);
        for m in game.main_line().take(self.depth) {
            let next = self.nodes.len() as u32;
            let Some(node) = self.nodes.get_mut(at as usize) else { break };
            let known = node.moves.iter().find(|(known, _)| *known == m).map(|(_, child)| *child);
            let child = known.unwrap_or(next);
            if known.is_none() {
                node.moves.push((m, child));
                self.nodes.push(Node::default());
            }
            at = child;
            self.count(at, halves);
        }
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.ends.push(number);
        }
        self.names.push(name.to_owned());
        true
    }

    fn count(&mut self, node: u32, halves: Option<u64>) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.games += 1;
            node.known += u64::from(halves.is_some());
            node.halves += halves.unwrap_or(0);
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.names.len() as u64
    }

    /// Returns the tree as a game. The main line has the most frequent moves, and moves that fewer than `least` games
    /// play are left out. Where moves differ, a comment states the number of games and White's score; where games end or
    /// are cut off, it names up to five of them.
    pub fn to_game(&self, least: u64) -> Game {
        let rules = self.start.variant();
        let start = self.start.clone().with_variant(rules.of_moves());
        let mut game = Game { start, outcome: Some(Outcome::Unknown), ..Game::default() };
        let mut tag = |name: &str, value: String| game.tags.push((name.to_owned(), value));
        tag("Event", format!("{} as a tree", counted(self.games())));
        for (name, value) in
            [("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?"), ("Result", "*")]
        {
            tag(name, value.to_owned());
        }
        if rules != Variant::Chess {
            tag("Variant", rules.to_string());
        }
        if !self.start.is_usual_start() {
            tag("SetUp", "1".to_owned());
            tag("FEN", self.start.fen());
        }
        enum Step {
            Move(Move, u32, bool),
            Moves(u32),
            Open,
            Close,
        }
        let mut steps = vec![Step::Moves(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Open => game.events.push(Event::Open),
                Step::Close => game.events.push(Event::Close),
                Step::Move(m, node, is_choice) => {
                    game.events.push(Event::Move(m));
                    let comment = self.comment(node, is_choice);
                    game.events.extend((!comment.is_empty()).then_some(Event::Text(TextKind::Brace, comment)));
                }
                Step::Moves(node) => {
                    let Some(node) = self.nodes.get(node as usize) else { continue };
                    let games = |child: u32| self.nodes.get(child as usize).map_or(0, |child| child.games);
                    let mut moves: Vec<(Move, u32)> =
                        node.moves.iter().copied().filter(|(_, child)| games(*child) >= least).collect();
                    // The sort is stable, so equally frequent moves keep the order of the games.
                    moves.sort_by_key(|(_, child)| std::cmp::Reverse(games(*child)));
                    let is_choice = node.moves.len() > 1;
                    let Some(((first, main), others)) = moves.split_first() else { continue };
                    steps.push(Step::Moves(*main));
                    for (m, child) in others.iter().rev() {
                        steps.extend([Step::Close, Step::Moves(*child), Step::Move(*m, *child, is_choice), Step::Open]);
                    }
                    steps.push(Step::Move(*first, *main, is_choice));
                }
            }
        }
        game
    }

    /// Returns the comment on the move to a node.
    fn comment(&self, node: u32, is_choice: bool) -> String {
        let Some(node) = self.nodes.get(node as usize) else { return String::new() };
        let mut parts = Vec::new();
        if is_choice {
            let score = (node.known > 0).then(|| format!(", {} %", (node.halves * 50 + node.known / 2) / node.known));
            parts.push(counted(node.games) + &score.unwrap_or_default());
        }
        let names: Vec<&str> = node
            .ends
            .iter()
            .filter_map(|end| self.names.get(*end as usize))
            .take(MOST_NAMES)
            .map(|name| &**name)
            .collect();
        if !names.is_empty() {
            let more = node.ends.len() - names.len();
            let more = if more > 0 { format!("; {more} more") } else { String::new() };
            parts.push(names.join("; ").replace(['{', '}'], "") + &more);
        }
        parts.join(". ")
    }
}

fn counted(games: u64) -> String {
    format!("{games} game{}", if games == 1 { "" } else { "s" })
}
