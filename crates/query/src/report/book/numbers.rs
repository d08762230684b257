//! The 781 numbers from which the PolyGlot key is computed, published with the book format. There are 768 numbers for
//! pieces (black pawn, white pawn, black knight, .., white king, by square). Further numbers follow: 4 for castling
//! rights, 8 for en passant files, and 1 for White to move. See data/SOURCES.md.

/// Each number is stored as eight bytes, the highest first, like the keys in a book.
static BYTES: &[u8; 781 * 8] = include_bytes!("../../../data/polyglot.bin");

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
pub(crate) static NUMBERS: [u64; 781] = {
    let (mut numbers, mut index) = ([0; 781], 0);
    while index < BYTES.len() {
        numbers[index / 8] = numbers[index / 8] << 8 | BYTES[index] as u64;
        index += 1;
    }
    numbers
};
