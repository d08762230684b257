//! Determines the character encoding of a game.

use super::Reader;
use crate::bytes::slice;
use crate::fault::FaultKind;
use crate::limits::Encoding;
use crate::text_visitor::TextVisitor;

impl<V: TextVisitor> Reader<'_, V> {
    /// At the end of a game, records which encoding was used, and reports bytes that contradict the declared encoding.
    pub(crate) fn judge_encoding(&mut self) {
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
