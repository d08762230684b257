//! Converts ids of games in the form of the explorer API: eight digits in base 62. An id is the game's number in the
//! set of archives.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Returns the id of a game.
pub fn name(mut number: u64) -> String {
    let mut name = [b'0'; 8];
    for digit in name.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    String::from_utf8_lossy(&name).into_owned()
}

/// Returns the number of a game, or `None` if the text is not an id.
pub fn number(name: &str) -> Option<u64> {
    if name.len() != 8 {
        return None;
    }
    let digit = |byte: u8| DIGITS.iter().position(|known| *known == byte).map(|digit| digit as u64);
    name.bytes().try_fold(0, |number, byte| Some(number * 62 + digit(byte)?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_numbers() {
        for number in [0, 1, 61, 62, 3_843, 1_000_000, 218_340_105_584_895] {
            assert_eq!(super::number(&super::name(number)), Some(number));
        }
        assert_eq!(super::name(62), "00000010");
        for wrong in ["", "1234567", "123456789", "1234567-", "../../.."] {
            assert_eq!(super::number(wrong), None, "{wrong}");
        }
    }
}
