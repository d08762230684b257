//! The typographic glyphs of printed chess, with the PGN marks and NAGs that have the same meaning.

/// The meaning of a typographic glyph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// A sequence of `!` (true) and `?`.
    Suffixes(&'static [bool]),
    /// A NAG of the PGN standard, or, from 26 on, one that many programs use.
    Nag(u8),
}

/// The glyphs. Each glyph precedes the glyphs that are its prefixes, and the last glyphs are in Windows-1252.
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

/// The maximum length of a word that is searched for glyphs. No move with glyphs is longer than this.
const LONGEST: usize = 64;

/// Returns a word without the glyphs at its end, and the meanings of these glyphs, starting from the last glyph.
pub(crate) fn split(word: &[u8]) -> (&[u8], Vec<Meaning>) {
    let (mut rest, mut meanings) = (word, Vec::new());
    'glyph: while rest.len() <= LONGEST && !rest.is_ascii() {
        for (glyph, meaning) in GLYPHS {
            // A byte within a UTF-8 character must not be taken for Windows-1252.
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
