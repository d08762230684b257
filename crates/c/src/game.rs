//! Games: tags, moves, positions and PGN.

use crate::archive::Handle;
use crate::args::{self, Out, User};
use crate::fault::{Code, Fault, guard};
use scoresheet::brenner::move_id::MoveId;
use scoresheet::chess::{Move, Role, Square};
use scoresheet::game::Outcome;
use scoresheet::pgn::PgnWriter;
use scoresheet::{GameRef, Position};
use scoresheet_query::ArchiveSet;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, OnceLock};

/// `scoresheet_game`: a game at the commit of its archive when it was opened.
pub struct Game {
    set: Arc<ArchiveSet>,
    number: u64,
    plies: u32,
    outcome: Option<Outcome>,
    /// The tags, read at the first request.
    tags: OnceLock<Vec<Tag>>,
}

/// The name of a tag, and its value.
type Tag = (Vec<u8>, Vec<u8>);

impl Game {
    fn open(set: Arc<ArchiveSet>, number: u64) -> Result<Game, Fault> {
        let game = set.game(number)?;
        let (plies, outcome) = (game.plies(), game.outcome());
        drop(game);
        Ok(Game { set, number, plies, outcome, tags: OnceLock::new() })
    }

    fn with<T>(&self, read: impl FnOnce(&GameRef<'_>) -> scoresheet::Result<T>) -> Result<T, Fault> {
        Ok(read(&self.set.game(self.number)?)?)
    }

    fn tags(&self) -> Result<&[Tag], Fault> {
        if self.tags.get().is_none() {
            let mut tags = Vec::new();
            self.with(|game| game.visit_tags(|name, value| tags.push((name.to_vec(), value.to_vec()))))?;
            let _ = self.tags.set(tags);
        }
        Ok(self.tags.get().map_or(&[], Vec::as_slice))
    }

    /// Returns the position before move `ply`, the move, and whether castling is written with the rook's square.
    fn played(&self, ply: u32) -> Result<(Position, Move, bool), Fault> {
        let games = self.plies;
        if ply == 0 || ply > games {
            let text = format!("game {} has no move {ply}: its moves are 1 to {games}", self.number);
            return Err(Fault::new(Code::NotFound, text).at(0, Some(self.number)));
        }
        self.with(|game| {
            let (position, played) = game.played_at(ply - 1)?;
            Ok((position, played.unwrap_or(Move::NULL), game.start().is_chess960()))
        })
    }
}

/// Returns a move in 16 bits: the start square in bits 0 to 5, the target square in bits 6 to 11, and the new piece in
/// bits 12 to 14 (1 to 4: knight, bishop, rook, queen). The squares are those of UCI. A null move is 0, and
/// so are a drop and a promotion to a king.
fn packed(played: Move, chess960: bool) -> u16 {
    let squares = MoveId::from_move(played, chess960).and_then(MoveId::squares);
    squares.map_or(0, |(from, to, promotion): (Square, Square, Option<Role>)| {
        let promotion = match promotion {
            Some(Role::Knight) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Rook) => 3,
            Some(Role::Queen) => 4,
            _ => 0,
        };
        from.index() as u16 | (to.index() as u16) << 6 | promotion << 12
    })
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_open(
    archive: *const Handle,
    number: u64,
    game: *mut *mut Game,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe { args::created(game, error, || Game::open(args::object(archive, "archive")?.set(), number)) }
}

/// See the header.
///
/// # Safety
///
/// `game` is NULL, or a game that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_free(game: *mut Game) {
    // SAFETY: the caller's promise.
    unsafe { args::free(game) };
}

/// See the header.
///
/// # Safety
///
/// The pointer is NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_number(game: *const Game) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { game.as_ref() }.map_or(0, |game| game.number)
}

/// See the header.
///
/// # Safety
///
/// The pointer is NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_plies(game: *const Game) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { game.as_ref() }.map_or(0, |game| game.plies)
}

/// See the header.
///
/// # Safety
///
/// The pointer is NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_result(game: *const Game) -> i32 {
    // SAFETY: the caller's promise.
    match unsafe { game.as_ref() }.and_then(|game| game.outcome) {
        None | Some(Outcome::Unknown) => 0,
        Some(Outcome::WhiteWins) => 1,
        Some(Outcome::BlackWins) => 2,
        Some(Outcome::Draw) => 3,
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_tag_count(
    game: *const Game,
    count: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (game, count) = (args::object(game, "game")?, Out::new(count)?);
            count.set(game.tags()?.len());
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_tag_at(
    game: *const Game,
    index: usize,
    name: *mut *const c_char,
    name_length: *mut usize,
    value: *mut *const c_char,
    value_length: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let game = args::object(game, "game")?;
            let outs = (Out::new(name)?, Out::new(name_length)?, Out::new(value)?, Out::new(value_length)?);
            let tags = game.tags()?;
            let Some((name, value)) = tags.get(index) else {
                let text = format!("game {} has {} tags, counted from 0", game.number, tags.len());
                return Err(Fault::new(Code::NotFound, text).at(0, Some(game.number)));
            };
            outs.0.set(name.as_ptr().cast());
            outs.1.set(name.len());
            outs.2.set(value.as_ptr().cast());
            outs.3.set(value.len());
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_tag(
    game: *const Game,
    name: *const c_char,
    name_length: usize,
    value: *mut *const c_char,
    value_length: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let game = args::object(game, "game")?;
            let (value, value_length) = (Out::new(value)?, Out::new(value_length)?);
            let name = args::slice(name.cast::<u8>(), name_length, "name")?;
            let Some((_, found)) = game.tags()?.iter().find(|(known, _)| known == name) else {
                let text = format!("game {} has no tag {}", game.number, String::from_utf8_lossy(name));
                return Err(Fault::new(Code::NotFound, text).at(0, Some(game.number)));
            };
            value.set(found.as_ptr().cast());
            value_length.set(found.len());
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_moves(
    game: *const Game,
    moves: *mut u16,
    capacity: usize,
    count: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (game, count) = (args::object(game, "game")?, Out::new(count)?);
            if capacity > 0 && moves.is_null() {
                return Err(Fault::invalid("moves: the pointer is NULL"));
            }
            let most = capacity.min(game.plies as usize);
            game.with(|game| {
                let chess960 = game.start().is_chess960();
                for (index, played) in game.moves().take(most).enumerate() {
                    moves.add(index).write(packed(played?.played(), chess960));
                }
                Ok(())
            })?;
            count.set(game.plies as usize);
            Ok(Code::Ok)
        })
    }
}

/// Copies a text of a game into the caller's buffer: the buffer, its capacity, and the pointer to the needed length.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
unsafe fn text_of(
    game: *const Game,
    (buffer, capacity, needed): (*mut c_char, usize, *mut usize),
    error: *mut *mut Fault,
    text: impl FnOnce(&Game) -> Result<Vec<u8>, Fault>,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (game, needed) = (args::object(game, "game")?, Out::new(needed)?);
            args::copy_text(&text(game)?, buffer, capacity, &needed)?;
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_uci(
    game: *const Game,
    ply: u32,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        text_of(game, (buffer, capacity, needed), error, |game| {
            let (position, played, chess960) = game.played(ply)?;
            let mut text = Vec::new();
            position.write_uci(played, chess960, &mut text);
            Ok(text)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_san(
    game: *const Game,
    ply: u32,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        text_of(game, (buffer, capacity, needed), error, |game| {
            let (position, played, _) = game.played(ply)?;
            Ok(position.san(played).into_bytes())
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_fen(
    game: *const Game,
    ply: u32,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        text_of(game, (buffer, capacity, needed), error, |game| {
            let fen = game.with(|game| Ok(game.position(ply)?.fen()))?;
            Ok(fen.into_bytes())
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_board(
    game: *const Game,
    ply: u32,
    board: *mut u8,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let (game, board) = (args::object(game, "game")?, Out::new(board.cast::<[u8; 64]>())?);
            let position = game.with(|game| game.position(ply))?;
            board.set(std::array::from_fn(|index| {
                let piece = Square::new(index as u8).and_then(|square| position.piece_at(square));
                piece.map_or(0, |piece| piece.letter())
            }));
            Ok(Code::Ok)
        })
    }
}

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_game_pgn(
    game: *const Game,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        text_of(game, (buffer, capacity, needed), error, |game| {
            let mut writer = PgnWriter::new();
            game.with(|game| game.write_pgn(&mut writer))?;
            Ok(writer.into_bytes())
        })
    }
}

/// `scoresheet_text_sink`: returns a value other than 0 to stop.
type TextSink = Option<unsafe extern "C" fn(*mut c_void, usize, *const c_char, usize) -> i32>;

/// See the header.
///
/// # Safety
///
/// The pointers are NULL or valid, as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn scoresheet_fens(
    archive: *const Handle,
    games: *const u64,
    plies: *const u32,
    count: usize,
    sink: TextSink,
    user: *mut c_void,
    error: *mut *mut Fault,
) -> i32 {
    // SAFETY: the caller's promise, for every use of a pointer.
    unsafe {
        guard(error, || {
            let handle = args::object(archive, "archive")?;
            let (games, plies) = (args::slice(games, count, "games")?, args::slice(plies, count, "plies")?);
            let (sink, user) = (sink.ok_or_else(|| Fault::invalid("sink: the pointer is NULL"))?, User(user));
            let set = handle.set();
            for (index, (number, ply)) in games.iter().zip(plies).enumerate() {
                let fen = set.game(*number)?.position(*ply)?.fen();
                if sink(user.0, index, fen.as_ptr().cast(), fen.len()) != 0 {
                    return Err(Fault::cancelled());
                }
            }
            Ok(Code::Ok)
        })
    }
}

#[cfg(test)]
mod tests {
    use scoresheet::chess::{Position, Variant};

    #[test]
    fn the_header_has_room_for_every_fen() {
        let header = include_str!("../include/scoresheet.h");
        let limit: usize = header.split_once("SCORESHEET_FEN_MAX ").unwrap().1.lines().next().unwrap().parse().unwrap();
        let back =
            |rook: &str, king: &str, queen: &str| format!("{rook}{queen}{queen}{queen}{king}{queen}{queen}{rook}");
        let ranks = [back("r~", "k", "q~"), vec!["Q~".repeat(8); 6].join("/"), back("R~", "K", "Q~")].join("/");
        let (pockets, number) = ("QRBNPqrbnp".repeat(255), u32::MAX);
        let fen = format!("{ranks}[{pockets}] b KQkq - {number} {number}");
        let written = Position::from_fen_of(Variant::Crazyhouse, &fen).unwrap().fen();
        assert_eq!(written.len(), fen.len());
        // A target square instead of the dash, and the NUL.
        assert!(written.len() + 2 <= limit, "{}", written.len());
    }
}
