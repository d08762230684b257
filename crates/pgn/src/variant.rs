//! The Variant tag.

/// Returns whether the value of a Variant tag means standard chess, including set-up positions and Chess960, in any
/// spelling.
pub(crate) fn is_chess(value: &[u8]) -> bool {
    let mut name: Vec<u8> = value.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
    name.truncate(40);
    matches!(
        name.as_slice(),
        b"" | b"standard"
            | b"standardchess"
            | b"chess"
            | b"normal"
            | b"normalchess"
            | b"regular"
            | b"orthodox"
            | b"classical"
            | b"fromposition"
            | b"setup"
            | b"960"
            | b"chess960"
            | b"chess960frc"
            | b"frc"
            | b"fischerandom"
            | b"fischerrandom"
            | b"fischerandomchess"
            | b"fischerrandomchess"
            | b"fischerrandomchess960"
            | b"freestyle"
            | b"freestylechess"
            | b"wildfr"
            | b"dfrc"
            | b"frd"
            | b"doublefischerandom"
            | b"doublefischerrandom"
            | b"doublefischerandomchess"
            | b"doublefischerrandomchess"
            | b"doublechess960"
    )
}

#[cfg(test)]
mod tests {
    use super::is_chess;

    #[test]
    fn spellings() {
        for value in
            ["Standard", "standard", "Chess960", "Chess 960", "From Position", "fischerandom", "FischeRandom", ""]
        {
            assert!(is_chess(value.as_bytes()), "{value}");
        }
        for value in [
            "Crazyhouse",
            "Atomic",
            "Antichess",
            "King of the Hill",
            "Three-check",
            "Horde",
            "Racing Kings",
            "960 Atomic",
        ] {
            assert!(!is_chess(value.as_bytes()), "{value}");
        }
    }
}
