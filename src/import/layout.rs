//! The layout of a chunk's games: each is written as the style of the last would have it, and compared with its source.

use crate::format::layout::{Layout, LayoutEdit, difference};
use crate::pgn::{PgnWriter, Style};

/// The most bytes around games (rejected games, blank lines) that are kept in one place.
const MAX_AROUND: usize = 1 << 20;

#[derive(Default)]
pub struct LayoutBuilder {
    writer: PgnWriter,
    styles: Vec<Style>,
    layout: Layout,
    /// How many of the last game's expected bytes stand after its last edit.
    rest: usize,
}

impl LayoutBuilder {
    /// Forgets what has been written of a game.
    pub fn begin(&mut self) {
        self.writer.clear();
    }

    /// The visitor that writes the current game.
    pub fn writer(&mut self) -> &mut PgnWriter {
        &mut self.writer
    }

    /// Ends the current game, which has the bytes `all` of the source, those of rejected games before it included;
    /// `own` are the game's own, `windows_1252` what they were taken for. `again` drives a writer with the game once
    /// more.
    pub fn end_game(&mut self, all: &[u8], own: &[u8], windows_1252: bool, again: impl Fn(&mut PgnWriter)) {
        let (mut edits, mut rest) = self.compare(all);
        if !edits.is_empty() {
            let last = self.writer.style();
            let mut best = last;
            for joined in [true, false] {
                let style = Style { windows_1252, ..Style::infer_comments(own, last, joined) };
                if style == last || !joined && style == best {
                    continue;
                }
                self.writer.clear();
                self.writer.set_style(style);
                again(&mut self.writer);
                let (others, other_rest) = self.compare(all);
                if cost(&others) < cost(&edits) {
                    (edits, rest, best) = (others, other_rest, style);
                }
                // Without comments, there is one way to take it.
                if !style.joined_comments {
                    break;
                }
            }
            self.writer.set_style(best);
        }
        self.push(edits, rest);
    }

    /// Ends a game that has no other source than what has been written of it. Returns that.
    pub fn end_written_game(&mut self) -> Vec<u8> {
        self.writer.finish();
        let text = self.writer.as_bytes().to_vec();
        self.push(Vec::new(), text.len());
        text
    }

    /// Adds a game of the writer's style with these edits, the last of which `rest` bytes stand after.
    fn push(&mut self, edits: Vec<LayoutEdit>, rest: usize) {
        let style = self.writer.style();
        let number = self.styles.iter().rposition(|known| *known == style).unwrap_or_else(|| {
            self.styles.push(style);
            self.layout.styles.push(style.encode());
            self.styles.len() - 1
        });
        self.layout.games.push(number as u64);
        self.layout.edits.push(edits);
        self.rest = rest;
    }

    fn compare(&mut self, all: &[u8]) -> (Vec<LayoutEdit>, usize) {
        self.writer.finish();
        let transcoded = self.writer.style().transcode(self.writer.as_bytes());
        let expected = transcoded.as_deref().unwrap_or(self.writer.as_bytes());
        let edits = difference(expected, all);
        let used: u64 = edits.iter().map(|edit| edit.copy + edit.delete).sum();
        (edits, expected.len() - used as usize)
    }

    /// Adds bytes of the source after the last game. Returns false where they are too many.
    pub fn append(&mut self, bytes: &[u8]) -> bool {
        let Some(edits) = self.layout.edits.last_mut().filter(|_| bytes.len() <= MAX_AROUND) else { return false };
        edits.push(LayoutEdit { copy: self.rest as u64, delete: 0, insert: bytes.into() });
        self.rest = 0;
        true
    }

    pub fn finish(self) -> Layout {
        self.layout
    }
}

/// About the bytes that edits take.
fn cost(edits: &[LayoutEdit]) -> usize {
    edits.iter().map(|edit| 3 + edit.insert.len()).sum()
}
