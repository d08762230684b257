//! Deletions and restorations blocks, which hide games and show them again (FORMAT.md, "Deletions blocks").

use crate::format::budget::{self, Allowance, Budget, Cost, RUN};
use crate::format::limits::Limits;
use crate::format::wire::{Bytes, push_compressed, push_varint, read_compressed_within};

/// Returns the payload for runs of games, each given as first and last game. The runs must be ascending and must not be
/// adjacent.
pub fn encode(runs: &[(u64, u64)]) -> Vec<u8> {
    let (mut raw, mut next) = (Vec::new(), 1);
    for (first, last) in runs {
        push_varint(first - next, &mut raw);
        push_varint(last - first, &mut raw);
        next = last + 2;
    }
    let mut payload = Vec::new();
    let cost = Cost { charge: runs.len() as u64 * RUN, allowance: Allowance::Block };
    push_compressed(&raw, 9, cost, &mut payload);
    payload
}

/// Reads a payload whose CRC has been verified. Returns `None` if a run extends beyond game `games`.
pub fn decode(payload: &[u8], games: u64) -> Option<Vec<(u64, u64)>> {
    let mut budget = Budget::new(payload.len(), Allowance::Block, &Limits::DEFAULT);
    let raw = read_compressed_within(payload, &mut budget)?;
    let (mut bytes, mut runs, mut next) = (Bytes(&raw), Vec::new(), 1u64);
    while !bytes.0.is_empty() {
        let first = next.checked_add(bytes.varint()?)?;
        let last = first.checked_add(bytes.varint()?)?;
        if last > games {
            return None;
        }
        budget.draw(1, RUN)?;
        budget::push(&mut runs, (first, last))?;
        next = last.checked_add(2)?;
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_come_back(steps in prop::collection::vec((0..1000u64, 0..1000u64), 0..50)) {
            let (mut runs, mut next) = (Vec::new(), 1);
            for (gap, length) in steps {
                runs.push((next + gap, next + gap + length));
                next += gap + length + 2;
            }
            let games = runs.last().map_or(0, |run| run.1);
            let payload = encode(&runs);
            prop_assert_eq!(decode(&payload, games), Some(runs));
            prop_assert!(games == 0 || decode(&payload, games - 1).is_none());
        }

        #[test]
        fn any_bytes_are_read(payload in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = decode(&[&[payload.len() as u8, 0], payload.as_slice()].concat(), u64::MAX);
        }
    }
}
