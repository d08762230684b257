//! The training games and the held-out games.

use scoresheet::archive::Archive;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::chess::{Move, Position};
use scoresheet::game::Outcome;
use scoresheet::{Import, ImportOptions};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kinds of games, each with its file or folder in the corpora.
pub const KINDS: [(&str, &str); 6] = [
    ("lichess", "lichess-2013-01-first70.pgn"),
    ("online", "online"),
    ("otb", "otb"),
    ("engine", "engine"),
    ("engine960", "engine960"),
    ("synthetic", "synthetic"),
];

/// A game's main line.
pub struct Game {
    pub kind: usize,
    /// `None` for the standard starting position.
    pub start: Option<Arc<Position>>,
    pub moves: Vec<Move>,
    pub outcome: Outcome,
    /// The stream as in the archive.
    pub stream: Vec<u8>,
}

/// Games sorted by purpose.
#[derive(Default)]
pub struct Games {
    pub train: Vec<Game>,
    /// One game in ten, by its moves.
    pub held_out: Vec<Game>,
    /// Games of sources that are held out completely.
    pub sources: Vec<Game>,
}

/// FNV-1a, 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3))
}

fn pgn_files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "pgn"));
    files.sort();
    Ok(files)
}

/// Reads the games of the corpora; the archives made from them stay in `cache`.
pub fn read(corpora: &Path, cache: &Path) -> Result<Games, Box<dyn std::error::Error>> {
    let mut all = Vec::new();
    let mut held_keys = HashSet::new();
    for (kind, (name, path)) in KINDS.into_iter().enumerate() {
        let target = cache.join(name).with_extension("bga");
        if !target.exists() {
            let files = pgn_files(&corpora.join(path))?;
            let options = ImportOptions { level: 1, ..Default::default() };
            Import::new(&target).options(options).run(&files)?;
        }
        let archive = Archive::open(&target)?;
        let mut aside = Vec::new();
        for source in archive.sources()? {
            let first = source.first_game;
            // A kind with a single file has no sources to hold out.
            if archive.sources()?.len() > 1 && hash(source.name.as_bytes()) % 10 == 3 {
                aside.push(first..first + (source.seen - source.rejected));
            }
        }
        for game in archive.games() {
            let game = game?;
            let held = aside.iter().any(|games| games.contains(&game.number()));
            let start = game.is_set_up().then(|| Arc::new(game.start().clone()));
            let stream = game.brenner().to_vec();
            let Some(moves) = main_line(game.start(), &stream) else { continue };
            if moves.is_empty() {
                continue;
            }
            let outcome = game.outcome().unwrap_or(Outcome::Unknown);
            let mut key = game.start().fen().into_bytes();
            key.extend(moves.iter().flat_map(|m| [m.from.index(), m.to.index()]));
            let key = hash(&key);
            if held {
                held_keys.insert(key);
            }
            all.push((key, held, Game { kind, start, moves, outcome, stream }));
        }
    }
    let mut games = Games::default();
    let mut seen = HashSet::new();
    for (key, held, game) in all {
        // Several collections may have the same game.
        if held {
            games.sources.push(game);
        } else if !held_keys.contains(&key) && seen.insert(key) {
            let to = if key.is_multiple_of(10) { &mut games.held_out } else { &mut games.train };
            to.push(game);
        }
    }
    Ok(games)
}

fn main_line(start: &Position, stream: &[u8]) -> Option<Vec<Move>> {
    let mut decoder = Decoder::new(stream, start.clone(), TextPlaces::Apart);
    let mut moves = Vec::new();
    while let Some(item) = decoder.advance(|_, _| {}).ok()? {
        if let (Item::Move(m), 0) = (item, decoder.depth()) {
            if m == Move::NULL {
                break;
            }
            moves.push(m);
        }
    }
    Some(moves)
}
