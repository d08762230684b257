//! The races: each kind of work, with each library that can do it.

use crate::Failure;
use crate::games::{Games, Random, SLICE};
use crate::race::{Contestant, Row, race};
use aix_chess_compression::{CompressionLevel, Decode, Decoder, Encode, EncodedGame, Encoder};
use rayon::prelude::*;
use scoresheet::Archive;
use scoresheet::brenner::replay::Replay;
use scoresheet::chess::Position;
use scoresheet::chess::fen::FenText;
use scoresheet::packed;
use scoresheet::pgn::{ReadOptions, Splitter, read_game};
use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position as _};
use std::fmt;
use std::hint::black_box;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

fn of(slice: usize) -> Range<usize> {
    slice * SLICE..slice * SLICE + SLICE
}

fn contestant<'a>(name: &'static str, work: impl FnMut(usize) -> u64 + 'a) -> Contestant<'a> {
    (name, Box::new(work))
}

/// From the moves to the last position.
pub fn replay(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    let contestants = vec![
        contestant("scoresheet, Brenner bytes", |slice| {
            let mut plies = 0;
            for game in &games.ours[of(slice)] {
                let mut replay = Replay::new(game.start());
                let _ = replay.run(game.brenner(), u32::MAX);
                plies += u64::from(black_box(&replay).ply());
            }
            plies
        }),
        contestant("shakmaty, play_unchecked", |slice| {
            let mut plies = 0;
            for moves in &games.shakmaty[of(slice)] {
                let mut chess = Chess::default();
                for m in moves {
                    chess.play_unchecked(*m);
                }
                black_box(&chess);
                plies += moves.len() as u64;
            }
            plies
        }),
        contestant("cozy-chess, play_unchecked", |slice| {
            let mut plies = 0;
            for moves in &games.cozy[of(slice)] {
                let mut board = cozy_chess::Board::default();
                for m in moves {
                    board.play_unchecked(*m);
                }
                black_box(&board);
                plies += moves.len() as u64;
            }
            plies
        }),
    ];
    Ok(race("replay to the full state", "ns a ply", games.plies, games.slices(), rounds, 3, contestants))
}

/// The key of each position.
pub fn keys(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    let contestants = vec![
        contestant("scoresheet, walk_keys", |slice| {
            let (mut sum, mut keys) = (0u64, 0);
            for game in &games.ours[of(slice)] {
                let _ = Replay::new(game.start()).walk_keys(game.brenner(), |_, key| {
                    sum = sum.wrapping_add(key);
                    keys += 1;
                });
            }
            black_box(sum);
            keys
        }),
        contestant("shakmaty, update_zobrist_hash", |slice| {
            let (mut sum, mut keys) = (0u64, 0);
            for moves in &games.shakmaty[of(slice)] {
                let mut chess = Chess::default();
                let mut key: Zobrist64 = chess.zobrist_hash(EnPassantMode::Legal);
                sum = sum.wrapping_add(key.0);
                for m in moves {
                    let next = chess.update_zobrist_hash(key, *m, EnPassantMode::Legal);
                    chess.play_unchecked(*m);
                    key = next.unwrap_or_else(|| chess.zobrist_hash(EnPassantMode::Legal));
                    sum = sum.wrapping_add(key.0);
                }
                keys += moves.len() as u64 + 1;
            }
            black_box(sum);
            keys
        }),
        contestant("cozy-chess, hash", |slice| {
            let (mut sum, mut keys) = (0u64, 0);
            for moves in &games.cozy[of(slice)] {
                let mut board = cozy_chess::Board::default();
                sum = sum.wrapping_add(board.hash());
                for m in moves {
                    board.play_unchecked(*m);
                    sum = sum.wrapping_add(board.hash());
                }
                keys += moves.len() as u64 + 1;
            }
            black_box(sum);
            keys
        }),
    ];
    Ok(race(
        "replay with the Zobrist key of each position",
        "ns a ply",
        games.plies,
        games.slices(),
        rounds,
        3,
        contestants,
    ))
}

/// FENs of existing positions.
pub fn fen(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    // Every tenth position of a part of the games: irregular, but few enough for a cache. Each contestant writes the
    // positions of a slice four times. The time then measures the writing, and not the cache content left by others.
    const TIMES: u64 = 4;
    let slices = games.slices().min(40);
    let (mut ours, mut theirs) = (Vec::<Vec<Position>>::new(), Vec::<Vec<Chess>>::new());
    for slice in 0..slices {
        let (mut some, mut others) = (Vec::new(), Vec::new());
        for number in of(slice) {
            let mut chess = Chess::default();
            let mut moves = games.shakmaty[number].iter();
            games.ours[number].walk(|state| {
                if state.ply() % 10 == 3 {
                    some.push(state.position());
                    others.push(chess.clone());
                }
                if let Some(m) = moves.next() {
                    chess.play_unchecked(*m);
                }
            })?;
        }
        ours.push(some);
        theirs.push(others);
    }
    let mut text = FenText::default();
    let (mut vec, mut buffer) = (Vec::with_capacity(128), Vec::with_capacity(128));
    let contestants = vec![
        contestant("scoresheet, FenText", |slice| {
            (0..TIMES).map(|_| ours[slice].iter().map(|position| sum(text.format(position))).sum::<u64>()).sum()
        }),
        contestant("scoresheet, write_fen to a Vec", |slice| {
            let mut all = 0;
            for position in (0..TIMES).flat_map(|_| &ours[slice]) {
                vec.clear();
                position.write_fen(&mut vec, Default::default(), Default::default());
                all += sum(&vec);
            }
            all
        }),
        contestant("shakmaty, append_ascii_to", |slice| {
            let mut all = 0;
            for chess in (0..TIMES).flat_map(|_| &theirs[slice]) {
                buffer.clear();
                Fen::from_position(chess, EnPassantMode::Always).append_ascii_to(&mut buffer);
                all += sum(&buffer);
            }
            all
        }),
        contestant("shakmaty, to_string", |slice| {
            (0..TIMES)
                .flat_map(|_| &theirs[slice])
                .map(|chess| sum(Fen::from_position(chess, EnPassantMode::Always).to_string().as_bytes()))
                .sum()
        }),
    ];
    let count = TIMES * ours.iter().map(|slice| slice.len() as u64).sum::<u64>();
    Ok(race("FEN of a position", "ns a FEN", count, slices, rounds, 4, contestants))
}

/// A cheap checksum that detects any changed part of a FEN.
fn sum(fen: &[u8]) -> u64 {
    let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    let last = fen.len().saturating_sub(8);
    (word(fen) ^ word(&fen[last..]).rotate_left(9) ^ word(&fen[fen.len() / 2..]).rotate_left(23)) >> 8
}

/// Replay with the FEN of each position.
pub fn every_fen(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    let slices = games.slices().min(40);
    let plies = games.shakmaty[..slices * SLICE].iter().map(|moves| moves.len() as u64).sum();
    let (mut text, mut buffer) = (FenText::default(), Vec::with_capacity(128));
    let contestants = vec![
        contestant("scoresheet, walk", |slice| {
            let mut all = 0u64;
            for game in &games.ours[of(slice)] {
                let _ = game.walk(|state| all = all.wrapping_add(sum(state.fen(&mut text))));
            }
            all
        }),
        contestant("shakmaty", |slice| {
            let mut all = 0u64;
            for moves in &games.shakmaty[of(slice)] {
                let mut chess = Chess::default();
                let mut add = |chess: &Chess| {
                    buffer.clear();
                    Fen::from_position(chess, EnPassantMode::Always).append_ascii_to(&mut buffer);
                    all = all.wrapping_add(sum(&buffer));
                };
                add(&chess);
                for m in moves {
                    chess.play_unchecked(*m);
                    add(&chess);
                }
            }
            all
        }),
    ];
    Ok(race("replay with the FEN of each position", "ns a ply", plies, slices, rounds, 2, contestants))
}

/// The games in each level of aix.
fn aix(games: &Games<'_>, level: CompressionLevel) -> Result<Vec<Vec<u8>>, Failure> {
    games
        .shakmaty
        .iter()
        .map(|moves| {
            let mut encoder = Encoder::new(level);
            for m in moves {
                encoder.encode_move(*m).map_err(|_| "aix cannot encode a game")?;
            }
            Ok(encoder.finish().into_bytes())
        })
        .collect()
}

/// The packed games.
fn packed(games: &Games<'_>) -> Vec<Vec<u8>> {
    let pack = |game: &scoresheet::archive::GameRef<'_>| {
        let mut bytes = Vec::new();
        packed::encode(game.start(), game.brenner(), &mut bytes);
        bytes
    };
    games.ours.iter().map(pack).collect()
}

/// Game N, ply K to FEN.
pub fn access(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    let low = aix(games, CompressionLevel::Low)?;
    // Random pairs, the same in each run: 500 per slice.
    let mut random = Random(0x2013_0101);
    let mut random = |below: usize| random.below(below as u64) as usize;
    let slices = 40;
    let pairs: Vec<Vec<(usize, u32)>> = (0..slices)
        .map(|_| {
            let pair = |_| {
                let game = random(games.len());
                (game, random(games.shakmaty[game].len() + 1) as u32)
            };
            (0..500).map(pair).collect()
        })
        .collect();
    let ours = |archive: &Archive, slice: usize| {
        let (mut all, mut text) = (0, FenText::default());
        for (game, ply) in &pairs[slice] {
            if let Ok(replay) = archive.replay(games.ours[*game].number(), *ply) {
                all += sum(replay.state().fen(&mut text));
            }
        }
        all
    };
    let mut buffer = Vec::with_capacity(128);
    let contestants = vec![
        contestant("scoresheet, archive on disk", |slice| ours(games.archive, slice)),
        contestant("scoresheet, packed archive", |slice| ours(games.packed, slice)),
        contestant("aix low, games in memory", |slice| {
            let mut all = 0;
            for (game, ply) in &pairs[slice] {
                let Ok(encoded) = EncodedGame::from_bytes(&low[*game]) else { continue };
                let mut decoder = Decoder::new(&encoded);
                let mut fen = |chess: &Chess| {
                    buffer.clear();
                    Fen::from_position(chess, EnPassantMode::Always).append_ascii_to(&mut buffer);
                    all += sum(&buffer);
                };
                let mut at = 0;
                if *ply == 0 {
                    fen(&Chess::default());
                }
                while at < *ply {
                    let Some(Ok(chess)) = next_position(&mut decoder) else { break };
                    at += 1;
                    if at == *ply {
                        fen(chess);
                    }
                }
            }
            all
        }),
    ];
    Ok(race("game N, ply K to FEN, warm", "ns a question", slices as u64 * 500, slices, rounds, 3, contestants))
}

fn next_position<'a>(decoder: &'a mut Decoder<'_>) -> Option<Result<&'a Chess, ()>> {
    let next = match decoder {
        Decoder::Naive(decoder) => decoder.next_position(),
        Decoder::CompactIndex(decoder) => decoder.next_position(),
        Decoder::Huffman(decoder) => decoder.next_position(),
    };
    next.map(|position| position.map_err(|_| ()))
}

/// From the stored bytes to every position.
pub fn decode(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    let slices = games.slices().min(20);
    let plies = games.shakmaty[..slices * SLICE].iter().map(|moves| moves.len() as u64).sum();
    let [low, medium, high] =
        [CompressionLevel::Low, CompressionLevel::Medium, CompressionLevel::High].map(|level| aix(games, level));
    let (low, medium, high, packed) = (low?, medium?, high?, packed(games));
    let positions = |encoded: &[Vec<u8>], slice: usize| {
        let mut count = 0;
        for game in &encoded[of(slice)] {
            let Ok(encoded) = EncodedGame::from_bytes(game) else { continue };
            let mut decoder = Decoder::new(&encoded);
            while let Some(Ok(chess)) = next_position(&mut decoder) {
                count += u64::from(black_box(chess).turn().is_black() || chess.turn().is_white());
            }
        }
        count
    };
    let contestants = vec![
        contestant("scoresheet, walk", |slice| {
            let mut count = 0;
            for game in &games.ours[of(slice)] {
                let _ = game.walk(|state| count += u64::from(black_box(state).ply() > 0));
            }
            count
        }),
        contestant("scoresheet, every move checked", |slice| {
            let mut count = 0;
            for game in &games.ours[of(slice)] {
                let _ = game.positions(|position| {
                    black_box(position);
                    count += 1;
                });
            }
            count - SLICE as u64
        }),
        contestant("scoresheet, packed", |slice| {
            let (mut count, mut stream) = (0, Vec::new());
            for (game, bytes) in games.ours[of(slice)].iter().zip(&packed[of(slice)]) {
                stream.clear();
                let _ = packed::decode(game.start(), bytes, None, &mut stream);
                let _ = Replay::new(game.start()).walk(&stream, |state| count += u64::from(black_box(state).ply() > 0));
            }
            count
        }),
        contestant("aix low", |slice| positions(&low, slice)),
        contestant("aix medium", |slice| positions(&medium, slice)),
        contestant("aix high (chess-huffman)", |slice| positions(&high, slice)),
    ];
    Ok(race("stored bytes to every position", "ns a ply", plies, slices, rounds.min(5), 6, contestants))
}

/// From PGN text, moves only, to the last position: the first step of an import.
pub fn pgn(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    // After one tag each, which marks the start of a game.
    let text = |number: usize| Ok(format!("[Event \"?\"]\n\n{}", games.pgn[number]).into_bytes());
    pgn_of(games, "PGN text to the last position (moves alone)", text, rounds)
}

/// The same with the complete text of the file: tags and comments are skipped.
pub fn complete_pgn(games: &Games<'_>, rounds: usize) -> Result<Row, Failure> {
    let text = |number: usize| {
        let mut writer = scoresheet::pgn::PgnWriter::new();
        games.ours[number].write_pgn(&mut writer)?;
        Ok(writer.as_bytes().to_vec())
    };
    pgn_of(games, "PGN text with all tags to the last position", text, rounds)
}

fn pgn_of(
    games: &Games<'_>,
    title: &str,
    text: impl Fn(usize) -> Result<Vec<u8>, scoresheet::Error>,
    rounds: usize,
) -> Result<Row, Failure> {
    use pgn_reader::{Reader, SanPlus, Skip, Visitor};
    use std::ops::ControlFlow;
    struct Last(u64);
    impl Visitor for Last {
        type Tags = ();
        type Movetext = Chess;
        type Output = u64;
        fn begin_tags(&mut self) -> ControlFlow<u64> {
            ControlFlow::Continue(())
        }
        fn begin_movetext(&mut self, (): ()) -> ControlFlow<u64, Chess> {
            ControlFlow::Continue(Chess::default())
        }
        fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<u64, Skip> {
            ControlFlow::Continue(Skip(true))
        }
        fn san(&mut self, chess: &mut Chess, san: SanPlus) -> ControlFlow<u64> {
            let Ok(m) = san.san.to_move(chess) else { return ControlFlow::Break(0) };
            chess.play_unchecked(m);
            self.0 += 1;
            ControlFlow::Continue(())
        }
        fn end_game(&mut self, chess: Chess) -> u64 {
            black_box(&chess);
            std::mem::take(&mut self.0)
        }
    }
    /// Counts moves; the reader has checked and played them.
    struct Plies(u64);
    impl scoresheet::Visitor for Plies {
        fn play(&mut self, before: &Position, m: scoresheet::chess::Move) {
            black_box((before, m));
            self.0 += 1;
        }
    }
    let options = ReadOptions::default();
    let slices = games.slices().min(40);
    let slice = |slice: usize| of(slice).map(&text).collect::<Result<Vec<_>, _>>().map(|texts| texts.concat());
    let texts = (0..slices).map(slice).collect::<Result<Vec<_>, _>>()?;
    let bytes = texts.iter().map(|text| text.len() as u64).sum();
    let contestants = vec![
        contestant("scoresheet, splitter and read_game", |slice| {
            let mut plies = Plies(0);
            let mut splitter = Splitter::new(texts[slice].as_slice(), 0, options.limits);
            while let Ok(Some(piece)) = splitter.next_batch(1 << 20) {
                for span in &piece.spans {
                    black_box(read_game(piece.span(span), 0, &options, &mut plies));
                }
            }
            plies.0
        }),
        contestant("pgn-reader and shakmaty", |slice| {
            let mut reader = Reader::new(texts[slice].as_slice());
            let (mut last, mut plies) = (Last(0), 0);
            while let Ok(Some(game)) = reader.read_game(&mut last) {
                plies += game;
            }
            plies
        }),
    ];
    Ok(race(title, "ns a byte", bytes, slices, rounds, 2, contestants))
}

/// All positions of the archive, on one thread and on two; the other library has its moves in memory.
pub fn scans(archive: &Archive, path: &Path, games: &Games<'_>, rounds: usize) -> Result<Vec<Row>, Failure> {
    let totals = archive.totals()?;
    let positions = totals.plies + totals.games;
    let mut rows = Vec::new();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut best = [Duration::MAX; 5];
        for _ in 0..rounds {
            let mut time = |number: usize,
                            work: &(dyn Fn() -> Result<u64, scoresheet::Error> + Sync),
                            expected: u64| {
                let start = Instant::now();
                let found = pool.install(work)?;
                best[number] = best[number].min(start.elapsed());
                if found == expected { Ok(()) } else { Err(Failure::from("a scan that has not seen every position")) }
            };
            time(0, &|| chunks(archive, |chunk, count| chunk.walk(|_, state| *count += seen(state.ply()))), positions)?;
            time(1, &|| chunks(archive, |chunk, count| chunk.walk_keys(|_, _, key| *count += seen(key))), positions)?;
            time(
                2,
                &|| chunks(archive, |chunk, count| chunk.ends(|_, state| *count += u64::from(state.ply()) + 1)),
                positions,
            )?;
            // Data of an archive is checked only at the first read.
            let anew = Archive::open(path)?;
            time(4, &|| chunks(&anew, |chunk, count| chunk.walk(|_, state| *count += seen(state.ply()))), positions)?;
            let theirs = || {
                let count = |moves: &Vec<shakmaty::Move>| {
                    let mut chess = Chess::default();
                    for m in moves {
                        chess.play_unchecked(*m);
                        black_box(&chess);
                    }
                    moves.len() as u64 + 1
                };
                Ok(games.shakmaty.par_iter().with_min_len(SLICE).map(count).sum())
            };
            time(3, &theirs, games.plies + games.len() as u64)?;
        }
        let each = |time: Duration, count: u64| time.as_nanos() as f64 / count.max(1) as f64;
        let theirs = each(best[3], games.plies + games.len() as u64);
        let mut results = vec![("scoresheet, walk", each(best[0], positions))];
        results.push(("scoresheet, walk, with all checksums", each(best[4], positions)));
        results.push(("scoresheet, walk_keys", each(best[1], positions)));
        results.push(("scoresheet, ends", each(best[2], positions)));
        results.push(("shakmaty, moves in memory", theirs));
        rows.push(Row { title: format!("scan of all positions, {threads} thread(s)"), unit: "ns a position", results });
    }
    Ok(rows)
}

fn seen<T>(state: T) -> u64 {
    black_box(state);
    1
}

/// Adds up the result of `work` for each chunk, on rayon's threads.
pub fn chunks(
    archive: &Archive,
    work: impl Fn(scoresheet::archive::Chunk<'_>, &mut u64) -> scoresheet::error::Result<()> + Sync,
) -> Result<u64, scoresheet::Error> {
    let of_chunk = |chunk| {
        let mut count = 0;
        work(archive.chunk(chunk)?, &mut count)?;
        Ok(count)
    };
    (0..archive.chunk_count()).into_par_iter().map(of_chunk).sum()
}

/// The number of bits per ply.
pub struct Sizes(Vec<(&'static str, f64)>);

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nmoves alone, bits a ply; tags, comments and offsets not counted")?;
        self.0.iter().try_for_each(|(name, bits)| writeln!(f, "  {name:<34}{bits:>11.2}"))
    }
}

/// The size of the moves in each form.
pub fn sizes(games: &Games<'_>) -> Result<Sizes, Failure> {
    let bits = |bytes: usize| bytes as f64 * 8.0 / games.plies as f64;
    let ours: Vec<u8> = games.ours.iter().flat_map(|game| game.brenner().iter().copied()).collect();
    let text = games.pgn.concat();
    let total = |games: Vec<Vec<u8>>| games.iter().map(Vec::len).sum::<usize>();
    let mut huffman = 0;
    for moves in &games.shakmaty {
        huffman +=
            chess_huffman::encode_game(moves).map_err(|_| "chess-huffman cannot encode a game")?.to_bytes().len();
    }
    Ok(Sizes(vec![
        ("PGN", bits(text.len())),
        ("zstd -19 of the PGN, as a whole", bits(zstd::encode_all(text.as_bytes(), 19)?.len())),
        ("scoresheet, Brenner bytes", bits(ours.len())),
        ("zstd -19 of these, as a whole", bits(zstd::encode_all(ours.as_slice(), 19)?.len())),
        ("scoresheet, packed", bits(total(packed(games)))),
        ("aix low", bits(total(aix(games, CompressionLevel::Low)?))),
        ("aix medium", bits(total(aix(games, CompressionLevel::Medium)?))),
        ("aix high", bits(total(aix(games, CompressionLevel::High)?))),
        ("chess-huffman", bits(huffman)),
    ]))
}

/// The size of complete files, with everything kept.
pub struct Archives(Vec<(&'static str, f64)>);

impl fmt::Display for Archives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nwhole files, bytes a game; archives with their indexes, everything kept")?;
        self.0.iter().try_for_each(|(name, bytes)| writeln!(f, "  {name:<34}{bytes:>11.2}"))
    }
}

/// The file, its zstd form, and the plain and packed archives made from it.
pub fn archives(file: &Path, archives: &[&Path; 2], games: u64) -> Result<Archives, Failure> {
    let each = |bytes: u64| bytes as f64 / games.max(1) as f64;
    let size = |path: &Path| -> Result<u64, Failure> {
        let length = |path: &Path| std::fs::metadata(path).map(|file| file.len());
        Ok(length(path)? + length(&path.with_extension("bgi"))?)
    };
    let pgn = std::fs::read(file)?;
    Ok(Archives(vec![
        ("the file", each(pgn.len() as u64)),
        ("zstd -19 of it, as a whole", each(zstd::encode_all(pgn.as_slice(), 19)?.len() as u64)),
        ("scoresheet import", each(size(archives[0])?)),
        ("scoresheet pack --level 19", each(size(archives[1])?)),
    ]))
}
