//! Converts positions and moves between this library and shakmaty, which is GPL and therefore not a part of it: `cargo
//! run -p oracle --example shakmaty -- games.bga 1`
//!
//! Positions are exchanged as FENs, and moves in UCI; both sides check their input.

use scoresheet::Archive;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use std::error::Error;

/// Converts a position to shakmaty.
fn to_shakmaty(position: &scoresheet::Position) -> Result<Chess, Box<dyn Error>> {
    Ok(position.fen().parse::<Fen>()?.into_position(CastlingMode::Chess960)?)
}

/// Converts a position from shakmaty.
fn from_shakmaty(position: &Chess) -> Result<scoresheet::Position, Box<dyn Error>> {
    Ok(Fen::from_position(position, EnPassantMode::Legal).to_string().parse()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, number] = &arguments[..] else { return Err("usage: shakmaty ARCHIVE.bga GAME".into()) };
    let archive = Archive::open(path)?;
    let game = archive.game(number.parse()?)?;
    let mut theirs = to_shakmaty(game.start())?;
    for played in game.moves() {
        let played = played?;
        let mut uci = Vec::new();
        played.before().write_uci(played.played(), true, &mut uci);
        let m = UciMove::from_ascii(&uci)?.to_move(&theirs)?;
        theirs = theirs.play(m)?;
        let ours = from_shakmaty(&theirs)?;
        // The boards agree, except for en passant targets and castling rights, which both write differently.
        let board = |fen: String| fen.split(' ').next().map(str::to_owned);
        assert_eq!(board(ours.fen()), board(played.fen()), "ply {}", played.ply());
        println!("{:>3} {:<7} {} moves in reply", played.ply(), played.san(), theirs.legal_moves().len());
    }
    Ok(())
}
