//! Packs and unpacks complete streams. A stream that packing would lengthen is stored unchanged.

use super::coder::kind::{kind_at, kind_interval};
use super::coder::{intervals, plain, range, rich};
use super::fault::PackedFault;
use super::model::{Model, STANDARD};
use crate::brenner::decode::{Decoder as Stream, Item, TextPlaces};
use crate::chess::{Move, Position};
use crate::game::Outcome;

/// The byte that precedes a stream that is stored unchanged.
const RAW: u8 = 0xFF;
/// The maximum size in bytes of a packed stream after unpacking.
const MOST_BYTES: usize = 1 << 16;
/// The maximum number of unpacked bytes for each packed byte, and the number of additional bytes that any stream may
/// have. The limits are necessary because forced moves take no bits.
const MOST_PER_BYTE: usize = 64;
const MOST_MORE: usize = 128;

/// Returns the maximum unpacked size for a packed stream of `packed` bytes.
fn most_bytes(packed: usize) -> usize {
    packed.saturating_mul(MOST_PER_BYTE).saturating_add(MOST_MORE).min(MOST_BYTES)
}

/// Appends the packed form of a stream of Brenner bytes (without texts), played from `start`.
///
/// Any bytes can be packed, valid or not. A stream is stored unchanged, after one additional byte, if it is not
/// canonical or the model does not support it. The same applies if packing would lengthen the stream, or would take
/// less than an eighth of a bit per byte. Takes about two microseconds per ply. A decoder requires the length of the
/// packed stream in bytes.
pub fn encode(start: &Position, stream: &[u8], out: &mut Vec<u8>) {
    match &*STANDARD {
        Some(model) => encode_with(model, start, stream, out),
        None => push_raw(stream, out),
    }
}

/// Unpacks all of `bytes` and appends the resulting stream, which equals the input of [`encode`] for the same start.
///
/// With `limit`, unpacks at least this number of plies of the main line (or the complete line). The remaining plies may
/// be missing. Unpacking up to a ply takes only the time of the preceding moves. For any bytes, the function ends and
/// does not panic. It appends at most about 128 bytes plus 64 bytes for each of `bytes` (at most 64 KiB in total), or
/// as many bytes as `bytes` contains. Takes one or two microseconds per ply.
pub fn decode(start: &Position, bytes: &[u8], limit: Option<u32>, out: &mut Vec<u8>) -> Result<(), PackedFault> {
    match &*STANDARD {
        Some(model) => decode_with(model, start, bytes, limit, out),
        None => Err(PackedFault::Kind),
    }
}

fn push_raw(stream: &[u8], out: &mut Vec<u8>) {
    out.push(RAW);
    out.extend_from_slice(stream);
}

/// Returns the elements and the result of a canonical stream, or `None` for any other bytes.
fn parse<'a>(start: &Position, stream: &'a [u8]) -> Option<(Vec<Item<'a>>, Outcome)> {
    if stream.len() > MOST_BYTES {
        return None;
    }
    let mut decoder = Stream::new(stream, start.clone(), TextPlaces::Apart);
    let mut items = Vec::with_capacity(stream.len());
    let mut outcome = Outcome::Unknown;
    while let Some(item) = decoder.advance(|_, _| {}).ok()? {
        match item {
            Item::Outcome(result) => outcome = result,
            item => items.push(item),
        }
    }
    decoder.is_canonical().then_some((items, outcome))
}

/// Packs a stream like [`encode`], but with a given model.
#[doc(hidden)]
pub fn encode_with(model: &Model, start: &Position, stream: &[u8], out: &mut Vec<u8>) {
    let before = out.len();
    let packed = parse(start, stream).and_then(|(items, outcome)| {
        let moves: Option<Vec<Move>> = items
            .iter()
            .map(|item| match *item {
                Item::Move(m) if m != Move::NULL => Some(m),
                _ => None,
            })
            .collect();
        moves
            .and_then(|moves| plain::encode(model, start, &moves, outcome, |_, _, _| {}, out))
            .or_else(|| rich::encode(model, start, &items, outcome, out))
    });
    // Streams with very improbable moves are shorter without packing. Streams with almost no information would take a
    // reader more time than their packed size justifies.
    let length = out.len() - before;
    if packed.is_none() || length > stream.len() + 1 || stream.len() > most_bytes(length) {
        out.truncate(before);
        push_raw(stream, out);
    }
}

/// Unpacks a stream like [`decode`], but with a given model.
#[doc(hidden)]
pub fn decode_with(
    model: &Model,
    start: &Position,
    bytes: &[u8],
    limit: Option<u32>,
    out: &mut Vec<u8>,
) -> Result<(), PackedFault> {
    if let [RAW, stream @ ..] = bytes {
        out.extend_from_slice(stream);
        return Ok(());
    }
    let limit = limit.unwrap_or(u32::MAX);
    let mut decoder = range::RangeDecoder::new(bytes);
    let kind = kind_at(model, decoder.peek(intervals::TOTAL)).ok_or(PackedFault::Kind)?;
    let (from, frequency) = kind_interval(model, kind);
    decoder.take(from, frequency);
    let decode = if kind < 4 { plain::decode } else { rich::decode };
    decode(model, start, kind, decoder, (limit, most_bytes(bytes.len())), out)
}
