//! Codes games with variations, glyphs, suffixes, text markers or null moves: a token precedes each element, with
//! adaptive frequencies.

use super::intervals::{Intervals, TOTAL, decode_end};
use super::kind::{kind_interval, outcome_of};
use super::line::GameLine;
use super::range::RangeDecoder;
use crate::brenner::decode::Item;
use crate::brenner::encode::{push_close, push_move, push_nag, push_open, push_outcome, push_suffix, push_text_marker};
use crate::chess::{Move, Position};
use crate::game::Outcome;
use crate::packed::fault::PackedFault;
use crate::packed::model::{Model, Prices};

/// The maximum depth of nested variations.
const MOST_DEPTH: usize = 100;

const MOVE: usize = 0;
const TEXT: usize = 1;
const NAG: usize = 2;
const GOOD: usize = 3;
const BAD: usize = 4;
const OPEN: usize = 5;
const CLOSE: usize = 6;
const NULL: usize = 7;
const TOKENS: usize = 8;

/// Frequencies that increase as symbols are counted.
struct Adaptive<const N: usize> {
    frequencies: [u16; N],
}

impl<const N: usize> Adaptive<N> {
    const GROWTH: u16 = 16;
    const MOST: u32 = 2048;

    #[expect(clippy::indexing_slicing, reason = "symbols are below `N`")]
    fn interval(&self, symbol: usize) -> (u32, u32) {
        let before = self.frequencies[..symbol].iter().map(|frequency| u32::from(*frequency)).sum();
        (before, u32::from(self.frequencies[symbol]))
    }

    fn total(&self) -> u32 {
        self.frequencies.iter().map(|frequency| u32::from(*frequency)).sum()
    }

    #[expect(clippy::indexing_slicing, reason = "symbols are below `N`")]
    fn learn(&mut self, symbol: usize) {
        self.frequencies[symbol] += Self::GROWTH;
        if self.total() > Self::MOST {
            for frequency in &mut self.frequencies {
                *frequency -= *frequency >> 1;
            }
        }
    }

    fn encode(&mut self, intervals: &mut Intervals, symbol: usize) {
        let (from, frequency) = self.interval(symbol);
        intervals.push(from, frequency, self.total());
        self.learn(symbol);
    }

    fn decode(&mut self, decoder: &mut RangeDecoder) -> usize {
        let index = decoder.peek(self.total());
        let mut end = 0;
        let symbol = self.frequencies.iter().position(|frequency| {
            end += u32::from(*frequency);
            index < end
        });
        let symbol = symbol.unwrap_or(0);
        let (from, frequency) = self.interval(symbol);
        decoder.take(from, frequency);
        self.learn(symbol);
        symbol
    }
}

/// The models for tokens and NAGs.
struct Tokens {
    /// The models for tokens, by the previous token, and by whether an element followed each of the last two moves. For
    /// the first token of a game, the previous token is `CLOSE`.
    tokens: [[Adaptive<TOKENS>; 4]; TOKENS],
    nags: Adaptive<256>,
    before: usize,
    /// Two bits: the higher bit states whether an element followed the move before the last move, the lower bit whether
    /// an element followed the last move.
    adorned: usize,
}

impl Tokens {
    fn new() -> Tokens {
        // The order is move, text, NAG, good, bad, open, close, null.
        let frequencies = |before| match before {
            MOVE => [24, 3, 2, 1, 1, 1, 1, 1],
            OPEN => [24, 6, 1, 1, 1, 1, 1, 1],
            _ => [24, 4, 2, 1, 1, 2, 2, 1],
        };
        let mut nags = [1; 256];
        nags[1..7].fill(16);
        nags[10..20].fill(8);
        Tokens {
            tokens: std::array::from_fn(|before| {
                std::array::from_fn(|_| Adaptive { frequencies: frequencies(before) })
            }),
            nags: Adaptive { frequencies: nags },
            before: CLOSE,
            adorned: 0,
        }
    }

    #[expect(clippy::indexing_slicing, reason = "tokens are below `TOKENS`, and two bits an index of 4")]
    fn context(&mut self) -> &mut Adaptive<TOKENS> {
        &mut self.tokens[self.before][self.adorned]
    }

    fn seen(&mut self, token: usize) {
        if matches!(token, MOVE | NULL) {
            self.adorned = self.adorned << 1 & 3;
        } else {
            self.adorned |= 1;
        }
        self.before = token;
    }

    fn encode(&mut self, intervals: &mut Intervals, token: usize) {
        self.context().encode(intervals, token);
        self.seen(token);
    }

    fn decode(&mut self, decoder: &mut RangeDecoder) -> usize {
        let token = self.context().decode(decoder);
        self.seen(token);
        token
    }
}

/// The current line, and the enclosing lines that continue when a variation closes. For each line, a copy from before
/// its last move is also stored.
struct Tree<'m> {
    now: GameLine<'m>,
    before: GameLine<'m>,
    stack: Vec<(GameLine<'m>, GameLine<'m>)>,
}

impl<'m> Tree<'m> {
    fn new(model: &'m Model, start: &Position) -> Option<Tree<'m>> {
        let now = GameLine::new(model, start)?;
        Some(Tree { before: now.clone(), now, stack: Vec::new() })
    }

    fn open(&mut self) {
        let before = self.before.clone();
        let now = std::mem::replace(&mut self.now, before.clone());
        self.stack.push((now, std::mem::replace(&mut self.before, before)));
    }

    fn close(&mut self) -> bool {
        let waiting = self.stack.pop();
        let is_open = waiting.is_some();
        if let Some((now, before)) = waiting {
            (self.now, self.before) = (now, before);
        }
        is_open
    }
}

/// Appends a game. Returns `None` and appends nothing if this form cannot represent the game.
pub(crate) fn encode(
    model: &Model,
    start: &Position,
    items: &[Item],
    outcome: Outcome,
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut tree = Tree::new(model, start)?;
    let mut prices = Prices::new();
    let mut intervals = Intervals::new(model, 3 * items.len() + 1);
    let mut tokens = Tokens::new();
    let (from, frequency) = kind_interval(model, 4 + outcome as usize);
    intervals.push(from, frequency, TOTAL);
    for item in items {
        if tree.stack.is_empty() {
            intervals.push_end(tree.now.end_context(outcome));
        }
        match *item {
            Item::Move(Move::NULL) => {
                tokens.encode(&mut intervals, NULL);
                tree.before.clone_from(&tree.now);
                tree.now.pass();
            }
            Item::Move(m) => {
                tokens.encode(&mut intervals, MOVE);
                if !tree.now.price(&mut prices) {
                    return None;
                }
                tree.before.clone_from(&tree.now);
                tree.now.write_move(m, &prices, &mut intervals)?;
            }
            Item::Text(_) => tokens.encode(&mut intervals, TEXT),
            Item::Nag(nag) => {
                tokens.encode(&mut intervals, NAG);
                tokens.nags.encode(&mut intervals, nag as usize);
            }
            Item::Suffix(good) => tokens.encode(&mut intervals, if good { GOOD } else { BAD }),
            Item::Open => {
                if tree.stack.len() >= MOST_DEPTH {
                    return None;
                }
                tokens.encode(&mut intervals, OPEN);
                tree.open();
            }
            Item::Close => {
                tokens.encode(&mut intervals, CLOSE);
                tree.close();
            }
            Item::Outcome(_) => return None,
        }
    }
    intervals.finish(Some(tree.now.end_context(outcome)), |_, _, _| {}, out)
}

/// Reads a game after its kind has been read, and appends its Brenner stream.
pub(crate) fn decode(
    model: &Model,
    start: &Position,
    kind: usize,
    mut decoder: RangeDecoder,
    (limit, most): (u32, usize),
    out: &mut Vec<u8>,
) -> Result<(), PackedFault> {
    let outcome = outcome_of(kind);
    let mut tree = Tree::new(model, start).ok_or(PackedFault::Start)?;
    let mut prices = Prices::new();
    let mut tokens = Tokens::new();
    let first = out.len();
    let mut plies = 0;
    while plies < limit {
        if decoder.is_spent() || out.len() - first > most {
            return Err(PackedFault::Overlong);
        }
        if tree.stack.is_empty() && decode_end(model, &mut decoder, || tree.now.end_context(outcome)) {
            push_outcome(outcome, out);
            return if decoder.is_at_end() { Ok(()) } else { Err(PackedFault::Rest) };
        }
        let token = tokens.decode(&mut decoder);
        match token {
            MOVE => {
                if !tree.now.price(&mut prices) || prices.count == 0 {
                    return Err(PackedFault::NoMove);
                }
                tree.before.clone_from(&tree.now);
                tree.now.read_move(&prices, &mut decoder, out);
            }
            NULL => {
                push_move(&tree.now.position, Move::NULL, out);
                tree.before.clone_from(&tree.now);
                tree.now.pass();
            }
            TEXT => push_text_marker(out),
            NAG => push_nag(tokens.nags.decode(&mut decoder) as u8, out),
            GOOD | BAD => push_suffix(token == GOOD, out),
            OPEN if tree.stack.len() >= MOST_DEPTH => return Err(PackedFault::Overlong),
            OPEN => {
                push_open(out);
                tree.open();
            }
            _ => {
                if !tree.close() {
                    return Err(PackedFault::Nesting);
                }
                push_close(out);
            }
        }
        if matches!(token, MOVE | NULL) && tree.stack.is_empty() {
            plies += 1;
        }
    }
    Ok(())
}
