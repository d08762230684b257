//! Plays random games of all variants, and compares every ply with shakmaty, which is GPL and therefore not a part of this
//! library: `cargo run --release -p oracle --example variants -- 200000` (games of each variant).
//!
//! Compares the legal moves, the FEN, and the SAN of the played move.

use rayon::prelude::*;
use scoresheet::chess::{Position, Variant};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::variant::{Variant as TheirVariant, VariantPosition};
use shakmaty::{CastlingMode, EnPassantMode, Position as _};

fn theirs_of(variant: Variant) -> TheirVariant {
    match variant {
        Variant::Chess => TheirVariant::Chess,
        Variant::Crazyhouse => TheirVariant::Crazyhouse,
        Variant::Atomic => TheirVariant::Atomic,
        Variant::Antichess => TheirVariant::Antichess,
        Variant::Horde => TheirVariant::Horde,
        Variant::ThreeCheck => TheirVariant::ThreeCheck,
        Variant::KingOfTheHill => TheirVariant::KingOfTheHill,
        Variant::RacingKings => TheirVariant::RacingKings,
    }
}

/// Plays a game of at most 160 plies. Returns the number of plies.
fn play(variant: Variant, seed: u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % below.max(1)
    };
    let (mut ours, mut theirs) = (variant.start(), VariantPosition::new(theirs_of(variant)));
    for ply in 0..160 {
        let fen = Fen::from_position(&theirs, EnPassantMode::Always).to_string();
        let mut read = Position::from_fen_of(variant, &fen).unwrap();
        if variant == Variant::Crazyhouse {
            // shakmaty counts no clock where no draw can be claimed.
            read.set_clocks(ours.halfmove_clock(), ours.fullmove_number());
        }
        assert_eq!(read.fen(), ours.fen(), "{variant}, {fen}");
        let mut moves: Vec<(String, shakmaty::Move)> =
            theirs.legal_moves().into_iter().map(|m| (m.to_uci(CastlingMode::Standard).to_string(), m)).collect();
        moves.sort_by(|left, right| left.0.cmp(&right.0));
        let mut known: Vec<String> = ours.legal_moves().iter().map(|m| ours.uci(*m)).collect();
        known.sort();
        assert!(known.iter().eq(moves.iter().map(|(uci, _)| uci)), "{variant}, {fen}: {known:?} {moves:?}");
        if moves.is_empty() {
            return ply;
        }
        let captures: Vec<usize> = (0..moves.len()).filter(|at| moves[*at].1.is_capture()).collect();
        let at = match captures.len() {
            0 => random(moves.len()),
            _ if random(10) < 7 => random(moves.len()),
            number => captures[random(number)],
        };
        let (uci, m) = &moves[at];
        let ours_m = ours.parse_uci(uci).unwrap();
        let san = SanPlus::from_move_and_play_unchecked(&mut theirs, *m).to_string();
        assert_eq!(ours.san(ours_m), san, "{variant}, {fen}");
        assert_eq!(ours.parse_san(&san), Ok(ours_m), "{variant}, {fen}");
        ours.play(ours_m).unwrap();
        let _: UciMove = uci.parse().unwrap();
    }
    160
}

fn main() {
    let games: u64 = std::env::args().nth(1).and_then(|games| games.parse().ok()).unwrap_or(1000);
    for variant in Variant::ALL {
        let plies: u64 = (0..games).into_par_iter().map(|seed| play(variant, seed + 1)).sum();
        println!("{variant}: {games} games, {plies} plies equal");
    }
}
