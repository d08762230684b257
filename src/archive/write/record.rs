//! Writes the record of a game in a coding of moves.

use crate::chess::position::STANDARD;
use crate::format::moves::Coding;
use crate::format::record::{Record, push_recoded};
use crate::packed;

/// Appends a record of plain moves with the requested coding. `packed` is a reusable buffer.
pub(crate) fn push_record(record: &Record, coding: Coding, packed: &mut Vec<u8>, out: &mut Vec<u8>) {
    match coding {
        Coding::Plain | Coding::Variants => record.push(out),
        Coding::Packed(_) => {
            packed.clear();
            packed::encode(record.set_up.as_deref().unwrap_or(&STANDARD), &record.stream, packed);
            push_recoded(record, packed, true, out);
        }
    }
}
