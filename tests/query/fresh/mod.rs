//! Fresh questions: drawn at random from the games that they are asked of, and answered by a naive evaluation, with and
//! without side files, and from packed moves.
//!
//! SCORESHEET_QUESTIONS is the number of questions for each corpus, SCORESHEET_SEED draws others (docs/long-tests.md).

/// Conditions on the board.
mod board;
/// Clocks.
mod clocks;
/// Groups and opening trees.
mod reports;
/// Conditions on tags.
mod tags;

use crate::common::corpora;
use crate::common::import::archive_of;
use crate::common::random::Random;
use crate::common::sample::lichess_text;
use board::{Board, Compared};
use scoresheet::ImportOptions;
use scoresheet::archive::GameRef;
use scoresheet::chess::{Color, Variant};
use scoresheet::game::Outcome;
use scoresheet_query::{ArchiveSet, Query, games};
use serde_json::{Map, Value, json};
use std::path::Path;

/// A game as the naive evaluation sees it.
pub struct Played {
    pub number: u64,
    pub plies: u32,
    pub result: &'static str,
    pub is_set_up: bool,
    /// Whether the game follows the rules of chess, and not of a variant with moves of its own.
    pub is_chess: bool,
    pub has_fault: bool,
    pub comments: Vec<String>,
    tags: Vec<(String, String)>,
    boards: Vec<Board>,
}

impl Played {
    fn new(game: &GameRef) -> Played {
        let tags = game.tags().unwrap();
        let tag = tags.iter().find(|(name, _)| name == "Result").map(|(_, value)| value.as_str());
        let result = ["1-0", "0-1", "1/2-1/2"].into_iter().find(|result| tag == Some(result));
        Played {
            number: game.number(),
            plies: game.plies(),
            result: result.unwrap_or_else(|| game.outcome().unwrap_or(Outcome::Unknown).token()),
            is_set_up: game.is_set_up(),
            is_chess: game.start().variant() == Variant::Chess,
            has_fault: game.has_fault(),
            comments: game.comments().unwrap().into_iter().map(|comment| comment.text).collect(),
            tags,
            boards: board::boards(game),
        }
    }

    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    pub fn elo(&self, name: &str) -> Option<i64> {
        let digits: String = self.tag(name)?.trim().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|elo| *elo > 0)
    }

    /// Returns year, month and day, or 0 for question marks.
    pub fn date(&self) -> Option<(i64, i64, i64)> {
        let read = |name: &str| {
            let parts: Vec<Option<i64>> = self
                .tag(name)?
                .split('.')
                .map(|part| if part.contains('?') { Some(0) } else { part.parse().ok() })
                .collect();
            let part = |index: usize| parts.get(index).copied().unwrap_or(Some(0));
            let (year, month, day) = (part(0)?, part(1)?, part(2)?);
            let is_date = parts.len() <= 3 && year > 0 && month <= 12 && day <= 31;
            is_date.then_some((year, month, if month == 0 { 0 } else { day }))
        };
        read("Date").or_else(|| read("UTCDate"))
    }

    pub fn eco(&self) -> Option<&str> {
        let eco = self.tag("ECO")?;
        let bytes = eco.as_bytes();
        let is_code =
            bytes.len() >= 3 && (b'A'..=b'E').contains(&bytes[0]) && bytes[1..3].iter().all(u8::is_ascii_digit);
        is_code.then(|| &eco[..3])
    }
}

/// The answer to a question: the games in order, each with the first matching ply if the question determines it.
type Answer = Vec<(u64, Option<u32>)>;

fn asked(set: &ArchiveSet, question: &str, has_plies: bool) -> Answer {
    let query: Query = question.parse().unwrap_or_else(|fault| panic!("{question}: {fault}"));
    let found = query.run(set).map(|found| found.unwrap_or_else(|error| panic!("{question}: {error}")));
    found.map(|found| (found.number, found.hits.first().filter(|_| has_plies).map(|hit| hit.ply))).collect()
}

/// Draws a question about games. Returns its text, its answer, and whether plies are compared.
fn question(games: &[Played], random: &mut Random) -> (String, Answer, bool) {
    let mut members = Map::new();
    let of_player = random.one_in(4);
    let filter = random.chance(150).then(|| tags::filter(games, of_player, random));
    let passes = |game: &Played| {
        filter.as_ref().is_none_or(|filter| match filter.text.is_empty() {
            true => true,
            false if of_player => Color::BOTH.into_iter().any(|side| (filter.holds)(game, Some(side))),
            false => (filter.holds)(game, None),
        })
    };
    if let Some(filter) = &filter {
        members.insert("where".to_owned(), json!(filter.text));
    }
    // A filter is about a player only if it has a field of a player.
    let is_of_player = filter.as_ref().is_some_and(|filter| {
        ["color", "score", "opponent", "playerelo"].iter().any(|field| filter.text.contains(field))
    });
    let passes = |game: &Played| match is_of_player == of_player {
        true => passes(game),
        false => filter.as_ref().is_none_or(|filter| (filter.holds)(game, None)),
    };
    let drawn = &games[random.below(games.len())];
    let board = &drawn.boards[random.below(drawn.boards.len())];
    let mut has_plies = true;
    let kind = if filter.is_some() { random.below(10) } else { random.below(8) };
    // Returns the first ply at which a question on the board holds.
    type Reaches = Box<dyn Fn(&Played) -> Option<usize>>;
    let reaches: Reaches = match kind {
        // Positions.
        0..=3 => {
            let with_en_passant = board.has_en_passant();
            let compared = Compared {
                side: with_en_passant || !random.one_in(5),
                castling: !random.one_in(5),
                en_passant: !random.one_in(5),
            };
            for (name, is_compared) in [
                ("any_side", compared.side),
                ("any_castling", compared.castling),
                ("any_en_passant", compared.en_passant),
            ] {
                if !is_compared {
                    members.insert(name.to_owned(), json!(true));
                }
            }
            let (fen, fits) = board::position(board, compared, random);
            let first = move |game: &Played, fits: &dyn Fn(&Board) -> bool| game.boards.iter().position(fits);
            match random.below(4) {
                0 => {
                    let other = &games[random.below(games.len())];
                    let other = &other.boards[random.below(other.boards.len().min(12))];
                    let (second, fits_second) = board::position(other, compared, random);
                    members.insert("fen".to_owned(), json!([fen, second]));
                    if random.one_in(2) {
                        members.insert("every".to_owned(), json!(true));
                        has_plies = false;
                        Box::new(move |game| first(game, &fits).and(first(game, &fits_second)))
                    } else {
                        Box::new(move |game| first(game, &|board: &Board| fits(board) || fits_second(board)))
                    }
                }
                1 if !with_en_passant => {
                    members.insert("fen".to_owned(), json!(fen));
                    members.insert("either_color".to_owned(), json!(true));
                    has_plies = !is_of_player;
                    Box::new(move |game| first(game, &|board: &Board| fits(board) || fits(&board.turned())))
                }
                _ => {
                    members.insert("fen".to_owned(), json!(fen));
                    Box::new(move |game| first(game, &fits))
                }
            }
        }
        // Patterns.
        4..=7 => {
            let condition = board::condition(board, random);
            let other = random.one_in(3).then(|| board::condition(board, random));
            let mut conditions = vec![condition];
            conditions.extend(
                other.filter(|other| other.member.0 != conditions[0].member.0 && !both_moves(&conditions[0], other)),
            );
            for condition in &conditions {
                members.insert(condition.member.0.to_owned(), condition.member.1.clone());
            }
            let are_of_positions = conditions.iter().all(|condition| condition.is_of_position);
            let either_color = are_of_positions && random.one_in(4);
            if either_color {
                members.insert("either_color".to_owned(), json!(true));
            }
            let plies = if random.one_in(4) { 2 + random.below(4) } else { 1 };
            if plies > 1 {
                members.insert("plies".to_owned(), json!(plies));
                has_plies = false;
            }
            Box::new(move |game| {
                let fits = |board: &Board, turned: bool| {
                    let turned = turned.then(|| board.turned());
                    conditions.iter().all(|condition| condition.fits(turned.as_ref().unwrap_or(board)))
                };
                let first = |turned: bool| {
                    let held: Vec<bool> = game.boards.iter().map(|board| fits(board, turned)).collect();
                    held.windows(plies).position(|window| window.iter().all(|held| *held))
                };
                let turned = either_color.then(|| first(true)).flatten();
                first(false).into_iter().chain(turned).min()
            })
        }
        _ => {
            has_plies = false;
            Box::new(|_| Some(0))
        }
    };
    // With reversed colors, the player of the filter is the side in White's place.
    let either_color = members.contains_key("either_color");
    if either_color && is_of_player {
        members.remove("where");
    }
    let is_filtered = members.contains_key("where");
    let mut answer: Answer = games
        .iter()
        .filter(|game| !is_filtered || passes(game))
        .filter_map(|game| Some((game.number, reaches(game).map(|ply| ply as u32)?)))
        .map(|(number, ply)| (number, has_plies.then_some(ply)))
        .collect();
    if random.one_in(3) {
        sort(games, &mut members, &mut answer, random);
    }
    (Value::Object(members).to_string(), answer, has_plies)
}

/// Returns whether both conditions are rules of moves, of which either may hold.
fn both_moves(left: &board::Condition, right: &board::Condition) -> bool {
    left.member.0.ends_with("_move") && right.member.0.ends_with("_move")
}

/// Draws a sort order, an offset and a limit.
fn sort(games: &[Played], members: &mut Map<String, Value>, answer: &mut Answer, random: &mut Random) {
    type Key = fn(&Played) -> Option<i64>;
    const KEYS: [(&str, Key); 5] = [
        ("plies", |game| Some(i64::from(game.plies))),
        ("whiteelo", |game| game.elo("WhiteElo")),
        ("elodiff", |game| Some((game.elo("WhiteElo")? - game.elo("BlackElo")?).abs())),
        ("date", |game| game.date().map(|(year, month, day)| (year * 16 + month.max(1)) * 32 + day.max(1))),
        ("result", |game| {
            ["0-1", "1/2-1/2", "1-0"].iter().position(|result| *result == game.result).map(|at| at as i64)
        }),
    ];
    let first = random.below(KEYS.len());
    let second = (first + 1 + random.below(KEYS.len() - 1)) % KEYS.len();
    let keys = [(first, random.one_in(2)), (second, random.one_in(2))];
    let keys = &keys[..1 + random.below(2)];
    let texts = keys.iter().map(|(key, down)| format!("{}{}", if *down { "-" } else { "" }, KEYS[*key].0));
    members.insert("sort".to_owned(), json!(texts.collect::<Vec<_>>().join(",")));
    let value = |number: u64, (key, down): (usize, bool)| {
        let value = KEYS[key].1(&games[number as usize - 1]);
        (value.is_none(), value.map(|value| if down { -value } else { value }))
    };
    answer.sort_by_key(|(number, _)| keys.iter().map(|key| value(*number, *key)).collect::<Vec<_>>());
    if random.one_in(2) {
        let (offset, limit) = (random.below(5), 1 + random.below(20));
        members.insert("offset".to_owned(), json!(offset));
        members.insert("limit".to_owned(), json!(limit));
        *answer = answer.iter().copied().skip(offset).take(limit).collect();
    }
}

/// Asks questions about the games of a PGN text.
fn ask(text: &[u8], folder: &Path, questions: usize, seed: u64, name: &str) {
    let source = folder.join(format!("{name}.pgn"));
    std::fs::write(&source, text).unwrap();
    let path = |kind: &str| folder.join(format!("{name}-{kind}.bga"));
    let plain = archive_of(std::slice::from_ref(&source), &path("plain"), ImportOptions::default());
    let indexed = archive_of(std::slice::from_ref(&source), &path("indexed"), ImportOptions::default());
    for kind in games::KINDS {
        games::build(&indexed, kind, 1 << 20, |_| {}).unwrap();
    }
    archive_of(&[source], &path("packed"), ImportOptions::packed());
    let played: Vec<Played> = plain.games().map(|game| Played::new(&game.unwrap())).collect();
    let sets = ["plain", "indexed", "packed"].map(|kind| ArchiveSet::open([path(kind)]).unwrap());
    let mut answered = 0;
    for number in 0..questions as u64 {
        let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let (question, expected, has_plies) = question(&played, &mut random);
        for (set, kind) in sets.iter().zip(["plain", "indexed", "packed"]) {
            let found = asked(set, &question, has_plies);
            let first = found.iter().zip(&expected).find(|(found, expected)| found != expected);
            let first =
                first.map(|(found, expected)| [found, expected].map(|(game, ply)| described(&played, *game, *ply)));
            assert!(
                found == expected,
                "question {number} of {name}, {kind}: {question}: {} games for {}, first {first:?}",
                found.len(),
                expected.len()
            );
        }
        answered += usize::from(!expected.is_empty());
    }
    assert!(answered * 2 >= questions, "{answered} of {questions} questions have games");
    let mut of_reports = 0;
    for number in 0..questions as u64 {
        let mut random = Random::new(seed.wrapping_mul(3_000_017).wrapping_add(number));
        of_reports += usize::from(match number % 2 {
            0 => reports::compare_groups(&played, &sets, &mut random),
            _ => reports::compare_tree(&played, &sets, &mut random),
        });
    }
    assert!(of_reports * 2 >= questions, "{of_reports} of {questions} groups and trees have games");
    let of_clocks = clocks::ask(&played, folder, questions / 2, &mut Random::new(seed ^ 5));
    if let Some(answered) = of_clocks {
        assert!(answered * 4 >= questions, "{answered} of {} questions on clocks have games", questions / 2);
    }
    println!(
        "{name}: {questions} questions on {} games, {answered} with games; {questions} groups and trees, {of_reports} \
         with games; {} on clocks, {of_clocks:?} with games",
        played.len(),
        if of_clocks.is_some() { questions / 2 } else { 0 }
    );
}

/// Returns a game, a ply, and the position there, for a message.
fn described(games: &[Played], number: u64, ply: Option<u32>) -> String {
    let game = &games[number as usize - 1];
    let fen = game.boards.get(ply.unwrap_or(0) as usize).map_or("", Board::fen);
    format!("game {number}, ply {ply:?}: {fen} {:?}", game.tags)
}

/// Returns a number from a variable of the environment.
fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |value| value.parse().expect(variable))
}

/// Draws files of a corpus, up to this number of bytes; the last one is cut before a game.
fn drawn(corpus: &str, bytes: usize, random: &mut Random) -> Option<Vec<u8>> {
    let sources = corpora::sources(corpus)?;
    let mut text = Vec::new();
    while text.len() < bytes {
        let file = std::fs::read(&sources[random.below(sources.len())]).unwrap();
        let begins: Vec<usize> = memchr::memmem::find_iter(&file, b"\n[Event ").map(|at| at + 1).collect();
        let from = if begins.is_empty() { 0 } else { begins[random.below(begins.len())] };
        let end = begins.iter().find(|at| **at > from + bytes / 3).copied().unwrap_or(file.len());
        text.extend_from_slice(&file[from..end]);
        text.extend_from_slice(b"\n\n");
    }
    Some(text)
}

#[test]
fn fresh_questions_have_the_naive_answers() {
    let folder = tempfile::tempdir().unwrap();
    let (questions, seed) = (number("SCORESHEET_QUESTIONS", 40), number("SCORESHEET_SEED", 1) as u64);
    let text = lichess_text();
    let end = memchr::memmem::find_iter(&text, b"\n[Event ").nth(200).unwrap();
    ask(&text[..=end], folder.path(), questions, seed, "sample");
    for (name, bytes) in [("otb", 250_000), ("online", 250_000), ("annotated", 400_000), ("engine960", 400_000)] {
        let Some(text) = drawn(name, bytes, &mut Random::new(seed)) else { return };
        ask(&text, folder.path(), questions, seed, name);
    }
}
