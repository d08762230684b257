//! A game as a list of frequency intervals. The end of the game follows from the rest of the stream.
//!
//! A decoder knows the length of a stream. While many bits remain, the game cannot end, so no flag is coded. When few
//! bits remain, each step codes whether the game ends. The end is probable there, so the flag takes few bits.

use super::range::{MOST_SLACK, RangeDecoder, RangeEncoder};
use crate::packed::model::Model;

/// The maximum number of additional bytes to try.
const EXTRA_BYTES: usize = 12;
/// The total of 16-bit frequencies.
pub(crate) const TOTAL: u32 = 1 << 16;

enum Entry {
    /// A symbol: the start of its interval, its frequency, and the total of all symbols.
    Symbol(u32, u32, u32),
    /// A position where the game could end, by context.
    End(usize),
}

/// The frequency intervals of a game.
pub(crate) struct Intervals<'m> {
    model: &'m Model,
    list: Vec<Entry>,
}

/// Returns the index of a number of slack bits in a model's table.
fn slack_index(slack: i64) -> usize {
    (slack + 8).clamp(0, 31) as usize
}

#[expect(clippy::indexing_slicing, reason = "contexts are masked, slack is clamped")]
fn end_frequency(model: &Model, context: usize, slack: i64) -> u32 {
    u32::from(model.ends[context & 31][slack_index(slack)])
}

/// Decodes whether a game ends at a position where it could end.
#[inline]
pub(crate) fn decode_end(model: &Model, decoder: &mut RangeDecoder, context: impl FnOnce() -> usize) -> bool {
    let slack = decoder.slack();
    if slack > MOST_SLACK {
        return false;
    }
    let end = end_frequency(model, context(), slack);
    let ends = decoder.peek(TOTAL) < end;
    let (from, frequency) = if ends { (0, end) } else { (end, TOTAL - end) };
    decoder.take(from, frequency);
    ends
}

impl<'m> Intervals<'m> {
    pub(crate) fn new(model: &'m Model, symbols: usize) -> Intervals<'m> {
        Intervals { model, list: Vec::with_capacity(symbols) }
    }

    pub(crate) fn push(&mut self, from: u32, frequency: u32, total: u32) {
        self.list.push(Entry::Symbol(from, frequency, total));
    }

    /// Records that the game could end before the next symbol, but does not.
    pub(crate) fn push_end(&mut self, context: usize) {
        self.list.push(Entry::End(context));
    }

    /// Appends the stream in the fewest bytes that determine the end. Returns `None` and appends nothing if this is
    /// impossible. `end` is the context of the end; `None` if there is no legal move.
    ///
    /// `see` receives the end flags of the stream: context, index of the slack bits, and the flag.
    pub(crate) fn finish(
        self,
        end: Option<usize>,
        mut see: impl FnMut(usize, usize, bool),
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let least = {
            let mut scratch = Vec::with_capacity(64 + self.list.len() / 2);
            let mut encoder = RangeEncoder::new(&mut scratch);
            for entry in &self.list {
                if let Entry::Symbol(from, frequency, total) = *entry {
                    encoder.encode(from, frequency, total);
                }
            }
            encoder.finish()
        };
        let mut seen = Vec::new();
        (least..least + EXTRA_BYTES).find(|length| self.write_in(*length, end, &mut seen, out))?;
        seen.into_iter().for_each(|(context, slack, ends)| see(context, slack, ends));
        Some(())
    }

    /// Appends the stream in exactly `length` bytes. Returns false and appends nothing if it does not fit.
    fn write_in(
        &self,
        length: usize,
        end: Option<usize>,
        seen: &mut Vec<(usize, usize, bool)>,
        out: &mut Vec<u8>,
    ) -> bool {
        let before = out.len();
        seen.clear();
        let mut encoder = RangeEncoder::new(out);
        for entry in &self.list {
            match *entry {
                Entry::Symbol(from, frequency, total) => encoder.encode(from, frequency, total),
                Entry::End(context) => {
                    let slack = encoder.slack(length);
                    if slack <= MOST_SLACK {
                        let end = end_frequency(self.model, context, slack);
                        encoder.encode(end, TOTAL - end, TOTAL);
                        seen.push((context, slack_index(slack), false));
                    }
                }
            }
        }
        let slack = encoder.slack(length);
        let mut fits = slack <= MOST_SLACK;
        if let Some(context) = end.filter(|_| fits) {
            encoder.encode(0, end_frequency(self.model, context, slack), TOTAL);
            seen.push((context, slack_index(slack), true));
        }
        fits &= encoder.bytes() <= length;
        fits &= encoder.finish() <= length;
        if fits {
            out.resize(before + length, 0);
        } else {
            out.truncate(before);
        }
        fits
    }
}
