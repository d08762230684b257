//! The same answers for every form of an archive: plain or packed moves, with and without signatures, position index
//! and tag columns; and the cost of a damaged part.

#![allow(clippy::result_large_err)]

use crate::common::corpora;
use crate::common::import::archive_of;
use crate::common::random::Random;
use crate::common::sample::{first_games, lichess};
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::{ImportOptions, Position};
use scoresheet_query::filter::Passed;
use scoresheet_query::pattern::{Condition, Material, MoveRule, Pattern, PatternOptions};
use scoresheet_query::tag_columns::{self, TagColumns};
use scoresheet_query::{
    Compare, Filter, PositionIndex, PositionQuery, Search, SearchOptions, Signatures, SortKeys, Tree, Visit,
    position::index,
};
use std::path::{Path, PathBuf};

/// Returns the moves of a tree with their data.
fn described(tree: &Tree) -> Vec<String> {
    let all = tree.branches.iter().map(|branch| (tree.position.san(branch.m), &branch.tally));
    let all = all.chain([("all".to_owned(), &tree.tally)]);
    let line = |(name, tally): (String, _)| format!("{name} {tally:?}");
    all.map(line).collect()
}

const FILTERS: [&str; 5] = [
    "elo >= 1800 and result = 1-0",
    "plies > 60 and not year = 2013",
    "player ~ \"an\" or eco = B",
    "comments or variations or glyphs",
    "missing(whiteelo) or elodiff < 50",
];
const KEYS: [&str; 3] = ["-avgelo,plies", "white,-date", "-comments,result,game"];

/// Compares two archives of the same games: positions, patterns, trees, books, filters and orders. Returns the size of
/// their book.
fn agree(plain: &Archive, packed: &Archive, count: usize) -> usize {
    assert_eq!(plain.len(), packed.len());
    let archives = [plain, packed];
    let signatures = archives.map(Signatures::build);
    let indices = archives.map(|archive| {
        index::build(archive, 64 << 20, |_| {}).unwrap();
        PositionIndex::open(archive).0.unwrap()
    });
    let mut searches = Vec::new();
    for ((archive, signatures), index) in archives.into_iter().zip(&signatures).zip(&indices) {
        let search = Search::new(archive);
        searches.extend([
            search.clone(),
            search.clone().with_signatures(signatures),
            search.clone().with_index(index),
            search.with_signatures(signatures).with_index(index),
        ]);
    }
    // Without them, an index knows only the years.
    let days = TagColumns::open(plain).days();
    let tree_of = |search: &Search, position: &Position| search.dated_tree(position, Visit::First, Some(&days));
    let filters = FILTERS.map(|text| Filter::parse(text).unwrap());
    let mut random = Random(count as u64);
    let mut found = 0;
    for number in 0..count {
        let game = plain.game(random.below(plain.len() as usize) as u64 + 1).unwrap();
        let ply = random.below(game.plies().min(60) as usize + 1) as u32;
        let position = game.position(ply).unwrap();
        let query = PositionQuery::new(
            &position,
            Compare { castling: number % 3 > 0, side: number % 5 > 0, ..Compare::default() },
        );
        let reach =
            SearchOptions { all_plies: number % 2 == 0, variations: number % 8 == 1, ..SearchOptions::default() };
        let among =
            (number % 3 == 0).then(|| GameSet::from_numbers(plain.len(), filters[number % 5].numbers(plain).unwrap()));
        let mut hits = None;
        let mut tree = None;
        for (way, search) in searches.iter().enumerate() {
            // The first of each archive is slow, because it has no side files; searches in variations cannot use them.
            if way % 4 == 0 && number % 10 > 0 || way % 4 > 1 && reach.variations {
                continue;
            }
            let search = match &among {
                Some(games) => search.clone().among(games),
                None => search.clone(),
            };
            let found = search.position(&query, reach).hits;
            let first = hits.get_or_insert_with(|| found.clone());
            assert_eq!(*first, found, "{} {way}", position.fen());
            let description = described(&tree_of(&search, &position));
            assert_eq!(*tree.get_or_insert_with(|| description.clone()), description, "{} {way}", position.fen());
        }
        found += hits.map_or(0, |hits| hits.len());
    }
    assert!(found >= count / 3, "{found} of {count}");
    let of = |condition: Condition| Pattern::lasting(condition, 2);
    for pattern in [
        of(Condition { materials: vec![Material::parse("KRP1+kr").unwrap()], ..Condition::default() }),
        of(Condition {
            moves: vec![MoveRule::parse("O-O-O", scoresheet::chess::Color::White).unwrap()],
            ..Condition::default()
        }),
    ] {
        let reach = SearchOptions { all_plies: true, ..SearchOptions::default() };
        let hits: Vec<_> = searches
            .iter()
            .map(|search| search.pattern(&pattern, PatternOptions { either_color: true, reach }).hits)
            .collect();
        assert!(hits.iter().all(|known| *known == hits[0]));
    }
    let start = Position::standard();
    let trees: Vec<_> = searches.iter().map(|search| described(&tree_of(search, &start))).collect();
    assert!(trees.iter().all(|known| *known == trees[0]));
    let [book, other_book] = [0, 4].map(|way: usize| searches[way].book(Default::default()).0);
    assert!(book == other_book);

    let made = archives.map(TagColumns::without_file);
    archives.iter().for_each(|archive| {
        tag_columns::write(archive).unwrap();
    });
    let filed = archives.map(TagColumns::open);
    let ways: Vec<&TagColumns> = made.iter().chain(&filed).collect();
    for filter in &filters {
        let games: Vec<_> = ways.iter().map(|headers| filter.games(headers)).collect();
        assert!(
            games.iter().all(|found| found.unread.is_empty() && found.games == games[0].games),
            "{}",
            filter.as_str()
        );
    }
    let games: Vec<(usize, u64)> = (1..=plain.len()).map(|game| (0, game)).collect();
    for keys in KEYS.map(|keys| SortKeys::parse(keys).unwrap()) {
        let [first, second, third, fourth] =
            [&made[0], &made[1], &filed[0], &filed[1]].map(|headers| keys.order(&[headers], &games, usize::MAX).0);
        assert!(first == second && first == third && first == fourth, "{keys:?}");
        assert_eq!(keys.order(&[&made[0]], &games, 10).0, first[..10]);
    }
    book.len()
}

#[test]
fn plain_and_packed_archives_answer_alike() {
    let folder = crate::common::tempdir().unwrap();
    let sample = first_games(folder.path(), 800);
    let [plain, packed] = [false, true].map(|pack| {
        let options = ImportOptions { pack, ..ImportOptions::default() };
        archive_of(std::slice::from_ref(&sample), &folder.path().join(format!("{pack}.bga")), options)
    });
    assert!(agree(&plain, &packed, 16) > 0);
}

/// Returns the first games of a dozen files of a corpus, spread over all files, as one PGN.
fn some_games(sources: &[PathBuf]) -> Vec<u8> {
    const FILES: usize = 12;
    const BYTES: usize = 130_000;
    let mut games = Vec::new();
    for source in sources.iter().step_by(sources.len().div_ceil(FILES)) {
        let mut file = std::fs::read(source).unwrap();
        if let Some(head) = file.get(..BYTES) {
            let end = memchr::memmem::rfind(head, b"\n\n[Event ").or(memchr::memmem::rfind(head, b"\r\n\r\n[Event "));
            file.truncate(end.unwrap_or(0));
        }
        games.append(&mut file);
        games.extend_from_slice(b"\n\n");
    }
    games
}

#[test]
fn corpora_answer_alike_plain_and_packed() {
    let folder = crate::common::tempdir().unwrap();
    let mut all = 0;
    for name in ["otb", "online", "engine", "engine960", "annotated", "synthetic"] {
        let Some(sources) = corpora::sources(name) else { return };
        let source = folder.path().join(format!("{name}.pgn"));
        std::fs::write(&source, some_games(&sources)).unwrap();
        let [plain, packed] = [false, true].map(|pack| {
            let options = ImportOptions { pack, ..ImportOptions::default() };
            archive_of(std::slice::from_ref(&source), &folder.path().join(format!("{name}-{pack}.bga")), options)
        });
        println!("{name}: {} games", plain.len());
        all += plain.len();
        // Chess960 has no book, and neither have games that differ from the first moves on.
        let has_book = agree(&plain, &packed, 17) > 0;
        assert_eq!(has_book, !["engine960", "synthetic"].contains(&name), "{name}");
    }
    assert!(all > 4_000, "{all} games");
}

/// Returns an archive of several chunks, and a copy with a damaged byte in the tags of its second chunk.
fn damaged(folder: &Path) -> (Archive, Archive) {
    let sample = lichess();
    let options = ImportOptions { chunk_bytes: 256 << 10, ..ImportOptions::default() };
    let intact = archive_of(&[sample], &folder.join("whole.bga"), options);
    let mut bytes = std::fs::read(intact.path()).unwrap();
    let (mut at, mut tags) = (8192, Vec::new());
    while at < bytes.len() {
        if bytes[at + 4] == 2 {
            tags.push(at);
        }
        at += 40 + u64::from_le_bytes(bytes[at + 24..at + 32].try_into().unwrap()) as usize;
    }
    assert!(tags.len() > 3);
    bytes[tags[1] + 60] ^= 0x10;
    std::fs::write(folder.join("hurt.bga"), bytes).unwrap();
    let hurt = Archive::open(folder.join("hurt.bga")).unwrap();
    (intact, hurt)
}

#[test]
fn damaged_tags_cost_a_filter_their_own_games_alone() {
    let folder = crate::common::tempdir().unwrap();
    let (intact, hurt) = damaged(folder.path());
    let lost = hurt.games_of(1);
    assert!(hurt.game(lost.start).and_then(|game: GameRef| game.tags()).is_err());
    for text in FILTERS.into_iter().chain(["missing(eco)", "not white = x", "game > 1 and not plies > 3"]) {
        let filter = Filter::parse(text).unwrap();
        let Passed { games, unread, .. } = filter.games(&TagColumns::open(&hurt));
        let asks_tags = filter.keys().iter().any(|key| matches!(key, tag_columns::Key::Tag(_)));
        let mut expected = filter.games(&TagColumns::open(&intact)).games;
        if asks_tags {
            lost.clone().for_each(|game| {
                expected.remove(game);
            });
        }
        assert_eq!(
            unread.iter().map(|unread| unread.games.clone()).collect::<Vec<_>>(),
            vec![lost.clone(); usize::from(asks_tags)],
            "{text}"
        );
        assert_eq!(games, expected, "{text}");
        assert_eq!(filter.numbers(&hurt).is_err(), asks_tags);
    }
    // Unreadable games come last in an order, and are reported.
    let games: Vec<(usize, u64)> = (1..=hurt.len()).map(|game| (0, game)).collect();
    let (order, unread) = SortKeys::parse("-elo").unwrap().order(&[&TagColumns::open(&hurt)], &games, usize::MAX);
    assert_eq!((order.len(), unread.len()), (games.len(), 1));
    let last: Vec<u64> =
        order[order.len() - (lost.end - lost.start) as usize..].iter().map(|index| games[*index].1).collect();
    assert!(last.iter().all(|game| lost.contains(game)));
}

#[test]
fn commands_answer_the_rest_and_fail() {
    let folder = crate::common::tempdir().unwrap();
    let (_, hurt) = damaged(folder.path());
    let lost = hurt.games_of(1);
    let run = |args: &[&str]| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_scoresheet"));
        let output = command.args(args).current_dir(folder.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let left = hurt.len() - (lost.end - lost.start);
    let lost_games = format!("(games {} to {})", lost.start, lost.end - 1);
    for args in [
        &["list", "hurt.bga", "--where", "has(white)"][..],
        &["find", "hurt.bga", "--moves", "", "--where", "has(white)", "--format", "numbers"],
        &["eco", "hurt.bga", "--where", "has(white)"],
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, out.lines().count() as u64), (Some(1), left), "{args:?}: {err}");
        assert!(err.contains("hurt.bga: the archive is damaged") && err.contains(&lost_games), "{args:?}: {err}");
    }
    let (code, out, err) = run(&["tree", "hurt.bga", "--where", "has(white)"]);
    assert!(code == Some(1) && out.contains("e4 ") && err.contains(&lost_games), "{err}");
    let (code, _, err) = run(&["book", "hurt.bga", "--where", "has(white)", "-o", "x.bin"]);
    assert!(code == Some(1) && err.contains("no book was written") && !folder.path().join("x.bin").exists(), "{err}");
}
