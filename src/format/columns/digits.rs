//! Reads and writes decimal numbers with a fixed or minimum number of digits.

use std::io::Write;

/// Returns the number for a text of 1 to 15 digits, or `None` for any other text.
pub(super) fn parse(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 15 {
        return None;
    }
    digits.iter().try_fold(0, |value, digit| match digit {
        b'0'..=b'9' => Some(value * 10 + u64::from(digit - b'0')),
        _ => None,
    })
}

/// Writes a number with at least `width` digits.
pub(super) fn push(value: u64, width: usize, out: &mut impl Write) {
    let mut digits = [b'0'; 20];
    let (mut rest, mut count) = (value, 0);
    for digit in digits.iter_mut().rev() {
        if rest == 0 && count >= width {
            break;
        }
        *digit += (rest % 10) as u8;
        rest /= 10;
        count += 1;
    }
    // The caller provides enough space.
    let _ = out.write_all(digits.get(digits.len() - count..).unwrap_or_default());
}
