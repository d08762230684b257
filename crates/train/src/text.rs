//! The formats of text: `.plain`, with a line for each field, and bullet's lines `FEN | score | result`.

use crate::board::check;
use crate::game::{Entry, outcome, saturated, white_score};
use crate::records::Row;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::chess::{Move, Position};
use scoresheet::game::Outcome;
use std::io::Write;

/// Returns the first line without its end, and its length with the end. Returns `None` if the line has no end, unless
/// the text ends with it.
fn line(bytes: &[u8], at_end: bool) -> Option<(&str, usize)> {
    let (line, used) = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&bytes[..end], end + 1),
        None if at_end && !bytes.is_empty() => (bytes, bytes.len()),
        None => return None,
    };
    // Text that is not UTF-8 has no field.
    Some((std::str::from_utf8(line).unwrap_or("\u{FFFD}").trim(), used))
}

fn position(fen: &str) -> Result<Position, &'static str> {
    let position = Position::from_fen(fen).map_err(|_| "the FEN is invalid")?;
    check(&position).map(|()| position)
}

/// Reads the `.plain` entry at the beginning of a text; returns the entry and its length.
///
/// Errors: the length of the entry, and what is wrong. Without an end, the length is that of the text.
pub fn read_plain(bytes: &[u8], at_end: bool) -> Result<(Row, usize), (usize, &'static str)> {
    let (mut fen, mut played, mut score, mut ply, mut result) = (None, None, None, None, None);
    let mut used = 0;
    loop {
        let rest = bytes.get(used..).unwrap_or_default();
        let (line, length) = line(rest, at_end).ok_or((bytes.len(), "the entry is cut off"))?;
        used += length;
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let value = value.trim();
        match key {
            "fen" => fen = Some(value),
            "move" => played = Some(value),
            "score" => score = value.parse::<i16>().ok(),
            "ply" => ply = value.parse::<u32>().ok(),
            "result" => result = value.parse::<i8>().ok(),
            "e" => break,
            // Other keys belong to other programs.
            _ => {}
        }
    }
    let entry = || {
        let position = position(fen.ok_or("no fen")?)?;
        let played = position.parse_uci(played.ok_or("no move")?).map_err(|_| "the move is illegal")?;
        let turn = position.turn();
        let result = result.and_then(|result| outcome(result.wrapping_add(1) as u8, turn)).ok_or("no result")?;
        let ply = ply.ok_or("no ply")?;
        Ok(Row { position, played, score: white_score(score.ok_or("no score")?, turn), outcome: result, ply })
    };
    entry().map(|row| (row, used)).map_err(|reason| (used, reason))
}

/// Appends a `.plain` entry.
pub fn push_plain(entry: &Entry<'_>, played: Move, out: &mut Vec<u8>) {
    out.extend(b"fen ");
    push_fen(entry, out);
    out.extend(b"\nmove ");
    entry.position.write_uci(played, false, out);
    // Writing to a vector does not fail.
    let _ = write!(
        out,
        "\nscore {}\nply {}\nresult {}\ne\n",
        entry.relative_score(),
        entry.complete_ply,
        entry.relative_result()
    );
}

/// Reads the first line of bullet's text; returns the position, White's score, the result and the length of the line.
/// A blank line is `None`.
#[allow(clippy::type_complexity)]
pub fn read_bullet_line(
    bytes: &[u8],
    at_end: bool,
) -> Result<(Option<(Position, Option<i32>, Outcome)>, usize), (usize, &'static str)> {
    let (line, used) = line(bytes, at_end).ok_or((bytes.len(), "the line is cut off"))?;
    if line.is_empty() {
        return Ok((None, used));
    }
    let entry = || {
        let mut fields = line.split('|').map(str::trim);
        let (Some(fen), Some(score), Some(result), None) = (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err("not three fields");
        };
        // At the end of a file, 0 may be the beginning of 0.5.
        let is_complete = bytes.get(used - 1) == Some(&b'\n');
        let outcome = match result {
            "1.0" => Outcome::WhiteWins,
            "1" if is_complete => Outcome::WhiteWins,
            "0.5" => Outcome::Draw,
            "0.0" => Outcome::BlackWins,
            "0" if is_complete => Outcome::BlackWins,
            _ => return Err("no result"),
        };
        let score: i16 = score.parse().map_err(|_| "no score")?;
        Ok(Some((position(fen)?, Some(score.into()), outcome)))
    };
    entry().map(|entry| (entry, used)).map_err(|reason| (used, reason))
}

/// Appends a line of bullet's text.
pub fn push_bullet_line(entry: &Entry<'_>, out: &mut Vec<u8>) {
    push_fen(entry, out);
    let result = ["0.0", "0.5", "1.0"][usize::from(entry.white_result().min(2))];
    let score = entry.score.map_or(crate::game::NO_SCORE, saturated);
    let _ = writeln!(out, " | {score} | {result}");
}

/// Appends the FEN with the entry's en passant target.
fn push_fen(entry: &Entry<'_>, out: &mut Vec<u8>) {
    let style = if entry.en_passant.is_some() { EnPassantStyle::Always } else { EnPassantStyle::Legal };
    // Without a target of the entry, no capture is legal, and the legal style omits the target.
    entry.position.write_fen(out, style, CastlingStyle::XFen);
}
