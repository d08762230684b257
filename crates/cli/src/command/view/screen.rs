//! A screen of cells. It is drawn in memory, and then written at once to the terminal or to a test.

use crossterm::style::{Attribute, Color, Print, ResetColor, SetAttribute, SetBackgroundColor, SetForegroundColor};
use crossterm::{cursor, queue, terminal};
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The style of a cell; colors are indexes into the terminal's 256 colors.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Look {
    pub ink: Option<u8>,
    pub paper: Option<u8>,
    pub bold: bool,
    pub faint: bool,
    pub reversed: bool,
}

impl Look {
    pub const PLAIN: Look = Look { ink: None, paper: None, bold: false, faint: false, reversed: false };
    pub const BOLD: Look = Look { bold: true, ..Look::PLAIN };
    pub const FAINT: Look = Look { faint: true, ..Look::PLAIN };
    pub const REVERSED: Look = Look { reversed: true, ..Look::PLAIN };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cell {
    /// The text of the cell; `None` for the second half of a wide letter.
    letter: Option<char>,
    look: Look,
}

/// A screen of cells. It is drawn in memory, and then written at once to the terminal or to a test.
pub struct Screen {
    pub width: usize,
    pub height: usize,
    cells: Vec<Cell>,
}

impl Screen {
    /// Returns an empty screen.
    pub fn new(width: usize, height: usize) -> Screen {
        let cell = Cell { letter: Some(' '), look: Look::PLAIN };
        Screen { width, height, cells: vec![cell; width * height] }
    }

    /// Writes a text from a position up to `end`, and returns the column after it. Three dots in a cell replace text
    /// that does not fit.
    pub fn put(&mut self, column: usize, row: usize, end: usize, text: &str, look: Look) -> usize {
        let (mut column, end) = (column, end.min(self.width));
        if row >= self.height {
            return column;
        }
        if column < end && text.width() > end - column {
            let mut kept = String::new();
            for letter in text.chars() {
                if kept.width() + letter.width().unwrap_or(0) >= end - column {
                    break;
                }
                kept.push(letter);
            }
            return self.put(column, row, end, &(kept + "\u{2026}"), look);
        }
        for letter in text.chars() {
            let letter = if letter.is_control() { ' ' } else { letter };
            let width = letter.width().unwrap_or(0);
            if column + width > end {
                break;
            }
            // A combining character belongs to the cell of the preceding character.
            if width > 0 {
                let at = row * self.width + column;
                self.cells[at] = Cell { letter: Some(letter), look };
                if width == 2 {
                    self.cells[at + 1] = Cell { letter: None, look };
                }
            }
            column += width;
        }
        column
    }

    /// Changes the style of a row's cells.
    pub fn look(&mut self, row: usize, look: Look) {
        if row < self.height {
            self.cells[row * self.width..(row + 1) * self.width].iter_mut().for_each(|cell| cell.look = look);
        }
    }

    /// Returns the rows as text.
    #[cfg(test)]
    pub fn rows(&self) -> Vec<String> {
        let row = |cells: &[Cell]| cells.iter().filter_map(|cell| cell.letter).collect::<String>();
        self.cells.chunks(self.width).map(|cells| row(cells).trim_end().to_owned()).collect()
    }

    /// Returns the style of the cell at a position.
    #[cfg(test)]
    pub fn look_at(&self, column: usize, row: usize) -> Look {
        self.cells[row * self.width + column].look
    }

    /// Draws the screen on a terminal in a single write, in black and white unless `colors` is set.
    pub fn draw(&self, out: &mut impl Write, colors: bool) -> io::Result<()> {
        queue!(out, terminal::BeginSynchronizedUpdate)?;
        let mut before = Look::PLAIN;
        queue!(out, ResetColor, SetAttribute(Attribute::Reset))?;
        for (row, cells) in self.cells.chunks(self.width.max(1)).enumerate() {
            queue!(out, cursor::MoveTo(0, u16::try_from(row).unwrap_or(u16::MAX)))?;
            for cell in cells {
                if cell.look != before {
                    set(out, cell.look, colors)?;
                    before = cell.look;
                }
                if let Some(letter) = cell.letter {
                    queue!(out, Print(letter))?;
                }
            }
        }
        queue!(out, ResetColor, SetAttribute(Attribute::Reset), terminal::EndSynchronizedUpdate)?;
        out.flush()
    }
}

fn set(out: &mut impl Write, look: Look, colors: bool) -> io::Result<()> {
    queue!(out, SetAttribute(Attribute::Reset), ResetColor)?;
    for (on, attribute) in
        [(look.bold, Attribute::Bold), (look.faint, Attribute::Dim), (look.reversed, Attribute::Reverse)]
    {
        if on {
            queue!(out, SetAttribute(attribute))?;
        }
    }
    if colors && let Some(ink) = look.ink {
        queue!(out, SetForegroundColor(Color::AnsiValue(ink)))?;
    }
    if colors && let Some(paper) = look.paper {
        queue!(out, SetBackgroundColor(Color::AnsiValue(paper)))?;
    }
    Ok(())
}
