//! Builds the layout of a chunk's games. Each game is written in the style of the previous game, and the result is
//! compared with the source.

use crate::format::layout::{Layout, LayoutEdit, difference};
use crate::pgn::{PgnWriter, Style};

/// The maximum number of bytes around games (rejected games, blank lines) that are stored at a single position.
const MAX_AROUND: usize = 1 << 20;

#[derive(Default)]
pub struct LayoutBuilder {
    writer: PgnWriter,
    styles: Vec<Style>,
    layout: Layout,
    /// The number of expected bytes after the last edit of the last game.
    rest: usize,
}

impl LayoutBuilder {
    /// Discards the written text of a game.
    pub fn begin(&mut self) {
        self.writer.clear();
    }

    /// Returns the writer, which receives the current game as a visitor.
    pub fn writer(&mut self) -> &mut PgnWriter {
        &mut self.writer
    }

    /// Ends the current game. `all` is the game's text in the source, including preceding rejected games. `game_text`
    /// is the text of the game without them. `windows_1252` states whether the text was decoded as Windows-1252.
    /// `again` passes the game to a writer once more.
    pub fn end_game(&mut self, all: &[u8], game_text: &[u8], windows_1252: bool, again: impl Fn(&mut PgnWriter)) {
        let (mut edits, mut rest) = self.compare(all);
        if !edits.is_empty() {
            let last = self.writer.style();
            let mut best = last;
            let [joined, apart] = Style::infer_comments(game_text, last);
            for style in [joined, apart].map(|style| Style { windows_1252, ..style }) {
                if style == last || style == best {
                    continue;
                }
                self.writer.clear();
                self.writer.set_style(style);
                again(&mut self.writer);
                let (others, other_rest) = self.compare(all);
                if cost(&others) < cost(&edits) {
                    (edits, rest, best) = (others, other_rest, style);
                }
                // Without comments, both settings of `joined` mean the same.
                if !style.joined_comments {
                    break;
                }
            }
            self.writer.set_style(best);
        }
        self.push(edits, rest);
    }

    /// Ends a game that is a line of a list of positions. `all` is the line, including preceding lines without a
    /// position. The edits copy the words of the line that the written text contains in the same order.
    pub fn end_position(&mut self, all: &[u8]) {
        self.writer.finish();
        let edits = words_of(self.writer.as_bytes(), all);
        self.push(edits, 0);
    }

    /// Ends a game whose written text is also its source. Appends the text to `out`.
    pub fn end_written_game(&mut self, out: &mut Vec<u8>) {
        self.writer.finish();
        out.extend_from_slice(self.writer.as_bytes());
        self.push(Vec::new(), self.writer.as_bytes().len());
    }

    /// Adds a game in the writer's current style with these edits. `rest` is the number of expected bytes after the
    /// last edit.
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

    /// Adds bytes of the source that follow the last game. Returns false and adds nothing if there are too many bytes.
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

/// The number of bytes of the expected text in which the next word of a line is looked for.
const NEAR: usize = 1 << 10;

/// Returns edits that convert the expected text of a game to a line of a list of positions. The last edit ends the text.
fn words_of(expected: &[u8], line: &[u8]) -> Vec<LayoutEdit> {
    let mut edits = Vec::new();
    let (mut old, mut new, mut copied, mut at) = (0, 0, 0, 0);
    for word in line.split(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'"')) {
        let begin = at;
        at += word.len() + 1;
        let near = &expected[old..expected.len().min(old + NEAR)];
        let Some(found) = memchr::memmem::find(near, word).filter(|_| begin >= new && !word.is_empty()) else {
            continue;
        };
        edits.push(LayoutEdit { copy: copied as u64, delete: found as u64, insert: line[new..begin].into() });
        copied = expected[old + found..].iter().zip(&line[begin..]).take_while(|(a, b)| a == b).count();
        (old, new) = (old + found + copied, begin + copied);
    }
    edits.push(LayoutEdit { copy: copied as u64, delete: (expected.len() - old) as u64, insert: line[new..].into() });
    edits
}

/// Returns the approximate size of these edits in the archive, in bytes.
fn cost(edits: &[LayoutEdit]) -> usize {
    edits.iter().map(|edit| 3 + edit.insert.len()).sum()
}
