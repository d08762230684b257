//! Compares FORMAT.md with the code: the tables of the document against the behavior of the library.

use crate::common::format_document::DOCUMENT;
use crate::common::root;
use scoresheet::brenner::encode;
use scoresheet::chess::Position;
use scoresheet::format::block::{BlockHeader, BlockKind, HEADER};
use scoresheet::format::commit::{Commit, Unfinished};
use scoresheet::format::facts::Facts;
use scoresheet::format::header::{BLOCKS, Features, Header, MAGIC, PAGE};
use scoresheet::format::index::{self, Index};
use scoresheet::format::places::{BucketWriter, PlacesLayout};
use scoresheet::format::side::{self, Head, Made, Part, Segment};
use scoresheet::format::source::SourceRecord;
use scoresheet::format::{ArchiveId, Chain, State, VERSION, record, tags};
use scoresheet::game::Outcome;
use scoresheet::packed::{self, train, train::board::TurnedBoard, train::features, train::model};
use scoresheet::pgn::{LineEnd, Style};

fn section(title: &str) -> &'static str {
    let start = DOCUMENT.find(&format!(" {title}\n")).unwrap_or_else(|| panic!("no section {title}"));
    let rest = &DOCUMENT[start..];
    &rest[..rest.find("\n## ").unwrap_or(rest.len())]
}

/// Returns the rows of the tables of a section, with trimmed cells.
fn rows(title: &str) -> Vec<Vec<&'static str>> {
    let cells =
        |line: &'static str| line.trim_matches('|').split(" | ").map(|cell| cell.trim_matches([' ', '|'])).collect();
    section(title).lines().filter(|line| line.starts_with('|') && !line.starts_with("|--")).map(cells).collect()
}

/// Returns the fields of an offset table as (offset, size): they must be adjacent.
fn fields(title: &str) -> Vec<(usize, usize)> {
    let number = |cell: &str| cell.replace(',', "").parse().ok();
    let fields: Vec<(usize, usize)> =
        rows(title).iter().filter_map(|row| Some((number(row.first()?)?, number(row.get(1)?)?))).collect();
    for pair in fields.windows(2) {
        assert_eq!(pair[0].0 + pair[0].1, pair[1].0, "{title}");
    }
    fields
}

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// Returns the number stored at a field of an offset table.
fn at(bytes: &[u8], field: (usize, usize)) -> u64 {
    bytes[field.0..field.0 + field.1].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

#[test]
fn header_pages() {
    let fields = fields("4 Header pages");
    assert_eq!(fields.last(), Some(&(PAGE - 4, 4)));
    let (id, chain) = (ArchiveId(*b"0123456789abcdef"), Chain(*b"fedcba9876543210"));
    let state = State { id, sequence: 0x0102_0304_0506_0707, length: 0x2122_2324, games: 0x3132, chain };
    let page =
        Header { version: VERSION, state, commit: 0x4142, features: Features { read: 0x51, write: 0x52 } }.encode();
    assert_eq!(page.len(), PAGE);
    assert_eq!(page[..8], MAGIC);
    assert!(section("4 Header pages").contains("89 42 47 41 0D 0A 1A 0A"));
    let expected = [
        u64::from(VERSION.0),
        u64::from(VERSION.1),
        PAGE as u64,
        0,
        state.sequence,
        state.length,
        state.games,
        0,
        0x4142,
    ];
    for (field, expected) in fields[1..10].iter().zip(expected) {
        if field.1 != 16 {
            assert_eq!(at(&page, *field), expected, "{field:?}");
        }
    }
    assert_eq!((&page[fields[4].0..][..16], &page[fields[8].0..][..16]), (&id.0[..], &chain.0[..]));
    assert_eq!((at(&page, fields[10]), at(&page, fields[11])), (0x51, 0x52));
    assert!(page[fields[12].0..PAGE - 4].iter().all(|byte| *byte == 0));
    assert_eq!(at(&page, fields[13]), u64::from(crc32fast::hash(&page[..PAGE - 4])));
    assert!(section("4 Header pages").contains("Blocks begin at 8,192."));
    assert_eq!(BLOCKS, 8192);
}

#[test]
fn block_headers() {
    let fields = fields("5 Blocks");
    let id = ArchiveId([7; 16]);
    let header = BlockHeader {
        kind: BlockKind::Tags,
        coding: 0x12,
        first: 0x0102_0304_0506_0708,
        count: 0x1112_1314,
        checked: 0x2122,
        length: 0x3132_3334,
        payload_crc: 0x4142_4344,
    };
    let bytes = header.encode(id, 999);
    assert_eq!(fields.last(), Some(&(HEADER - 4, 4)));
    let mut crc = crc32fast::Hasher::new();
    crc.update(&id.0);
    crc.update(&999u64.to_le_bytes());
    crc.update(&bytes[..HEADER - 4]);
    let expected = [
        u64::from(u32::from_le_bytes(*b"BGAb")),
        2,
        0x12,
        0,
        header.first,
        u64::from(header.count),
        u64::from(header.checked),
        header.length,
        u64::from(header.payload_crc),
        u64::from(crc.finalize()),
    ];
    let found: Vec<u64> = fields.iter().map(|field| at(&bytes, *field)).collect();
    assert_eq!(found, expected);
    let kinds: Vec<(u8, &str)> = rows("5 Blocks")
        .iter()
        .filter(|row| row.len() == 3)
        .filter_map(|row| Some((row[0].parse().ok()?, row[1])))
        .collect();
    let names = [
        (BlockKind::Moves, "moves"),
        (BlockKind::Tags, "tags"),
        (BlockKind::Texts, "texts"),
        (BlockKind::Dictionary, "dictionary"),
        (BlockKind::Source, "source"),
        (BlockKind::Commit, "commit"),
        (BlockKind::Layout, "layout"),
        (BlockKind::Deleted, "deletions"),
        (BlockKind::Loose, "loose"),
        (BlockKind::Restored, "restorations"),
        (BlockKind::Metadata, "metadata"),
        (BlockKind::Model, "model"),
        (BlockKind::Parity, "parity"),
    ];
    assert!(names.iter().all(|(kind, name)| kind.name() == *name));
    for (kind, name) in names {
        assert!(kinds.contains(&(kind.number(), name)), "{name}");
    }
    assert_eq!(kinds.iter().filter(|(_, name)| names.iter().any(|(_, known)| known == name)).count(), names.len());
}

#[test]
fn index_files() {
    let fields = fields("18 The index file");
    let state = State { id: ArchiveId([3; 16]), sequence: 5, length: 6, games: 7, chain: Chain([4; 16]) };
    let index = Index { state, pages: 8, strings: 9, ..Index::default() };
    let file = index.encode();
    assert_eq!(file[..8], index::MAGIC);
    assert!(section("18 The index file").contains("89 42 47 49 0D 0A 1A 0A"));
    assert_eq!(fields[3], (12, 4));
    assert_eq!(at(&file, fields[3]), index::HEADER as u64);
    let numbers: Vec<u64> = fields[5..8].iter().chain(&fields[9..14]).map(|field| at(&file, *field)).collect();
    assert_eq!(numbers, [5, 6, 7, 8, 9, 0, 0, 0]);
    assert_eq!(file[fields[8].0..][..16], [4; 16]);
    assert_eq!(fields[13].0 + 8, index::HEADER);
    assert_eq!(file.len(), index::HEADER + 4);
    assert!(section("18 The index file").contains(&format!("| 112 | {} each |", index::ENTRY)));
}

#[test]
fn record_flags_and_start() {
    let flags: Vec<&str> =
        rows("7 Game records").iter().map(|row| row[0]).filter(|cell| cell.starts_with("0x")).collect();
    let expected =
        [record::SET_UP, record::NO_MARKER, record::FAULT, record::CHANGED].map(|flag| format!("0x{flag:02X}"));
    assert_eq!(flags, expected);
    assert!(section("7 Game records").contains(&format!("the byte {:02X}", record::HEADER)));
    let example = section("7 Game records").lines().find(|line| line.starts_with("Example: ")).unwrap();
    let quoted: Vec<&str> = example.split('`').skip(1).step_by(2).collect();
    let position = Position::from_fen(quoted[0].as_bytes()).unwrap();
    let mut bytes = Vec::new();
    record::push_start(&position, &mut bytes);
    assert_eq!(bytes, hex(quoted[1]));
}

#[test]
fn worked_moves() {
    let rows: Vec<_> =
        rows("8 Brenner moves").into_iter().filter(|row| row.len() == 4 && row[1].contains('/')).collect();
    assert_eq!(rows.len(), 25);
    for row in rows {
        let [fen, san, bytes] = [row[1], row[2], row[3]].map(|cell| cell.trim_matches('`'));
        let position = Position::from_fen(fen.as_bytes()).unwrap();
        let m = position.parse_san(san.as_bytes()).unwrap();
        assert_eq!(position.san(m).trim_end_matches(['+', '#']), san, "{fen}");
        let mut out = Vec::new();
        encode::push_move(&position, m, &mut out);
        assert_eq!(out, hex(bytes), "{fen} {san}");
    }
}

#[test]
fn tag_names() {
    let names: Vec<&str> = section("9 Tags blocks")
        .lines()
        .skip_while(|line| !line.starts_with("Names by number"))
        .filter(|line| line.starts_with("    "))
        .flat_map(str::split_whitespace)
        .collect();
    assert_eq!(names, tags::NAMES);
}

#[test]
fn commits_and_styles() {
    assert_eq!(Commit::default().encode().len(), 13 * 8 + 16);
    assert!(section("16 Commits").contains("thirteen u64"));
    let source = SourceRecord {
        number: 0,
        name: "a.pgn".into(),
        bytes: 300,
        seen: 2,
        rejected: 1,
        first_game: 7,
        exact: true,
        sha256: [9; 32],
    };
    let unfinished = Unfinished { first_source: 1, line: 200, options: "xy".into(), source: source.clone() };
    let mut payload = Commit::default().encode();
    unfinished.encode(&mut payload);
    let fields: Vec<_> = rows("16 Commits").into_iter().map(|row| row[0]).collect();
    assert_eq!(fields, ["bytes", "104", "16", "varint", "varint", "string", "the rest"]);
    assert_eq!(payload[120..], [&[1, 200, 1, 2, b'x', b'y'], &source.encode()[..]].concat());
    assert_eq!(Unfinished::from_commit(&payload), Some(unfinished));
    let flags: Vec<u16> = rows("12 Layout blocks")
        .iter()
        .filter_map(|row| row[0].strip_prefix("0x"))
        .map(|flag| u16::from_str_radix(flag, 16).unwrap())
        .collect();
    let plain = Style { number_after_comment: false, number_after_variation: false, ..Style::default() };
    let styles = [
        Style { joined_numbers: true, ..plain },
        Style { unbroken_numbers: true, ..plain },
        Style { number_after_comment: true, ..plain },
        Style { number_after_variation: true, ..plain },
        Style { wide_variations: true, ..plain },
        Style { full_squares: true, ..plain },
        Style { windows_1252: true, ..plain },
        Style { pairs: true, ..plain },
        Style { wide_result: true, ..plain },
        Style { filled: true, ..plain },
        Style { joined_comments: true, ..plain },
    ];
    assert_eq!(styles.map(|style| u16::from_le_bytes([style.encode()[7], style.encode()[8]])).as_slice(), flags);
    let style = Style { line_end: LineEnd::CrLf, width: 0x0102_0304, after_tags: 5, after_game: 6, ..plain };
    assert_eq!(style.encode(), [1, 4, 3, 2, 1, 5, 6, 0, 0]);
    assert_eq!(Style::decode(style.encode()), Some(style));
}

/// Returns the numbers in rows with an offset and a size, by their text; a section may have several tables.
fn sized(title: &str, what: &str) -> (usize, usize) {
    let number = |cell: &str| cell.replace(',', "").parse().ok();
    let is_it = |row: &&Vec<&str>| row.get(2).is_some_and(|text| text.starts_with(what));
    let rows = rows(title);
    let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("{title}: {what}"));
    (number(row[0]).unwrap(), row[1].split(' ').next().and_then(number).unwrap())
}

#[test]
fn side_files() {
    let title = "19 Side files";
    let state = State { id: ArchiveId([9; 16]), sequence: 5, length: 6, games: 7, chain: Chain([8; 16]) };
    let made = Made { state, commit: 10 };
    let segment = Segment { part: Part::Facts, runs: 2, offset: 8192 + 24, length: 4097, games: 3, made };
    let head = Head { id: state.id, sequence: 3, end: 16_000, segments: vec![segment; 2] };
    for (magic, name) in [(side::SIGNATURES, "signatures"), (side::POSITIONS, "positions"), (side::TAG_COLUMNS, "tag")]
    {
        let bytes: Vec<String> = magic.iter().map(|byte| format!("{byte:02X}")).collect();
        assert!(section(title).contains(&format!("`{}` {name}", bytes.join(" "))));
    }
    let page = head.encode(side::POSITIONS);
    assert_eq!((page.len(), head.offset()), (sized(title, "CRC-32 of bytes").0 + 4, 4096));
    let number = |base: usize, what: &str| {
        let (offset, size) = sized(title, what);
        at(&page, (base + offset, size))
    };
    let [(major, minor), packed] = side::VERSIONS;
    assert_eq!((number(0, "major version"), number(0, "minor version")), (major.into(), minor.into()));
    let of_packed = Head { segments: vec![Segment { part: Part::TagColumns, ..segment }], ..head.clone() };
    let (offset, size) = sized(title, "minor version");
    assert_eq!(at(&of_packed.encode(side::TAG_COLUMNS), (offset, size)), u64::from(packed.1));
    assert!(
        section(title)
            .contains(&format!("Their versions, {major}.{minor} and {}.{}, are separate", packed.0, packed.1))
    );
    assert_eq!(number(0, "page size"), 4096);
    assert_eq!(
        (number(0, "sequence number of the page"), number(0, "end:"), number(0, "segments, at most")),
        (3, 16_000, 2)
    );
    assert!(section(title).contains(&format!("segments, at most {}", side::MAX_SEGMENTS)));
    assert_eq!(at(&page, sized(title, "CRC-32 of bytes")), u64::from(state.id.crc(4096, &page[..4092])));
    let (first, size) = sized(title, "directory: an entry");
    assert!(first + size * side::MAX_SEGMENTS <= 4092);
    let entry = first + size;
    assert_eq!((number(entry, "kind:"), number(entry, "runs of games")), (3, 2));
    assert_eq!(
        (number(entry, "offset of the segment"), number(entry, "length in bytes"), number(entry, "games")),
        (8216, 4097, 3)
    );
    assert_eq!((number(entry, "sequence number of the commit"), number(entry, "committed length")), (5, 6));
    assert_eq!((number(entry, "games of the archive"), number(entry, "offset of that commit")), (7, 10));
    assert_eq!(page[entry + sized(title, "content chain").0..][..16], state.chain.0);
    assert_eq!((segment.pages(), segment.end()), (2, 8216 + 4097 + 8));

    let title = "20 Position index";
    let layout = PlacesLayout { bytes: 77, collisions: 3, ..PlacesLayout::new(200, 64 << 9, 0x1112_1314, 200) };
    let trailer = layout.encode();
    let number = |what: &str| at(&trailer, sized(title, what));
    assert_eq!(
        (number("entries"), number("places"), number("bytes of all"), number("collisions")),
        (64 << 9, 0x1112_1314, 77, 3)
    );
    assert_eq!((number("*b*"), number("*w*"), number("*o*"), number("zero")), (9, 2, 4, 0));
    assert_eq!((sized(title, "zero").0 + 4, layout.place_bits()), (trailer.len(), 29));
    assert_eq!((layout.starts(), layout.buckets(), layout.offsets()), (400, 400 + 4 * 8, 432 + 77));
    assert_eq!((layout.collision_list() - layout.offsets(), layout.trailer() - layout.collision_list()), (513 * 4, 24));
    let facts = Facts { plies: 1, set_up: true, outcome: Outcome::WhiteWins, ratings: [2851, 4095], year: 2026 };
    let number = 1 | 1 << 23 | 2 << 24 | 2851 << 26 | 4095 << 38 | 2026 << 50;
    assert_eq!((facts.encode(), Facts::decode(number)), (number, facts));
}

/// A bucket, bit by bit, as in section 20.
#[test]
fn buckets_of_positions() {
    let layout = PlacesLayout::new(10, 100, 1000, 99);
    assert_eq!((layout.bits, layout.place_bits()), (0, 10));
    let mut bits = String::new();
    let low_first = |number: u64, count: usize| {
        (0..count).map(|bit| (b'0' + (number >> bit & 1) as u8) as char).collect::<String>()
    };
    let gamma = |number: u64| {
        let size = number.ilog2() as usize;
        format!("{}1{}", "0".repeat(size), low_first(number, size))
    };
    let rice = |number: u64, k: usize| format!("{}1{}", "0".repeat((number >> k) as usize), low_first(number, k));
    // Two positions: one with three places, one with 20.
    let (few, many): (Vec<u64>, Vec<u64>) = (vec![4, 300, 999], (0..20).map(|number| 10 + number * 40).collect());
    bits += &gamma(3);
    for (check, next, places) in [(5000u64, 0u64, &few), (65_535, 5001, &many)] {
        bits += &rice(check - next, 10);
        bits += &gamma(places.len() as u64);
        bits += &low_first(places[0], 10);
        let k = ((1000 - places[0]) / places.len() as u64).ilog2() as usize;
        let codes: String = places.windows(2).map(|pair| rice(pair[1] - pair[0] - 1, k)).collect();
        if places.len() < 16 {
            bits += &codes;
        } else {
            let codes = format!("{codes:0<width$}", width = codes.len().next_multiple_of(8));
            bits += &gamma(codes.len() as u64 / 8);
            bits = format!("{bits:0<width$}", width = bits.len().next_multiple_of(8)) + &codes;
        }
    }
    let bits = format!("{bits:0<width$}", width = bits.len().next_multiple_of(8));
    let byte = |bits: &[u8]| bits.iter().rev().fold(0u8, |byte, bit| byte << 1 | (bit - b'0'));
    let expected: Vec<u8> = bits.as_bytes().chunks(8).map(byte).collect();
    let mut writer = BucketWriter::new(layout);
    few.iter().for_each(|place| writer.add(5000, *place));
    many.iter().for_each(|place| writer.add(65_535, *place));
    assert_eq!(writer.finish(), (expected.clone(), vec![0, expected.len() as u64]));
}

/// The example of section 19: the value of each field of a signature.
#[test]
fn signatures_of_games() {
    let signature = |moves: &str| {
        let (mut position, mut stream) = (Position::standard(), Vec::new());
        for san in moves.split_whitespace() {
            let m = position.parse_san(san.as_bytes()).unwrap();
            encode::push_move(&position, m, &mut stream);
            position.play_unchecked(m);
        }
        scoresheet_query::position::signature::signature(&Position::standard(), &stream)
    };
    // 8 pawns per side, 16 pieces per side, less 1.
    assert_eq!(signature("Nf3"), 0xFF88_0000_0000_0000);
    // e2 is 4, d7 is 11; the captures leave Black a pawn short.
    assert_eq!(signature("e4 d5 exd5"), 0xEF78_BBBB_BBBB_BBB4);
    // A pawn captured at home also leaves it: f7 is 13.
    assert_eq!(signature("e4 e5 Qh5 Nc6 Qxf7+"), 0xEF78_DDDD_DDDD_DDC4);
}

#[test]
fn tag_columns_files() {
    use scoresheet::format::tag_columns::{
        self, ColumnRef, Directory, Key, MeasureHead, MeasureRef, TableRef, pack_numbers, pack_strings,
    };
    let title = "21 The tag columns file";
    let table = TableRef { count: 2, text: 4, packed: pack_strings([&b"ha"[..], b"hi"].into_iter()) };
    // The raw length and the stored length; what each string shares with the previous one, the lengths of the rests, the
    // rests.
    assert_eq!(table.packed, [&[7, 7, 0, 1, 2, 1][..], b"hai"].concat());
    let key = Key::Tag("White".to_owned());
    let columns = [
        ColumnRef { key: &key, table: Some(0), width: 1, packed: pack_numbers(&[1, 0], 1) },
        ColumnRef { key: &Key::Plies, table: None, width: 2, packed: pack_numbers(&[9, 0, 8, 0], 2) },
    ];
    // A plane of zeros is empty.
    assert_eq!((&*columns[0].packed, &*columns[1].packed), (&[2, 1, 0][..], &[2, 9, 8, 0][..]));
    let chain = Some(Chain([3; 16]));
    let head = MeasureHead { name: "novelty".to_owned(), rules: 1, chain, lowest: -2, width: 1 };
    let measure = MeasureRef { head, packed: pack_numbers(&[0, 5], 1) };
    // The directory as documented: tables, columns, measures, then tags without a column.
    let directory = tag_columns::directory(&[table], &columns, &[measure], &["Round"]);
    let expected = [
        &[1, 2, 4, 9][..],
        &[2, 2, 5],
        b"White",
        &[0, 1, 3],
        &[0, 2, 4],
        &[1, 7],
        b"novelty",
        &[1, 1],
        &[3; 16],
        &(-2i64).to_le_bytes(),
        &[1, 3],
        &[1, 5],
        b"Round",
    ]
    .concat();
    assert_eq!(directory, [&(expected.len() as u64).to_le_bytes()[..], &expected].concat());
    let length = directory.len() as u64 + 9 + 3 + 4 + 3;
    assert!(Directory::decode(&expected, 2, length, true).is_some());
    assert!(section(title).contains(&tag_columns::ROWS.to_string().replace("65536", "65,536")));
    let flags: Vec<&str> = rows(title).iter().map(|row| row[0]).filter(|cell| cell.starts_with("0x")).collect();
    let expected = [
        tag_columns::SET_UP,
        tag_columns::FAULT,
        tag_columns::NO_MARKER,
        3 << tag_columns::OUTCOME_SHIFT,
        tag_columns::COMMENTS,
        tag_columns::VARIATIONS,
        tag_columns::GLYPHS,
    ];
    assert_eq!(flags, expected.map(|flag| format!("0x{flag:02X}")));
}

#[test]
fn deletions() {
    let text = section("15 Deletions blocks");
    let example = text.split("games 1, 5, 6 and 7 is `").nth(1).unwrap().split('`').next().unwrap();
    // A varint with the raw length and a byte for "not compressed" come first.
    let payload = scoresheet::format::deletions::encode(&[(1, 1), (5, 7)]);
    assert_eq!(payload, [&[4, 0], hex(example).as_slice()].concat());
}

#[test]
fn packed_groups_and_model_file() {
    let groups = [
        ("capture", features::CAPTURE),
        ("danger", features::DANGER),
        ("to", features::TO),
        ("from", features::FROM),
        ("check", features::CHECK),
        ("threat", features::THREAT),
        ("hanging", features::HANGING),
        ("prize", features::PRIZE),
        ("structure", features::STRUCTURE),
        ("enemy king", features::OPP_KING),
        ("own king", features::OWN_KING),
        ("again", features::AGAIN),
        ("special", features::SPECIAL),
        ("evasion", features::EVASION),
        ("zone", features::ZONE),
    ];
    let table = rows("28 Packed moves");
    let mut written = table.iter().skip_while(|row| row[0] != "group").skip(1);
    let mut start = 0;
    for (name, group) in groups {
        let row = written.next().unwrap();
        assert_eq!((row[0], row[1].parse().ok(), start), (name, Some(group.size), group.start));
        start += group.size;
    }
    assert_eq!(start, features::SMALL);
    let fields = table.iter().skip_while(|row| row[..] != ["bytes", "field"]).skip(1);
    let sum: usize = fields.map_while(|row| row[0].parse::<usize>().ok()).sum();
    assert_eq!(sum, model::BOOK_AT);
}

/// The worked example, with a range decoder made only from the document.
#[test]
fn packed_example() {
    let model = model::Model::read(packed::MODEL).unwrap();
    let start = Position::standard();
    let (mut position, mut moves, mut stream) = (start.clone(), Vec::new(), Vec::new());
    for san in ["f3", "e5", "g4", "Qh4#"] {
        let m = position.parse_san(san.as_bytes()).unwrap();
        encode::push_move(&position, m, &mut stream);
        position.play_unchecked(m);
    }
    stream.push(1);
    let spaced = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
    assert!(section("28 Packed moves").contains(&spaced(&stream)));
    let mut bytes = Vec::new();
    packed::encode(&start, &stream, &mut bytes);

    let (mut range, mut shifted) = (u64::MAX, 0);
    let byte = |at: usize| u64::from(bytes.get(at).copied().unwrap_or(0));
    let mut code = (0..8).fold(0, |code, at| code << 8 | byte(at));
    let mut expected = Vec::new();
    let mut symbol = |name: &str, shares: &[(u32, u32)], total: u32| {
        let unit = range / u64::from(total);
        let at = (code / unit).min(u64::from(total) - 1) as u32;
        let found = shares.iter().position(|(from, width)| at >= *from && at < from + width).unwrap();
        let (from, width) = shares[found];
        code -= unit * u64::from(from);
        range = unit * u64::from(width);
        while range < 1 << 56 {
            (range, code) = (range << 8, code << 8 | byte(shifted + 8));
            shifted += 1;
        }
        let room = 8 * (bytes.len() as i64 - shifted as i64) - i64::from(range.leading_zeros());
        expected.push(format!("| {name} | {total} | {from} | {width} | {room} |"));
        (found, room)
    };
    let kinds: Vec<(u32, u32)> = (0..8).map(|kind| train::kind_interval(&model, kind)).collect();
    let (kind, mut room) = symbol("kind", &kinds, 1 << 16);
    assert_eq!(kind, 1);
    let mut board = TurnedBoard::new(&start).unwrap();
    let mut history = Default::default();
    let mut position = start.clone();
    loop {
        let priced = train::priced(&model, &start, &moves).unwrap();
        if priced.is_empty() {
            break;
        }
        if room <= 23 {
            let context = board.end_context(&history, scoresheet::game::Outcome::BlackWins, position.turn());
            let share = train::end_frequency(&model, context, (room + 8).clamp(0, 31) as usize);
            let (over, _) = symbol("over", &[(0, share), (share, (1 << 16) - share)], 1 << 16);
            assert_eq!(over, 1);
        }
        let mut shares = Vec::new();
        let mut total = 0;
        for (_, _, width) in &priced {
            shares.push((total, *width));
            total += width;
        }
        let (at, left) = symbol("move", &shares, total);
        room = left;
        let m = board.to_move(priced[at].0, position.turn());
        train::play(&mut board, &mut history, m, position.turn(), 0);
        position.play_unchecked(m);
        moves.push(m);
    }
    assert!(position.is_checkmate());
    let first = train::priced(&model, &start, &[]).unwrap();
    let listed: Vec<String> = first
        .iter()
        .map(|(step, score, width)| {
            let square = |square: u8| format!("{}{}", (b'a' + square % 8) as char, square / 8 + 1);
            format!("{}{} {score} {width}", square(step.from), square(step.to))
        })
        .collect();
    let text = format!("{}\n\n{}\n\n{}", spaced(&bytes), expected.join("\n"), listed.join(", "));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let document = words(section("28 Packed moves"));
    for part in text.split("\n\n") {
        assert!(document.contains(&words(part)), "the example should be:\n\n{text}\n");
    }
}

/// The model file has the path, number, size and hash in the document.
#[test]
fn packed_model_file() {
    let row = rows("28 Packed moves").into_iter().skip_while(|row| row[0] != "model").nth(1).unwrap();
    let hash: String = packed::MODEL_SHA256.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        [row[0], row[2], row[3].trim_matches('`')],
        [&packed::MODEL_ID.to_string(), &packed::MODEL.len().to_string(), hash.as_str()]
    );
    let path = root().join(row[1].trim_matches('`'));
    assert!(std::fs::read(path).unwrap() == packed::MODEL);
}

#[test]
fn the_version_is_that_of_the_code() {
    let (major, minor) = scoresheet::format::VERSION;
    assert!(DOCUMENT.contains(&format!("\nVersion {major}.{minor}. This document is normative")));
    for title in ["4 Header pages", "18 The index file"] {
        let rows = rows(title);
        let says = |field: String| rows.iter().any(|row| row.get(2) == Some(&field.as_str()));
        assert!(says(format!("major version, {major}")) && says(format!("minor version, {minor}")), "{title}");
    }
    // All other places that name a version of archives, including golden files.
    let named = format!("{major}.{minor}");
    for name in ["golden/v", "`v"] {
        for rest in DOCUMENT.split(name).skip(1) {
            let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            assert!(digits.is_empty() || digits.trim_end_matches('.') == named, "{name}{}", &rest[..20]);
        }
    }
}

/// The sections in errors are the sections that define the rule.
#[test]
fn sections_of_damage() {
    use scoresheet::error::{DamageKind::*, Limit, UnknownPart};
    let sections = [
        (HeaderPageLost, "Header pages"),
        (BlockHeader, "Blocks"),
        (BlockContent, "Blocks"),
        (MovesBlock, "Moves blocks"),
        (GameRecord, "Game records"),
        (IllegalMoves, "Brenner moves"),
        (TagsBlock, "Tags blocks"),
        (TextsBlock, "Texts blocks"),
        (LayoutBlock, "Layout blocks"),
        (Source, "Source blocks"),
        (LooseBlock, "Source blocks"),
        (DictionaryBlock, "Dictionary blocks"),
        (DeletionsBlock, "Deletions blocks"),
        (MetadataBlock, "Metadata and model blocks"),
        (ModelBlock, "Metadata and model blocks"),
        (Commit, "Commits"),
        (CommitOutOfPlace, "Commits"),
        (IndexDisagrees, "The index file"),
        (PositionIndex, "Position index"),
        (Unknown(UnknownPart::Block { kind: 100 }), "Extensions"),
        (OverLimit(Limit { what: "a block", limit: 1, needed: 2 }), "What a reader may refuse"),
        (PackedMoves, "Packed moves"),
        (Checksum { expected: 1, found: 2 }, "Conventions"),
    ];
    for (kind, title) in sections {
        assert!(DOCUMENT.contains(&format!("\n## {} {title}\n", kind.section())), "{kind:?}: {title}");
    }
}

/// Each numbered rule, with the test that proves it and its file. R5 binds only users of a feature, and there are none.
const RULES: [(&str, &str, &str); 13] = [
    ("R1", "tests/archive/written.rs", "every_flipped_bit_is_found_and_no_game_is_falsified"),
    ("R2", "tests/reliability/crash.rs", "every_state_of_up_to_three_pending_operations"),
    ("R3", "tests/archive/written.rs", "every_flipped_bit_is_found_and_no_game_is_falsified"),
    ("R4", "tests/archive/extensions.rs", "features_decide_who_may_do_what"),
    ("R6", "tests/archive/extensions.rs", "critical_blocks_are_refused_by_their_kind"),
    ("R7", "tests/archive/extensions.rs", "skippable_blocks_are_passed_over"),
    ("R8", "tests/reliability/damage.rs", "an_index_that_is_not_the_very_one_is_not_used"),
    ("R9", "tests/cli/inspect.rs", "conformance"),
    ("R10", "tests/reliability/damage.rs", "every_lost_sector_costs_a_block_at_most"),
    ("R11", "tests/format/crafted_columns.rs", "what_a_writer_makes_is_within_every_budget"),
    ("R12", "tests/format/packed.rs", "nothing_hides_after_a_packed_game"),
    ("R13", "tests/archive/model.rs", "side_files_of_another_content_are_not_used"),
    ("R14", "tests/reliability/fuzz.rs", "every_field_of_side_files"),
];

/// Rules are numbered consecutively, and each has its test.
#[test]
fn rules_have_tests() {
    let rule = |rest: &str| rest.split(')').next().and_then(|digits| digits.parse::<usize>().ok());
    let mut numbers: Vec<usize> = DOCUMENT.split("(R").skip(1).filter_map(rule).collect();
    numbers.sort_unstable();
    assert!(numbers.iter().copied().eq(1..=RULES.len() + 1), "{numbers:?}");
    for (number, file, test) in RULES {
        let code = std::fs::read_to_string(root().join(file)).unwrap();
        assert!(code.contains(&format!("\nfn {test}() {{")), "{number}: {test} in {file}");
    }
}

/// Every section referred to by number exists, and the table of contents matches the document.
#[test]
fn numbers_of_sections() {
    let root = root();
    let contents = std::fs::read_to_string(root.join("FORMAT.md")).unwrap();
    let mut titles = Vec::new();
    let parts = [
        "numbers",
        "layout",
        "side-files",
        "metadata",
        "packed-moves",
        "notations",
        "vectors",
        "variants",
        "glossary",
        "history",
    ];
    let parts = parts.map(|part| format!("docs/format/{part}.md"));
    for file in parts.into_iter().chain(["".to_owned(), "docs/design/format.md".to_owned()]) {
        let text = std::fs::read_to_string(root.join(if file.is_empty() { "FORMAT.md" } else { &file })).unwrap();
        for title in text.lines().filter_map(|line| line.strip_prefix("## ")) {
            let anchor = title.to_lowercase().replace(' ', "-");
            assert!(contents.contains(&format!("[{title}]({file}#{anchor})")), "{title} is not in the contents");
            titles.push(title.split(' ').next().unwrap().parse::<usize>().unwrap_or_else(|_| panic!("{title}")));
        }
    }
    titles.sort_unstable();
    assert!(titles.iter().copied().eq(1..=37), "{titles:?}");
    // A reader of level A reads this file alone.
    assert!(contents.len() <= 75_000, "FORMAT.md has {} bytes", contents.len());
    let mut texts = vec![("FORMAT.md".to_owned(), DOCUMENT.replace('\n', " "))];
    for name in ["ARCHITECTURE.md", "CHANGELOG.md", "docs/QUERY.md", "docs/FIND.md", "src/error.rs"] {
        texts.push((name.to_owned(), std::fs::read_to_string(root.join(name)).unwrap()));
    }
    let mut found = 0;
    for (name, text) in texts {
        for rest in text.split("section ").skip(1) {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            if let Ok(number) = digits.parse::<usize>() {
                assert!((1..=titles.len()).contains(&number), "{name}: section {number}");
                found += 1;
            }
        }
    }
    assert!(found > 60, "{found}");
}

/// Section names in comments are titles of the document, or terms that it defines in bold.
#[test]
fn sections_named_in_the_code() {
    fn names(folder: &std::path::Path, found: &mut Vec<(String, std::path::PathBuf)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names(&path, found);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let code = std::fs::read_to_string(&path).unwrap();
            let words = code.split_whitespace().filter(|word| !["//!", "///", "//"].contains(word));
            let text = words.collect::<Vec<_>>().join(" ");
            for name in text.split("FORMAT.md, \"").skip(1) {
                found.push((name.split('"').next().unwrap().to_owned(), path.clone()));
            }
        }
    }
    let mut found = Vec::new();
    names(&root().join("src"), &mut found);
    assert!(found.len() > 30, "{found:?}");
    for (name, path) in found {
        let title = DOCUMENT.lines().any(|line| line.starts_with('#') && line.ends_with(&format!(" {name}")));
        assert!(title || DOCUMENT.contains(&format!("**{name}**")), "{}: {name}", path.display());
    }
}

/// Returns the numbers in a cell of "Assigned numbers".
fn numbers(cell: &str) -> Vec<u32> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap_or_else(|_| panic!("{text}")),
    };
    if let Some(letters) = cell.strip_prefix('`') {
        return letters.trim_end_matches('`').split(' ').map(|letter| u32::from(letter.as_bytes()[0])).collect();
    }
    let range = |part: &str| match part.split_once(" to ") {
        Some((first, last)) => (number(first)..=number(last)).collect(),
        None => vec![number(part)],
    };
    if cell == "none" { Vec::new() } else { cell.split(", ").flat_map(range).collect() }
}

/// Returns a compressed part in stored form.
fn stored(raw: &[u8]) -> Vec<u8> {
    [&[raw.len() as u8, 0], raw].concat()
}

/// Returns whether the library knows a number of a row of "Assigned numbers".
fn is_known(space: &str, number: u32) -> bool {
    use scoresheet::format::{dictionary, moves, tags, texts};
    let byte = number as u8;
    let any = |variants: &[&[u8]], reads: &dyn Fn(&[u8]) -> bool| variants.iter().any(|variant| reads(variant));
    let moves_block = |coding: u8, width: u32| {
        let checked = 4 + width + 4 + if coding & 15 == 1 { 8 } else { 0 };
        let header = BlockHeader {
            kind: BlockKind::Moves,
            coding,
            first: 1,
            count: 1,
            checked,
            length: u64::from(checked) + 1,
            payload_crc: 0,
        };
        moves::MovesTable::from_header(&header).is_some()
    };
    match space {
        "block kinds, critical" | "block kinds, skippable" => {
            let kind = BlockKind::from_number(byte);
            assert_eq!(space.ends_with("skippable"), kind.is_some_and(BlockKind::is_skippable), "{number}");
            kind.is_some_and(|kind| kind != BlockKind::Other(byte))
        }
        "codings of records, in moves blocks" => moves_block(byte, 1),
        "widths of lengths, in moves blocks" => [1, 2, 4].iter().any(|width| moves_block(byte << 4, *width)),
        "codings of compressed parts" => {
            let compressed = dictionary::encode(&[vec![b'a'; 100].into()], 19);
            assert_eq!(compressed[1], 1);
            any(&[&[2, 0, 1, b'x'], &compressed], &|payload| {
                let mut payload = payload.to_vec();
                payload[1] = byte;
                dictionary::BlockStrings::decode(&payload, 1).is_some()
            })
        }
        "bits of features to read" => Features { read: 1 << number, write: 0 }.unknown_to_reader().is_none(),
        "bits of features to write" => Features { read: 0, write: 1 << number }.unknown_to_writer().is_none(),
        "record flags, bits" => {
            let mut start = Vec::new();
            record::push_start(&Position::standard(), &mut start);
            // The third is the number of a variant.
            any(&[&[], &start, &[1]], &|rest| {
                record::Record::decode(&[&[record::HEADER, 1 << number], rest].concat(), false).is_some()
            })
        }
        "first bytes of an extension in a stream" => {
            use scoresheet::brenner::decode::{Decoder, TextPlaces};
            // After a first move: an explicit move of a piece without a label, a NAG, a variation.
            let five = Position::from_fen(b"8/8/8/7k/8/8/8/QQQQQK2 w - - 0 1").unwrap();
            let drops = Position::from_fen(b"8/8/8/7k/8/8/8/QQQQQK2[PN] w - - 0 1").unwrap();
            let drops = matches!(byte, 0xC6 | 0xC7).then_some(drops);
            any(&[&[0x12, 0x40], &[], &[5], &[0x08, 0xC4], &[0xC3, 0x08, 0xC4], &[0x12]], &|rest| {
                let opened = match byte {
                    0xC4 => &[0x08, 0xC3, 0x09][..],
                    _ => &[],
                };
                [opened, &[0x08], &[0x09, 0x0C]].iter().any(|before| {
                    let stream = [before, &[byte][..], rest].concat();
                    let mut decoder = Decoder::new(&stream, drops.as_ref().unwrap_or(&five).clone(), TextPlaces::Apart);
                    loop {
                        match decoder.advance(|_, _| {}) {
                            Ok(Some(_)) => {}
                            end => break end.is_ok(),
                        }
                    }
                })
            })
        }
        "names of tags" => number as usize <= tags::NAMES.len(),
        "codecs of columns" => any(&[&[], &[0]], &|prefix| {
            let raw = [&[1, 1, 0, 1, 5, byte], prefix, &[0, 0, 0, 1, b'x']].concat();
            tags::Tags::decode(&stored(&raw), 1).is_some()
        }),
        "codecs of columns, skippable" => {
            let raw = [1, 0, 1, 5, byte, 2, b'n', b'o', 0, 0];
            assert!(tags::Tags::decode(&stored(&raw), 1).is_some(), "{byte}: not skipped");
            false
        }
        "kinds of prediction" => any(&[&[0], &[0, 0, 0, 0]], &|references| {
            let raw = [&[1, 1, 0, 1, 5, 2, 255, 1, 0, 0, 0, byte], references, &[0, 0, 1, b'x']].concat();
            tags::Tags::decode(&stored(&raw), 1).is_some()
        }),
        "kinds of text" => scoresheet::game::TextKind::from_number(byte).is_some(),
        // No text uses the template: empty columns, a stream without numbers, and lines follow.
        "letters of fields" => any(&[&[], &[0], &[0, 0]], &|streams| {
            let raw = [&[2, 2, 0, byte, 0, 0, 0, 0], streams].concat();
            texts::Texts::decode(&stored(&raw), 1).is_some()
        }),
        "rules of predicted streams, without 0x80" => {
            let reads = |rule: u8| {
                any(&[&[], &[0], &[0, 1], &[0, 1, 0]], &|fields| {
                    let template = [8, 0, b'i', b'a', 0, b'i', b'b', 0, b'i'];
                    let raw = [&[3], &template[..], &[0, 0, 0, 0, 1, 2, rule], fields, &[0, 0, 0]].concat();
                    texts::Texts::decode(&stored(&raw), 1).is_some()
                })
            };
            assert_eq!(reads(byte), reads(byte | 0x80), "{number}");
            reads(byte)
        }
        "line ends of styles" => Style::decode([byte, 80, 0, 0, 0, 1, 1, 0, 0]).is_some(),
        "style flags, bits" => {
            let [low, high] = (1u16 << number).to_le_bytes();
            Style::decode([0, 80, 0, 0, 0, 1, 1, low, high]).is_some()
        }
        "kinds of segments in side files" => {
            let state = State { id: ArchiveId([9; 16]), sequence: 5, length: 6, games: 7, chain: Chain([8; 16]) };
            let made = Made { state, commit: 10 };
            let segment = Segment { part: Part::Facts, runs: 0, offset: side::BEGIN, length: 8, games: 3, made };
            let head = Head { id: state.id, sequence: 0, end: 16_000, segments: vec![segment] };
            let mut file = head.encode(side::POSITIONS);
            file[sized("19 Side files", "directory: an entry").0] = byte;
            let crc = state.id.crc(0, &file[..PAGE - 4]).to_le_bytes();
            file[PAGE - 4..].copy_from_slice(&crc);
            file.resize(16_000, 0);
            Head::decode(&file, side::POSITIONS).is_some()
        }
        "models of packed moves" => number == u32::from(packed::MODEL_ID),
        "letters of leading texts" => {
            let fen = Position::standard().fen();
            any(&[b"", b"n v", fen.as_bytes(), b"Atomic"], &|value| {
                let text = [&[0, byte], value, &[0]].concat();
                scoresheet::brenner::standalone::decode(&text).is_ok()
            })
        }
        "variants, in records of coding 2" => {
            record::Record::decode(&[record::HEADER, record::VARIANT, byte], false).is_some()
        }
        "move ids" => scoresheet::brenner::move_id::MoveId::new(number as u16).is_some_and(|id| id.is_known()),
        _ => panic!("{space}"),
    }
}

/// Each number of each space is assigned, free, private or reserved, and the code knows the assigned ones.
#[test]
fn assigned_numbers() {
    let table: Vec<Vec<&str>> = rows("22 Extensions").into_iter().filter(|row| row.len() == 7).collect();
    let spaces = &table[1..];
    assert_eq!(spaces.len(), 23);
    for row in spaces {
        let all = numbers(row[2]);
        let assigned = numbers(row[3]);
        let [private, never] = [5, 6].map(|cell| numbers(row[cell]));
        let taken: Vec<u32> = [&assigned[..], &private, &never].concat();
        let free = match row[4] {
            "all others" => all.iter().copied().filter(|number| !taken.contains(number)).collect(),
            cell => numbers(cell),
        };
        let mut listed = [taken, free].concat();
        listed.sort_unstable();
        assert_eq!(listed, all, "{}", row[0]);
        let known: Vec<u32> = all.into_iter().filter(|number| is_known(row[0], *number)).collect();
        assert_eq!(known, assigned, "{}", row[0]);
    }
}
