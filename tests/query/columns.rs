//! Columns of measures in the tag columns file: the same answers with and without them, after every kind of change.

use crate::common::import::{append, archive_of};
use crate::common::random::Random;
use crate::common::sample::{first_games_text, testdata};
use scoresheet::archive::{FileKind, SideState};
use scoresheet::{Archive, GameRef, GameSet, ImportOptions, Monitor};
use scoresheet_query::games::{self, Before, SORT_MEMORY};
use scoresheet_query::position::{index, novelty};
use scoresheet_query::report::groups::{self, GroupKeys};
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{Filter, GameField, SortKeys, TagColumns, tag_columns};
use std::fs;
use std::path::Path;

/// The fields with columns.
const FIELDS: &str = "novelty,accuracy,whiteacpl,ending,end,speed,lowclock,maxeval,nodes,repetitions,mate";

const FILTERS: [&str; 14] = [
    "novelty > 12",
    "novelty = 5 or accuracy > 90",
    "not novelty <= 20",
    "whiteaccuracy < 80 and blackaccuracy > 50",
    "accuracy > 95",
    "whiteacpl in 20..60",
    "ending = rook",
    "ending = pawn and elo > 1500",
    "speed = blitz and end = checkmate",
    "lowclock < 20",
    "maxeval > 5 and not has(blackaccuracy)",
    "nodes > 1000",
    "repetitions >= 2 or mate = queen",
    // A measure without a column, a text, and measures with columns.
    "comment ~ e and ending = rook or blunders > 1 and accuracy > 60",
];

const SORT_KEYS: [&str; 5] = ["novelty", "-accuracy", "ending,-novelty", "lowclock", "-maxeval,blunders"];

const GROUPS: [&str; 4] = ["ending", "mate,speed", "ending,year", "speed"];

/// The answers to all questions, as text.
fn answers(columns: &TagColumns<'_>, has_index: bool) -> Vec<String> {
    let live = columns.archive().live();
    let mut answers = Vec::new();
    for text in FILTERS.iter().filter(|text| has_index || !text.contains("novelty")) {
        let passed = Filter::parse(text).unwrap().games(columns);
        assert!(passed.unread.is_empty(), "{text}: {:?}", passed.unread);
        answers.push(format!("{text}: {:?}", passed.games.iter().collect::<Vec<_>>()));
    }
    for text in SORT_KEYS.iter().filter(|text| has_index || !text.contains("novelty")) {
        let all: Vec<(usize, u64)> = live.iter().map(|game| (0, game)).collect();
        let ordered = SortKeys::parse(text).unwrap().order(&[columns], &all, all.len());
        answers.push(format!("{text}: {ordered:?}"));
    }
    for text in GROUPS {
        let GroupKeys(keys) = text.parse().unwrap();
        let grouped = groups::groups(columns, &live, None, &keys).unwrap();
        assert!(grouped.unread.is_empty());
        let mut lines: Vec<String> = grouped.groups.iter().map(|group| format!("{group:?}")).collect();
        lines.sort();
        answers.push(format!("{text}: {lines:?} {:?}", grouped.missing));
    }
    answers
}

/// Compares the answers with the file with those without it.
fn compare(path: &Path, what: &str, has_index: bool) {
    let archive = Archive::open(path).unwrap();
    let (with, without) = (TagColumns::open(&archive), TagColumns::without_file(&archive));
    for (with, without) in answers(&with, has_index).into_iter().zip(answers(&without, has_index)) {
        assert_eq!(with, without, "{what}");
    }
}

/// Returns the number of games that a filter reads.
fn walked(path: &Path, filter: &str) -> u64 {
    let archive = Archive::open(path).unwrap();
    Filter::parse(filter).unwrap().games(&TagColumns::open(&archive)).walked
}

fn index(path: &Path) {
    let archive = Archive::open(path).unwrap();
    index::build(&archive, SORT_MEMORY, Monitor::new()).unwrap();
    games::write_measures(&archive, &GameField::parse_list(FIELDS).unwrap(), Monitor::new()).unwrap();
}

fn update(path: &Path) {
    games::update(&Archive::open(path).unwrap(), SORT_MEMORY, Monitor::new()).unwrap();
}

#[test]
fn answers_are_the_same_with_columns_of_measures() {
    let folder = crate::common::tempdir().unwrap();
    let [path, first, second] = ["a.bga", "first.pgn", "second.pgn"].map(|name| folder.path().join(name));
    let text = first_games_text(400);
    let games = text.windows(8).enumerate().filter(|(_, text)| *text == b"\n\n[Event").map(|(at, _)| at + 2);
    let middle = games.clone().nth(300).unwrap();
    fs::write(&first, &text[..middle]).unwrap();
    // Some games occur twice, so some have no novelty.
    fs::write(&second, &text[games.clone().nth(280).unwrap()..]).unwrap();
    let options = || ImportOptions { chunk_bytes: 20_000, ..ImportOptions::default() };
    archive_of(&[first, testdata("golden/engine.pgn")], &path, options());
    compare(&path, "no file", false);
    index(&path);
    compare(&path, "new file", true);
    let archive = Archive::open(&path).unwrap();
    assert_eq!(TagColumns::open(&archive).state(), SideState::File);
    drop(archive);
    for filter in &FILTERS[..13] {
        assert_eq!(walked(&path, filter), 0, "{filter}");
    }
    // Games without rows are read, and no others.
    append(&second, &path, options());
    compare(&path, "appended", false);
    let new = walked(&path, "ending = rook");
    assert!((100..=160).contains(&new), "{new}");
    update(&path);
    compare(&path, "updated", true);
    assert_eq!(walked(&path, "ending = rook and accuracy > 2"), 0);
    Archive::delete(&path, [3, 5, 77, 290, 310]).unwrap();
    compare(&path, "deleted", true);
    // A change of moves changes novelties of other games; a change of comments changes accuracies.
    let before = Before::new(&Archive::open(&path).unwrap());
    let edit = |game: &GameRef<'_>| {
        let mut game = game.to_game()?;
        game.events.truncate(30);
        game.tags.retain(|(name, _)| name != "TimeControl");
        Ok(Some(game))
    };
    let some = GameSet::from_numbers(Archive::open(&path).unwrap().len(), [1, 2, 9, 40, 150, 299]);
    let edited = Archive::edit(&path, &some, &edit, Monitor::new()).unwrap();
    before.carry(&Archive::open(&path).unwrap(), &edited.change.unwrap()).unwrap();
    compare(&path, "edited", true);
    assert_eq!(walked(&path, "ending = rook and accuracy > 2"), 0);
    Archive::undelete(&path, [5, 77]).unwrap();
    compare(&path, "restored", true);
    // A new file keeps the columns.
    let archive = Archive::open(&path).unwrap();
    index::build(&archive, SORT_MEMORY, Monitor::new()).unwrap();
    tag_columns::write(&archive).unwrap();
    compare(&path, "written again", true);
    assert_eq!(walked(&path, FILTERS[1]), 0);
    // The position index is no longer needed.
    fs::remove_file(FileKind::Positions.beside(&path)).unwrap();
    let novel = Filter::parse("novelty > 12").unwrap().games(&TagColumns::open(&archive));
    assert!(novel.unread.is_empty() && !novel.games.is_empty());
}

#[test]
fn a_damaged_column_is_not_used() {
    let folder = crate::common::tempdir().unwrap();
    let [path, source] = ["a.bga", "a.pgn"].map(|name| folder.path().join(name));
    fs::write(&source, first_games_text(20)).unwrap();
    let archive = archive_of(&[source, testdata("golden/engine.pgn")], &path, ImportOptions::default());
    index(&path);
    let file = FileKind::TagColumns.beside(&path);
    let original = fs::read(&file).unwrap();
    let expected = answers(&TagColumns::without_file(&archive), true);
    for at in (0..original.len()).step_by(97) {
        let mut bytes = original.clone();
        bytes[at] ^= 0x20;
        fs::write(&file, &bytes).unwrap();
        assert_eq!(answers(&TagColumns::open(&archive), true), expected, "byte {at}");
    }
}

/// The columns of the players share a table of names. If one of them is damaged, it is computed from the tags, with names
/// of its own, which are not those of the other column.
#[test]
fn no_damaged_page_changes_a_name() {
    let folder = crate::common::tempdir().unwrap();
    let [path, source] = ["a.bga", "a.pgn"].map(|name| folder.path().join(name));
    fs::write(&source, first_games_text(3000)).unwrap();
    let archive = archive_of(&[source], &path, ImportOptions::default());
    tag_columns::write(&archive).unwrap();
    let keys = ["White", "Black", "Event", "Opening"].map(|tag| Key::Tag(tag.to_owned()));
    let texts = |columns: &TagColumns<'_>| {
        let one_by_one = keys.iter().flat_map(|key| columns.columns(std::slice::from_ref(key)).unwrap());
        let columns: Vec<_> = one_by_one.collect();
        let text = |game: u64| columns.iter().map(|column| column.text(game).map(<[u8]>::to_vec)).collect::<Vec<_>>();
        (1..=archive.len()).map(text).collect::<Vec<_>>()
    };
    let expected = texts(&TagColumns::without_file(&archive));
    let file = FileKind::TagColumns.beside(&path);
    let intact = fs::read(&file).unwrap();
    let mut refused = 0;
    for page in 1..intact.len() / 512 {
        let mut wrong = intact.clone();
        wrong[page * 512 + 100] ^= 4;
        fs::write(&file, &wrong).unwrap();
        let columns = TagColumns::open(&archive);
        assert!(texts(&columns) == expected, "byte {}", page * 512 + 100);
        refused += usize::from(!columns.check());
    }
    assert!(refused > 10, "{refused}");
}

/// A tag that no game has is no column of the file, and all of its values are missing.
#[test]
fn answers_are_the_same_without_a_tag() {
    let games = [
        "[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"2000\"]\n[BlackElo \"1900\"]\n[Date \"2001.02.03\"]\n[UTCDate \"2001.02.04\"]\n\
         [ECO \"B90\"]\n[Round \"1\"]\n[TimeControl \"300+2\"]\n[Opening \"X\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n",
        "[White \"B\"]\n\n1. d4 0-1\n",
        "[Result \"*\"]\n\n1. e4 e5 2. Nf3 1/2-1/2\n",
        "1. c4 *\n",
    ];
    let tags: Vec<&str> = games[0].lines().filter_map(|line| line.strip_prefix('[')?.split(' ').next()).collect();
    let fields: Vec<String> = GameField::names().filter(|name| !name.contains("novelty")).collect();
    for left_out in tags.iter().map(Some).chain([None]) {
        let folder = crate::common::tempdir().unwrap();
        let [path, source] = ["a.bga", "a.pgn"].map(|name| folder.path().join(name));
        let kept = |line: &&str| left_out.is_none_or(|tag| !line.starts_with(&format!("[{tag} ")));
        let text: Vec<String> =
            games.iter().map(|game| game.lines().filter(kept).collect::<Vec<_>>().join("\n") + "\n\n").collect();
        fs::write(&source, text.concat()).unwrap();
        let archive = archive_of(&[source], &path, ImportOptions::default());
        tag_columns::write(&archive).unwrap();
        let (with, without) = (TagColumns::open(&archive), TagColumns::without_file(&archive));
        let numbers = |filter: &Filter, columns| filter.games(columns).games.iter().collect::<Vec<_>>();
        let mut compared = 0;
        for field in &fields {
            let values = ["1-0", "*", "2000", "2001", "B9", "A", "blitz", "1", "true", "w"];
            let signs = ["=", "!=", "<", ">=", "~"];
            let compare = values.iter().flat_map(|value| signs.map(|sign| format!("{field} {sign} {value}")));
            for text in compare.chain([format!("has({field})"), format!("unreadable({field})")]) {
                let Ok(filter) = Filter::parse(&text) else { continue };
                for filter in [filter.clone(), !filter.clone(), filter & Filter::parse("plies > 1").unwrap()] {
                    assert_eq!(numbers(&filter, &with), numbers(&filter, &without), "{filter}, without {left_out:?}");
                    compared += 1;
                }
            }
            let Ok(keys) = SortKeys::parse(field) else { continue };
            let all: Vec<(usize, u64)> = (1..=4).map(|game| (0, game)).collect();
            let [with, without] = [&with, &without].map(|columns| keys.order(&[columns], &all, 4).0);
            assert_eq!(with, without, "{field}, without {left_out:?}");
        }
        assert!(compared > 1000, "{compared}");
        let live = archive.live();
        let stats = |columns| format!("{:?}", scoresheet_query::report::stats::stats(columns, &live).unwrap());
        assert_eq!(stats(&with), stats(&without), "without {left_out:?}");
    }
}

#[test]
fn fields_without_a_column_are_refused() {
    let folder = crate::common::tempdir().unwrap();
    let path = folder.path().join("a.bga");
    let archive = archive_of(&[testdata("golden/engine.pgn")], &path, ImportOptions::default());
    let write = |fields: &str| games::write_measures(&archive, &GameField::parse_list(fields).unwrap(), Monitor::new());
    assert!(write("ending,comment").unwrap_err().to_string().contains("comment can have no column"));
    assert!(write("novelty").unwrap_err().to_string().contains("position index"));
    assert!(write("speed,elo,plies").is_ok());
}

/// Novelties of all games, found in one pass, against a lookup of each ply of each game.
#[test]
fn novelties_of_all_games_are_those_of_each_game() {
    let folder = crate::common::tempdir().unwrap();
    let [path, source, more] = ["a.bga", "a.pgn", "more.pgn"].map(|name| folder.path().join(name));
    // Short games over few squares: repetitions, transpositions and games that are equal.
    let mut random = Random::new(11);
    let mut game = |text: &mut String| {
        let moves = ["Nf3", "Nf6", "Ng1", "Ng8", "Nc3", "Nc6", "Nb1", "Nb8"];
        let mut home = [[true; 2]; 2];
        if random.one_in(5) {
            *text += "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1\"]\n";
            *text += "\n1... d5 2. Ng1 d4 *\n\n";
            return;
        }
        *text += "\n";
        for ply in 0..random.below(12) {
            let (side, wing) = (ply % 2, random.below(2));
            let out = home[side][wing];
            home[side][wing] = !out;
            let index = wing * 4 + side + if out { 0 } else { 2 };
            *text += &format!("{} ", moves[index]);
        }
        *text += ["e4", "d4", "a3", ""][random.below(4)];
        *text += " *\n\n";
    };
    let mut texts = [String::new(), String::new()];
    for (text, count) in texts.iter_mut().zip([400, 60]) {
        (0..count).for_each(|_| game(text));
    }
    fs::write(&source, &texts[0]).unwrap();
    fs::write(&more, &texts[1]).unwrap();
    let others = folder.path().join("others.pgn");
    fs::write(&others, first_games_text(40)).unwrap();
    archive_of(&[source, testdata("golden/variants-1.1.pgn"), others], &path, ImportOptions::default());
    let check = |what: &str| {
        let archive = Archive::open(&path).unwrap();
        let found = novelty::complete_index(&archive).unwrap();
        let mut values: Vec<(u64, u32)> = Vec::new();
        for game in archive.games() {
            let game = game.unwrap();
            values.extend(novelty::novelty(&game, &found).unwrap().map(|ply| (game.number(), ply)));
        }
        assert!(values.len() > 20, "{what}: {}", values.len());
        let most = values.iter().map(|(_, ply)| *ply).max().unwrap();
        for ply in 1..=most + 1 {
            let filter = Filter::parse(&format!("novelty = {ply}")).unwrap();
            let expected: Vec<u64> = values.iter().filter(|(_, of)| *of == ply).map(|(game, _)| *game).collect();
            let games = filter.games(&TagColumns::without_file(&archive)).games;
            assert_eq!(games.iter().collect::<Vec<_>>(), expected, "{what}, ply {ply}");
        }
        found.segments().len()
    };
    index(&path);
    assert_eq!(check("one segment"), 1);
    Archive::delete(&path, (1..300).step_by(3)).unwrap();
    check("deleted");
    append(&more, &path, ImportOptions::default());
    update(&path);
    assert!(check("appended") > 1);
}
