//! A game for the viewer: its moves as a tree with a position after each move, and its text as words.

use scoresheet::archive::GameRef;
use scoresheet::chess::{Color, Move, MoveKind, Position, Square};
use scoresheet::error::Result;
use scoresheet::game::{Analysis, Evaluation, Event, stored_san};
use scoresheet_query::GameSummary;
use std::time::Duration;

/// A node of the game's tree: the starting position, or the position after a move.
pub struct Node {
    /// The text of the move: `12.` or `12...`, and the move with its glyphs; empty at the start.
    pub number: String,
    pub san: String,
    pub position: Position,
    /// The origin and the target of the last move.
    pub squares: Option<(Square, Square)>,
    /// The ply of the position after the move.
    pub ply: u32,
    /// The depth of nested variations; 0 for the main line.
    pub depth: usize,
    pub before: usize,
    /// The nodes of the next moves: first the move of the line, then the moves of variations.
    pub after: Vec<usize>,
}

impl Node {
    /// Returns the node after a move, with its preceding node and its depth.
    fn after(node: &Node, m: Move, (before, depth): (usize, usize)) -> Node {
        let mut position = node.position.clone();
        let dots = if position.turn() == Color::White { "." } else { "..." };
        let (number, san) = (format!("{}{dots}", position.fullmove_number()), stored_san(&position, m));
        let squares = (m.kind != MoveKind::Null).then_some((m.from, m.to));
        position.play_unchecked(m);
        Node { number, san, position, squares, ply: node.ply + 1, depth, before, after: Vec::new() }
    }
}

/// A word of the text, or a line break.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    Move(usize),
    Comment(String),
    Open,
    Close,
}

/// A parsed game for the viewer.
pub struct Sheet {
    pub number: u64,
    pub summary: GameSummary,
    pub changed: bool,
    /// The nodes: the starting position, then the moves in the order of the text.
    pub nodes: Vec<Node>,
    /// The number of nodes that belong to the game; moves of the explorer follow.
    own: usize,
    pub words: Vec<Word>,
    /// The number of plies of the main line; the next two fields contain the clock and the evaluation after each ply.
    pub plies: u32,
    pub clocks: Vec<Option<Duration>>,
    pub evaluations: Vec<Option<Evaluation>>,
    /// The engine data for each ply of the main line.
    pub analysis: Vec<Analysis>,
}

impl Sheet {
    /// Converts a game for the viewer.
    pub fn from_game(game: &GameRef) -> Result<Sheet> {
        let summary = GameSummary::from_game(game)?;
        let owned = game.to_game()?;
        let start = Node {
            number: String::new(),
            san: String::new(),
            position: owned.start_by_rules(),
            squares: None,
            ply: 0,
            depth: 0,
            before: 0,
            after: Vec::new(),
        };
        let (mut nodes, mut words, mut at, mut left) = (vec![start], Vec::new(), 0, Vec::new());
        for event in &owned.events {
            match event {
                Event::Move(m) => {
                    let next = nodes.len();
                    let node = Node::after(&nodes[at], *m, (at, left.len()));
                    nodes[at].after.push(next);
                    nodes.push(node);
                    words.push(Word::Move(next));
                    at = next;
                }
                Event::Suffix(good) => nodes[at].san.push(if *good { '!' } else { '?' }),
                Event::Nag(nag) => {
                    let glyph = glyph(*nag);
                    nodes[at].san += &glyph;
                }
                Event::Text(_, text) => {
                    let text = without_commands(text);
                    if !text.is_empty() {
                        words.push(Word::Comment(text));
                    }
                }
                Event::Open => {
                    words.push(Word::Open);
                    left.push(at);
                    at = nodes[at].before;
                }
                Event::Close => {
                    words.push(Word::Close);
                    at = left.pop().unwrap_or(0);
                }
            }
        }
        Ok(Sheet {
            number: game.number(),
            summary,
            changed: game.is_changed(),
            own: nodes.len(),
            nodes,
            words,
            plies: game.plies(),
            clocks: owned.clocks(),
            evaluations: owned.evaluations(),
            analysis: owned.analysis(),
        })
    }

    /// Plays a move at a node, and returns the node after it: a node of the game if the game has this move.
    pub fn play(&mut self, at: usize, m: Move) -> usize {
        let node = Node::after(&self.nodes[at], m, (at, usize::MAX));
        let known = self.nodes[at].after.iter().find(|next| self.nodes[**next].position == node.position);
        known.copied().unwrap_or_else(|| {
            let next = self.nodes.len();
            self.nodes[at].after.push(next);
            self.nodes.push(node);
            next
        })
    }

    /// Returns the moves from the game to a node that the explorer has played; empty at a node of the game.
    pub fn explored(&self, mut at: usize) -> String {
        let mut moves = Vec::new();
        while at >= self.own {
            let node = &self.nodes[at];
            let is_first = node.before < self.own;
            let numbered = is_first || !node.number.ends_with("...");
            moves.push(if numbered { format!("{} {}", node.number, node.san) } else { node.san.clone() });
            at = node.before;
        }
        moves.reverse();
        moves.join(" ")
    }

    /// Returns the last node of the game before or at a node.
    pub fn in_game(&self, mut at: usize) -> usize {
        while at >= self.own {
            at = self.nodes[at].before;
        }
        at
    }

    /// Returns the node at this ply of the main line, or the last node.
    pub fn at_ply(&self, ply: u32) -> usize {
        let mut at = 0;
        while self.nodes[at].ply < ply
            && let Some(next) = self.nodes[at].after.first()
        {
            at = *next;
        }
        at
    }

    /// Returns the last known clock of a side at a ply of the main line.
    pub fn clock(&self, white: bool, ply: u32) -> Option<Duration> {
        let first = usize::from(!self.starts(white));
        let known = self.clocks.iter().take(ply as usize).skip(first).step_by(2);
        known.filter_map(|clock| *clock).next_back()
    }

    /// Returns the engine analysis of the main line's move that leads to a ply.
    pub fn analysis(&self, ply: u32) -> Option<&Analysis> {
        self.analysis.iter().find(|analysis| analysis.ply == ply)
    }

    /// Returns whether the given side makes the first move.
    fn starts(&self, white: bool) -> bool {
        (self.nodes[0].position.turn() == Color::White) == white
    }
}

/// Returns the text of a NAG after a move: its standard symbol, or its number.
fn glyph(nag: u8) -> String {
    let glyphs = ["", "!", "?", "!!", "??", "!?", "?!", "□"];
    if let Some(glyph) = glyphs.get(usize::from(nag)) {
        return (*glyph).to_owned();
    }
    let glyph = match nag {
        10 | 11 => "=",
        13 => "∞",
        14 => "⩲",
        15 => "⩱",
        16 => "±",
        17 => "∓",
        18 => "+−",
        19 => "−+",
        22 | 23 => "⨀",
        36 | 37 => "↑",
        40 | 41 => "→",
        132 | 133 => "⇆",
        138 | 139 => "⊕",
        140 => "∆",
        146 => "N",
        _ => return format!(" ${nag}"),
    };
    format!(" {glyph}")
}

/// Returns a comment for readers: without clocks, evaluations and other commands, on one line.
fn without_commands(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, command)) = rest.split_once("[%") {
        plain += before;
        rest = command.split_once(']').map_or("", |(_, after)| after);
    }
    (plain + rest).split_whitespace().collect::<Vec<_>>().join(" ")
}
