//! Converts positions to the bytes of tensors: bitboards, planes, HalfKP features, and training targets.
//!
//! Each position is replayed in its game, which takes about a microsecond; batches are divided among threads.

use crate::failure::OrRaise;
use crate::shared::Opened;
use crate::view::View;
use crate::work;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rayon::prelude::*;
use scoresheet::brenner::move_id::{MOVES, MoveId};
use scoresheet::chess::{CastlingSide, Color, Square};
use scoresheet::game::Outcome;
use scoresheet::{Error, Move};

/// The kinds of tensors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Planes,
    Bitboards,
    Halfkp,
    Move,
    Legal,
    Turn,
    Castling,
    EnPassant,
    Result,
    Elo,
}

/// The maximum number of features of a side. A position reached from the standard starting position has at most 30
/// pieces in addition to the kings.
const FEATURES: usize = 32;

impl Kind {
    fn parse(name: &str) -> PyResult<Kind> {
        Ok(match name {
            "planes" => Kind::Planes,
            "bitboards" => Kind::Bitboards,
            "halfkp" => Kind::Halfkp,
            "move" => Kind::Move,
            "legal" => Kind::Legal,
            "turn" => Kind::Turn,
            "castling" => Kind::Castling,
            "en_passant" => Kind::EnPassant,
            "result" => Kind::Result,
            "elo" => Kind::Elo,
            _ => {
                let known = "planes, bitboards, halfkp, move, legal, turn, castling, en_passant, result, elo";
                return Err(PyValueError::new_err(format!("what: unknown tensor {name:?}; the tensors are {known}")));
            }
        })
    }

    /// The size of a position in bytes.
    fn bytes(self) -> usize {
        match self {
            Kind::Planes => 12 * 64,
            Kind::Bitboards => 12 * 8,
            Kind::Halfkp => 2 * FEATURES * 4,
            Kind::Move => 2,
            Kind::Legal => MOVES as usize,
            Kind::Elo => 4,
            Kind::Turn | Kind::Castling | Kind::EnPassant | Kind::Result => 1,
        }
    }
}

/// This limit exceeds the number of kinds, so an endless iterator causes an error.
const MOST_KINDS: usize = 64;

/// The number of positions per task of a thread.
const TASK: usize = 256;

/// Returns bytes of these positions, one bytearray per kind: see `scoresheet._training`.
#[pyfunction]
#[pyo3(name = "_pack")]
pub fn pack<'py>(
    py: Python<'py>,
    view: &View,
    games: PyBuffer<i64>,
    plies: PyBuffer<i64>,
    kinds: &Bound<'py, PyAny>,
    mover: bool,
    threads: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyByteArray>>> {
    let kinds: Vec<String> = crate::shared::items(kinds, "what", MOST_KINDS)?;
    let kinds: Vec<Kind> = kinds.iter().map(|name| Kind::parse(name)).collect::<PyResult<_>>()?;
    let (games, plies) = (games.to_vec(py)?, plies.to_vec(py)?);
    if games.len() != plies.len() {
        let what = format!("{} games, but {} plies", games.len(), plies.len());
        return Err(PyValueError::new_err(what));
    }
    let opened = view.shared.get()?;
    let mut positions = Vec::with_capacity(games.len());
    for (game, ply) in games.into_iter().zip(plies) {
        let no_such = || PyIndexError::new_err(format!("no ply {ply} of game {game}"));
        let game = u64::try_from(game).map_err(|_| no_such())?;
        let ply = match ply {
            // Negative plies count from the end: -1 is the last ply.
            ..0 => {
                let plies = opened.with_game(game, |game| Ok(game.plies())).or_raise(py)?;
                ply.checked_add(i64::from(plies) + 1).ok_or_else(no_such)?
            }
            _ => ply,
        };
        positions.push((game, u32::try_from(ply).map_err(|_| no_such())?));
    }
    let (mut made, request) =
        (Vec::new(), Request { opened: &opened, positions: &positions, kinds: &kinds, mover, threads });
    fill_within(py, &request, Vec::new(), &mut made)?;
    // The recursion has returned the last array first.
    made.reverse();
    Ok(made)
}

/// A request for tensors: the kinds and the positions.
struct Request<'a> {
    opened: &'a Opened,
    positions: &'a [(u64, u32)],
    kinds: &'a [Kind],
    mover: bool,
    threads: Option<usize>,
}

/// Makes a bytearray for each kind by recursion, and fills the bytearrays in place at the deepest level, without
/// copies.
fn fill_within<'py>(
    py: Python<'py>,
    request: &Request<'_>,
    columns: Vec<&mut [u8]>,
    made: &mut Vec<Bound<'py, PyByteArray>>,
) -> PyResult<()> {
    let Some(kind) = request.kinds.get(columns.len()) else {
        let filled = py.detach(|| fill_all(request, columns));
        return filled.map_err(|error| crate::failure::exception(py, error));
    };
    let bytes = PyByteArray::new_with(py, kind.bytes() * request.positions.len(), |column| {
        let mut all: Vec<&mut [u8]> = columns.into_iter().collect();
        all.push(column);
        fill_within(py, request, all, made)
    })?;
    made.push(bytes);
    Ok(())
}

/// A run of positions, and the parts of all columns for them.
type Task<'a> = (&'a [(u64, u32)], Vec<&'a mut [u8]>);

/// Fills the columns of all kinds.
fn fill_all(request: &Request<'_>, columns: Vec<&mut [u8]>) -> Result<(), Error> {
    let Request { opened, positions, kinds, mover, threads } = *request;
    // A task for each run of positions, with the run's parts of all columns.
    let mut tasks: Vec<Task<'_>> =
        positions.chunks(TASK).map(|positions| (positions, Vec::with_capacity(kinds.len()))).collect();
    for (column, kind) in columns.into_iter().zip(kinds) {
        for (task, part) in tasks.iter_mut().zip(column.chunks_mut(TASK * kind.bytes())) {
            task.1.push(part);
        }
    }
    let facts = opened.facts(kinds.contains(&Kind::Elo), kinds.contains(&Kind::Result))?;
    let fill = |(positions, mut parts): Task<'_>| {
        for (row, (game, ply)) in positions.iter().enumerate() {
            let mut out: Vec<&mut [u8]> = Vec::with_capacity(kinds.len());
            for (part, kind) in parts.iter_mut().zip(kinds) {
                out.push(part.get_mut(row * kind.bytes()..(row + 1) * kind.bytes()).unwrap_or_default());
            }
            fill_position(opened, &facts, *game, *ply, kinds, mover, &mut out)?;
        }
        Ok::<(), Error>(())
    };
    if threads == Some(1) || tasks.len() < 4 {
        tasks.into_iter().try_for_each(fill)
    } else {
        work::on_pool(|| tasks.into_par_iter().try_for_each(fill))
    }
}

/// Writes one position.
fn fill_position(
    opened: &Opened,
    facts: &Facts,
    game: u64,
    ply: u32,
    kinds: &[Kind],
    mover: bool,
    out: &mut [&mut [u8]],
) -> Result<(), Error> {
    let (member, local) = opened.sources.member_of(game)?;
    let record = member.archive().game(local)?;
    let chess960 = record.start().is_chess960();
    let with_moves = kinds.iter().any(|kind| matches!(kind, Kind::Move | Kind::Legal));
    let (replay, position) =
        if with_moves { (None, Some(record.played_at(ply)?)) } else { (Some(record.replay(ply)?), None) };
    let state = replay.as_ref().map(|replay| replay.state());
    let (mut boards, turn) = match (&state, &position) {
        (Some(state), _) => (state.bitboards(), state.turn()),
        (None, Some((position, _))) => (position.bitboards(), position.turn()),
        (None, None) => return Ok(()),
    };
    let right = |color: Color, side: CastlingSide| match (&state, &position) {
        (Some(state), _) => state.castling_rook(color, side).is_some(),
        (None, Some((position, _))) => position.castling_rook(color, side).is_some(),
        (None, None) => false,
    };
    // From Black's point of view, the board is flipped and the colors are exchanged.
    let flip = mover && turn == Color::Black;
    if flip {
        let [white, black] = [&boards[..6], &boards[6..]].map(|half| half.iter().map(|set| set.swap_bytes()).collect());
        let [white, black]: [Vec<u64>; 2] = [white, black];
        boards.iter_mut().zip(black.into_iter().chain(white)).for_each(|(set, flipped)| *set = flipped);
    }
    let colors = if flip { [Color::Black, Color::White] } else { Color::BOTH };
    for (kind, out) in kinds.iter().zip(out) {
        match kind {
            Kind::Planes => planes(&boards, out),
            Kind::Bitboards => {
                for (bytes, set) in out.chunks_exact_mut(8).zip(boards) {
                    bytes.copy_from_slice(&set.to_ne_bytes());
                }
            }
            Kind::Halfkp => halfkp(&boards, out).ok_or_else(|| Error::Input {
                name: format!("game {game}"),
                what: format!("ply {ply} has more than {FEATURES} pieces besides the kings: no HalfKP features"),
                source: None,
            })?,
            Kind::Move => {
                let played = position.as_ref().and_then(|(_, played)| *played);
                let id = played.and_then(|played| move_id(played, flip, chess960)).map_or(-1, |id| id as i16);
                out.copy_from_slice(&id.to_ne_bytes());
            }
            Kind::Legal => {
                let moves = match &position {
                    Some((position, _)) if position.variant() == record.variant() => position.legal_moves(),
                    _ => record.position_by_rules(ply)?.legal_moves(),
                };
                for id in moves.into_iter().filter_map(|played| move_id(played, flip, chess960)) {
                    if let Some(byte) = out.get_mut(usize::from(id)) {
                        *byte = 1;
                    }
                }
            }
            Kind::Turn => out.fill(turn as u8),
            Kind::Castling => {
                let mut bits = 0;
                for (index, color) in colors.into_iter().enumerate() {
                    for (side, bit) in [(CastlingSide::King, 0), (CastlingSide::Queen, 1)] {
                        bits |= u8::from(right(color, side)) << (index * 2 + bit);
                    }
                }
                out.fill(bits);
            }
            Kind::EnPassant => {
                let target = match (&state, &position) {
                    (Some(state), _) => state.en_passant(),
                    (None, Some((position, _))) => position.en_passant(),
                    (None, None) => None,
                };
                out.fill(target.map_or(-1i8, |square| (square.index() & 7) as i8) as u8);
            }
            Kind::Result => {
                let index = opened.sources.members().partition_point(|source| source.before() < game) - 1;
                let tag = facts.results.get(index).and_then(|results| results.of(local)).unwrap_or(UNKNOWN);
                let value = if tag == UNKNOWN { record.outcome().map_or(UNKNOWN, points) } else { tag };
                out.fill((if flip && value != UNKNOWN { -value } else { value }) as u8);
            }
            Kind::Elo => {
                let index = opened.sources.members().partition_point(|source| source.before() < game) - 1;
                let ratings = facts.ratings.get(index);
                let of = |color: Color| ratings.and_then(|ratings| ratings[color.index()].of(local)).unwrap_or(0);
                for (bytes, color) in out.chunks_exact_mut(2).zip(colors) {
                    bytes.copy_from_slice(&of(color).to_ne_bytes());
                }
            }
        }
    }
    Ok(())
}

/// An unknown result.
pub const UNKNOWN: i8 = -128;

pub fn points(outcome: Outcome) -> i8 {
    match outcome {
        Outcome::WhiteWins => 1,
        Outcome::Draw => 0,
        Outcome::BlackWins => -1,
        Outcome::Unknown => UNKNOWN,
    }
}

/// Returns the number of a move, below `MOVES`; `None` for a null move.
pub fn move_id(played: Move, flip: bool, chess960: bool) -> Option<u16> {
    let id = MoveId::from_move(played, chess960).filter(|id| id.number() < MOVES)?;
    if !flip {
        return Some(id.number());
    }
    let (from, to, promotion) = id.squares()?;
    let turned = |square: Square| Square::new(square.index() ^ 56);
    MoveId::from_squares(turned(from)?, turned(to)?, promotion).map(MoveId::number)
}

/// The names of the moves by their numbers, in UCI.
///
/// >>> names = scoresheet.move_names()
/// >>> len(names), names[:3], names.index("e2e4")
/// (1968, ['a1b1', 'a1c1', 'a1d1'], 378)
#[pyfunction]
pub fn move_names() -> Vec<String> {
    let name = |number: u16| {
        let (from, to, promotion) = MoveId::new(number)?.squares()?;
        let letter = promotion.map(|role| role.letter().to_ascii_lowercase() as char);
        Some(format!("{from}{to}{}", letter.map(String::from).unwrap_or_default()))
    };
    (0..MOVES).filter_map(name).collect()
}

/// For each byte, its bits as bytes of 0 and 1, the lowest bit first.
static SPREAD: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};

fn planes(boards: &[u64; 12], out: &mut [u8]) {
    for (plane, set) in out.chunks_exact_mut(64).zip(boards) {
        for (rank, byte) in plane.chunks_exact_mut(8).zip(set.to_le_bytes()) {
            rank.copy_from_slice(&SPREAD[usize::from(byte)]);
        }
    }
}

/// Writes the features of White's and Black's side: 641 k + 64 p + s + 1 for each piece except the kings. k is the
/// square of the side's king, s the square of the piece, and p its kind: own pawn, opposing pawn, own knight and so on
/// up to the opposing queen. For Black's side, the board is rotated by half a turn. The remaining entries are -1.
/// `None`: too many pieces.
fn halfkp(boards: &[u64; 12], out: &mut [u8]) -> Option<()> {
    for (side, out) in out.chunks_exact_mut(FEATURES * 4).enumerate() {
        let turn = if side == 0 { 0 } else { 63 };
        let mut slots = out.chunks_exact_mut(4);
        let king = boards[side * 6 + 5];
        if king != 0 {
            let king = king.trailing_zeros() ^ turn;
            for (kind, set) in boards.iter().enumerate().filter(|(kind, _)| kind % 6 != 5) {
                let piece = (kind % 6 * 2 + usize::from(kind / 6 != side)) as u32;
                let mut set = *set;
                while set != 0 {
                    let square = set.trailing_zeros() ^ turn;
                    set &= set - 1;
                    let feature = (king * 641 + piece * 64 + square + 1) as i32;
                    slots.next()?.copy_from_slice(&feature.to_ne_bytes());
                }
            }
        }
        slots.for_each(|slot| slot.copy_from_slice(&(-1i32).to_ne_bytes()));
    }
    Some(())
}

/// The requested tags of all games, for each archive of the set.
pub struct Facts {
    ratings: Vec<[Column<i16>; 2]>,
    results: Vec<Column<i8>>,
}

/// The column of a tag, with the parsed value of each string.
pub struct Column<T> {
    column: std::sync::Arc<scoresheet_query::tag_columns::Column>,
    values: Vec<T>,
}

impl<T: Copy> Column<T> {
    /// Returns the value of the tag of a game.
    pub fn of(&self, game: u64) -> Option<T> {
        self.values.get(self.column.get(game) as usize).copied()
    }

    fn new(
        column: std::sync::Arc<scoresheet_query::tag_columns::Column>,
        read: impl Fn(Option<&str>) -> T,
    ) -> Column<T> {
        let strings = column.strings();
        let text = |number: u32| std::str::from_utf8(strings?.get(number)?).ok();
        let most = strings.map_or(0, |strings| strings.len() as u32);
        Column { values: (0..=most).map(|number| read(text(number))).collect(), column }
    }
}

impl Opened {
    /// Reads the requested tags of all games.
    pub fn facts(&self, ratings: bool, results: bool) -> Result<Facts, Error> {
        use scoresheet_query::tag_columns::Key;
        let mut facts = Facts { ratings: Vec::new(), results: Vec::new() };
        for source in self.sources.members() {
            let columns = |names: &[&str]| {
                let keys: Vec<Key> = names.iter().map(|name| Key::Tag((*name).to_owned())).collect();
                let available: Option<Vec<_>> = keys.iter().map(|key| source.columns().available(key)).collect();
                match available {
                    Some(columns) => Ok(columns),
                    None => work::on_pool(|| source.columns().columns(&keys)),
                }
            };
            if ratings {
                let rating = |text: Option<&str>| text.and_then(scoresheet_arrow::rating).unwrap_or(0);
                let mut rating_columns =
                    columns(&["WhiteElo", "BlackElo"])?.into_iter().map(|column| Column::new(column, rating));
                if let (Some(white), Some(black)) = (rating_columns.next(), rating_columns.next()) {
                    facts.ratings.push([white, black]);
                }
            }
            if results {
                let result = |text: Option<&str>| {
                    let outcome = text.and_then(|text| Outcome::parse(text.as_bytes()));
                    outcome.map_or(UNKNOWN, points)
                };
                facts.results.extend(columns(&["Result"])?.into_iter().map(|column| Column::new(column, result)));
            }
        }
        Ok(facts)
    }
}

impl Facts {
    /// Returns the result in the tag Result of a game, by the index of its archive and its number there, or [`UNKNOWN`].
    pub fn result(&self, index: usize, game: u64) -> i8 {
        self.results.get(index).and_then(|results| results.of(game)).unwrap_or(UNKNOWN)
    }

    /// Returns the ratings of White and Black in a game, by the index of its archive and its number there; 0 if
    /// unknown.
    pub fn ratings(&self, index: usize, game: u64) -> [i16; 2] {
        self.ratings
            .get(index)
            .map_or([0; 2], |columns| [&columns[0], &columns[1]].map(|column| column.of(game).unwrap_or(0)))
    }
}
