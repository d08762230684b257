//! The second notation of Brenner's document, with the bit fields in another order (FORMAT.md, "The alternate
//! notation"), and its two variants.

use super::code::{EXPLICIT, NAG, TEXT};

/// The alternate `mm` value for each pawn move of the table (step 1, step 2, capture right, capture left).
const PAWN: [u8; 4] = [1, 2, 0, 3];
/// The extension bytes C0 to C7, as written in the alternate notation.
const EXTENSIONS: [u8; 8] = [0x48, 0x58, 0x68, 0x78, 0x88, 0x98, 0xA8, 0xB8];

/// An order of the bit fields that differs from the table in Brenner's document.
///
/// ```
/// use scoresheet::brenner::alternate::Order;
/// use scoresheet::brenner::encode::{push_move, push_text};
/// use scoresheet::chess::Position;
///
/// let (start, mut stream) = (Position::standard(), Vec::new());
/// push_move(&start, start.parse_san("e4")?, &mut stream);
/// push_text(b"best", &mut stream);
/// for order in Order::ALL {
///     let written = order.write(&stream);
///     assert_eq!((written[0], order.read(&written)), (order.convert(stream[0]), stream.clone()));
///     assert_eq!(&written[1..], b"\0best\0"); // texts are copied
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The alternate notation: `11 ddd nnn` queen, `10 dd w nnn` rook, `01 dd w nnn` bishop, `001 mm www` pawn.
    Alternate,
    /// The alternate notation with nnn exchanged, "so the ddd field is at the right end": `11 nnn ddd`, `10 nnn dd w`,
    /// `01 nnn dd w`.
    Exchanged,
    /// "The fixed order (type, which, direction, no. sq.)": `11 ddd nnn`, `10 w dd nnn`, `01 w dd nnn`, `001 www mm`.
    Fixed,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 3] = [Order::Alternate, Order::Exchanged, Order::Fixed];

    /// Converts a byte from the table's order to this order. The conversion is a bijection.
    pub const fn convert(self, byte: u8) -> u8 {
        let byte = swap(byte);
        match (self, byte) {
            (Order::Exchanged, 0x40..) => byte & 0xC0 | (byte & 7) << 3 | byte >> 3 & 7,
            // Prefixes and unassigned bytes have no direction, and a queen has no `w`.
            (Order::Fixed, 0x40..=0xBF) if byte & 7 != 0 => byte & 0xC7 | (byte >> 3 & 1) << 5 | (byte >> 4 & 3) << 3,
            (Order::Fixed, 0x20..=0x3F) => 0x20 | (byte & 7) << 2 | byte >> 3 & 3,
            _ => byte,
        }
    }

    #[expect(clippy::indexing_slicing, reason = "a byte is an index of 256 bytes")]
    const fn table(self, back: bool) -> [u8; 256] {
        let mut table = [0; 256];
        let mut byte = 0u8;
        loop {
            let converted = self.convert(byte);
            if back {
                table[converted as usize] = byte;
            } else {
                table[byte as usize] = converted;
            }
            if byte == 255 {
                return table;
            }
            byte += 1;
        }
    }

    /// Returns a stream with inline texts, converted to this order. Texts, and the bytes that follow an explicit move
    /// or a NAG, are copied unchanged.
    #[expect(clippy::indexing_slicing, reason = "there is a table for each order")]
    pub fn write(self, stream: &[u8]) -> Vec<u8> {
        transcode(stream, &WRITE[self as usize], EXPLICIT, NAG)
    }

    /// Converts a stream from this order to the order of the table. This is the inverse of [`Order::write`] for every
    /// byte string.
    #[expect(clippy::indexing_slicing, reason = "there is a table for each order")]
    pub fn read(self, stream: &[u8]) -> Vec<u8> {
        transcode(stream, &READ[self as usize], self.convert(EXPLICIT), self.convert(NAG))
    }
}

static WRITE: [[u8; 256]; 3] =
    [Order::Alternate.table(false), Order::Exchanged.table(false), Order::Fixed.table(false)];
static READ: [[u8; 256]; 3] = [Order::Alternate.table(true), Order::Exchanged.table(true), Order::Fixed.table(true)];

/// The alternate byte for each byte of the main notation. This mapping is a bijection.
pub static TO_ALTERNATE: [u8; 256] = Order::Alternate.table(false);

/// Alternate notation to main.
pub static FROM_ALTERNATE: [u8; 256] = Order::Alternate.table(true);

#[expect(clippy::indexing_slicing, reason = "two and three bits are indices of 4 and 8")]
const fn swap(byte: u8) -> u8 {
    let (nnn, ddd) = (byte >> 3 & 7, byte & 7);
    let (w, dd) = (byte >> 6 & 1, byte >> 1 & 3);
    match byte {
        0x20..=0x3F => 0x20 | PAWN[(byte >> 3 & 3) as usize] << 3 | ddd,
        // The prefixes are 11 dd 0 000 queen, 11 dd 1 000 knight, 10 dd 0 000 rook, 01 dd 0 000 bishop.
        0x40..=0x47 => 0xC0 | dd << 4 | (byte & 1) << 3,
        0x80..=0x87 => (if byte & 1 == 0 { 0x80 } else { 0x40 }) | dd << 4,
        0xC0..=0xC7 => EXTENSIONS[ddd as usize],
        0x48..=0x7F => 0xC0 | ddd << 3 | nnn,
        0x88..=0xFF => (if byte & 1 == 0 { 0x80 } else { 0x40 }) | dd << 4 | w << 3 | nnn,
        _ => byte,
    }
}

/// Converts a stream with inline texts to the alternate notation. Texts, and the bytes that follow an explicit move or
/// a NAG, are copied unchanged.
pub fn to_alternate(stream: &[u8]) -> Vec<u8> {
    Order::Alternate.write(stream)
}

/// Converts a stream from the alternate notation to the main notation. This is the inverse of [`to_alternate`] for
/// every byte string.
pub fn from_alternate(stream: &[u8]) -> Vec<u8> {
    Order::Alternate.read(stream)
}

#[expect(clippy::indexing_slicing, reason = "a byte is an index of 256 bytes")]
fn transcode(stream: &[u8], table: &[u8; 256], explicit: u8, nag: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(stream.len());
    let mut rest = stream;
    while let [byte, tail @ ..] = rest {
        let copied = match *byte {
            TEXT => memchr::memchr(TEXT, tail).map_or(tail.len(), |end| end + 1),
            byte if byte == explicit => 2,
            byte if byte == nag => 1,
            _ => 0,
        };
        let (copy, after) = tail.split_at(copied.min(tail.len()));
        out.push(table[*byte as usize]);
        out.extend_from_slice(copy);
        rest = after;
    }
    out
}
