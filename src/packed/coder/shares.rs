//! A game as a list of shares, and its end, which is told by how much of the stream is left.
//!
//! A decoder knows the length of a stream. With many bits left, a game cannot be at its end, and nothing is said of it; with few left,
//! each step says whether the game ends, and that is likely, so it costs little.

use super::range::{Decoder, Encoder};
use crate::packed::model::Model;

/// The greatest room, in bits, with which a game can end otherwise than in mate or stalemate.
const MOST_ROOM: i64 = 23;
/// How many more bytes than the least are tried.
const SLACK: usize = 12;
/// The total of shares that are 16-bit numbers.
pub(crate) const WHOLE: u32 = 1 << 16;

enum Share {
    /// A symbol: from, width, total.
    Symbol(u32, u32, u32),
    /// A place where the game could end, by its context.
    End(usize),
}

/// The shares of a game to be packed.
pub(crate) struct Shares<'m> {
    model: &'m Model,
    list: Vec<Share>,
}

/// The place of a room in a model's table.
fn room_place(room: i64) -> usize {
    (room + 8).clamp(0, 31) as usize
}

fn end_share(model: &Model, context: usize, room: i64) -> u32 {
    u32::from(model.ends[context & 31][room_place(room)])
}

/// Returns whether a game that could end here does.
#[inline]
pub(crate) fn decode_end(model: &Model, decoder: &mut Decoder, context: impl FnOnce() -> usize) -> bool {
    let room = decoder.room();
    if room > MOST_ROOM {
        return false;
    }
    let share = end_share(model, context(), room);
    let ends = decoder.peek(WHOLE) < share;
    let (from, width) = if ends { (0, share) } else { (share, WHOLE - share) };
    decoder.take(from, width);
    ends
}

impl<'m> Shares<'m> {
    pub(crate) fn new(model: &'m Model, symbols: usize) -> Shares<'m> {
        Shares { model, list: Vec::with_capacity(symbols) }
    }

    pub(crate) fn push(&mut self, from: u32, width: u32, total: u32) {
        self.list.push(Share::Symbol(from, width, total));
    }

    /// Notes that the game could end before the next symbol, and does not.
    pub(crate) fn push_end(&mut self, context: usize) {
        self.list.push(Share::End(context));
    }

    /// Appends the stream, in the fewest bytes that tell the end; `None`, and nothing appended, where that cannot be done. `end` is the
    /// context of the end, `None` where there is no move to go on with.
    ///
    /// `see` is called for what the stream says of the end: context, place of the room, whether it ends.
    pub(crate) fn finish(
        self,
        end: Option<usize>,
        mut see: impl FnMut(usize, usize, bool),
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let least = {
            let mut scratch = Vec::with_capacity(64 + self.list.len() / 2);
            let mut encoder = Encoder::new(&mut scratch);
            for share in &self.list {
                if let Share::Symbol(from, width, total) = *share {
                    encoder.encode(from, width, total);
                }
            }
            encoder.finish()
        };
        let mut seen = Vec::new();
        (least..least + SLACK).find(|length| self.tell(*length, end, &mut seen, out))?;
        seen.into_iter().for_each(|(context, room, ends)| see(context, room, ends));
        Some(())
    }

    /// Appends the stream in exactly `length` bytes. Returns false, and appends nothing, where it cannot be told in them.
    fn tell(&self, length: usize, end: Option<usize>, seen: &mut Vec<(usize, usize, bool)>, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        seen.clear();
        let mut encoder = Encoder::new(out);
        for share in &self.list {
            match *share {
                Share::Symbol(from, width, total) => encoder.encode(from, width, total),
                Share::End(context) => {
                    let room = encoder.room(length);
                    if room <= MOST_ROOM {
                        let share = end_share(self.model, context, room);
                        encoder.encode(share, WHOLE - share, WHOLE);
                        seen.push((context, room_place(room), false));
                    }
                }
            }
        }
        let room = encoder.room(length);
        let mut told = true;
        if let Some(context) = end {
            told = room <= MOST_ROOM;
            if told {
                encoder.encode(0, end_share(self.model, context, room), WHOLE);
                seen.push((context, room_place(room), true));
            }
        }
        told &= encoder.bytes() <= length;
        told &= encoder.finish() <= length;
        if told {
            out.resize(before + length, 0);
        } else {
            out.truncate(before);
        }
        told
    }
}
