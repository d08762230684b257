//! What encoding a game turns out to be in.

use super::super::bytes::slice;
use super::super::fault::FaultKind;
use super::super::limits::Encoding;
use super::Reader;
use crate::game::Visitor;

impl<V: Visitor> Reader<'_, V> {
    /// At the game's end: says what its bytes were taken for, and whether they are what they were said to be.
    pub(super) fn judge_encoding(&mut self) {
        if self.plain.ascii {
            return;
        }
        let start = self.reading.start;
        let game = slice(self.lexer.text, start, self.reading.next);
        match self.plain.encoding {
            Encoding::Windows1252 | Encoding::Latin1 => self.reading.windows_1252 = !game.is_ascii(),
            Encoding::Auto => self.reading.windows_1252 = std::str::from_utf8(game).is_err(),
            Encoding::Utf8 => {
                if let Err(error) = std::str::from_utf8(game) {
                    self.fault(FaultKind::NotUtf8, start + error.valid_up_to());
                }
            }
        }
    }
}
