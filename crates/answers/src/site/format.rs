//! The bytes of a site file (docs/site.md): its header and its blocks.
//!
//! Encoders convert values to bytes; decoders convert bytes to values. Decoders never panic, for any bytes.

use scoresheet::game::Outcome;
use scoresheet_query::GameSummary;
use std::io;

/// The first bytes of every site file.
pub const MAGIC: [u8; 8] = *b"\x89BGX\r\n\x1a\n";
/// The version of the site file's format.
pub const VERSION: u32 = 3;
/// The size of the header in bytes.
pub const HEADER: usize = 128;
/// The number of games per block of headings.
pub const HEADINGS: u64 = 64;
/// The minimum number of games of a frequent position. The file stores totals for frequent positions, and only a list
/// of games for other positions.
pub const LEAST: usize = 10;
/// The number of games per block of a list.
pub const LISTED: usize = 4096;
/// The size of a directory entry in bytes: the offset and the length of a block.
pub const ENTRY: u64 = 8;
/// The value that stands for no move.
pub const NO_MOVE: u8 = 255;
/// The maximum decompressed size of a block.
const MOST: usize = 64 << 20;

/// The header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// The number of high bits of a key that select its bucket.
    pub bits: u32,
    /// The number of high bits of a key that the file distinguishes, including the bits of the bucket.
    pub kept: u32,
    /// The id of the archive.
    pub id: [u8; 16],
    /// The sequence number of the archive's commit.
    pub sequence: u64,
    /// The length of the archive in bytes.
    pub archive: u64,
    /// The number of games in the archive, including deleted games.
    pub games: u64,
    /// The offset of the directory of headings.
    pub headings: u64,
    /// The offset of the directory of positions.
    pub positions: u64,
    /// The offset and the length of the statistics.
    pub stats: (u64, u64),
    /// The length of the file.
    pub length: u64,
    /// The offset and the length of the events; zeros if there are none.
    pub events: (u64, u64),
}

impl Header {
    /// Returns the bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, self.bits, self.kept, 0] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&self.id);
        let numbers = [
            self.sequence,
            self.archive,
            self.games,
            self.headings,
            self.positions,
            self.stats.0,
            self.stats.1,
            self.length,
            self.events.0,
            self.events.1,
        ];
        numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        bytes.resize(HEADER - 8, 0);
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the bytes. Returns `None` if the bytes are damaged or are not a site file of this version.
    pub fn decode(bytes: &[u8]) -> Option<Header> {
        let (body, sum) = bytes.get(..HEADER)?.split_at(HEADER - 8);
        if checksum(body).to_le_bytes() != sum {
            return None;
        }
        let mut rest = body.strip_prefix(&MAGIC)?;
        let [version, bits, kept, _] = [word(&mut rest)?, word(&mut rest)?, word(&mut rest)?, word(&mut rest)?];
        let (id, mut rest) = rest.split_first_chunk::<16>()?;
        let mut next = || {
            let (number, tail) = rest.split_first_chunk::<8>()?;
            rest = tail;
            Some(u64::from_le_bytes(*number))
        };
        let header = Header {
            bits,
            kept,
            id: *id,
            sequence: next()?,
            archive: next()?,
            games: next()?,
            headings: next()?,
            positions: next()?,
            stats: (next()?, next()?),
            length: next()?,
            events: (next()?, next()?),
        };
        (version == VERSION && bits <= kept && bits < 32 && kept <= 56).then_some(header)
    }

    /// Returns the bucket of a key.
    pub fn bucket(&self, key: u64) -> u64 {
        if self.bits == 0 { 0 } else { key >> (64 - self.bits) }
    }

    /// Returns the part of a key that identifies it within its bucket: the stored bits and the eight lowest bits.
    pub fn rest(&self, key: u64) -> u64 {
        let kept = if self.kept == 0 { 0 } else { key >> (64 - self.kept) };
        (kept & ((1 << (self.kept - self.bits)) - 1)) << 8 | key & 0xFF
    }
}

fn word(rest: &mut &[u8]) -> Option<u32> {
    let (number, tail) = rest.split_first_chunk::<4>()?;
    *rest = tail;
    Some(u32::from_le_bytes(*number))
}

/// The hash FNV-1a, which protects only the header. Blocks have zstd checksums.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Appends a number with seven bits per byte, the lowest bits first.
pub fn push_number(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Removes a number from the start of `bytes` and returns it.
pub fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Reads a number of items, each of which takes at least a byte.
pub fn count(bytes: &mut &[u8]) -> Option<usize> {
    let count = usize::try_from(number(bytes)?).ok()?;
    (count <= bytes.len()).then_some(count)
}

/// Removes `length` bytes from the start of `bytes` and returns them.
pub fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (head, tail) = bytes.split_at_checked(length)?;
    *bytes = tail;
    Some(head)
}

/// Returns a block, which consists of the decompressed size and a zstd frame with a checksum.
pub fn pack(raw: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = zstd::bulk::Compressor::new(if raw.len() > 1 << 20 { 9 } else { 19 })?;
    packer.include_checksum(true)?;
    let mut block = (raw.len() as u32).to_le_bytes().to_vec();
    block.extend(packer.compress(raw)?);
    Ok(block)
}

/// Reads a block, or returns `None` if it is damaged.
pub fn unpack(block: &[u8]) -> Option<Vec<u8>> {
    let (length, frame) = block.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > MOST {
        return None;
    }
    let raw = zstd::bulk::decompress(frame, length).ok()?;
    (raw.len() == length).then_some(raw)
}

/// Appends numbers of `WIDTH` bytes: the first bytes of all numbers, then the second bytes, and so on. This order
/// compresses better.
fn push_column<const WIDTH: usize>(numbers: impl Iterator<Item = u64> + Clone, out: &mut Vec<u8>) {
    for byte in 0..WIDTH {
        out.extend(numbers.clone().map(|number| (number >> (8 * byte)) as u8));
    }
}

fn column<const WIDTH: usize>(bytes: &mut &[u8], count: usize) -> Option<Vec<u64>> {
    let planes = take(bytes, count.checked_mul(WIDTH)?)?;
    let mut numbers = vec![0; count];
    for (byte, plane) in planes.chunks(count.max(1)).enumerate() {
        numbers.iter_mut().zip(plane).for_each(|(number, plane)| *number |= u64::from(*plane) << (8 * byte));
    }
    Some(numbers)
}

/// A visit of a game to a rare position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Visited {
    /// The game, from 1.
    pub game: u64,
    /// The first ply at which the game reaches the position.
    pub ply: u32,
    /// The index of the played move among the legal moves; [`NO_MOVE`] for none.
    pub played: u8,
}

/// The frequent and rare positions of a bucket.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bucket {
    /// Keys and records of the frequent positions.
    pub frequent: Vec<(u64, Vec<u8>)>,
    /// The rare positions, by the part of their keys that identifies them, ascending.
    pub rare: Vec<(u64, Vec<Visited>)>,
}

impl Bucket {
    /// Returns the bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        push_number(self.frequent.len() as u64, &mut out);
        for (key, record) in &self.frequent {
            out.extend_from_slice(&key.to_le_bytes());
            push_number(record.len() as u64, &mut out);
            out.extend_from_slice(record);
        }
        push_number(self.rare.len() as u64, &mut out);
        let mut last = 0;
        let gaps: Vec<u64> = self.rare.iter().map(|(rest, _)| rest - std::mem::replace(&mut last, *rest)).collect();
        push_column::<6>(gaps.iter().copied(), &mut out);
        push_column::<1>(self.rare.iter().map(|(_, visits)| visits.len() as u64), &mut out);
        let visits = self.rare.iter().flat_map(|(_, visits)| visits);
        push_column::<4>(visits.clone().map(|visit| visit.game), &mut out);
        push_column::<3>(visits.clone().map(|visit| u64::from(visit.ply)), &mut out);
        push_column::<1>(visits.map(|visit| u64::from(visit.played)), &mut out);
        out
    }

    /// Reads the bytes, or returns `None` if they are malformed.
    pub fn decode(mut bytes: &[u8]) -> Option<Bucket> {
        let bytes = &mut bytes;
        let mut frequent = Vec::new();
        for _ in 0..count(bytes)? {
            let (key, rest) = bytes.split_first_chunk::<8>()?;
            *bytes = rest;
            let length = count(bytes)?;
            frequent.push((u64::from_le_bytes(*key), take(bytes, length)?.to_vec()));
        }
        let positions = count(bytes)?;
        let gaps = column::<6>(bytes, positions)?;
        let counts = column::<1>(bytes, positions)?;
        let all = counts.iter().sum::<u64>() as usize;
        let (games, plies, moves) = (column::<4>(bytes, all)?, column::<3>(bytes, all)?, column::<1>(bytes, all)?);
        let visited =
            |((game, ply), played): ((u64, u64), u64)| Visited { game, ply: ply as u32, played: played as u8 };
        let mut visits = games.into_iter().zip(plies).zip(moves).map(visited);
        let mut rest = 0u64;
        let mut rare = Vec::with_capacity(positions);
        for (gap, count) in gaps.into_iter().zip(counts) {
            rest = rest.checked_add(gap)?;
            rare.push((rest, visits.by_ref().take(count as usize).collect()));
        }
        bytes.is_empty().then_some(Bucket { frequent, rare })
    }
}

/// The data that the site file stores for a game.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Known {
    /// The summary for lists.
    pub summary: GameSummary,
    /// Result, ratings and year in the form of the position index.
    pub facts: u64,
    /// The first ply whose position no other game reaches; 0 if there is none.
    pub novelty: u32,
}

/// Returns the bytes of a block of headings, before compression.
pub fn encode_headings(games: &[Known]) -> Vec<u8> {
    let mut out = Vec::new();
    push_number(games.len() as u64, &mut out);
    for tag in 0..GameSummary::TAGS.len() {
        let texts = || games.iter().map(|game| game.summary.texts()[tag].as_bytes());
        texts().for_each(|text| push_number(text.len() as u64, &mut out));
        texts().for_each(|text| out.extend_from_slice(text));
    }
    let outcome = |game: &Known| game.summary.outcome().map_or(4, |outcome| outcome as u64);
    push_column::<1>(games.iter().map(outcome), &mut out);
    push_column::<4>(games.iter().map(|game| u64::from(game.summary.plies)), &mut out);
    push_column::<4>(games.iter().map(|game| u64::from(game.novelty)), &mut out);
    push_column::<8>(games.iter().map(|game| game.facts), &mut out);
    out
}

/// Reads a block of headings.
pub fn decode_headings(mut bytes: &[u8]) -> Option<Vec<Known>> {
    let bytes = &mut bytes;
    let games = count(bytes)?;
    let mut texts: Vec<[String; GameSummary::TAGS.len()]> = vec![Default::default(); games];
    for tag in 0..GameSummary::TAGS.len() {
        let lengths = (0..games).map(|_| number(bytes)).collect::<Option<Vec<u64>>>()?;
        for (game, length) in texts.iter_mut().zip(lengths) {
            let text = take(bytes, usize::try_from(length).ok()?)?;
            *game.get_mut(tag)? = String::from_utf8_lossy(text).into_owned();
        }
    }
    let outcomes = column::<1>(bytes, games)?;
    let (plies, novelties, facts) =
        (column::<4>(bytes, games)?, column::<4>(bytes, games)?, column::<8>(bytes, games)?);
    let rows = texts.into_iter().zip(outcomes).zip(plies).zip(novelties).zip(facts);
    let known = |((((texts, result), plies), novelty), facts)| Known {
        summary: GameSummary::from_texts(0, texts, plies as u32, Outcome::from_number(result)),
        facts,
        novelty: novelty as u32,
    };
    bytes.is_empty().then(|| rows.map(known).collect())
}

/// Returns the bytes of a block of a list of games with their plies, before compression.
pub fn encode_list(games: &[(u64, u32)]) -> Vec<u8> {
    let mut out = Vec::new();
    push_number(games.len() as u64, &mut out);
    let mut last = 0;
    games.iter().for_each(|(game, _)| push_number(game - std::mem::replace(&mut last, *game), &mut out));
    games.iter().for_each(|(_, ply)| push_number(u64::from(*ply), &mut out));
    out
}

/// Reads a block of a list of games.
pub fn decode_list(mut bytes: &[u8]) -> Option<Vec<(u64, u32)>> {
    let bytes = &mut bytes;
    let count = count(bytes)?;
    let mut last = 0u64;
    let mut games = Vec::with_capacity(count);
    for _ in 0..count {
        last = last.checked_add(number(bytes)?)?;
        games.push((last, 0));
    }
    for (_, ply) in &mut games {
        *ply = u32::try_from(number(bytes)?).ok()?;
    }
    bytes.is_empty().then_some(games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back() {
        let header = Header { bits: 5, kept: 33, id: [7; 16], games: 12, length: 4000, ..Header::default() };
        let bytes = header.encode();
        assert_eq!(bytes.len(), HEADER);
        assert_eq!(Header::decode(&bytes), Some(header));
        for bit in 0..HEADER * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Header::decode(&flipped), None, "bit {bit}");
        }
        assert_eq!((header.bucket(u64::MAX), header.rest(u64::MAX)), (31, (1 << 36) - 1));
        assert_eq!(Header { bits: 0, ..header }.bucket(u64::MAX), 0);
    }

    #[test]
    fn blocks_come_back_and_cuts_show() {
        let visit = |game: u64| Visited { game, ply: game as u32 % 300, played: game as u8 };
        let bucket = Bucket {
            frequent: vec![(u64::MAX, vec![1, 2, 3]), (5, Vec::new())],
            rare: vec![(3, vec![visit(1)]), (1 << 40, (300..309).map(visit).collect())],
        };
        let list: Vec<(u64, u32)> = (1..500).map(|game| (game * game, game as u32)).collect();
        let texts = || std::array::from_fn(|tag| format!("text {tag}"));
        let known = Known {
            summary: GameSummary::from_texts(0, texts(), 70, Some(Outcome::Draw)),
            facts: u64::MAX,
            novelty: 12,
        };
        let headings = vec![known.clone(), Known::default(), known];
        let bytes = [bucket.encode(), encode_list(&list), encode_headings(&headings)];
        assert_eq!(Bucket::decode(&bytes[0]), Some(bucket));
        assert_eq!(decode_list(&bytes[1]), Some(list));
        assert_eq!(decode_headings(&bytes[2]), Some(headings));
        for end in 0..bytes[0].len() {
            assert_eq!(Bucket::decode(&bytes[0][..end]), None);
        }
        (0..bytes[1].len()).for_each(|end| assert_eq!(decode_list(&bytes[1][..end]), None));
        (0..bytes[2].len()).for_each(|end| assert_eq!(decode_headings(&bytes[2][..end]), None));
        for raw in bytes {
            let block = pack(&raw).unwrap();
            assert_eq!(unpack(&block), Some(raw));
            for bit in 0..block.len() * 8 {
                let mut flipped = block.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                assert!(unpack(&flipped).is_none_or(|raw| raw == unpack(&block).unwrap()), "bit {bit}");
            }
        }
    }
}
