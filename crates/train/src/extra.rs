//! The tag `TrainingData`: the format of a game's source, and the bytes that the game does not express otherwise.

use crate::format::TrainingFormat;
use std::fmt;

/// The name of the tag.
pub const TAG: &str = "TrainingData";
/// The maximum number of bytes that a tag may keep. Each is written as two digits, and a tag has at most 64 KiB.
pub const MOST_KEPT: usize = 16 << 10;
/// The padding byte of a `.bin` record, as Stockfish's converter writes it.
pub const PADDING: u8 = 0xFF;

/// What a game's tag states.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Extra {
    /// The format of the source.
    pub format: Option<TrainingFormat>,
    /// The ply of the first position, unless its move number implies it.
    pub ply: Option<u32>,
    /// The last byte of each `.bin` record, unless it is [`PADDING`].
    pub padding: Option<u8>,
    /// The length of the game in bytes, unless the encoded game has the same length.
    pub size: Option<usize>,
    /// Bytes that differ from the encoded game, with their offsets.
    pub patches: Vec<(usize, Vec<u8>)>,
    /// Bytes of the file before the game that belong to no stored game.
    pub before: Vec<u8>,
    /// In the last game: the bytes of the file after the game.
    pub after: Vec<u8>,
    /// In the last game: the length and the SHA-256 of the file.
    pub end: Option<(u64, [u8; 32])>,
}

impl Extra {
    pub fn new(format: TrainingFormat) -> Extra {
        Extra { format: Some(format), ..Extra::default() }
    }

    /// Returns the number of bytes that the tag keeps.
    pub fn kept(&self) -> usize {
        let patches: usize = self.patches.iter().map(|(_, bytes)| bytes.len() + 8).sum();
        patches + self.before.len() + self.after.len()
    }

    /// Reads the value of the tag. Returns `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Extra> {
        let mut words = text.split(' ');
        let mut extra = Extra::new(TrainingFormat::from_name(words.next()?)?);
        let mut end = (None, None);
        for word in words {
            let (name, value) = word.split_once('=')?;
            match name {
                "ply" => extra.ply = Some(value.parse().ok()?),
                "padding" => extra.padding = bytes(value)?.first().copied(),
                "size" => extra.size = Some(value.parse().ok()?),
                "patch" => {
                    for patch in value.split(',') {
                        let (offset, patched) = patch.split_once(':')?;
                        extra.patches.push((offset.parse().ok()?, bytes(patched)?));
                    }
                }
                "before" => extra.before = bytes(value)?,
                "after" => extra.after = bytes(value)?,
                "bytes" => end.0 = Some(value.parse().ok()?),
                "sha256" => end.1 = Some(bytes(value)?.try_into().ok()?),
                _ => return None,
            }
        }
        extra.end = end.0.zip(end.1);
        Some(extra)
    }

    /// Compares a game's bytes in the file with the encoded game, and notes the differences.
    pub fn note_differences(&mut self, original: &[u8], encoded: &[u8]) {
        if original.len() != encoded.len() {
            self.size = Some(original.len());
        }
        let is_equal = |at: usize| encoded.get(at) == original.get(at);
        let mut at = 0;
        while at < original.len() {
            let equal = (at..original.len()).take_while(|at| is_equal(*at)).count();
            at += equal;
            let length = (at..original.len()).take_while(|at| !is_equal(*at)).count();
            if length > 0 {
                self.patches.push((at, original[at..at + length].to_vec()));
            }
            at += length;
        }
    }

    /// Restores the game's bytes in the file from the encoded game.
    pub fn restore(&self, encoded: &mut Vec<u8>) {
        if let Some(size) = self.size {
            // A crafted tag must not take much memory.
            encoded.resize(size.min(encoded.len() + MOST_KEPT), 0);
        }
        for (offset, patch) in &self.patches {
            let end = offset.saturating_add(patch.len());
            if let Some(target) = encoded.get_mut(*offset..end) {
                target.copy_from_slice(patch);
            }
        }
    }
}

impl fmt::Display for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format.map_or("", TrainingFormat::name))?;
        if let Some(ply) = self.ply {
            write!(f, " ply={ply}")?;
        }
        if let Some(padding) = self.padding {
            write!(f, " padding={padding:02x}")?;
        }
        if let Some(size) = self.size {
            write!(f, " size={size}")?;
        }
        for (index, (offset, patch)) in self.patches.iter().enumerate() {
            write!(f, "{}{offset}:{}", if index == 0 { " patch=" } else { "," }, Hex(patch))?;
        }
        for (name, bytes) in [("before", &self.before), ("after", &self.after)] {
            if !bytes.is_empty() {
                write!(f, " {name}={}", Hex(bytes))?;
            }
        }
        if let Some((length, hash)) = &self.end {
            write!(f, " bytes={length} sha256={}", Hex(hash))?;
        }
        Ok(())
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Reads pairs of hexadecimal digits.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_bytes_come_back() {
        let mut extra = Extra::new(TrainingFormat::Bin);
        extra.note_differences(b"abcdXfgYZ", b"abcdefg");
        let mut bytes = b"abcdefg".to_vec();
        extra.restore(&mut bytes);
        assert_eq!(bytes, b"abcdXfgYZ");
        (extra.ply, extra.padding, extra.end) = (Some(7), Some(0), Some((9, [0xAB; 32])));
        (extra.before, extra.after) = (vec![1, 255], vec![0]);
        let text = extra.to_string();
        assert_eq!(Extra::parse(&text), Some(extra));
        assert!(
            text.starts_with("bin ply=7 padding=00 size=9 patch=4:58,7:595a before=01ff after=00 bytes=9 sha256=ab")
        );
        for wrong in ["", "other", "bin ply", "bin ply=x", "bin patch=1", "bin before=0", "bin before=0g", "bin x=1"] {
            assert_eq!(Extra::parse(wrong), None, "{wrong}");
        }
        // A shorter game, and patches outside of it.
        let mut short = Extra::new(TrainingFormat::Viriformat);
        short.note_differences(b"abc", b"abcdef");
        short.patches.push((usize::MAX, vec![1]));
        let mut bytes = b"abcdef".to_vec();
        short.restore(&mut bytes);
        assert_eq!(bytes, b"abc");
    }
}
