//! Determines the ECO code and the opening name of a game from its positions.
//!
//! The table of openings is from Lichess (data/SOURCES.md). The opening of a game is the opening of the last of its
//! positions that is in the table, so the order of moves does not matter.

use scoresheet::archive::GameRef;
use scoresheet::brenner::replay::{Replay, ReplayError};
use scoresheet::brenner::standalone::Stream;
use scoresheet::chess::Position;
use scoresheet::error::{Damage, DamageKind, Result};
use std::collections::HashMap;
use std::sync::OnceLock;

const TABLE: [&str; 5] = [
    include_str!("../data/openings/a.tsv"),
    include_str!("../data/openings/b.tsv"),
    include_str!("../data/openings/c.tsv"),
    include_str!("../data/openings/d.tsv"),
    include_str!("../data/openings/e.tsv"),
];

/// An opening in the table of openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opening {
    /// The ECO code, A00 to E99.
    pub eco: &'static str,
    /// The name, in English.
    pub name: &'static str,
    /// The moves that the table lists, in SAN with move numbers.
    pub moves: &'static str,
}

/// The table, by position.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"1. e4 c5 2. Nf3 d6 3. d4 h5 *\n"[..])?;
/// use scoresheet::Archive;
/// use scoresheet_query::{line, openings::Openings};
///
/// let table = Openings::table();
/// let sicilian = table.get(&line("e4 c5")?).expect("an opening");
/// assert_eq!((sicilian.eco, sicilian.name), ("B20", "Sicilian Defense"));
/// let archive = Archive::open(&target)?;
/// let (opening, ply) = table.classify(&archive.game(1)?)?.expect("an opening");
/// assert_eq!((opening.eco, opening.moves, ply), ("B50", "1. e4 c5 2. Nf3 d6 3. d4", 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Openings {
    positions: HashMap<u64, Opening>,
    /// A bit set of the lowest 16 bits of all keys. It quickly excludes most positions that are not in the table.
    known: Vec<u64>,
    deepest: u32,
    /// The distinct names, sorted.
    names: Vec<&'static str>,
    codes: HashMap<&'static str, String>,
}

impl Openings {
    /// Returns the table. The first call builds it, which takes a few milliseconds.
    pub fn table() -> &'static Openings {
        static TABLE: OnceLock<Openings> = OnceLock::new();
        TABLE.get_or_init(Openings::new)
    }

    fn new() -> Openings {
        let mut openings = Openings {
            positions: HashMap::new(),
            known: vec![0; 1 << 10],
            deepest: 0,
            names: Vec::new(),
            codes: HashMap::new(),
        };
        let mut of_code: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        for line in TABLE.iter().flat_map(|table| table.lines().skip(1)) {
            let mut parts = line.split('\t');
            let (Some(eco), Some(name), Some(moves)) = (parts.next(), parts.next(), parts.next()) else { continue };
            let opening = Opening { eco, name, moves };
            of_code.entry(eco).or_default().push(name);
            // A line that cannot be played is skipped. A test proves that the table contains none.
            let Some((position, plies)) = opening.played() else { continue };
            let key = position.zobrist();
            openings.known[(key & 0xFFFF) as usize / 64] |= 1 << (key % 64);
            openings.deepest = openings.deepest.max(plies);
            // If two lines lead to the same position, the first line is used.
            openings.positions.entry(key).or_insert(opening);
        }
        openings.names = openings.positions.values().map(|opening| opening.name).collect();
        openings.names.sort_unstable();
        openings.names.dedup();
        openings.codes = of_code.into_iter().map(|(code, names)| (code, name_of_all(&names))).collect();
        openings
    }

    /// Returns the number of positions in the table.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns the distinct names of the openings, sorted.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Returns the opening with this name and the fewest moves; a name can stand for several positions.
    pub fn named(&self, name: &str) -> Option<&Opening> {
        let fitting = self.positions.values().filter(|opening| opening.name == name);
        fitting.min_by_key(|opening| (opening.moves.len(), opening.moves))
    }

    /// Returns the index of a name in [`names`](Openings::names).
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.names.binary_search(&name).ok()
    }

    /// Returns the name for a code, A00 to E99, which is the beginning that at least two thirds of the code's opening
    /// names share. If there is no such beginning, returns the name of the opening with the most variations, followed
    /// by `and others`.
    pub fn name_of_code(&self, code: &str) -> Option<&str> {
        self.codes.get(code).map(String::as_str)
    }

    /// Returns whether the table contains no openings.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the opening of a position, if the table contains the position.
    pub fn get(&self, position: &Position) -> Option<&Opening> {
        self.by_key(position.zobrist())
    }

    #[inline]
    fn by_key(&self, key: u64) -> Option<&Opening> {
        let known = self.known.get((key & 0xFFFF) as usize / 64).is_some_and(|word| word >> (key % 64) & 1 == 1);
        if known { self.positions.get(&key) } else { None }
    }

    /// Returns the opening of a game, and the ply of the last position in its main line that is in the table. Returns
    /// `None` if no position is in the table, or if the game starts from a set-up position.
    ///
    /// About a microsecond. Errors: damaged moves.
    pub fn classify(&self, game: &GameRef) -> Result<Option<(&Opening, u32)>> {
        let damage = |_| Damage::new(0, DamageKind::Moves).of_game(game.number()).into();
        self.classify_stream(game.stream()).map_err(damage)
    }

    /// Returns the opening of a game outside archives, in the same way as `classify`.
    pub fn classify_stream(&self, game: Stream<'_>) -> Result<Option<(&Opening, u32)>, ReplayError> {
        if game.starts_elsewhere() {
            return Ok(None);
        }
        let (mut found, mut ply) = (None, 0);
        Replay::new(game.start).walk_keys(game.bytes, |_, key| {
            if ply <= self.deepest
                && let Some(opening) = self.by_key(key)
            {
                found = Some((opening, ply));
            }
            ply += 1;
        })?;
        Ok(found)
    }
}

/// Returns the longest beginning, in complete parts, that at least two thirds of the names share. If there is none,
/// returns the most frequent first part of the names, followed by `and others`.
fn name_of_all(names: &[&str]) -> String {
    let mut parts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        let ends = name.match_indices([':', ',']).map(|(end, _)| end).chain([name.len()]);
        ends.filter_map(|end| name.get(..end)).for_each(|part| *parts.entry(part).or_default() += 1);
    }
    let shared = parts.iter().filter(|(_, count)| **count * 3 >= names.len() * 2);
    if let Some((part, _)) = shared.max_by_key(|(part, _)| (part.len(), **part)) {
        return (*part).to_owned();
    }
    let first = parts.iter().filter(|(part, _)| !part.contains([':', ',']));
    first
        .max_by_key(|(part, count)| (**count, **part))
        .map_or_else(String::new, |(part, _)| format!("{part} and others"))
}

impl Opening {
    /// Returns the position after the moves, and the number of plies, or `None` if a move is illegal.
    pub fn played(&self) -> Option<(Position, u32)> {
        let (mut position, mut plies) = (Position::standard(), 0);
        for word in
            self.moves.split_whitespace().filter(|word| !word.starts_with(|letter: char| letter.is_ascii_digit()))
        {
            position.play_unchecked(position.parse_san(word.as_bytes()).ok()?);
            plies += 1;
        }
        Some((position, plies))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_can_be_played_and_is_sorted_by_code() {
        let mut lines = 0;
        for (table, letter) in TABLE.iter().zip(["A", "B", "C", "D", "E"]) {
            assert_eq!(table.lines().next(), Some("eco\tname\tpgn"));
            for line in table.lines().skip(1) {
                let parts: Vec<&'static str> = line.split('\t').collect();
                let [eco, name, moves] = parts[..] else { panic!("{line}") };
                assert!(eco.len() == 3 && eco.starts_with(letter) && !name.is_empty(), "{line}");
                let (position, plies) = Opening { eco, name, moves }.played().unwrap_or_else(|| panic!("{line}"));
                assert!(plies > 0 && Openings::table().get(&position).is_some(), "{line}");
                lines += 1;
            }
        }
        assert_eq!(lines, 3516);
    }

    #[test]
    fn positions_are_named() {
        let named = |moves: &'static str| {
            let (position, _) = Opening { eco: "", name: "", moves }.played()?;
            Openings::table().get(&position).map(|opening| (opening.eco, opening.name))
        };
        assert_eq!(
            named("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"),
            Some(("B90", "Sicilian Defense: Najdorf Variation"))
        );
        // By transposition.
        assert_eq!(
            named("1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"),
            Some(("B90", "Sicilian Defense: Najdorf Variation"))
        );
        assert_eq!(named(""), None);
        for (code, name) in [
            ("B90", "Sicilian Defense: Najdorf Variation"),
            ("C45", "Scotch Game"),
            ("D00", "Queen's Pawn Game and others"),
        ] {
            assert_eq!(Openings::table().name_of_code(code), Some(name), "{code}");
        }
    }
}
