//! Stores the layout of a chunk's games in their sources: a style for each game, and the differences from this style
//! (FORMAT.md, "Layout blocks").
//!
//! Writing a game in its style nearly always reproduces the bytes of its source. Edits correct the rest.

use super::planes::{push_column, read_column};
use crate::format::budget::{self, Allowance, Budget, Cost};
use crate::format::coder::numbers;
use crate::format::limits::{Limits, MOST};
use crate::format::refused::unassigned;
use crate::format::wire::{Bytes, Mixed, push_string, push_varint, read_compressed_within};

/// The size of a style in bytes. The PGN writer defines the meaning of these bytes.
pub const STYLE: usize = 9;
/// The number of consecutive equal bytes that ends a difference.
const STEP: usize = 12;
/// The maximum length of a difference, in bytes.
const REACH: usize = 160;

/// A single difference: after `copy` equal bytes, `insert` replaces `delete` bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutEdit {
    /// The number of equal bytes.
    pub copy: u64,
    /// The number of expected bytes that are not in the source.
    pub delete: u64,
    /// The bytes of the source that replace them.
    pub insert: Box<[u8]>,
}

/// Returns the edits that convert `expected` to `actual`, or no edits if they are equal.
pub fn difference(expected: &[u8], actual: &[u8]) -> Vec<LayoutEdit> {
    if expected == actual {
        return Vec::new();
    }
    let (mut edits, mut old, mut new) = (Vec::new(), expected, actual);
    loop {
        let copy = common_prefix(old, new);
        (old, new) = (after(old, copy), after(new, copy));
        if old.is_empty() && new.is_empty() {
            return edits;
        }
        let (delete, insert) = step(old, new);
        let (inserted, rest) = new.split_at_checked(insert).unwrap_or((new, &[]));
        edits.push(LayoutEdit { copy: copy as u64, delete: delete as u64, insert: inserted.into() });
        (old, new) = (after(old, delete), rest);
    }
}

/// Returns the bytes that follow the first `count` bytes.
#[inline]
fn after(bytes: &[u8], count: usize) -> &[u8] {
    bytes.get(count..).unwrap_or_default()
}

/// Returns the numbers of bytes to delete and to insert before the texts are equal again.
fn step(old: &[u8], new: &[u8]) -> (usize, usize) {
    for total in 1..=REACH.min(old.len() + new.len()) {
        for delete in total.saturating_sub(new.len())..=total.min(old.len()) {
            let insert = total - delete;
            let (a, b) = (after(old, delete), after(new, insert));
            // Comparing eight bytes is nearly always sufficient. Fewer bytes are compared only near the ends of both
            // texts.
            if a.first_chunk::<8>() != b.first_chunk::<8>() {
                continue;
            }
            let (a, b) = (a.get(..STEP).unwrap_or(a), b.get(..STEP).unwrap_or(b));
            if a == b && (a.len() == STEP || old.len() - delete == new.len() - insert) {
                return (delete, insert);
            }
        }
    }
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    (old.len() - same, new.len() - same)
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.chunks_exact(32).zip(b.chunks_exact(32)).take_while(|(a, b)| a == b).count() * 32;
    chunks + after(a, chunks).iter().zip(after(b, chunks)).take_while(|(a, b)| a == b).count()
}

/// Applies `edits` to `expected` and appends the result. Returns `None` if the edits do not match the text.
pub fn apply(expected: &[u8], edits: &[LayoutEdit], out: &mut Vec<u8>) -> Option<()> {
    let mut rest = Bytes(expected);
    for edit in edits {
        out.extend_from_slice(rest.take(usize::try_from(edit.copy).ok()?)?);
        rest.take(usize::try_from(edit.delete).ok()?)?;
        out.extend_from_slice(&edit.insert);
    }
    out.extend_from_slice(rest.0);
    Some(())
}

/// The layout of all games in a chunk.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// The styles.
    pub styles: Vec<[u8; STYLE]>,
    /// The number of the style for each game.
    pub games: Vec<u64>,
    /// Each game's edits.
    pub edits: Vec<Vec<LayoutEdit>>,
}

/// The greatest number of a line end, and the number of flags in the second byte of flags.
const LINE_ENDS: u8 = 2;
const STYLE_FLAGS: u8 = 3;

impl Layout {
    /// Returns the payload of the block.
    pub fn encode(&self, level: i32) -> Vec<u8> {
        let mut rest = Mixed::default();
        push_column(&self.games, &mut rest);
        let counts: Vec<u64> = self.edits.iter().map(|edits| edits.len() as u64).collect();
        push_column(&counts, &mut rest);
        let all = || self.edits.iter().flatten();
        for column in [
            numbers::encode_plain(all().map(|edit| edit.copy)),
            numbers::encode_plain(all().map(|edit| edit.delete)),
            numbers::encode_plain(all().map(|edit| edit.insert.len() as u64)),
        ] {
            push_string(&column, &mut rest.bytes);
            rest.end_kind();
        }
        all().for_each(|edit| rest.bytes.extend_from_slice(&edit.insert));
        // Unused styles pad the block if edits that insert no bytes need a larger budget.
        let (games, edits) = (self.games.len(), all().count());
        let charge = games as u64 * budget::GAME + edits as u64 * budget::EDIT;
        let cost = Cost { charge, allowance: Allowance::Chunk(games) };
        let padding = cost.padding(rest.bytes.len(), budget::RAW);
        let padding = vec![0; padding.next_multiple_of(STYLE)];
        let mut head = Vec::new();
        push_varint((self.styles.len() + padding.len() / STYLE) as u64, &mut head);
        self.styles.iter().for_each(|style| head.extend_from_slice(style));
        head.extend_from_slice(&padding);
        rest.prepend(head);
        let mut payload = Vec::new();
        rest.push(level, cost, &mut payload);
        payload
    }

    /// Reads a payload whose CRC has been verified. `games` is the number of games in the chunk.
    pub fn decode(payload: &[u8], games: usize) -> Option<Layout> {
        Layout::decode_within(payload, games, &Limits::DEFAULT)
    }

    /// Reads a payload within these limits.
    pub fn decode_within(payload: &[u8], games: usize, limits: &Limits) -> Option<Layout> {
        let mut budget = Budget::new(payload.len(), Allowance::Chunk(games), limits);
        let raw = read_compressed_within(payload, &mut budget)?;
        budget.draw(games, budget::GAME)?;
        let mut bytes = Bytes(&raw);
        let count = bytes.count()?;
        let (all, _) = bytes.take(count.checked_mul(STYLE)?)?.as_chunks::<STYLE>();
        let styles = budget::collect(all.iter().copied())?;
        for style in &styles {
            let (line_end, flags) = (style[0], style[STYLE - 1]);
            if line_end > LINE_ENDS {
                return unassigned("line ends of styles", line_end);
            }
            if flags >> STYLE_FLAGS != 0 {
                return unassigned("style flags", flags);
            }
        }
        let (of_games, counts) = (read_column(&mut bytes, games)?, read_column(&mut bytes, games)?);
        let total = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count))?;
        let total = usize::try_from(total).ok()?;
        budget.draw(total, budget::EDIT)?;
        let mut columns = || {
            let numbers = numbers::decode_plain(bytes.string()?, total)?;
            numbers.iter().all(|number| *number <= MOST).then_some(numbers.into_iter())
        };
        let (mut copies, mut deletes, mut inserts) = (columns()?, columns()?, columns()?);
        let mut edits = budget::with_room(games)?;
        for count in counts {
            let mut of_game = budget::with_room(usize::try_from(count).ok()?)?;
            for _ in 0..count {
                let (copy, delete) = (copies.next()?, deletes.next()?);
                let inserted = bytes.take(usize::try_from(inserts.next()?).ok()?)?;
                let insert = budget::copy(inserted)?;
                of_game.push(LayoutEdit { copy, delete, insert });
            }
            edits.push(of_game);
        }
        bytes.0.is_empty().then_some(Layout { styles, games: of_games, edits })
    }

    /// Returns the style and the edits of a game, given its index in the chunk, from 0.
    pub fn of_game(&self, index: usize) -> Option<([u8; STYLE], &[LayoutEdit])> {
        let style = self.styles.get(usize::try_from(*self.games.get(index)?).ok()?)?;
        Some((*style, self.edits.get(index)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round(expected: &[u8], actual: &[u8]) -> Vec<LayoutEdit> {
        let edits = difference(expected, actual);
        let mut out = Vec::new();
        assert_eq!(apply(expected, &edits, &mut out), Some(()));
        assert_eq!(out, actual);
        edits
    }

    #[test]
    fn small_differences_take_small_edits() {
        let expected = b"[Event \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O 1-0\n\n";
        assert!(round(expected, expected).is_empty());
        let actual = b"[Event \"x\"]\n\n1. e4 e5 2. Nf3+ Nc6 3. Bb5 a6 4. Ba4 Ng8f6 5. O-O 1-0\n\n";
        let edits = round(expected, actual);
        assert_eq!(edits.len(), 2);
        assert_eq!((edits[0].delete, &*edits[0].insert), (0, b"+".as_slice()));
        assert_eq!(round(expected, &expected[..expected.len() - 1]).len(), 1);
        assert_eq!(round(expected, &[b"junk", expected.as_slice()].concat()).len(), 1);
    }

    proptest! {
        #[test]
        fn any_two_texts(expected in "[ab\\n]{0,60}", actual in "[ab\\n]{0,60}") {
            round(expected.as_bytes(), actual.as_bytes());
        }

        #[test]
        fn layouts_come_back(games in prop::collection::vec((0..3u64, prop::collection::vec((0..=MOST, any::<u32>(), "[a-z]{0,9}"), 0..4)), 0..30)) {
            let edit = |(copy, delete, insert): (u64, u32, String)| {
                LayoutEdit { copy, delete: u64::from(delete), insert: insert.into_bytes().into() }
            };
            let layout = Layout {
                // The first byte is a line end, and the last contains flags.
                styles: vec![[0; STYLE], [1; STYLE], [2; STYLE]],
                games: games.iter().map(|(style, _)| *style).collect(),
                edits: games.into_iter().map(|(_, edits)| edits.into_iter().map(edit).collect()).collect(),
            };
            prop_assert_eq!(Layout::decode(&layout.encode(3), layout.games.len()), Some(layout));
        }

        #[test]
        fn edits_are_charged(count in 1..40usize) {
            let edits = vec![vec![LayoutEdit { copy: 1, delete: 0, insert: Box::default() }; count]];
            let layout = Layout { styles: vec![[1; STYLE]], games: vec![0], edits };
            let payload = layout.encode(3);
            let read = |allowance| Layout::decode_within(&payload, 1, &Limits { allowance, ..Limits::DEFAULT });
            let least = (0..1 << 16).find(|allowance| read(*allowance).is_some()).unwrap_or_default();
            prop_assert!(least == 0 || count as u64 * budget::EDIT > least as u64);
            prop_assert_eq!(read(least), Some(layout.clone()));
        }

        #[test]
        fn any_bytes_are_read(payload in prop::collection::vec(any::<u8>(), 0..100), games in 0..50usize) {
            let _ = Layout::decode(&[&[payload.len() as u8 & 0x7F, 0], payload.as_slice()].concat(), games);
        }
    }
}
