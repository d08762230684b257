//! The opening book of a model: a tree of moves from the standard starting position, with the frequency of each move.

use crate::packed::moves::board::TurnedMove;

/// A move in the book.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u8,
    to: u8,
    /// The frequency, in eighths.
    count: u64,
    /// The node after the move, or `NO_NODE`.
    node: u32,
}

/// A position in the book.
#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    edges: u8,
    /// The weight of the model's own probabilities, in eighths.
    model: u64,
}

/// The number that stands for no node.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// A tree of opening moves, in which node 0 is the standard starting position.
#[derive(Debug, Default)]
pub(crate) struct Book {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// Returns the count that a code represents, in eighths. The code consists of a mantissa and a shift.
///
/// | bits | value |
/// |---|---|
/// | 0..=2 | mantissa without the 8 that is added to it |
/// | 3..=7 | shift, at most 24 |
pub fn count_of(code: u8) -> u64 {
    u64::from(8 + (code & 7)) << (code >> 3).min(24)
}

impl Book {
    /// Reads a book that occupies all of `bytes`. Returns `None` if the book is malformed.
    pub(crate) fn read(bytes: &[u8]) -> Option<Book> {
        let mut book = Book::default();
        let mut rest = bytes;
        let mut next = 1;
        while let Some((&[model, edges], after)) = rest.split_first_chunk() {
            let (list, after) = after.split_at_checked(3 * edges as usize)?;
            rest = after;
            book.nodes.push(Node { first: book.edges.len() as u32, edges, model: count_of(model) });
            for [low, middle, high] in list.as_chunks().0 {
                let bits = u32::from_le_bytes([*low, *middle, *high, 0]);
                let node = if bits >> 12 & 1 != 0 { next } else { NO_NODE };
                next += bits >> 12 & 1;
                let (from, to) = ((bits & 63) as u8, (bits >> 6 & 63) as u8);
                book.edges.push(Edge { from, to, count: count_of((bits >> 13) as u8), node });
            }
        }
        let is_complete = rest.is_empty() && (next as usize == book.nodes.len() || book.nodes.is_empty());
        is_complete.then_some(book)
    }

    pub(crate) fn root(&self) -> u32 {
        if self.nodes.is_empty() { NO_NODE } else { 0 }
    }

    fn edges(&self, node: u32) -> &[Edge] {
        let Some(node) = self.nodes.get(node as usize) else { return &[] };
        self.edges.get(node.first as usize..node.first as usize + node.edges as usize).unwrap_or_default()
    }

    /// Returns the node after a move, or `NO_NODE`.
    pub(crate) fn follow(&self, node: u32, step: TurnedMove) -> u32 {
        self.edges(node)
            .iter()
            .find(|edge| edge.from == step.from && edge.to == step.to)
            .map_or(NO_NODE, |edge| edge.node)
    }

    /// Mixes the frequencies of the book into `frequencies`, whose sum is `total`. Returns the new total, about 2^20.
    pub(crate) fn blend(&self, node: u32, steps: &[TurnedMove], frequencies: &mut [u32], total: u32) -> u32 {
        let Some(Node { model, .. }) = self.nodes.get(node as usize) else { return total };
        let edges = self.edges(node);
        let all = model + edges.iter().map(|edge| edge.count).sum::<u64>();
        let factor = (((model << 20) / all) << 24) / u64::from(total.max(1));
        for frequency in frequencies.iter_mut() {
            *frequency = ((u64::from(*frequency) * factor) >> 24) as u32 + 1;
        }
        for edge in edges {
            let at = steps.iter().position(|step| step.from == edge.from && step.to == edge.to);
            if let Some(frequency) = at.and_then(|at| frequencies.get_mut(at)) {
                *frequency += ((edge.count << 20) / all) as u32;
            }
        }
        frequencies.iter().sum()
    }
}
