//! A game as a list of frequency intervals, and its end, which follows from how much of the stream is left.
//!
//! A decoder knows the length of a stream. With many bits left, a game cannot be at its end, and nothing is said of it;
//! with few left, each step says whether the game ends, and that is likely, so it costs little.

use super::range::{MOST_SLACK, RangeDecoder, RangeEncoder};
use crate::packed::model::Model;

/// How many more bytes than the least are tried.
const EXTRA_BYTES: usize = 12;
/// The total of frequencies that are 16-bit numbers.
pub(crate) const TOTAL: u32 = 1 << 16;

enum Entry {
    /// A symbol: where its interval begins, its frequency, and the total of all symbols.
    Symbol(u32, u32, u32),
    /// A place where the game could end, by its context.
    End(usize),
}

/// The frequency intervals of a game to be packed.
pub(crate) struct Intervals<'m> {
    model: &'m Model,
    list: Vec<Entry>,
}

/// The place in a model's table of a number of slack bits.
fn slack_index(slack: i64) -> usize {
    (slack + 8).clamp(0, 31) as usize
}

#[expect(clippy::indexing_slicing, reason = "contexts are masked, slack is clamped")]
fn end_frequency(model: &Model, context: usize, slack: i64) -> u32 {
    u32::from(model.ends[context & 31][slack_index(slack)])
}

/// Returns whether a game that could end here does.
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

    /// Notes that the game could end before the next symbol, and does not.
    pub(crate) fn push_end(&mut self, context: usize) {
        self.list.push(Entry::End(context));
    }

    /// Appends the stream, in the fewest bytes from which the end follows; `None`, and nothing appended, where that
    /// cannot be done. `end` is the context of the end, `None` where there is no move to go on with.
    ///
    /// `see` is called for what the stream says of the end: context, place of the slack bits, whether it ends.
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

    /// Appends the stream in exactly `length` bytes. Returns false, and appends nothing, where it does not fit them.
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
