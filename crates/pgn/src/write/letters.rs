//! The letters for pieces in other languages.

/// The letters for the king, queen, rook, bishop and knight in moves. PGN itself always uses the English letters.
///
/// ```
/// use scoresheet_pgn::{PgnWriter, PieceLetters};
///
/// # let mut game = scoresheet_pgn::game::Game::default();
/// # scoresheet_pgn::read_game(b"1. Nf3 Nc6 *", 0, &Default::default(), &mut game);
/// let mut writer = PgnWriter::new();
/// writer.set_letters(PieceLetters::for_language("de").expect("a known language"));
/// writer.write_movetext(&game); // 1. Nf3 Nc6
/// assert_eq!(writer.as_bytes(), b"1. Sf3 Sc6 *\n\n");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceLetters(pub [&'static str; 5]);

/// The languages by their codes (ISO 639-1), and `figurine` for the chess symbols.
const LANGUAGES: [(&str, [&str; 5]); 17] = [
    ("en", ["K", "Q", "R", "B", "N"]),
    ("cs", ["K", "D", "V", "S", "J"]),
    ("da", ["K", "D", "T", "L", "S"]),
    ("de", ["K", "D", "T", "L", "S"]),
    ("es", ["R", "D", "T", "A", "C"]),
    ("fi", ["K", "D", "T", "L", "R"]),
    ("fr", ["R", "D", "T", "F", "C"]),
    ("hu", ["K", "V", "B", "F", "H"]),
    ("it", ["R", "D", "T", "A", "C"]),
    ("nl", ["K", "D", "T", "L", "P"]),
    ("no", ["K", "D", "T", "L", "S"]),
    ("pl", ["K", "H", "W", "G", "S"]),
    ("pt", ["R", "D", "T", "B", "C"]),
    ("ro", ["R", "D", "T", "N", "C"]),
    ("ru", ["Кр", "Ф", "Л", "С", "К"]),
    ("sv", ["K", "D", "T", "L", "S"]),
    ("figurine", ["♔", "♕", "♖", "♗", "♘"]),
];

impl PieceLetters {
    /// Returns the letters of a language, given its code (`de`), or the chess symbols (`figurine`).
    pub fn for_language(language: &str) -> Option<PieceLetters> {
        LANGUAGES.iter().find(|(code, _)| *code == language).map(|(_, letters)| PieceLetters(*letters))
    }

    /// Returns the codes of the supported languages.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|(code, _)| *code)
    }

    /// Replaces the English piece letters in the SAN that begins at `start` with these letters.
    pub(super) fn write(self, start: usize, out: &mut Vec<u8>) {
        let san = out.split_off(start.min(out.len()));
        for byte in san {
            match b"KQRBN".iter().position(|letter| *letter == byte).and_then(|index| self.0.get(index)) {
                Some(letter) => out.extend_from_slice(letter.as_bytes()),
                None => out.push(byte),
            }
        }
    }
}
