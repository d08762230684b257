//! Formats tables for a terminal: columns fit their contents and the width of the terminal.

use crate::output::game_table;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The title of the column.
    pub title: String,
    /// Whether the column is aligned to the right.
    pub is_number: bool,
    /// The rank of usefulness: the table narrows the least useful column first.
    pub rank: u8,
    /// The minimum width in cells, and the maximum width if the screen's width is known; numbers are never cut.
    pub widths: (usize, usize),
}

impl Column {
    /// Returns the column of a listing, by its index.
    pub fn of_games(column: &game_table::Column, index: usize, are_usual: bool) -> Column {
        let (rank, widths) = match column.title() {
            "archive" => (70, (8, 30)),
            "game" => (100, (1, 12)),
            "ply" => (80, (3, 12)),
            "white" | "black" if are_usual => (95, (10, 20)),
            // A truncated value of these columns would be useless.
            "result" => (90, (7, 7)),
            "date" => (60, (10, 10)),
            "eco" => (50, (3, 3)),
            "plies" => (40, (3, 5)),
            "event" if are_usual => (20, (8, 40)),
            // Among chosen columns, the first columns are the most important.
            _ => (94 - index.min(60) as u8, (6, 40)),
        };
        let is_number = match column {
            game_table::Column::Archive => false,
            game_table::Column::Ply => true,
            game_table::Column::Field(field) => field.is_number(),
        };
        Column { title: column.title().to_owned(), is_number, rank, widths }
    }
}

/// Blanks between columns.
const GAP: usize = 2;
/// The number of first rows that determine the widths.
const FIRST: usize = 400;

/// A table being written.
pub struct Table {
    columns: Vec<Column>,
    /// The maximum width of a line in cells.
    width: usize,
    /// Whether the titles are bold.
    bold: bool,
    waiting: Vec<Vec<String>>,
    /// The width of each column in cells, 0 for an omitted column; `None` until the widths are known.
    widths: Option<Vec<usize>>,
}

impl Table {
    /// Creates a table with lines of at most this width in cells; with `usize::MAX`, no text is cut.
    pub fn new(columns: Vec<Column>, width: usize) -> Table {
        Table { columns, width, bold: false, waiting: Vec::new(), widths: None }
    }

    /// Writes the titles in bold, for terminals.
    pub fn bold_titles(mut self, bold: bool) -> Table {
        self.bold = bold;
        self
    }

    /// Writes a row; the first rows wait until the widths are known.
    pub fn row(&mut self, cells: Vec<String>, out: &mut impl Write) -> io::Result<()> {
        match &self.widths {
            Some(widths) => write_row(&self.columns, widths, &cells, self.width, out),
            None => {
                self.waiting.push(cells);
                if self.waiting.len() >= FIRST { self.decide(out) } else { Ok(()) }
            }
        }
    }

    /// Writes the buffered rows.
    pub fn finish(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.widths.is_none() && !self.waiting.is_empty() { self.decide(out) } else { Ok(()) }
    }

    fn decide(&mut self, out: &mut impl Write) -> io::Result<()> {
        let natural = |(index, column): (usize, &Column)| {
            let cells = self.waiting.iter().filter_map(|row| row.get(index));
            let widest = cells.map(|cell| cell.width()).max().unwrap_or(0);
            let is_free = column.is_number || self.width == usize::MAX;
            let most = if is_free { usize::MAX } else { column.widths.1.max(column.title.width()) };
            widest.max(column.title.width()).min(most)
        };
        let natural: Vec<usize> = self.columns.iter().enumerate().map(natural).collect();
        let widths = fitted(&self.columns, &natural, self.width);
        let titles: Vec<String> = self.columns.iter().map(|column| column.title.clone()).collect();
        if self.bold {
            out.write_all(b"\x1b[1m")?;
        }
        write_row(&self.columns, &widths, &titles, self.width, out)?;
        if self.bold {
            out.write_all(b"\x1b[0m")?;
        }
        for row in std::mem::take(&mut self.waiting) {
            write_row(&self.columns, &widths, &row, self.width, out)?;
        }
        self.widths = Some(widths);
        Ok(())
    }
}

/// Returns widths with which a line fits. Narrows the least useful columns first, and then omits them.
fn fitted(columns: &[Column], natural: &[usize], total: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|index| columns.get(*index).map_or(0, |column| column.rank));
    let mut kept = natural.to_vec();
    for dropped in 0..columns.len() {
        let mut widths = kept.clone();
        let needed = |widths: &[usize]| {
            let shown = widths.iter().filter(|width| **width > 0);
            shown.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
        };
        for index in &order {
            let over = needed(&widths).saturating_sub(total);
            if let (Some(width), Some(column)) = (widths.get_mut(*index), columns.get(*index)) {
                // A truncated number would look like a different number.
                let least = if column.is_number { *width } else { column.widths.0 };
                *width -= over.min(width.saturating_sub(least));
            }
        }
        // The most useful column is never omitted.
        if needed(&widths) <= total || dropped + 1 == columns.len() {
            return widths;
        }
        if let Some(width) = order.get(dropped).and_then(|index| kept.get_mut(*index)) {
            *width = 0;
        }
    }
    kept
}

/// A table whose rows are written as tab-separated lines, for other programs.
pub struct TabbedTable<W: Write> {
    table: Table,
    out: W,
    /// The bytes of the incomplete line.
    line: Vec<u8>,
}

impl<W: Write> TabbedTable<W> {
    /// Creates a table that is written to `out`. Each column has a title, a flag for numbers, and a rank of usefulness.
    pub fn new(columns: &[(&str, bool, u8)], width: usize, out: W) -> TabbedTable<W> {
        let column = |(title, is_number, rank): &(&str, bool, u8)| Column {
            title: (*title).to_owned(),
            is_number: *is_number,
            rank: *rank,
            widths: (title.width().max(6), 60),
        };
        TabbedTable { table: Table::new(columns.iter().map(column).collect(), width), out, line: Vec::new() }
    }

    /// Writes the buffered rows.
    pub fn finish(mut self) -> io::Result<()> {
        self.table.finish(&mut self.out)
    }
}

impl<W: Write> Write for TabbedTable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.pop_if(|byte| *byte == b'\n').is_some() {
                let line = std::mem::take(&mut self.line);
                let line = String::from_utf8_lossy(&line);
                self.table.row(line.split('\t').map(str::to_owned).collect(), &mut self.out)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn write_row(
    columns: &[Column],
    widths: &[usize],
    cells: &[String],
    total: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = String::new();
    let last = widths.iter().rposition(|width| *width > 0);
    for (index, ((column, width), cell)) in columns.iter().zip(widths).zip(cells).enumerate() {
        if *width == 0 {
            continue;
        }
        let cell = if total == usize::MAX { cell.clone() } else { shortened(cell, *width) };
        let blanks = " ".repeat(width.saturating_sub(cell.width()));
        if column.is_number {
            line.push_str(&blanks);
        }
        line.push_str(&isolated(&cell));
        if Some(index) != last {
            if !column.is_number {
                line.push_str(&blanks);
            }
            line.push_str(&" ".repeat(GAP));
        }
    }
    line.push('\n');
    out.write_all(line.as_bytes())
}

/// Returns the text shortened to this width in cells; two dots replace omitted text.
pub fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut short, room) = (String::new(), width.saturating_sub(2));
    for letter in text.chars() {
        short.push(letter);
        if short.width() > room {
            short.pop();
            break;
        }
    }
    // If a wide character does not fit, one cell stays unused.
    format!("{short}{}", &".."[..width.min(2)])
}

/// Pads the text with blanks to this width in cells.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Isolates right-to-left text, so the order of the text around it does not change.
fn isolated(text: &str) -> String {
    let is_right_to_left =
        |letter: char| matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}');
    if text.contains(is_right_to_left) { format!("\u{2068}{text}\u{2069}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(title: &str, rank: u8, widths: (usize, usize)) -> Column {
        Column { title: title.to_owned(), is_number: rank == 100, rank, widths }
    }

    #[test]
    fn lines_with_tabs_become_rows() {
        let mut out = Vec::new();
        let mut table = TabbedTable::new(&[("game", true, 100), ("name", false, 90)], 20, &mut out);
        write!(table, "1\ta").unwrap();
        write!(table, "\n20\tbcd").unwrap();
        writeln!(table, "efghijklmnopq").unwrap();
        table.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "game  name\n   1  a\n  20  bcdefghijklm..\n");
    }

    fn written(width: usize, rows: &[[&str; 3]]) -> String {
        let columns = vec![column("game", 100, (1, 9)), column("white", 90, (6, 20)), column("event", 10, (5, 30))];
        let (mut table, mut out) = (Table::new(columns, width), Vec::new());
        for row in rows {
            table.row(row.map(str::to_owned).to_vec(), &mut out).unwrap();
        }
        table.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_least_useful_column_is_cut_first() {
        let rows = [["7", "Carlsen, Magnus", "A very long event, 2024"]];
        assert_eq!(
            written(80, &rows),
            "game  white            event\n   7  Carlsen, Magnus  A very long event, 2024\n"
        );
        assert_eq!(written(33, &rows), "game  white            event\n   7  Carlsen, Magnus  A very l..\n");
        assert_eq!(written(20, &rows), "game  white    event\n   7  Carls..  A v..\n");
        assert_eq!(written(17, &rows), "game  white\n   7  Carlsen, ..\n");
        assert_eq!(written(4, &rows), "game\n   7\n");
    }

    #[test]
    fn cells_are_counted_not_letters() {
        let rows = [["1", "丁立人", "x"], ["2", "Möller", "y"], ["3", "دینگ", "z"]];
        assert_eq!(
            written(80, &rows),
            "game  white   event\n   1  丁立人  x\n   2  Möller  y\n   3  \u{2068}دینگ\u{2069}    z\n"
        );
        assert_eq!(shortened("丁立人", 5), "丁..");
    }
}
