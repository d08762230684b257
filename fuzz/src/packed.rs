//! Packed moves: streams made from any bytes, and archives that contain them.

use super::{Choices, Stream, apart, fix_checksums, game, golden, mutate, read_everything};
use scoresheet::ArchiveFile;
use scoresheet::archive::{Archive, MODEL, TranscodeOptions};
use scoresheet::brenner::replay::count_plies;
use scoresheet::chess::Position;
use scoresheet::format::moves::Coding;
use scoresheet::packed;
use std::sync::LazyLock;

/// The maximum size of a stream that is packed, with the cost of one more element.
const MOST: usize = (64 << 10) + 64;

/// Starting positions: the standard one, one with every feature of a set-up game, a Chess960 one, one without legal
/// moves, and one with more moves than the model supports.
const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/1P4p1/8/3pP3/8/8/1p4P1/R3K2R w KQkq d6 0 40",
    "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "QQQQQQQQ/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/Q5KQ/kQQQQQQQ w - - 0 1",
];

fn start(choices: &mut Choices) -> Position {
    let fen = STARTS[usize::from(choices.byte()) % STARTS.len()];
    Position::from_fen(fen.as_bytes()).unwrap_or_else(|_| Position::standard())
}

fn unpack(start: &Position, bytes: &[u8], limit: Option<u32>) -> Option<Vec<u8>> {
    let mut stream = Vec::new();
    packed::decode(start, bytes, limit, &mut stream).ok().map(|()| stream)
}

/// Packs a stream, and checks that unpacking restores it.
fn comes_back(start: &Position, stream: &[u8]) {
    let mut bytes = Vec::new();
    packed::encode(start, stream, &mut bytes);
    // A game of improbable moves is stored unpacked.
    assert!(bytes.len() <= stream.len() + 1, "{} bytes of {}", bytes.len(), stream.len());
    assert_eq!(unpack(start, &bytes, None).as_deref(), Some(stream));
}

/// Any bytes are unpacked within a bound, or refused. The result packs to the same moves, and a partial result is its
/// beginning.
pub fn packed_bytes(bytes: &[u8]) {
    let mut choices = Choices(bytes);
    let (start, limit) = (start(&mut choices), u32::from(choices.byte()));
    let few = unpack(&start, choices.0, Some(limit));
    let Some(stream) = unpack(&start, choices.0, None) else { return };
    assert!(stream.len() <= MOST.max(choices.0.len()), "{} bytes of {}", stream.len(), choices.0.len());
    let few = few.unwrap_or_default();
    assert!(stream.starts_with(&few));
    assert!(count_plies(&few) >= count_plies(&stream).min(limit));
    comes_back(&start, &stream);
}

/// Any stream is restored, including the stream of a game.
pub fn packed_value(bytes: &[u8]) {
    let mut stream = Stream::default();
    game(&mut Choices(bytes)).visit(&mut stream);
    comes_back(&Position::standard(), &stream.0);
    let mut choices = Choices(bytes);
    let start = start(&mut choices);
    comes_back(&start, choices.0);
}

/// The archive with every kind of block, with packed moves.
pub(super) fn golden_packed() -> &'static [u8] {
    static PACKED: LazyLock<Vec<u8>> = LazyLock::new(|| apart(pack_golden));
    &PACKED
}

fn pack_golden() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let target = folder.path().join("packed.bga");
    let archive = Archive::open(ArchiveFile::from_bytes(golden().0)).expect("a sound archive");
    let options = TranscodeOptions { coding: Coding::Packed(MODEL), ..TranscodeOptions::default() };
    archive.transcode(&target, &options, |_| {}).expect("a copy");
    std::fs::read(target).expect("the copy")
}

/// Complete archives with packed moves and valid checksums: all content is read or refused.
pub fn packed_archive(bytes: &[u8]) {
    let mut file = golden_packed().to_vec();
    mutate(&mut file, bytes);
    fix_checksums(&mut file);
    read_everything(file);
}
