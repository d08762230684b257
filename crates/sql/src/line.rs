//! A value of the column `brenner`: a stand-alone string, and the moves in it.
//!
//! This file uses the library's strings and replays, but no SQL.

use scoresheet::Game;
use scoresheet::brenner::replay::Replay;
use scoresheet::brenner::standalone::{self, Stream};
use scoresheet::game::{Event, PlayedMove};

/// Calls `take` with the moves of a stand-alone string. Comments and variations are removed first.
///
/// Errors: the string is invalid; errors of `take`.
pub fn with_stream<T>(bytes: &[u8], take: impl FnOnce(Stream<'_>) -> Result<T, String>) -> Result<T, String> {
    let read = |error: &dyn std::fmt::Display| format!("not a game in Brenner bytes: {error}");
    let (start, moves) = standalone::start(bytes).map_err(|error| read(&error))?;
    // Comments and variations contain zero bytes. Explicit moves may also contain zero bytes; in this case, decoding
    // the string is unnecessary but harmless.
    if !moves.contains(&0) {
        return take(Stream { start: &start, bytes: moves });
    }
    let game = standalone::decode(bytes).map_err(|error| read(&error))?;
    let events = game.main_line().map(Event::Move).collect();
    let line = Game { tags: Vec::new(), start: game.start, events, outcome: game.outcome };
    let bytes = standalone::encode(&line).map_err(|error| read(&error))?;
    let (start, moves) = standalone::start(&bytes).map_err(|error| read(&error))?;
    take(Stream { start: &start, bytes: moves })
}

/// Returns the replay at a ply. Negative plies count from the end: -1 is the last position. `None` if the game has no
/// such ply.
///
/// Errors: the moves are damaged.
pub fn replay_at(stream: Stream<'_>, ply: i64) -> Result<Option<Replay>, String> {
    let target = if ply < 0 { i64::from(stream.plies()) + 1 + ply } else { ply };
    let Ok(target) = u32::try_from(target) else { return Ok(None) };
    let mut replay = Replay::new(stream.start);
    replay.run(stream.bytes, target).map_err(|error| error.to_string())?;
    Ok((replay.ply() == target).then_some(replay))
}

/// Calls `seen` with each move of the main line.
///
/// Errors: a move is illegal, or the string is invalid.
pub fn each_move(bytes: &[u8], mut seen: impl FnMut(&PlayedMove)) -> Result<(), String> {
    let game = standalone::decode(bytes).map_err(|error| format!("not a game in Brenner bytes: {error}"))?;
    for played in game.moves() {
        seen(&played);
    }
    Ok(())
}

/// Calls `seen` with the move played at a ply, and returns whether there is such a move. Negative plies count from the
/// end; -1 is the last position, in which no move is played.
///
/// Errors: those of `each_move`.
pub fn move_at(bytes: &[u8], ply: i64, seen: impl FnOnce(&PlayedMove)) -> Result<bool, String> {
    let game = standalone::decode(bytes).map_err(|error| format!("not a game in Brenner bytes: {error}"))?;
    let ply = if ply < 0 { game.main_line().count() as i64 + 1 + ply } else { ply };
    let Ok(ply) = usize::try_from(ply) else { return Ok(false) };
    let played = game.moves().nth(ply);
    if let Some(played) = &played {
        seen(played);
    }
    Ok(played.is_some())
}
