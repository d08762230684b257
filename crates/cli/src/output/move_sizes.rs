//! Computes the sizes in Brenner's document: bytes of moves as text, and in each form that the document describes.

use crate::output::json::{Object, rounded};
use crate::text::{ratio, thousands};
use scoresheet::brenner::alternate::Order;
use scoresheet::brenner::encode;
use scoresheet::brenner::fixed::{self, Width};
use scoresheet::chess::Color;
use scoresheet::game::Game;
use scoresheet::packed;

/// The sizes of games' main lines in each form, in bytes: only the moves, without tags, comments and results.
#[derive(Clone, Copy, Default, Debug)]
pub struct MoveSizes {
    games: u64,
    plies: u64,
    movetext: u64,
    san: u64,
    short: u64,
    table: u64,
    alternate: u64,
    ids: u64,
    bits: u64,
    packed: u64,
}

/// A form of moves: its title, its name for programs, its bytes, and the bytes per half-move that the document states.
type Row = (&'static str, &'static str, u64, &'static str);

impl MoveSizes {
    /// Adds the sizes of a game's moves.
    pub fn add(&mut self, game: &Game) {
        let mut position = game.start.clone();
        let (mut brenner, mut plies) = (Vec::new(), 0u64);
        for m in game.main_line() {
            let san = position.san(m);
            if position.turn() == Color::White || plies == 0 {
                let dots = if position.turn() == Color::White { 1 } else { 3 };
                // The size of the move number, its dots and a blank.
                self.movetext += position.fullmove_number().to_string().len() as u64 + dots + 1;
            }
            self.movetext += san.len() as u64 + u64::from(plies > 0);
            self.san += san.len() as u64;
            // The document writes "Qf7" for 4. Qxf7#.
            self.short += san.bytes().filter(|b| !matches!(b, b'x' | b'+' | b'#')).count() as u64;
            encode::push_move(&position, m, &mut brenner);
            position.play_unchecked(m);
            plies += 1;
        }
        self.games += 1;
        self.plies += plies;
        self.table += brenner.len() as u64;
        self.alternate += Order::Alternate.write(&brenner).len() as u64;
        // Every move has an id, because all moves are legal.
        let ids = fixed::ids(game).unwrap_or_default();
        let moves = ids.get(..ids.len().saturating_sub(1)).unwrap_or_default();
        self.ids += fixed::pack(moves, Width::Ids).len() as u64;
        self.bits += fixed::pack(moves, Width::Bits).len() as u64;
        let mut packed = Vec::new();
        packed::encode(&game.start, &brenner, &mut packed);
        self.packed += packed.len() as u64;
    }

    /// Returns the sum of the two sizes.
    pub fn plus(self, other: MoveSizes) -> MoveSizes {
        MoveSizes {
            games: self.games + other.games,
            plies: self.plies + other.plies,
            movetext: self.movetext + other.movetext,
            san: self.san + other.san,
            short: self.short + other.short,
            table: self.table + other.table,
            alternate: self.alternate + other.alternate,
            ids: self.ids + other.ids,
            bits: self.bits + other.bits,
            packed: self.packed + other.packed,
        }
    }

    fn rows(&self) -> [Row; 8] {
        [
            ("movetext", "movetext", self.movetext, ""),
            ("SAN alone", "san", self.san, ""),
            ("SAN without x + #", "short_san", self.short, "about 2.7"),
            ("Brenner's table", "table", self.table, "1"),
            ("alternate notation", "alternate", self.alternate, "1"),
            ("move ids", "ids", self.ids, ""),
            ("11 bits, packed", "bits", self.bits, "1.375"),
            ("like import --pack", "packed", self.packed, ""),
        ]
    }

    /// Returns the size of the moves in movetext as a multiple of the size in Brenner's code, with and without check
    /// marks.
    fn reductions(&self) -> [f64; 2] {
        [self.san, self.short].map(|bytes| ratio(bytes as f64, self.table as f64))
    }

    /// Returns the sizes as a text table.
    pub fn text(&self) -> String {
        let plies = self.plies as f64;
        let mut text = format!(
            "{:<22}{:>15}{:>10}{:>10}   Brenner's figure\n",
            "moves alone, by form", "bytes", "per ply", "of table"
        );
        for (title, _, bytes, figure) in self.rows() {
            let size = bytes as f64;
            let line = format!(
                "{title:<22}{:>15}{:>10.3}{:>10.2}   {figure}",
                thousands(bytes),
                ratio(size, plies),
                ratio(size, self.table as f64)
            );
            text += line.trim_end();
            text.push('\n');
        }
        let [san, short] = self.reductions();
        text + &format!("reduction {short:.2}:1 (of full SAN {san:.2}:1); Brenner's figure: between 2:1 and 3:1\n")
    }

    /// Returns the sizes as JSON.
    pub fn json(&self) -> Object {
        let plies = self.plies as f64;
        let forms = self.rows().into_iter().fold(Object::new(), |all, (_, name, bytes, _)| {
            let row = Object::new().with("bytes", bytes).with("per_ply", rounded(ratio(bytes as f64, plies), 4));
            all.object(name, &row)
        });
        let [san, short] = self.reductions();
        Object::new()
            .with("games", self.games)
            .with("plies", self.plies)
            .object("forms", &forms)
            .with("reduction", rounded(short, 3))
            .with("reduction_of_san", rounded(san, 3))
            .with("source_bytes_per_ply", rounded(2.7, 1))
            .with("source_reduction", vec![2, 3])
    }
}
