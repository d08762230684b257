//! Typographic glyphs: the signs of printed chess, which mean what marks and NAGs say in PGN.

/// What a glyph means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pgn) enum Meaning {
    /// `!` (true) and `?`, one after the other.
    Suffixes(&'static [bool]),
    /// A NAG, by the PGN standard and, from 26 on, by what programs commonly show for it.
    Nag(u8),
}

/// The glyphs. Of those that begin alike the longer comes first; the last ones are Windows-1252.
const GLYPHS: [(&[u8], Meaning); 31] = {
    use Meaning::{Nag, Suffixes};
    [
        ("‼".as_bytes(), Suffixes(&[true, true])),
        ("⁇".as_bytes(), Suffixes(&[false, false])),
        ("⁉".as_bytes(), Suffixes(&[true, false])),
        ("⁈".as_bytes(), Suffixes(&[false, true])),
        ("□".as_bytes(), Nag(7)),
        ("∞".as_bytes(), Nag(13)),
        ("⩲".as_bytes(), Nag(14)),
        ("⩱".as_bytes(), Nag(15)),
        ("±".as_bytes(), Nag(16)),
        ("∓".as_bytes(), Nag(17)),
        ("+−".as_bytes(), Nag(18)),
        ("+–".as_bytes(), Nag(18)),
        ("−+".as_bytes(), Nag(19)),
        ("–+".as_bytes(), Nag(19)),
        ("⨀".as_bytes(), Nag(22)),
        ("⊙".as_bytes(), Nag(22)),
        ("○".as_bytes(), Nag(26)),
        ("⟳".as_bytes(), Nag(32)),
        ("↑".as_bytes(), Nag(36)),
        ("→".as_bytes(), Nag(40)),
        ("⯹".as_bytes(), Nag(44)),
        ("⇄".as_bytes(), Nag(132)),
        ("⇆".as_bytes(), Nag(132)),
        ("⊕".as_bytes(), Nag(138)),
        ("⨁".as_bytes(), Nag(138)),
        ("∆".as_bytes(), Nag(140)),
        ("△".as_bytes(), Nag(140)),
        ("⌓".as_bytes(), Nag(142)),
        (b"+\x96", Nag(18)),
        (b"\x96+", Nag(19)),
        (b"\xB1", Nag(16)),
    ]
};

/// The most bytes of a word that is looked at: no move with its glyphs has more.
const LONGEST: usize = 64;

/// Returns a word without the glyphs at its end, and what they mean, the last one first.
pub(in crate::pgn) fn split(word: &[u8]) -> (&[u8], Vec<Meaning>) {
    let (mut rest, mut meanings) = (word, Vec::new());
    'glyph: while rest.len() <= LONGEST && !rest.is_ascii() {
        for (glyph, meaning) in GLYPHS {
            // A glyph of Windows-1252 is no part of a character of UTF-8.
            if let Some(before) = rest.strip_suffix(glyph)
                && (std::str::from_utf8(glyph).is_ok() || before.last().is_none_or(u8::is_ascii))
            {
                rest = before;
                meanings.push(meaning);
                continue 'glyph;
            }
        }
        break;
    }
    (rest, meanings)
}

#[cfg(test)]
mod tests {
    use super::Meaning::{Nag, Suffixes};
    use super::*;

    #[test]
    fn glyphs_at_the_end_of_words() {
        let check = |word: &[u8], rest: &str, meanings: &[Meaning]| {
            assert_eq!(split(word), (rest.as_bytes(), meanings.to_vec()), "{word:?}");
        };
        check("e4‼".as_bytes(), "e4", &[Suffixes(&[true, true])]);
        check("Nf3⁈□".as_bytes(), "Nf3", &[Nag(7), Suffixes(&[false, true])]);
        check("Qh7+−+".as_bytes(), "Qh7+", &[Nag(19)]);
        check("Qh7++−".as_bytes(), "Qh7+", &[Nag(18)]);
        check(b"e4\xB1", "e4", &[Nag(16)]);
        check(b"e4+\x96", "e4", &[Nag(18)]);
        check("∞".as_bytes(), "", &[Nag(13)]);
        check("e4é".as_bytes(), "e4é", &[]);
        check(b"e4", "e4", &[]);
        // The last byte of another character.
        check("e4ñ".as_bytes(), "e4ñ", &[]);
        assert!("ñ".as_bytes().ends_with(b"\xB1"));
    }

    #[test]
    fn none_is_hidden_by_another() {
        for (glyph, meaning) in GLYPHS {
            let word = [b"e4".as_slice(), glyph].concat();
            assert_eq!(split(&word), (b"e4".as_slice(), vec![meaning]));
        }
    }
}
