//! The head of a side file (FORMAT.md, "Side files"), which consists of two pages that are written alternately like an
//! archive's header pages. Each page contains a directory of the segments.

use crate::format::identity::ArchiveId;
use crate::format::limits::MOST;
use crate::format::state::{Chain, State};
use crate::format::wire::Bytes;

/// The versions of side files, major and minor. Files with a segment of packed tag columns have the second version, and
/// all other files have the first. Side files are caches, so their version is independent of the archive's version.
pub const VERSIONS: [(u16, u16); 2] = [(1, 0), (1, 1)];
/// The first bytes of signatures files.
pub const SIGNATURES: [u8; 8] = *b"\x89BGS\r\n\x1a\n";
/// The first bytes of position indexes.
pub const POSITIONS: [u8; 8] = *b"\x89BGP\r\n\x1a\n";
/// The first bytes of tag columns files.
pub const TAG_COLUMNS: [u8; 8] = *b"\x89BGH\r\n\x1a\n";
/// The number of bytes in a head page, and in the part of a segment that one CRC covers.
pub const PAGE: usize = 4096;
/// The offset of the first segment.
pub const BEGIN: u64 = 2 * PAGE as u64;
/// The maximum number of segments in a file.
pub const MAX_SEGMENTS: usize = 50;
/// The size of a run of games at the beginning of a segment, which contains the first game and the number of games.
pub const RUN: u64 = 16;
/// The size of a head page without its directory.
const FIXED: usize = 64;
/// The offset of the CRC at the end of a page.
const CRC_AT: usize = PAGE - 4;

/// The kind of data in a segment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Part {
    /// A signature for each game.
    Signatures = 1,
    /// The places (game and ply) of each position.
    Places = 2,
    /// The result, the ratings and the year of each game.
    Facts = 3,
    /// The tags of each game as numbers, uncompressed. Only earlier writers made such segments.
    PlainTagColumns = 4,
    /// The tags and measures of each game as numbers, compressed.
    TagColumns = 5,
}

impl Part {
    /// Returns whether a segment of this kind can replace a segment of another kind for the same games.
    pub fn replaces(self, other: Part) -> bool {
        let newest = |part| if part == Part::PlainTagColumns { Part::TagColumns } else { part };
        newest(self) == newest(other)
    }
}

/// The commit for which a segment was built. The segment is valid for the archive at this commit and at all later
/// commits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Made {
    /// The archive's state.
    pub state: State,
    /// The offset of the commit block, or 0 if there is none.
    pub commit: u64,
}

/// A segment of a side file, which contains data about some of the games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The kind of data in the segment.
    pub part: Part,
    /// The number of runs of games at the beginning of the segment.
    pub runs: u32,
    /// The offset of the segment, a multiple of 8.
    pub offset: u64,
    /// The size of the segment, without the page CRCs that follow it.
    pub length: u64,
    /// The number of games in the segment.
    pub games: u64,
    /// The commit for which the segment was built.
    pub made: Made,
}

impl Segment {
    /// Returns the number of pages of the segment.
    pub fn pages(&self) -> u64 {
        self.length.div_ceil(PAGE as u64)
    }

    /// Returns the offset of the segment's end, after the CRCs of its pages.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.length).saturating_add(self.pages().saturating_mul(4))
    }
}

/// A head page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The archive.
    pub id: ArchiveId,
    /// The sequence number of the page, which exceeds the number of the previous page by one.
    pub sequence: u64,
    /// The next unused offset, a multiple of 8.
    pub end: u64,
    /// The segments. If several segments of a kind contain a game, the last segment takes precedence.
    pub segments: Vec<Segment>,
}

impl Head {
    /// Returns the head of a file that contains no segments.
    pub fn new(id: ArchiveId) -> Head {
        Head { id, sequence: 0, end: BEGIN, segments: Vec::new() }
    }

    /// Returns the offset of the head's page. Even and odd sequence numbers use different pages.
    pub fn offset(&self) -> u64 {
        self.sequence % 2 * PAGE as u64
    }

    /// Returns the version of the page, which the kinds of its segments determine.
    fn version(&self) -> (u16, u16) {
        let [plain, packed] = VERSIONS;
        if self.segments.iter().any(|segment| segment.part == Part::TagColumns) { packed } else { plain }
    }

    /// Returns the bytes of the page, for a file that begins with `magic`.
    pub fn encode(&self, magic: [u8; 8]) -> Vec<u8> {
        let mut page = Vec::with_capacity(PAGE);
        let (major, minor) = self.version();
        page.extend_from_slice(&magic);
        page.extend_from_slice([major, minor].map(u16::to_le_bytes).as_flattened());
        page.extend_from_slice(&(PAGE as u32).to_le_bytes());
        page.extend_from_slice(&self.id.0);
        page.extend_from_slice([self.sequence, self.end].map(u64::to_le_bytes).as_flattened());
        page.extend_from_slice(&(self.segments.len() as u32).to_le_bytes());
        page.resize(FIXED, 0);
        for segment in &self.segments {
            page.extend_from_slice(&[segment.part as u8, 0, 0, 0]);
            page.extend_from_slice(&segment.runs.to_le_bytes());
            let State { sequence, length, games, chain, .. } = segment.made.state;
            let numbers = [segment.offset, segment.length, segment.games, sequence, length, games];
            page.extend_from_slice(numbers.map(u64::to_le_bytes).as_flattened());
            page.extend_from_slice(&chain.0);
            page.extend_from_slice(&segment.made.commit.to_le_bytes());
        }
        page.resize(CRC_AT, 0);
        page.extend_from_slice(&self.id.crc(self.offset(), &page).to_le_bytes());
        page
    }

    /// Returns the later valid page of a file, or `None` if neither is valid.
    pub fn decode(file: &[u8], magic: [u8; 8]) -> Option<Head> {
        let pages = [0, PAGE].map(|at| file.get(at..at + PAGE));
        let heads = pages.into_iter().zip(0..).filter_map(|(page, index)| Head::of_page(page?, index, magic));
        heads.max_by_key(|head| head.sequence).filter(|head| head.end <= file.len() as u64)
    }

    /// Returns whether both pages of a file are valid.
    pub fn both_hold(file: &[u8], magic: [u8; 8]) -> bool {
        let pages = [0, PAGE].map(|at| file.get(at..at + PAGE));
        pages
            .into_iter()
            .zip(0..)
            .all(|(page, index)| page.is_some_and(|page| Head::of_page(page, index, magic).is_some()))
    }

    fn of_page(page: &[u8], index: u64, magic: [u8; 8]) -> Option<Head> {
        let (body, crc) = page.split_at_checked(CRC_AT)?;
        let mut bytes = Bytes(body.strip_prefix(&magic)?);
        let (major, minor, size) = (bytes.u16()?, bytes.u16()?, bytes.u32()?);
        let id = ArchiveId(bytes.array()?);
        let (sequence, end, count) = (bytes.u64()?, bytes.u64()?, bytes.u32()? as usize);
        let holds = id.crc(index * PAGE as u64, body).to_le_bytes() == crc;
        if !VERSIONS.contains(&(major, minor)) || size as usize != PAGE || !holds || sequence % 2 != index {
            return None;
        }
        if count > MAX_SEGMENTS || !(BEGIN..=MOST).contains(&end) || end % 8 != 0 {
            return None;
        }
        let mut bytes = Bytes(body.get(FIXED..)?);
        let segments = (0..count).map(|_| segment(&mut bytes, id).filter(|segment| segment.end() <= end));
        let head = Head { id, sequence, end, segments: segments.collect::<Option<_>>()? };
        (head.version() == (major, minor)).then_some(head)
    }
}

fn segment(bytes: &mut Bytes, id: ArchiveId) -> Option<Segment> {
    let part = match bytes.u32()? {
        1 => Part::Signatures,
        2 => Part::Places,
        3 => Part::Facts,
        4 => Part::PlainTagColumns,
        5 => Part::TagColumns,
        _ => return None,
    };
    let runs = bytes.u32()?;
    let mut number = || bytes.u64().filter(|number| *number <= MOST);
    let (offset, length, games) = (number()?, number()?, number()?);
    let (sequence, committed, all) = (number()?, number()?, number()?);
    let state = State { id, sequence, length: committed, games: all, chain: Chain(bytes.array()?) };
    let segment = Segment { part, runs, offset, length, games, made: Made { state, commit: bytes.u64()? } };
    let is_sound = offset >= BEGIN && offset % 8 == 0 && u64::from(runs) * RUN <= length;
    is_sound.then_some(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(sequence: u64) -> Head {
        let id = ArchiveId([7; 16]);
        let state = State { id, sequence: 2, length: 9000, games: 30, chain: Chain([3; 16]) };
        let made = Made { state, commit: 8800 };
        let segment = Segment { part: Part::Facts, runs: 2, offset: BEGIN, length: 5000, games: 21, made };
        Head { id, sequence, end: 20_000, segments: vec![segment; 3] }
    }

    fn file(heads: [&Head; 2]) -> Vec<u8> {
        let mut file = vec![0; 20_000];
        for head in heads {
            let at = head.offset() as usize;
            file[at..at + PAGE].copy_from_slice(&head.encode(POSITIONS));
        }
        file
    }

    #[test]
    fn the_later_page_counts_and_the_other_where_it_is_torn() {
        let [old, new] = [4, 5].map(head);
        let mut file = file([&old, &new]);
        assert_eq!(Head::decode(&file, POSITIONS), Some(new));
        assert_eq!(Head::decode(&file, SIGNATURES), None);
        for byte in [0, 9, 40, 100, PAGE - 1] {
            let before = file[PAGE + byte];
            file[PAGE + byte] ^= 0x40;
            assert_eq!(Head::decode(&file, POSITIONS), Some(old.clone()), "byte {byte}");
            file[PAGE + byte] = before;
        }
        assert_eq!(Head::decode(&file[..19_999], POSITIONS), None, "cut");
    }

    #[test]
    fn a_segment_lies_within_the_file() {
        let changes: [fn(&mut Segment); 3] =
            [|segment| segment.length = 20_000, |segment| segment.offset = 4096, |segment| segment.runs = 1 << 20];
        for change in changes {
            let mut wrong = head(1);
            change(&mut wrong.segments[1]);
            assert_eq!(Head::decode(&file([&wrong, &wrong]), POSITIONS), None);
        }
        assert!(Head::decode(&file([&head(1), &head(1)]), POSITIONS).is_some());
        let full = Head { segments: vec![head(1).segments[0]; MAX_SEGMENTS], ..head(1) };
        assert_eq!(Head::decode(&file([&full, &full]), POSITIONS), Some(full));
    }
}
