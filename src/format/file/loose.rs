//! Loose blocks, which contain bytes of a source that are outside all stored games (FORMAT.md, "Loose blocks").

use crate::format::budget::{Allowance, Budget, Cost};
use crate::format::limits::Limits;
use crate::format::wire::{Bytes, push_compressed, push_varint, read_compressed_within};

/// Returns source bytes as a compressed part.
pub fn compress(bytes: &[u8], level: i32) -> Vec<u8> {
    let mut part = Vec::new();
    push_compressed(bytes, level, Cost { charge: 0, allowance: Allowance::Block }, &mut part);
    part
}

/// Returns the payload: the number of the source, from 0, and its bytes as returned by `compress`.
pub fn encode(source: u64, compressed: &[u8]) -> Vec<u8> {
    let mut payload = Vec::new();
    push_varint(source, &mut payload);
    payload.extend_from_slice(compressed);
    payload
}

/// Returns the number of the source and its loose bytes.
pub fn decode(payload: &[u8]) -> Option<(u64, Vec<u8>)> {
    decode_within(payload, &Limits::DEFAULT)
}

/// Returns the number of the source and its loose bytes, decompressed within these limits.
pub fn decode_within(payload: &[u8], limits: &Limits) -> Option<(u64, Vec<u8>)> {
    let (source, compressed) = split(payload)?;
    let mut budget = Budget::new(compressed.len(), Allowance::Block, limits);
    Some((source, read_compressed_within(compressed, &mut budget)?))
}

/// Returns only the number of the source.
pub fn source(payload: &[u8]) -> Option<u64> {
    split(payload).map(|(source, _)| source)
}

/// Returns the number of the source and its compressed loose bytes.
pub fn split(payload: &[u8]) -> Option<(u64, &[u8])> {
    let mut bytes = Bytes(payload);
    Some((bytes.varint()?, bytes.0))
}
