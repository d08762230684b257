//! A difference between an archive and the file from which it was imported, and the text that reports it.

use crate::output::json::Object;
use crate::text::count;

/// A difference between the archive and the file.
pub struct Difference {
    /// The line of the difference in the file.
    pub line: u64,
    /// The offset of the difference in the file, from 0.
    pub offset: u64,
    /// The game in the archive; `None` after the last game.
    pub game: Option<u64>,
    pub what: What,
}

/// The kind of difference.
pub enum What {
    /// The game differs: the bytes from the first difference on.
    Bytes { archive: Vec<u8>, file: Vec<u8> },
    /// The file contains this number of additional bytes before the game.
    Before(u64),
    /// The file does not continue with the game.
    Missing,
    /// The archive's game cannot be read.
    Damaged(String),
    /// The file contains this number of additional bytes after the last game.
    After(u64),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |bytes: &[u8]| match bytes {
            [] => "nothing more".to_owned(),
            bytes => format!("\"{}\"", bytes.escape_ascii()),
        };
        write!(f, "{}: ", self.line)?;
        if let Some(game) = self.game {
            write!(f, "game {game}: ")?;
        }
        match &self.what {
            What::Bytes { archive, file } => write!(f, "{} in the archive, {} in the file", text(archive), text(file)),
            What::Before(bytes) => write!(f, "{} more in the file before this game", count(*bytes, "byte", "bytes")),
            What::Missing => f.write_str("not found in the file from here on"),
            What::Damaged(why) => write!(f, "cannot be read: {why}"),
            What::After(bytes) => write!(f, "{} more in the file", count(*bytes, "byte", "bytes")),
        }
    }
}

impl Difference {
    /// Returns whether the other difference concerns the next game and is of the same kind.
    fn is_followed_by(&self, other: &Difference) -> bool {
        let same = match (&self.what, &other.what) {
            (What::Missing, What::Missing) => true,
            (What::Damaged(left), What::Damaged(other)) => left == other,
            _ => false,
        };
        same && self.game.zip(other.game).is_some_and(|(left, other)| left + 1 == other)
    }

    /// Returns the line for this difference and the following differences of the same kind.
    pub fn with_those_to(&self, last: &Difference) -> String {
        let (Some(first), Some(last)) = (self.game, last.game.filter(|last| Some(*last) != self.game)) else {
            return self.to_string();
        };
        self.to_string().replacen(&format!("game {first}: "), &format!("games {first} to {last}: "), 1)
    }

    /// Returns the difference as JSON.
    pub fn json(&self) -> Object {
        let object = Object::new().with("line", self.line).with("offset", self.offset).with("game", self.game);
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        match &self.what {
            What::Bytes { archive, file } => object.with("archive", text(archive)).with("file", text(file)),
            What::Before(bytes) => object.with("more_bytes", *bytes),
            What::Missing => object.with("what", "not found"),
            What::Damaged(why) => object.with("what", why.as_str()),
            What::After(bytes) => object.with("more_bytes", *bytes),
        }
    }
}

/// Returns the first and last indexes of differences that are reported as one: consecutive games that are missing, or
/// that cannot be read.
pub fn spots(found: &[Difference]) -> Vec<(usize, usize)> {
    let mut spots: Vec<(usize, usize)> = Vec::new();
    for (index, difference) in found.iter().enumerate() {
        match spots.last_mut() {
            Some((_, last)) if found[*last].is_followed_by(difference) => *last = index,
            _ => spots.push((index, index)),
        }
    }
    spots
}
