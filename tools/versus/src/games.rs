//! The games, in the form of each library.

use crate::Failure;
use scoresheet::Archive;
use scoresheet::Existing;
use scoresheet::Import;
use scoresheet::archive::{MODEL, TranscodeOptions};
use scoresheet::brenner::replay::Replay;
use scoresheet::chess::fen::FenText;
use scoresheet::chess::{Move, MoveKind, Position, Role};
use scoresheet::format::moves::Coding;
use scoresheet::import::ImportOptions;
use shakmaty::{Chess, EnPassantMode, Position as _};
use std::fmt::Write;
use std::path::Path;

/// The number of games in a slice.
pub const SLICE: usize = 100;

pub struct Games<'a> {
    pub archive: &'a Archive,
    /// The same archive with its moves packed.
    pub packed: &'a Archive,
    /// The Brenner bytes.
    pub ours: Vec<scoresheet::archive::GameRef<'a>>,
    pub shakmaty: Vec<Vec<shakmaty::Move>>,
    pub cozy: Vec<Vec<cozy_chess::Move>>,
    /// Standard export format, with moves only.
    pub pgn: Vec<String>,
    pub plies: u64,
}

/// Imports the file into a new archive.
pub fn import(file: &Path, target: &Path) -> Result<(), Failure> {
    import_with(file, target, &ImportOptions { existing: Existing::Refuse, ..ImportOptions::default() })
}

/// Imports the file.
pub fn import_with(file: &Path, target: &Path, options: &ImportOptions) -> Result<(), Failure> {
    let summary = Import::new(target).options(options.clone()).run(&[file.to_path_buf()])?;
    summary.stopped.map_or(Ok(()), |error| Err(error.into()))
}

/// Packs an archive into a new one, at the smallest size.
pub fn pack(archive: &Archive, target: &Path) -> Result<(), Failure> {
    let options = TranscodeOptions { coding: Coding::Packed(MODEL), level: Some(19), ..TranscodeOptions::default() };
    archive.transcode(target, &options, |_| {})?;
    Ok(())
}

impl<'a> Games<'a> {
    /// Takes the first games of standard chess without null moves.
    pub fn load(archive: &'a Archive, packed: &'a Archive, most: usize) -> Result<Games<'a>, Failure> {
        let mut games = Games { archive, packed, ours: vec![], shakmaty: vec![], cozy: vec![], pgn: vec![], plies: 0 };
        for game in archive.games() {
            let game = game?;
            if game.is_set_up() || game.has_fault() {
                continue;
            }
            let moves: Vec<Move> = game.to_game()?.main_line().collect();
            if moves.is_empty() || moves.contains(&Move::NULL) {
                continue;
            }
            games.add(game, &moves)?;
            if games.len() == most {
                break;
            }
        }
        // Only complete slices.
        let complete = games.len() / SLICE * SLICE;
        if complete == 0 {
            return Err(format!("fewer than {SLICE} games of standard chess").into());
        }
        games.plies = games.shakmaty[..complete].iter().map(|moves| moves.len() as u64).sum();
        games.ours.truncate(complete);
        games.shakmaty.truncate(complete);
        games.cozy.truncate(complete);
        games.pgn.truncate(complete);
        Ok(games)
    }

    fn add(&mut self, game: scoresheet::archive::GameRef<'a>, moves: &[Move]) -> Result<(), Failure> {
        let (mut position, mut chess) = (Position::standard(), Chess::default());
        let (mut theirs, mut cozy, mut pgn) = (Vec::new(), Vec::new(), String::new());
        for (ply, m) in moves.iter().enumerate() {
            let uci = uci(*m);
            let m2 = uci.parse::<shakmaty::uci::UciMove>()?.to_move(&chess)?;
            cozy.push(uci.parse::<cozy_chess::Move>().map_err(|_| "not a move of cozy-chess")?);
            if ply % 2 == 0 {
                write!(pgn, "{}. ", ply / 2 + 1)?;
            }
            write!(pgn, "{} ", position.san(*m))?;
            position.play_unchecked(*m);
            chess.play_unchecked(m2);
            theirs.push(m2);
        }
        pgn.push_str("*\n\n");
        self.ours.push(game);
        self.shakmaty.push(theirs);
        self.cozy.push(cozy);
        self.pgn.push(pgn);
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.shakmaty.len()
    }

    pub fn slices(&self) -> usize {
        self.len() / SLICE
    }

    /// Compares the state at each ply of each game: the FEN with shakmaty, placement and turn with cozy-chess, the key
    /// with a key computed from the board. Returns a checksum.
    pub fn compare(&self) -> Result<u64, Failure> {
        let mut sum = 0;
        for (number, game) in self.ours.iter().enumerate() {
            let (mut ours, mut text) = (Vec::new(), FenText::default());
            Replay::new(game.start()).walk_keys(game.brenner(), |state, key| {
                ours.push((state.fen(&mut text).to_vec(), key));
            })?;
            let (mut chess, mut board) = (Chess::default(), cozy_chess::Board::default());
            let mut moves = self.shakmaty[number].iter().zip(&self.cozy[number]);
            for (ply, (fen, key)) in ours.iter().enumerate() {
                let theirs = shakmaty::fen::Fen::from_position(&chess, EnPassantMode::Always).to_string();
                let wrong = |what: &str| format!("game {}, ply {ply}: {what}", game.number());
                if *fen != theirs.as_bytes() {
                    return Err(wrong(&format!("{} and {theirs}", String::from_utf8_lossy(fen))).into());
                }
                if Position::from_fen(fen)?.zobrist() != *key {
                    return Err(wrong("the key").into());
                }
                let cozy = board.to_string();
                let two = |fen: &[u8]| fen.split(|byte| *byte == b' ').take(2).map(<[u8]>::to_vec).collect::<Vec<_>>();
                if two(fen) != two(cozy.as_bytes()) {
                    return Err(wrong(&cozy).into());
                }
                sum = fen.iter().fold(sum ^ key, |sum: u64, byte| {
                    (sum ^ u64::from(*byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
                });
                if let Some((m, cozy_move)) = moves.next() {
                    chess.play_unchecked(*m);
                    board.try_play(*cozy_move).map_err(|_| wrong("illegal for cozy-chess"))?;
                }
            }
            if moves.next().is_some() || ours.len() != self.shakmaty[number].len() + 1 {
                return Err(format!("game {}: another number of plies", game.number()).into());
            }
        }
        Ok(sum)
    }
}

/// Returns the move in UCI for Chess960, which all libraries here read: the king goes to its rook.
fn uci(m: Move) -> String {
    let letter = |role| match role {
        Role::Knight => "n",
        Role::Bishop => "b",
        Role::Rook => "r",
        _ => "q",
    };
    match m.kind {
        MoveKind::Promotion(role) => format!("{}{}{}", m.from, m.to, letter(role)),
        _ => format!("{}{}", m.from, m.to),
    }
}

/// Pseudo-random numbers, the same in each run.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}
