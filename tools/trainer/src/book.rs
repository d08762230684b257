//! The opening book: a tree of the most frequent moves in the training games.

use crate::games::Game;
use scoresheet::chess::Position;
use scoresheet::packed::train;
use scoresheet::packed::train::board::{TurnedBoard, TurnedMove};
use scoresheet::packed::train::book::count_of;
use scoresheet::packed::train::scene::History;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// The maximum depth of the tree in plies.
const DEPTH: usize = 26;

/// The thresholds of a book.
#[derive(Clone, Copy)]
pub struct Sizes {
    /// A position gets a node if at least this many games reached it by its moves.
    pub node: u32,
    /// A move is kept if it was played at least this often in its position, by any order of moves.
    pub edge: u32,
    /// The weight of the model for the moves that are not kept.
    pub model: f64,
}

struct Node {
    games: u32,
    key: u64,
    next: Vec<(TurnedMove, usize)>,
}

fn key(board: &TurnedBoard) -> u64 {
    let mut hasher = DefaultHasher::new();
    board.hash(&mut hasher);
    hasher.finish()
}

/// Returns the code of the count nearest to `count`.
fn code(count: f64) -> u8 {
    let error = |code: u8| (count_of(code) as f64 / 8.0 / count).ln().abs();
    (0..=199).min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(0)
}

/// Returns the book as bytes of a model file.
pub fn book(games: &[Game], sizes: Sizes) -> Vec<u8> {
    let standard = TurnedBoard::new(&Position::standard());
    let Some(standard) = standard else { return Vec::new() };
    let mut nodes = vec![Node { games: 0, key: key(&standard), next: Vec::new() }];
    let mut played: HashMap<u64, HashMap<TurnedMove, u32>> = HashMap::new();
    for game in games.iter().filter(|game| game.start.is_none()) {
        let (mut board, mut history, mut node) = (standard, History::default(), 0);
        let mut turn = scoresheet::chess::Color::White;
        for &m in game.moves.iter().take(DEPTH) {
            let step = TurnedBoard::step(m, turn);
            nodes[node].games += 1;
            *played.entry(nodes[node].key).or_default().entry(step).or_default() += 1;
            train::play(&mut board, &mut history, m, turn, 0);
            turn = turn.other();
            let known = nodes[node].next.iter().find(|(next, _)| *next == step).map(|(_, to)| *to);
            node = known.unwrap_or_else(|| {
                let new = nodes.len();
                nodes.push(Node { games: 0, key: key(&board), next: Vec::new() });
                nodes[node].next.push((step, new));
                new
            });
        }
    }
    let mut out = Vec::new();
    let mut queue = std::collections::VecDeque::from([0]);
    let (mut count, mut edges) = (0, 0);
    while let Some(node) = queue.pop_front() {
        let node = &nodes[node];
        let all = &played[&node.key];
        let mut kept: Vec<(TurnedMove, u32)> = all.iter().map(|(step, count)| (*step, *count)).collect();
        let games: u32 = kept.iter().map(|(_, count)| count).sum();
        kept.retain(|(_, count)| *count >= sizes.edge.max(games / 1000));
        kept.sort_by_key(|(step, count)| (std::cmp::Reverse(*count), *step));
        let rest = games - kept.iter().map(|(_, count)| count).sum::<u32>();
        out.push(code(f64::from(rest) + sizes.model));
        out.push(kept.len() as u8);
        for (step, times) in kept {
            let next = node.next.iter().find(|(next, _)| *next == step).map(|(_, to)| *to);
            let next = next.filter(|next| nodes[*next].games >= sizes.node);
            let bits = u32::from(step.from)
                | u32::from(step.to) << 6
                | u32::from(next.is_some()) << 12
                | u32::from(code(f64::from(times))) << 13;
            out.extend(&bits.to_le_bytes()[..3]);
            queue.extend(next);
            edges += 1;
        }
        count += 1;
    }
    eprintln!("book of {count} positions, {edges} moves, {} bytes", out.len());
    out
}
