//! Stores a game as a list of frequency intervals. The end of the game is determined by the remaining length of the
//! stream.
//!
//! The length of the stream is known to the decoder. While many bits remain, the game cannot end, so no end flag is
//! coded. When few bits remain, each step codes a flag that states whether the game ends. The end is probable at this
//! point, so the flags take few bits.

use super::range::{MOST_SLACK, RangeDecoder, RangeEncoder};
use crate::packed::model::Model;

/// The maximum number of additional bytes to try for a stream.
const EXTRA_BYTES: usize = 12;
/// The total of frequencies with 16 bits.
pub(crate) const TOTAL: u32 = 1 << 16;

enum Entry {
    /// A symbol, as the start of its interval, its frequency, and the total of all frequencies.
    Symbol(u32, u32, u32),
    /// A position at which the game could end, with its context.
    End(usize),
}

/// The frequency intervals that represent a game.
pub(crate) struct Intervals<'m> {
    model: &'m Model,
    list: Vec<Entry>,
}

/// Returns the index in the model's table for a number of slack bits.
fn slack_index(slack: i64) -> usize {
    (slack + 8).clamp(0, 31) as usize
}

#[expect(clippy::indexing_slicing, reason = "contexts are masked, slack is clamped")]
fn end_frequency(model: &Model, context: usize, slack: i64) -> u32 {
    u32::from(model.ends[context & 31][slack_index(slack)])
}

/// Decodes whether a game ends at a position at which it could end.
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

    /// Records a position at which the game could end but continues.
    pub(crate) fn push_end(&mut self, context: usize) {
        self.list.push(Entry::End(context));
    }

    /// Appends the stream with the smallest number of bytes that determine the end. Returns `None` and appends nothing
    /// if no stream determines the end. `end` is the context of the end, or `None` if the last position has no legal
    /// moves.
    ///
    /// `see` receives the end flags of the stream, each as its context, the index of the slack bits, and the flag.
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

    /// Appends the stream in exactly `length` bytes. Returns false and appends nothing if the stream does not fit.
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
