//! The results of `scoresheet bench`: text tables, JSON, and rows for the page with charts.

use crate::output::archive_sizes::ArchiveSizes;
use crate::output::json::{Object, rounded};
use crate::output::move_sizes::MoveSizes;
use crate::text::{ratio, thousands};
use scoresheet::import::Summary;
use scoresheet_bench::{Random, Speed};

/// The results.
pub struct Bench {
    pub summary: Summary,
    pub import_seconds: f64,
    pub zstd: Option<(i32, u64)>,
    pub speeds: [Speed; 3],
    pub fen: f64,
    pub random: Random,
    /// The size of the moves in every form that Brenner's document describes.
    pub forms: MoveSizes,
    pub checked: f64,
}

impl Bench {
    /// Returns the compared files and parts, each with its title, its name for programs and its bytes.
    pub fn sizes(&self) -> Vec<(String, &'static str, u64)> {
        let Summary { archive_bytes, index_bytes, pgn_bytes, totals, .. } = self.summary;
        let mut rows = vec![("PGN".to_owned(), "pgn", pgn_bytes)];
        if let Some((level, bytes)) = self.zstd {
            rows.push((format!("zstd -{level} of the PGN"), "zstd", bytes));
        }
        rows.push(("archive and index".to_owned(), "archive", archive_bytes + index_bytes));
        let parts = ArchiveSizes::new(totals, archive_bytes, index_bytes).rows();
        let parts = parts.into_iter().filter(|(_, name, _)| *name != "all");
        rows.extend(parts.map(|(title, name, bytes)| (format!("  {title}"), name, bytes)));
        rows
    }

    fn import_rate(&self) -> f64 {
        ratio(self.summary.pgn_bytes as f64 / 1e6, self.import_seconds)
    }

    /// Returns the measured speeds, each with its title, and its value with the unit.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let Random { p50, p99, mean } = self.random;
        let [ends, walk, keys] = self
            .speeds
            .map(|speed| format!("{:.2} ns per ply (on all threads {:.2})", speed.one_thread, speed.all_threads));
        vec![
            ("import", format!("{:.1} MB of PGN per second ({:.2} s)", self.import_rate(), self.import_seconds)),
            ("replay", ends),
            ("scan of all positions", walk),
            ("scan with Zobrist keys", keys),
            ("scan, moves checked", format!("{:.2} ns per ply on all threads", self.checked)),
            ("FEN", format!("{:.1} ns", self.fen)),
            ("random position", format!("{mean:.0} ns to its FEN; timed one by one p50 {p50} ns, p99 {p99} ns")),
        ]
    }

    /// Returns the speeds that a chart can compare, each with its title and nanoseconds.
    pub fn nanoseconds(&self) -> Vec<(String, f64)> {
        let [ends, walk, keys] = self.speeds;
        [
            ("replay", ends.all_threads),
            ("scan", walk.all_threads),
            ("scan with keys", keys.all_threads),
            ("scan, moves checked", self.checked),
            ("FEN (one thread)", self.fen),
        ]
        .map(|(title, value)| (title.to_owned(), value))
        .into()
    }

    /// Returns the text tables.
    pub fn text(&self) -> String {
        let (games, plies) = (self.summary.stored as f64, self.summary.plies as f64);
        let mut text = format!(
            "{} games, {} plies\n\n{:<22}{:>15}{:>12}{:>10}\n",
            thousands(self.summary.stored),
            thousands(self.summary.plies),
            "size",
            "bytes",
            "per game",
            "per ply"
        );
        for (title, _, bytes) in self.sizes() {
            let size = bytes as f64;
            text += &format!(
                "{title:<22}{:>15}{:>12.2}{:>10.3}\n",
                thousands(bytes),
                ratio(size, games),
                ratio(size, plies)
            );
        }
        text += &format!("\n{}", self.forms.text());
        text += &format!("\n{:<22}\n", "speed");
        for (title, value) in self.rows() {
            text += &format!("{title:<24}{value}\n");
        }
        text + "\nAll answers agree with the decoder that checks every move.\n"
    }

    /// Returns the results as JSON.
    pub fn json(&self) -> Object {
        let (games, plies) = (self.summary.stored as f64, self.summary.plies as f64);
        let sizes = self.sizes().into_iter().fold(Object::new(), |all, (_, name, bytes)| {
            let size = bytes as f64;
            let row = Object::new()
                .with("bytes", bytes)
                .with("per_game", rounded(ratio(size, games), 3))
                .with("per_ply", rounded(ratio(size, plies), 4));
            all.object(name, &row)
        });
        let [ends, walk, keys] = self.speeds;
        Object::new()
            .with("games", self.summary.stored)
            .with("plies", self.summary.plies)
            .object("sizes", &sizes)
            .object("moves", &self.forms.json())
            .with("zstd_level", self.zstd.map(|(level, _)| level))
            .with("import_seconds", rounded(self.import_seconds, 3))
            .with("import_mb_per_second", rounded(self.import_rate(), 1))
            .with("replay_ns_per_ply", rounded(ends.one_thread, 3))
            .with("replay_ns_per_ply_all_threads", rounded(ends.all_threads, 3))
            .with("scan_ns_per_ply", rounded(walk.one_thread, 3))
            .with("scan_ns_per_ply_all_threads", rounded(walk.all_threads, 3))
            .with("scan_keys_ns_per_ply", rounded(keys.one_thread, 3))
            .with("scan_keys_ns_per_ply_all_threads", rounded(keys.all_threads, 3))
            .with("scan_checked_ns_per_ply_all_threads", rounded(self.checked, 3))
            .with("fen_ns", rounded(self.fen, 2))
            .with("random_ns_mean", rounded(self.random.mean, 1))
            .with("random_ns_p50", self.random.p50)
            .with("random_ns_p99", self.random.p99)
            .with("answers_checked", true)
    }
}
