//! Codecs that convert the values of a tag column to numbers (FORMAT.md, "Tags blocks").

use super::digits;
use crate::format::budget;
use crate::format::refused::unassigned;
use crate::format::wire::{Bytes, push_string};

/// The tags whose values recur in many chunks. Their values are stored in the dictionary even if they hardly recur
/// within a chunk.
const RECURRING: [&str; 15] = [
    "Event",
    "Site",
    "White",
    "Black",
    "Result",
    "ECO",
    "Opening",
    "Variation",
    "SubVariation",
    "TimeControl",
    "Termination",
    "Annotator",
    "WhiteTeam",
    "BlackTeam",
    "Source",
];

/// How to represent the values of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Codec {
    /// Every value as text.
    Text,
    /// The value's number in the dictionary.
    Dictionary,
    /// A decimal number below 2^32, without leading zeros.
    Integer,
    /// `+n` as 2 n and `-n` as 2 n + 1, where n is below 2^31 and has no leading zeros.
    Signed,
    /// `yyyy.mm.dd`, where parts may be `?`, as the difference from the previous value.
    Date,
    /// `hh:mm:ss`, as the number of seconds since the previous value, modulo one day.
    Time,
    /// A prefix, followed by eight characters of `0-9A-Za-z`.
    Base62(Vec<u8>),
    /// A skippable column of a later version, with the number of its codec: no game has a tag in it.
    Skipped(u8),
}

const DAY: u64 = 86_400;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl Codec {
    fn number(&self) -> u8 {
        match self {
            Codec::Text => 0,
            Codec::Dictionary => 1,
            Codec::Integer => 2,
            Codec::Signed => 3,
            Codec::Date => 4,
            Codec::Time => 5,
            Codec::Base62(_) => 6,
            Codec::Skipped(number) => *number,
        }
    }

    pub fn push(&self, out: &mut Vec<u8>) {
        out.push(self.number());
        if let Codec::Base62(prefix) = self {
            push_string(prefix, out);
        }
    }

    pub fn read(bytes: &mut Bytes) -> Option<Codec> {
        Some(match bytes.u8()? {
            0 => Codec::Text,
            1 => Codec::Dictionary,
            2 => Codec::Integer,
            3 => Codec::Signed,
            4 => Codec::Date,
            5 => Codec::Time,
            6 => Codec::Base62(budget::copy(bytes.string()?)?.into_vec()),
            number @ 128.. => bytes.string().map(|_| Codec::Skipped(number))?,
            number => return unassigned("codecs of columns", number),
        })
    }

    /// Returns the number for a text, before differences are computed. Returns `None` if `render` does not reproduce
    /// the text.
    pub fn parse(&self, text: &[u8]) -> Option<u64> {
        match self {
            Codec::Text | Codec::Dictionary | Codec::Skipped(_) => None,
            Codec::Integer => decimal(text),
            Codec::Signed => match text {
                [b'+', digits @ ..] => Some(decimal(digits).filter(|n| n >> 31 == 0)? * 2),
                [b'-', digits @ ..] => Some(decimal(digits).filter(|n| n >> 31 == 0)? * 2 + 1),
                _ => None,
            },
            Codec::Date => {
                let &[y0, y1, y2, y3, b'.', m0, m1, b'.', d0, d1] = text else { return None };
                let year = if [y0, y1, y2, y3] == *b"????" {
                    0
                } else {
                    Some(digits::parse(&[y0, y1, y2, y3])?).filter(|year| *year > 0)?
                };
                let part = |a, b, most| match [a, b] {
                    [b'?', b'?'] => Some(0),
                    digits => digits::parse(&digits).filter(|n| (1..=most).contains(n)),
                };
                Some((year * 13 + part(m0, m1, 12)?) * 32 + part(d0, d1, 31)?)
            }
            Codec::Time => {
                let &[h0, h1, b':', m0, m1, b':', s0, s1] = text else { return None };
                let part = |a, b, below| digits::parse(&[a, b]).filter(|n| *n < below);
                Some((part(h0, h1, 24)? * 60 + part(m0, m1, 60)?) * 60 + part(s0, s1, 60)?)
            }
            Codec::Base62(prefix) => {
                let (before, digits) = text.split_last_chunk()?;
                (before == prefix).then(|| base62(digits))?
            }
        }
    }

    /// Appends the text for a number.
    pub fn render(&self, value: u64, out: &mut Vec<u8>) {
        let two =
            |n: u64, out: &mut Vec<u8>| out.extend_from_slice(&[b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8]);
        match self {
            Codec::Text | Codec::Dictionary | Codec::Skipped(_) => {}
            Codec::Integer => push_decimal(value, out),
            Codec::Signed => {
                out.push(if value & 1 == 0 { b'+' } else { b'-' });
                push_decimal(value / 2, out);
            }
            Codec::Date => {
                let (year, month, day) = (value / 32 / 13, value / 32 % 13, value % 32);
                let part = |n: u64, out: &mut Vec<u8>| {
                    out.push(b'.');
                    if n == 0 { out.extend_from_slice(b"??") } else { two(n, out) }
                };
                if year == 0 {
                    out.extend_from_slice(b"????");
                } else {
                    two(year / 100, out);
                    two(year, out);
                }
                part(month, out);
                part(day, out);
            }
            Codec::Time => {
                two(value / 3600, out);
                out.push(b':');
                two(value / 60 % 60, out);
                out.push(b':');
                two(value % 60, out);
            }
            Codec::Base62(prefix) => {
                out.extend_from_slice(prefix);
                let mut digits = [0; 8];
                let mut rest = value;
                for digit in digits.iter_mut().rev() {
                    *digit = base62_digit(rest);
                    rest /= 62;
                }
                out.extend_from_slice(&digits);
            }
        }
    }

    /// Returns the number to write for a value, which may depend on the previous value.
    pub fn difference(&self, value: u64, before: u64) -> u64 {
        match self {
            Codec::Date => {
                let step = value.wrapping_sub(before) as i64;
                ((step << 1) ^ (step >> 63)) as u64
            }
            Codec::Time => (value + DAY - before % DAY) % DAY,
            _ => value,
        }
    }

    pub fn undo_difference(&self, written: u64, before: u64) -> u64 {
        match self {
            Codec::Date => before.wrapping_add((written >> 1) ^ (written & 1).wrapping_neg()),
            Codec::Time => (before % DAY + written % DAY) % DAY,
            _ => written,
        }
    }

    /// Returns the codec for these values: the first codec that represents nine in ten values, both of a sample and of
    /// all values. Also returns the number of each value plus 1, or 0 if the value has none.
    pub fn choose(name: &[u8], values: &[&[u8]]) -> (Codec, Vec<u64>) {
        let base62 = values.first().and_then(|value| value.split_last_chunk::<8>()).map(|(prefix, _)| prefix.to_vec());
        let typed = [Codec::Integer, Codec::Signed, Codec::Date, Codec::Time];
        let base62 = base62.filter(|prefix| prefix.ends_with(b"/")).map(Codec::Base62);
        let codes = |codec: &Codec, values: &[&[u8]]| {
            let codes: Vec<u64> =
                values.iter().map(|value| codec.parse(value).map_or(0, |number| number + 1)).collect();
            let held = codes.iter().filter(|code| **code != 0).count();
            (held * 10 >= values.len() * 9).then_some(codes)
        };
        let sample = values.get(..20).unwrap_or(values);
        for codec in typed.into_iter().chain(base62) {
            if codes(&codec, sample).is_some()
                && let Some(codes) = codes(&codec, values)
            {
                return (codec, codes);
            }
        }
        let recurring = RECURRING.iter().any(|recurring| recurring.as_bytes() == name);
        (if recurring { Codec::Dictionary } else { Codec::Text }, Vec::new())
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    if matches!(digits, [b'0', _, ..]) || digits.len() > 10 {
        return None;
    }
    digits::parse(digits).filter(|value| value >> 32 == 0)
}

#[expect(clippy::indexing_slicing, reason = "a remainder by 62 is an index of 62 digits")]
fn base62_digit(value: u64) -> u8 {
    DIGITS[(value % 62) as usize]
}

/// The values of the digits, and 255 for all other bytes.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < DIGITS.len() {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Returns the number that eight bytes represent if they are all digits. The table avoids unpredictable branches on the
/// kind of digit.
#[expect(clippy::indexing_slicing, reason = "there are 256 bytes")]
fn base62(digits: &[u8; 8]) -> Option<u64> {
    let values = digits.map(|digit| VALUES[usize::from(digit)]);
    let number = values.iter().fold(0, |number, value| number * 62 + u64::from(*value));
    values.iter().all(|value| *value < 62).then_some(number)
}

fn push_decimal(value: u64, out: &mut Vec<u8>) {
    crate::chess::fen::write_number(out, u32::try_from(value).unwrap_or(u32::MAX));
}
