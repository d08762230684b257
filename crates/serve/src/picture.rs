//! Renders a board as PNG for link previews.
//!
//! Copies the pieces from a picture (`pieces.png`, drawn by `tools/sprite.py`) instead of drawing outlines.

use scoresheet::chess::{Position, Square};
use std::io::Cursor;
use std::sync::LazyLock;

/// The width of a square and of a piece in pixels.
const SIZE: usize = 72;
/// The width of the board in pixels.
pub const WIDTH: usize = 8 * SIZE;
/// The order of the pieces in the picture; White's pieces are above Black's.
const ORDER: &str = "KQRBNPkqrbnp";

const LIGHT: [u8; 3] = [0xf0, 0xd9, 0xb5];
const DARK: [u8; 3] = [0xb5, 0x88, 0x63];
/// The color that is mixed in equal parts with the color of the last move's squares.
const LAST: [u8; 3] = [0xc9, 0xc0, 0x2e];

/// The pieces, as rows of red, green, blue and opacity.
static PIECES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let decoder = png::Decoder::new(Cursor::new(&include_bytes!("pieces.png")[..]));
    // The picture is part of the program, and a test decodes it.
    let Ok(mut reader) = decoder.read_info() else { return Vec::new() };
    let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let _ = reader.next_frame(&mut pixels);
    pixels
});

/// Returns the board of a FEN as PNG. `last` contains the squares of the last move in UCI notation. If `is_turned` is
/// set, Black is at the bottom.
pub fn board(fen: &str, last: Option<&str>, is_turned: bool) -> Option<Vec<u8>> {
    let mut pixels = vec![0; WIDTH * WIDTH * 3];
    let position = Position::from_fen(fen.as_bytes()).ok()?;
    let marked = [0, 2].map(|at| Square::parse(last?.as_bytes().get(at..at + 2)?));
    for square in (0..64).filter_map(Square::new) {
        let index = usize::from(square.index());
        // The picture starts at a8, or at h1 if Black is at the bottom.
        let shown_index = index ^ if is_turned { 7 } else { 56 };
        let base = if (index / 8 + index % 8) % 2 == 1 { LIGHT } else { DARK };
        let is_marked = marked.contains(&Some(square));
        let color = if is_marked { std::array::from_fn(|at| mix(base[at], LAST[at], 128)) } else { base };
        each_pixel(shown_index, |at, _| pixels[at..at + 3].copy_from_slice(&color));
        let Some(piece) = position.piece_at(square) else { continue };
        let number = ORDER.find(char::from(piece.letter()))?;
        let (x, y) = (number % 6 * SIZE, number / 6 * SIZE);
        each_pixel(shown_index, |at, (column, row)| {
            let from = ((y + row) * 6 * SIZE + x + column) * 4;
            if let Some([red, green, blue, opacity]) = PIECES.get(from..from + 4) {
                for (channel, new) in pixels[at..at + 3].iter_mut().zip([red, green, blue]) {
                    *channel = mix(*channel, *new, *opacity);
                }
            }
        });
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH as u32, WIDTH as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(file)
}

fn mix(below: u8, above: u8, opacity: u8) -> u8 {
    let [below, above, opacity] = [below, above, opacity].map(u32::from);
    ((below * (255 - opacity) + above * opacity + 127) / 255) as u8
}

/// Calls `work` for each pixel of a square, from the upper left, with its index in the picture and its index in the
/// square.
fn each_pixel(square: usize, mut work: impl FnMut(usize, (usize, usize))) {
    for row in 0..SIZE {
        for column in 0..SIZE {
            let (x, y) = (square % 8 * SIZE + column, square / 8 * SIZE + row);
            work((y * WIDTH + x) * 3, (column, row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    fn pixel(file: &[u8], square: usize, (x, y): (usize, usize)) -> [u8; 3] {
        let mut reader = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let at = ((square / 8 * SIZE + y) * WIDTH + square % 8 * SIZE + x) * 3;
        pixels[at..at + 3].try_into().unwrap()
    }

    #[test]
    fn boards_are_drawn() {
        let file = board("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", Some("e2e4"), false).unwrap();
        let (a8, e8, e4, e2) = (0, 4, 36, 52);
        assert_eq!((pixel(&file, a8, (1, 1)), pixel(&file, 1, (1, 1))), (LIGHT, DARK));
        // The body of a king is below the middle: dark for Black, light for White.
        let middle = (36, 40);
        assert!(pixel(&file, e8, middle).iter().all(|part| *part < 0x70), "{:?}", pixel(&file, e8, middle));
        assert!(pixel(&file, 60, middle).iter().all(|part| *part > 0xd0), "{:?}", pixel(&file, 60, middle));
        assert_eq!(pixel(&file, e2, (1, 1)), pixel(&file, e4, (1, 1)));
        assert_ne!(pixel(&file, e2, (1, 1)), LIGHT);
        // Diagrams without kings also work.
        let lone = board("8/8/8/8/4P3/8/8/8 w - - 0 1", None, false).unwrap();
        assert_ne!(pixel(&lone, e4, middle), pixel(&lone, e2, middle));
        let turned = board("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", None, true).unwrap();
        assert_eq!(pixel(&turned, 63 - e8, middle), pixel(&file, e8, middle));
    }

    /// `tools/sprite.py` redraws the pieces when they change.
    #[test]
    fn the_pieces_are_those_of_the_pages() {
        let drawn = scoresheet_pages::file("pieces.svg").unwrap();
        let hash: String = Sha256::digest(drawn).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, include_str!("pieces.sha256").trim());
        assert_eq!(PIECES.len(), 12 * SIZE * SIZE * 4);
    }
}
