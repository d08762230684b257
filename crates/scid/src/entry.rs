//! The entries of the index, with a fixed size for each version of the format.

/// The version of a base's files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    Three,
    Four,
    Five,
}

impl Version {
    /// Returns the size of an entry in bytes.
    pub fn entry_bytes(self) -> usize {
        match self {
            Version::Three => 46,
            Version::Four => 47,
            Version::Five => 56,
        }
    }

    /// Returns the size of the index's header in bytes.
    pub fn header_bytes(self) -> usize {
        match self {
            Version::Three => 128,
            Version::Four => 182,
            Version::Five => 0,
        }
    }
}

/// The bits of the flags.
pub const DELETED: u32 = 1 << 3;
/// The letters of the flags from bit 4 on, as Scid writes them.
const LETTERS: &[u8] = b"WBMENPTKQ!?U123456";

/// The entry of a game.
#[derive(Clone, Copy, Default, Debug)]
pub struct Entry {
    /// The offset and the length of the game's record in the games file.
    pub offset: u64,
    pub length: u32,
    pub flags: u32,
    /// The ids of White, Black, event, site and round in the lists of names.
    pub white: u32,
    pub black: u32,
    pub event: u32,
    pub site: u32,
    pub round: u32,
    /// A date: year × 512 + month × 32 + day, each 0 if unknown.
    pub date: u32,
    pub event_date: u32,
    /// 0 for none, then White wins, Black wins, draw.
    pub result: u32,
    pub eco: u32,
    /// The rating and the kind of rating of each side.
    pub ratings: [(u32, u32); 2],
    pub is_chess960: bool,
}

impl Entry {
    /// Reads an entry, which has the size of the version.
    pub fn read(version: Version, bytes: &[u8]) -> Entry {
        if version == Version::Five {
            return five(bytes);
        }
        let big = |at: usize, size: usize| {
            let part = bytes.get(at..at + size).unwrap_or_default();
            part.iter().fold(0u32, |number, byte| number << 8 | u32::from(*byte))
        };
        // Version 3 lacks the byte with the user's flags and a bit of the length.
        let (more, at) = if version == Version::Three { (0, 0) } else { (big(6, 1), 1) };
        let [high, low] = [big(at + 8, 1), big(at + 13, 1)];
        let dates = big(at + 24, 4);
        let date = dates & 0xF_FFFF;
        let since = dates >> 20;
        let year = (since >> 9) & 7;
        let event_date = if year == 0 { 0 } else { (((date >> 9) + year).saturating_sub(4) << 9) | since & 0x1FF };
        let rating = |at: usize| (big(at, 2) & 0xFFF, big(at, 2) >> 12);
        Entry {
            offset: u64::from(big(0, 4)),
            length: big(4, 2) | (more >> 7) << 16,
            flags: big(at + 6, 2) | (more & 0x3F) << 16,
            white: big(at + 9, 2) | (high >> 4) << 16,
            black: big(at + 11, 2) | (high & 15) << 16,
            event: big(at + 14, 2) | (low >> 5) << 16,
            site: big(at + 16, 2) | (low >> 2 & 7) << 16,
            round: big(at + 18, 2) | (low & 3) << 16,
            date,
            event_date,
            result: big(at + 20, 2) >> 12,
            eco: big(at + 22, 2),
            ratings: [rating(at + 28), rating(at + 30)],
            is_chess960: false,
        }
    }

    /// Returns the letters of the flags, as in Scid's tag `ScidFlags`.
    pub fn letters(&self) -> String {
        let is_set = |bit: usize| self.flags >> (bit + 4) & 1 == 1;
        LETTERS.iter().enumerate().filter(|(bit, _)| is_set(*bit)).map(|(_, letter)| char::from(*letter)).collect()
    }

    /// Returns the ECO code with Scid's extension, such as `C00a2`; `None` if the game has no code.
    pub fn eco(&self) -> Option<String> {
        let code = self.eco.checked_sub(1)?;
        let letter = char::from(b'A' + u8::try_from(code / 13_100).ok()?);
        let (digits, rest) = (code % 13_100 / 131, code % 131);
        let mut text = format!("{letter}{digits:02}");
        if let Some(rest) = rest.checked_sub(1) {
            text.push(char::from(b'a' + u8::try_from(rest / 5).ok()?));
            if rest % 5 > 0 {
                text += &(rest % 5).to_string();
            }
        }
        Some(text)
    }
}

fn five(bytes: &[u8]) -> Entry {
    let mut words = [0u32; 12];
    for (word, part) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = part.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    }
    let [white, black, event, site, round, white_rating, black_rating, flags, length, low, _, last] = words;
    let id = |word: u32| word & 0x0FFF_FFFF;
    Entry {
        offset: u64::from(length & 0x7FFF) << 32 | u64::from(low),
        length: length >> 15,
        flags: flags & 0x3F_FFFF,
        white: id(white),
        black: id(black),
        event: id(event),
        site,
        round: round & 0x7FFF_FFFF,
        date: white_rating & 0xF_FFFF,
        event_date: black_rating & 0xF_FFFF,
        result: last >> 16 & 3,
        eco: last & 0xFFFF,
        ratings: [(white_rating >> 20, last >> 21 & 7), (black_rating >> 20, last >> 18 & 7)],
        is_chess960: round >> 31 == 1,
    }
}

/// Returns a date as PGN writes it.
pub fn date(date: u32) -> String {
    let part = |number: u32, width: usize| match number {
        0 => "?".repeat(width),
        number => format!("{number:0width$}"),
    };
    format!("{}.{}.{}", part(date >> 9, 4), part(date >> 5 & 15, 2), part(date & 31, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_dates_are_written_as_scid_does() {
        let eco = |eco: u32| Entry { eco, ..Entry::default() }.eco();
        assert_eq!(eco(0), None);
        assert_eq!(eco(1).as_deref(), Some("A00"));
        assert_eq!(eco(1 + 2 * 13_100 + 1 + 2).as_deref(), Some("C00a2"));
        assert_eq!(eco(1 + 4 * 13_100 + 99 * 131).as_deref(), Some("E99"));
        assert_eq!(date(1998 << 9 | 5 << 5), "1998.05.??");
        assert_eq!(Entry { flags: 1 << 4 | 1 << 6 | 1 << 16 | DELETED, ..Entry::default() }.letters(), "WM1");
    }
}
