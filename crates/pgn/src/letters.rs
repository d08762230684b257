//! The letters for pieces in other languages: one table, for the writer and the reader.

use std::borrow::Cow;

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
///
/// The reader recognizes the letters of a game ([`ReadOptions::letters`](crate::ReadOptions::letters)):
///
/// ```
/// use scoresheet_pgn::{PieceLetters, ReadOptions, read_game};
///
/// let mut game = scoresheet_pgn::game::Game::default();
/// let text = "1. ♘f3 d5 2. g3 *".as_bytes();
/// let outcome = read_game(text, 0, &ReadOptions::default(), &mut game);
/// assert_eq!((outcome.plies, outcome.faults.len()), (3, 0));
/// assert_eq!(outcome.letters, PieceLetters::for_language("figurine"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceLetters(pub [&'static str; 5]);

/// The languages by their codes (ISO 639-1), and `figurine` for the chess symbols.
const LANGUAGES: [(&str, [&str; 5]); 17] = [
    ("en", ENGLISH),
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
    ("figurine", SYMBOLS),
];

/// The symbols of White's pieces, which print most of Black's moves too.
const SYMBOLS: [&str; 5] = ["♔", "♕", "♖", "♗", "♘"];
/// The symbols of the pawn and of Black's pieces, and the invisible characters that choose how a symbol is drawn, with
/// the English letter.
const OTHER_SYMBOLS: [(&str, &str); 7] =
    [("♚", "K"), ("♛", "Q"), ("♜", "R"), ("♝", "B"), ("♞", "N"), ("♙", ""), ("♟", "")];
const DRAWN_AS: [&str; 2] = ["\u{FE0E}", "\u{FE0F}"];
/// The English letters in the order of [`PieceLetters`].
const ENGLISH: [&str; 5] = ["K", "Q", "R", "B", "N"];

impl PieceLetters {
    /// The English letters.
    pub const ENGLISH: PieceLetters = PieceLetters(ENGLISH);

    /// Returns the letters of a language, given its code (`de`), or the chess symbols (`figurine`).
    pub fn for_language(language: &str) -> Option<PieceLetters> {
        LANGUAGES.iter().find(|(code, _)| *code == language).map(|(_, letters)| PieceLetters(*letters))
    }

    /// Returns the codes of the supported languages.
    pub fn languages() -> impl Iterator<Item = &'static str> {
        LANGUAGES.iter().map(|(code, _)| *code)
    }

    /// Replaces the English piece letters in the SAN that begins at `start` with these letters.
    pub(crate) fn write(self, start: usize, out: &mut Vec<u8>) {
        let san = out.split_off(start.min(out.len()));
        for byte in san {
            match b"KQRBN".iter().position(|letter| *letter == byte).and_then(|index| self.0.get(index)) {
                Some(letter) => out.extend_from_slice(letter.as_bytes()),
                None => out.push(byte),
            }
        }
    }

    /// Returns the tables of letters that differ from the English letters and from each other.
    pub(crate) fn of_other_languages() -> impl Iterator<Item = &'static PieceLetters> {
        let is_new =
            |(index, letters): &(usize, &PieceLetters)| !OTHERS.iter().take(*index).any(|known| known == *letters);
        OTHERS.iter().enumerate().filter(is_new).map(|(_, letters)| letters)
    }

    /// Returns a word of movetext with English letters. Returns `None` for a word that begins with an English letter, or P, that
    /// is not a letter of this language.
    pub(crate) fn english<'w>(&self, word: &'w [u8]) -> Option<Cow<'w, [u8]>> {
        let mut english = match self.first(word) {
            Some((letter, rest)) => Cow::Owned([letter.as_bytes(), rest].concat()),
            None if matches!(word, [b'K' | b'Q' | b'R' | b'B' | b'N' | b'P', ..]) => return None,
            None => Cow::Borrowed(word),
        };
        let is_last_rank = |pair: &[u8]| matches!(pair, [b'a'..=b'h', b'1' | b'8']);
        if let Some(square) = english.windows(2).rposition(is_last_rank) {
            let (before, after) = english.split_at(square + 2);
            let sign = usize::from(matches!(after, [b'=' | b'/', ..]));
            let (sign, after) = after.split_at(sign);
            if let Some((letter, rest)) = self.first(after) {
                english = Cow::Owned([before, sign, letter.as_bytes(), rest].concat());
            }
        }
        Some(english)
    }

    /// Returns whether a move has a piece letter, at its start or of a promotion, that is not an English piece letter.
    pub(crate) fn is_foreign(&self, word: &[u8]) -> bool {
        let is_english = |byte: &u8| matches!(byte, b'K' | b'Q' | b'R' | b'B' | b'N');
        let is_foreign = |text: &[u8]| self.first(text).is_some() && !text.first().is_some_and(is_english);
        let promotion = word.iter().rposition(|byte| matches!(byte, b'1' | b'8')).map_or(&[][..], |rank| {
            let after = word.get(rank + 1..).unwrap_or_default();
            after.strip_prefix(b"=").or(after.strip_prefix(b"/")).unwrap_or(after)
        });
        is_foreign(word) || is_foreign(promotion)
    }

    /// Returns the English letter for the letter at the start of a text, and the rest of the text.
    fn first<'w>(&self, text: &'w [u8]) -> Option<(&'static str, &'w [u8])> {
        let pairs = self.0.iter().copied().zip(ENGLISH);
        // In Russian, the letter of the king begins with the letter of the knight.
        let found = |(letter, english): (&str, &'static str)| {
            text.strip_prefix(letter.as_bytes()).map(|rest| (letter.len(), english, rest))
        };
        let longest = pairs.filter_map(found).max_by_key(|(length, ..)| *length);
        if self.0 != SYMBOLS {
            return longest.map(|(_, english, rest)| (english, rest));
        }
        let (_, english, rest) = longest.or_else(|| OTHER_SYMBOLS.into_iter().find_map(found))?;
        let drawn_as = |rest: &'w [u8]| DRAWN_AS.iter().find_map(|drawn| rest.strip_prefix(drawn.as_bytes()));
        Some((english, drawn_as(rest).unwrap_or(rest)))
    }
}

/// The letters of every language except English.
#[allow(clippy::indexing_slicing)] // evaluated when compiling
static OTHERS: [PieceLetters; LANGUAGES.len() - 1] = {
    let mut others = [PieceLetters(ENGLISH); LANGUAGES.len() - 1];
    let mut index = 0;
    while index < others.len() {
        others[index] = PieceLetters(LANGUAGES[index + 1].1);
        index += 1;
    }
    others
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_read_as_it_is_written() {
        for (code, letters) in LANGUAGES {
            let letters = PieceLetters(letters);
            for word in
                ["e4", "exd5", "O-O", "Kd2", "Qh4e1+", "Rad1", "B7xc6", "Nf3#", "e8=Q", "bxa1=N+", "--", "0-0-0"]
            {
                let mut written = b"before N ".to_vec();
                let start = written.len();
                written.extend_from_slice(word.as_bytes());
                letters.write(start, &mut written);
                let written = written.get(start..).unwrap_or_default();
                assert_eq!(letters.english(written).as_deref(), Some(word.as_bytes()), "{code} {word}");
            }
        }
    }

    #[test]
    fn words_of_other_languages() {
        let read = |code: &str, word: &str| {
            let letters = PieceLetters::for_language(code).unwrap_or(PieceLetters::ENGLISH);
            letters.english(word.as_bytes()).map(|word| String::from_utf8_lossy(&word).into_owned())
        };
        let cases = [
            ("de", "Nf3", None),
            ("de", "e8D+", Some("e8Q+")),
            ("fr", "Rd1", Some("Kd1")),
            ("nl", "Pf3", Some("Nf3")),
            ("ru", "Крd2", Some("Kd2")),
            ("ru", "Кf3", Some("Nf3")),
            ("ru", "a1=Ф", Some("a1=Q")),
            ("figurine", "♞f6", Some("Nf6")),
            ("figurine", "♘\u{FE0E}f3", Some("Nf3")),
            ("figurine", "♙e4", Some("e4")),
        ];
        for (code, word, english) in cases {
            assert_eq!(read(code, word).as_deref(), english, "{code} {word}");
        }
        assert_eq!(PieceLetters::of_other_languages().count(), 12);
    }
}
