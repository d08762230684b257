//! The size of each part of an archive, compared with the PGN.

use crate::output::json::{Object, rounded};
use crate::text::{ratio, thousands};
use scoresheet::format::commit::Commit;

/// The bytes of an archive and its index, by part.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveSizes {
    totals: Commit,
    /// The total length of archive and index.
    bytes: u64,
}

impl ArchiveSizes {
    /// Creates the list of parts of an archive with these totals and lengths.
    pub fn new(totals: Commit, archive_bytes: u64, index_bytes: u64) -> ArchiveSizes {
        ArchiveSizes { totals, bytes: archive_bytes + index_bytes }
    }

    /// Returns the sizes without that of the PGN, which is unknown.
    pub fn without_pgn(mut self) -> ArchiveSizes {
        self.totals.pgn_bytes = 0;
        self
    }

    /// Returns the parts, each with its title, its name for programs and its bytes. The last row is the total.
    pub fn rows(&self) -> [(&'static str, &'static str, u64); 7] {
        let Commit { moves_bytes, tags_bytes, texts_bytes, dictionary_bytes, layout_bytes, .. } = self.totals;
        let rest = self.bytes.saturating_sub(moves_bytes + tags_bytes + texts_bytes + dictionary_bytes + layout_bytes);
        [
            ("moves", "moves", moves_bytes),
            ("tags", "tags", tags_bytes),
            ("texts", "texts", texts_bytes),
            ("dictionary", "dictionary", dictionary_bytes),
            ("layout", "layout", layout_bytes),
            ("index, overhead", "overhead", rest),
            ("all", "all", self.bytes),
        ]
    }

    /// Returns the text table.
    pub fn table(&self) -> String {
        let (games, plies, pgn) = (self.totals.games as f64, self.totals.plies as f64, self.totals.pgn_bytes);
        let mut table = format!("{:<16}{:>17}{:>12}{:>10}{:>10}\n", "", "bytes", "per game", "per ply", "of PGN");
        let of_pgn = (pgn > 0).then_some(("PGN", pgn));
        let rows = self.rows().map(|(title, _, bytes)| (title, bytes)).into_iter().chain(of_pgn);
        for (title, bytes) in rows {
            let size = bytes as f64;
            let share = if pgn > 0 { format!("{:.1} %", 100.0 * ratio(size, pgn as f64)) } else { "?".to_owned() };
            table += &format!(
                "{title:<16}{:>17}{:>12.2}{:>10.3}{share:>10}\n",
                thousands(bytes),
                ratio(size, games),
                ratio(size, plies)
            );
        }
        table
    }

    /// Returns the sizes as JSON.
    pub fn json(&self) -> Object {
        let (games, plies) = (self.totals.games as f64, self.totals.plies as f64);
        let row = |bytes: u64| {
            Object::new()
                .with("bytes", bytes)
                .with("per_game", rounded(ratio(bytes as f64, games), 3))
                .with("per_ply", rounded(ratio(bytes as f64, plies), 4))
        };
        let parts = self.rows().into_iter().fold(Object::new(), |all, (_, name, bytes)| all.object(name, &row(bytes)));
        parts.object("pgn", &row(self.totals.pgn_bytes))
    }
}
