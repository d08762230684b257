//! Windows-1252, the encoding of old PGN files, by its definition for browsers. Converts text to bytes and back.

/// The characters for the bytes 0x80 to 0x9F, from the WHATWG Encoding Standard. The five unassigned bytes become the
/// control characters with the same numbers, and every byte outside this range becomes the character with its number.
const UPPER: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2C6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201C}',
    '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2DC}', '\u{2122}', '\u{161}', '\u{203A}', '\u{153}', '\u{9D}',
    '\u{17E}', '\u{178}',
];

/// Returns the text that these bytes encode in Windows-1252. Every byte is a character.
pub fn decode(bytes: &[u8]) -> String {
    let character = |byte: &u8| match byte {
        0x80..=0x9F => UPPER.get(usize::from(byte - 0x80)).copied().unwrap_or_default(),
        _ => char::from(*byte),
    };
    bytes.iter().map(character).collect()
}

/// Returns the bytes for a text, or `None` if a character cannot be encoded.
pub(crate) fn encode(text: &str) -> Option<Vec<u8>> {
    let byte = |character: char| match UPPER.iter().position(|upper| *upper == character) {
        Some(index) => u8::try_from(0x80 + index).ok(),
        None => u8::try_from(character).ok().filter(|byte| !(0x80..=0x9F).contains(byte)),
    };
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_browsers_have() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(&all), encoding_rs::WINDOWS_1252.decode_without_bom_handling(&all).0);
        for character in (0..=0x10FFFF).filter_map(char::from_u32) {
            let text = character.to_string();
            let (bytes, _, lossy) = encoding_rs::WINDOWS_1252.encode(&text);
            assert_eq!(encode(&text), (!lossy).then(|| bytes.into_owned()), "{character:?}");
        }
    }
}
