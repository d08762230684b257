//! The 781 numbers of the PolyGlot key, published with the book format. There are 768 numbers for pieces (black pawn,
//! white pawn, black knight, .., white king, by square), 4 for castling rights, 8 for en passant files, and 1 for White
//! to move. See data/SOURCES.md.

/// Eight bytes each, the highest first, as a book writes its keys.
static BYTES: &[u8; 781 * 8] = include_bytes!("../../../../data/polyglot.bin");

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
pub(in crate::query) static NUMBERS: [u64; 781] = {
    let (mut numbers, mut index) = ([0; 781], 0);
    while index < BYTES.len() {
        numbers[index / 8] = numbers[index / 8] << 8 | BYTES[index] as u64;
        index += 1;
    }
    numbers
};
