//! Side files with valid checksums and any content are used or refused, and no search returns a game without the
//! position.

use super::{apart, crc32, golden, inspected, mutate};
use scoresheet::Archive;
use scoresheet::archive::FileKind;
use scoresheet::chess::Position;
use scoresheet::format::ArchiveId;
use scoresheet::format::places::PlacesLayout;
use scoresheet::format::side::{BEGIN, Head, PAGE};
use scoresheet::format::tag_columns::{Directory, unpack_numbers, unpack_strings};
use scoresheet_query::games::write_measures;
use scoresheet_query::position::index::build;
use scoresheet_query::report::duplicates::{self, Options};
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{
    Compare, Filter, GameField, Hit, PositionIndex, PositionQuery, Search, SearchOptions, Signatures, TagColumns,
    report::stats,
};
use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use tempfile::TempDir;

/// The correct side files of the archive.
struct IntactFiles {
    signatures: Vec<u8>,
    positions: Vec<u8>,
    headers: Vec<u8>,
}

static INTACT: LazyLock<IntactFiles> = LazyLock::new(|| apart(intact_files));

fn intact_files() -> IntactFiles {
    let folder = Folder::new();
    let archive = Archive::open(&folder.archive).expect("a sound archive");
    Signatures::build(&archive).write(&archive).expect("signatures");
    build(&archive, 1 << 20, |_| {}).expect("a position index");
    let measures = GameField::parse_list("novelty,ending,accuracy").expect("fields");
    write_measures(&archive, &measures, |_| {}).expect("tag columns");
    let read = |path| fs::read(path).expect("a side file");
    IntactFiles {
        signatures: read(FileKind::Signatures.beside(&folder.archive)),
        positions: read(FileKind::Positions.beside(&folder.archive)),
        headers: read(FileKind::TagColumns.beside(&folder.archive)),
    }
}

/// A copy of the archive for each thread.
struct Folder {
    _folder: TempDir,
    archive: PathBuf,
}

impl Folder {
    fn new() -> Folder {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let archive = folder.path().join("golden.bga");
        fs::write(&archive, golden().0).expect("room for an archive");
        Folder { _folder: folder, archive }
    }
}

thread_local! {
    static FOLDER: RefCell<Option<Folder>> = const { RefCell::new(None) };
}

/// Places a side file next to the archive while `ask` runs.
fn beside(kind: FileKind, file: &[u8], ask: impl FnOnce(&Archive)) {
    // Take the archive out of the cell, so another target on this thread cannot use it meanwhile.
    let folder = FOLDER.with(RefCell::take).unwrap_or_else(Folder::new);
    let path = kind.beside(&folder.archive);
    fs::write(&path, file).expect("room for a side file");
    let archive = Archive::open(&folder.archive).expect("a sound archive");
    ask(&archive);
    drop(archive);
    fs::remove_file(path).expect("the side file");
    FOLDER.with(|cell| cell.replace(Some(folder)));
}

/// The positions to search for: early ones, late ones, and one that no game reaches.
fn queries() -> [PositionQuery; 4] {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "8/8/8/8/8/4k3/8/4K2R w - - 0 1",
    ]
    .map(|fen| PositionQuery::new(&Position::from_fen(fen.as_bytes()).expect("a position"), Compare::default()))
}

const ALL: SearchOptions = SearchOptions { all_plies: true, variations: false, principal_variations: false };

/// Searches with all side files; with an intact file, the result is complete.
pub(super) fn searched(archive: &Archive, search: &Search, is_intact: bool) {
    for query in queries() {
        let found: Vec<Hit> = search.position(&query, ALL).hits;
        let all = Search::new(archive).position(&query, ALL).hits;
        assert!(found.iter().all(|hit| all.contains(hit)), "{found:?} {all:?}");
        assert!(!is_intact || found == all, "{found:?} {all:?}");
        let _ = search.tree(query.position());
    }
}

/// Changes a side file, and recomputes its checksums unless the bytes prevent it.
fn changed(original: &[u8], bytes: &[u8], fix: fn(&mut [u8])) -> Vec<u8> {
    let mut file = original.to_vec();
    let (how, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    mutate(&mut file, bytes);
    if how % 8 != 7 {
        fix(&mut file);
    }
    file
}

fn id(file: &[u8]) -> Option<ArchiveId> {
    Some(ArchiveId(*file.get(16..32)?.first_chunk()?))
}

/// Corrects the checksum at the end of `file[..end + 4]`.
fn seal(file: &mut [u8], start: usize, end: usize, at: usize) {
    let Some(id) = id(file) else { return };
    let Some(crc) = file.get(start..end).map(|body| id.crc(start as u64, body).to_le_bytes()) else { return };
    if let Some(checksum) = file.get_mut(at..at.saturating_add(4)) {
        checksum.copy_from_slice(&crc);
    }
}

/// Corrects the checksums of the head pages, and of the segments that the later page names.
pub(super) fn fix(file: &mut [u8]) {
    for page in [0, PAGE] {
        let Some(id_bytes) = file.get(page + 16..page + 32).and_then(|id| id.first_chunk()) else { return };
        let id = ArchiveId(*id_bytes);
        let Some(crc) = file.get(page..page + PAGE - 4).map(|body| id.crc(page as u64, body)) else { return };
        if let Some(checksum) = file.get_mut(page + PAGE - 4..page + PAGE) {
            checksum.copy_from_slice(&crc.to_le_bytes());
        }
    }
    let Some(magic) = file.first_chunk().copied() else { return };
    let Some(head) = Head::decode(file, magic) else { return };
    for segment in head.segments {
        let end = segment.offset + segment.length;
        for page in 0..segment.pages() {
            let start = segment.offset + page * PAGE as u64;
            let until = (start + PAGE as u64).min(end);
            seal(file, start as usize, until as usize, (end + page * 4) as usize);
        }
    }
}

/// Signatures: they may reject games, but no search returns a game without the position.
pub fn signatures_bytes(bytes: &[u8]) {
    use_signatures(&changed(&INTACT.signatures, bytes, fix));
}

fn use_signatures(file: &[u8]) {
    inspected(file);
    beside(FileKind::Signatures, file, |archive| {
        if let (Some(signatures), _) = Signatures::open(archive) {
            searched(archive, &Search::new(archive).with_signatures(&signatures), file == INTACT.signatures);
        }
    });
}

/// The position index: it returns entries or an error, and each entry is verified.
pub fn positions_bytes(bytes: &[u8]) {
    let _ = PlacesLayout::decode(bytes, 10, 1000);
    use_positions(&changed(&INTACT.positions, bytes, fix));
}

fn use_positions(file: &[u8]) {
    inspected(file);
    beside(FileKind::Positions, file, |archive| {
        if let (Some(index), _) = PositionIndex::open(archive) {
            let _ = index.facts(1..archive.len() + 1);
            searched(archive, &Search::new(archive).with_index(&index), file == INTACT.positions);
        }
    });
}

/// Tag columns: each value is a text or missing, and queries return only existing games.
pub fn headers_bytes(bytes: &[u8]) {
    let _ = Directory::decode(bytes, 10, 1000, false);
    let _ = Directory::decode(bytes, 10, 1000, true);
    let _ = unpack_numbers(bytes, 10, 3);
    let _ = unpack_strings(bytes, 10, 100);
    use_headers(&changed(&INTACT.headers, bytes, fix));
}

fn use_headers(file: &[u8]) {
    inspected(file);
    beside(FileKind::TagColumns, file, |archive| {
        let headers = TagColumns::open(archive);
        let tags = ["White", "Black", "Event", "Date", "Result", "Round", "Odd"].map(|name| Key::Tag(name.to_owned()));
        let keys: Vec<Key> = tags.into_iter().chain([Key::Plies, Key::Facts]).collect();
        let columns = headers.columns(&keys).expect("columns can be made");
        for game in 0..=archive.len() + 1 {
            for column in &columns {
                let _ = (column.get(game), column.text(game));
            }
        }
        if let Ok(years) = headers.years() {
            let _ = years.get(1);
        }
        let question = "white ~ \"a\" and year >= 1900 or plies > 3";
        let passed = Filter::parse(question).expect("a question").games(&headers);
        assert!(passed.unread.is_empty(), "tags that cannot be read");
        let games = passed.games;
        assert!(games.iter().all(|game| (1..=archive.len()).contains(&game)));
        let question = "ending = rook or accuracy > 50 or novelty < 4";
        let games = Filter::parse(question).expect("a question").games(&headers).games;
        assert!(games.iter().all(|game| (1..=archive.len()).contains(&game)));
        let _ = stats::stats(&headers, &games);
        let _ = duplicates::find(std::slice::from_ref(&headers), Options::default());
    });
}

/// The side files of the golden archive, each with its extension.
pub(super) fn side_files() -> [(&'static str, &'static [u8]); 3] {
    let IntactFiles { signatures, positions, headers } = &*INTACT;
    [("bgs", signatures), ("bgp", positions), ("bgh", headers)]
}

/// The test values for fields of lengths, counts and numbers.
const VALUES: [u32; 12] =
    [0, 1, 2, 0xFF, 0x1000, 0xFFFF, 1 << 20, 1 << 24, i32::MAX as u32, 1 << 31, u32::MAX - 1, u32::MAX];

/// A correct side file, and the function that uses it.
type Use = (&'static [u8], fn(&[u8]));

/// Returns the number of states of [`every_field`]: each four-byte field of each side file, with each test value, and
/// with its own value plus and minus one.
pub fn fields() -> usize {
    uses().iter().map(|(original, _)| field_offsets(original).len() * (VALUES.len() + 2)).sum()
}

/// The locations of fields: in the later head page up to the end of its directory, and in the segments.
fn field_offsets(original: &[u8]) -> Vec<usize> {
    let used = original.get(PAGE..2 * PAGE - 4).unwrap_or_default().iter().rposition(|byte| *byte != 0);
    let head = PAGE..PAGE + used.map_or(0, |last| last + 1);
    head.step_by(4).chain((BEGIN as usize..original.len()).step_by(4)).collect()
}

fn uses() -> [Use; 3] {
    let IntactFiles { signatures, positions, headers } = &*INTACT;
    [(signatures, use_signatures), (positions, use_positions), (headers, use_headers)]
}

/// Sets one field of a side file, corrects its checksums and uses it.
pub fn every_field(mut state: usize) {
    for (original, ask) in uses() {
        let offsets = field_offsets(original);
        let states = offsets.len() * (VALUES.len() + 2);
        if state >= states {
            state -= states;
            continue;
        }
        let (at, how) = (offsets[state / (VALUES.len() + 2)], state % (VALUES.len() + 2));
        let mut file = original.to_vec();
        let Some(field) = file.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) else { return };
        let before = u32::from_le_bytes(*field);
        let near = [before.wrapping_add(1), before.wrapping_sub(1)];
        *field = VALUES.iter().chain(&near).nth(how).unwrap_or(&0).to_le_bytes();
        fix(&mut file);
        return ask(&file);
    }
}

/// Without changes, the recomputed checksums equal the stored ones, so they cover the bytes that a reader checks.
pub fn fixes_are_right() {
    let IntactFiles { signatures, positions, headers } = &*INTACT;
    for original in [signatures, positions, headers] {
        let mut file = original.clone();
        fix(&mut file);
        assert!(file == *original);
        assert_ne!(crc32(0, original), 0);
    }
}
