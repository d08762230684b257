//! Structures, which are named arrangements of pawns, bishops and kings.

use crate::fault::{Fault, QueryFault, reason};
use scoresheet::chess::{Color, Role};

/// The light squares. The lowest bit is a1.
const LIGHT: u64 = 0x55AA_55AA_55AA_55AA;
const FILE_A: u64 = 0x0101_0101_0101_0101;
const C4: u64 = 1 << 26;
const D4: u64 = 1 << 27;
const D5: u64 = 1 << 35;

/// The squares of one side's pieces, on a board that is seen from the side that the structure belongs to.
struct Side {
    pawns: u64,
    bishops: u64,
    queens: u64,
    king: u64,
}

impl Side {
    fn new(bitboards: &[u64; 12], color: Color, viewer: Color) -> Side {
        let of = |role: Role| {
            let squares = bitboards.get(color.index() * 6 + role as usize).copied().unwrap_or(0);
            if viewer == Color::White { squares } else { squares.swap_bytes() }
        };
        Side { pawns: of(Role::Pawn), bishops: of(Role::Bishop), queens: of(Role::Queen), king: of(Role::King) }
    }

    /// Returns whether the side has a pawn on a file, from 0 for the a-file.
    fn has_pawn_on(&self, file: u32) -> bool {
        self.pawns & FILE_A << file != 0
    }

    /// Returns whether there is exactly one bishop, and whether it is on a light square.
    fn only_bishop(&self) -> Option<bool> {
        (self.bishops.count_ones() == 1).then_some(self.bishops & LIGHT != 0)
    }

    fn has_bishop_pair(&self) -> bool {
        self.bishops & LIGHT != 0 && self.bishops & !LIGHT != 0
    }
}

/// Returns the squares, and those beside them on the two adjacent files.
fn widened(squares: u64) -> u64 {
    squares | squares << 1 & !FILE_A | squares >> 1 & !(FILE_A << 7)
}

/// Returns the squares on the files of these squares.
fn files(squares: u64) -> u64 {
    (0..8).map(|file| FILE_A << file).filter(|file| file & squares != 0).fold(0, |all, file| all | file)
}

/// Returns the squares, and those below them on the same files.
fn below(mut squares: u64) -> u64 {
    squares |= squares >> 8;
    squares |= squares >> 16;
    squares | squares >> 32
}

/// Returns whether a king is on one of these files, on one of the two ranks from `rank`.
fn is_king_in(king: u64, files: std::ops::Range<u32>, rank: u32) -> bool {
    let square = king.trailing_zeros();
    files.contains(&(square % 8)) && (rank..rank + 2).contains(&(square / 8))
}

type Holds = fn(&Side, &Side) -> bool;

/// The names of the structures, and their meaning for a side and its opponent, in the order of docs/FIND.md.
const STRUCTURES: [(&str, Holds); 13] = [
    ("passed-pawn", |own, other| {
        let stopped = below(widened(other.pawns) >> 8);
        own.pawns & !stopped != 0
    }),
    ("doubled-pawns", |own, _| own.pawns & below(own.pawns >> 8) != 0),
    ("isolated-pawn", |own, _| {
        (0..8).any(|file| {
            own.has_pawn_on(file)
                && (file == 0 || !own.has_pawn_on(file - 1))
                && (file == 7 || !own.has_pawn_on(file + 1))
        })
    }),
    ("iqp", |own, other| {
        let is_alone = (own.pawns & FILE_A << 3).count_ones() == 1 && !own.has_pawn_on(2) && !own.has_pawn_on(4);
        is_alone && !other.has_pawn_on(3)
    }),
    ("hanging-pawns", |own, other| {
        own.pawns & (files(C4) | files(D4)) == C4 | D4
            && !own.has_pawn_on(1)
            && !own.has_pawn_on(4)
            && !other.has_pawn_on(2)
            && !other.has_pawn_on(3)
    }),
    ("carlsbad", |own, other| {
        own.pawns & D4 != 0
            && other.pawns & D5 != 0
            && own.has_pawn_on(4)
            && !own.has_pawn_on(2)
            && other.has_pawn_on(2)
            && !other.has_pawn_on(4)
    }),
    ("opposite-bishops", |own, other| {
        own.only_bishop().zip(other.only_bishop()).is_some_and(|(own, other)| own != other)
    }),
    ("same-bishops", |own, other| own.only_bishop().zip(other.only_bishop()).is_some_and(|(own, other)| own == other)),
    ("light-bishop", |own, _| own.only_bishop() == Some(true)),
    ("dark-bishop", |own, _| own.only_bishop() == Some(false)),
    ("bishop-pair", |own, other| own.has_bishop_pair() && !other.has_bishop_pair()),
    ("opposite-castling", |own, other| {
        is_king_in(own.king, 0..3, 0) && is_king_in(other.king, 5..8, 6)
            || is_king_in(own.king, 5..8, 0) && is_king_in(other.king, 0..3, 6)
    }),
    ("king-walk", |own, other| own.king >> 24 != 0 && other.queens != 0),
];

/// One or more named arrangements of pawns, bishops and kings, which must all be on the board (docs/FIND.md,
/// "Structures").
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "1. e4 c6 2. d4 d5 3. exd5 cxd5 4. Bd3 Nc6 *\n\n1. d4 d5 2. c4 dxc4 3. e4 e5 4. Bxc4 exd4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet_query::ArchiveSet;
/// use scoresheet_query::pattern::{Condition, Pattern, Structure};
///
/// let structures = vec![Structure::parse("passed-pawn")?];
/// let pattern = Pattern::lasting(Condition { structures, ..Condition::default() }, 1);
/// let set = ArchiveSet::open([&target])?;
/// assert!(set.find(pattern.clone())?.is_empty());
/// let found = set.find(pattern.swapped())?; // Black's pawn on d4
/// assert_eq!((found.len(), found[0].game, found[0].hits[0].ply), (1, 2, 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// The indexes in `STRUCTURES`.
    kinds: Vec<usize>,
    color: Color,
}

impl Structure {
    /// Parses names that are separated by blanks, such as `iqp` or `opposite-bishops passed-pawn`, for White's side.
    pub fn parse(text: &str) -> Result<Structure, QueryFault> {
        Structure::read(text).map_err(QueryFault::within(text))
    }

    /// Returns the names of all structures.
    pub fn names() -> impl Iterator<Item = &'static str> {
        STRUCTURES.iter().map(|(name, _)| *name)
    }

    pub(crate) fn read(text: &str) -> Result<Structure, Fault> {
        let (mut kinds, mut at) = (Vec::new(), 0);
        for word in text.split(' ') {
            if !word.is_empty() {
                let kind = Structure::names().position(|name| name.eq_ignore_ascii_case(word));
                let names = || Structure::names().collect::<Vec<_>>().join(", ");
                kinds.push(kind.ok_or_else(|| {
                    (
                        at..at + word.len(),
                        reason!("no_structure", "no such structure: there are {names}", names = names()),
                    )
                })?);
            }
            at += word.len() + 1;
        }
        match kinds.is_empty() {
            true => Err((0..text.len(), reason!("structure", "expected a structure, as in passed-pawn"))),
            false => Ok(Structure { kinds, color: Color::White }),
        }
    }

    pub(super) fn matches(&self, bitboards: &[u64; 12]) -> bool {
        let [own, other] = [self.color, self.color.other()].map(|color| Side::new(bitboards, color, self.color));
        self.kinds.iter().all(|kind| STRUCTURES.get(*kind).is_some_and(|(_, holds)| holds(&own, &other)))
    }

    pub(super) fn swapped(&self) -> Structure {
        Structure { kinds: self.kinds.clone(), color: self.color.other() }
    }
}
