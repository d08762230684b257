//! Tag filters compared with a naive evaluation that reads every game's tags, and the faults of invalid filters.

use crate::common::corpora;
use crate::common::import::try_import;
use crate::common::sample::lichess;
use scoresheet::ImportOptions;
use scoresheet::archive::{Archive, FileKind, GameRef};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::chess::{Role, Square};
use scoresheet::game::{Comment, Evaluation, Event, Outcome, TextKind};
use scoresheet_query::Filter;
use scoresheet_query::tag_columns::{self, TagColumns};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// A game's tags for the naive evaluation.
struct Seen<'a> {
    game: &'a GameRef<'a>,
    tags: Vec<(String, String)>,
}

impl Seen<'_> {
    fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    fn has(&self, name: &str, part: &str) -> bool {
        self.tag(name).is_some_and(|value| value.to_lowercase().contains(&part.to_lowercase()))
    }

    fn is(&self, name: &str, text: &str) -> bool {
        self.tag(name).is_some_and(|value| value.to_lowercase() == text.to_lowercase())
    }

    fn elo(&self, name: &str) -> Option<i64> {
        let digits: String = self.tag(name)?.trim().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok().filter(|elo| *elo > 0)
    }

    fn elos(&self) -> Option<(i64, i64)> {
        self.elo("WhiteElo").zip(self.elo("BlackElo"))
    }

    fn any_elo(&self, fits: impl Fn(i64) -> bool) -> bool {
        ["WhiteElo", "BlackElo"].into_iter().filter_map(|name| self.elo(name)).any(fits)
    }

    /// Returns year, month and day of a date from its text, 0 for question marks.
    fn date(&self, name: &str) -> Option<(i64, i64, i64)> {
        let mut parts: Vec<&str> = self.tag(name)?.split('.').collect();
        if parts.len() == 3 && parts[2].len() == 4 {
            parts.reverse();
        }
        let part = |index: usize| match parts.get(index).copied() {
            None => Some(0),
            Some(text) if !text.is_empty() && text.chars().all(|letter| letter == '?') => Some(0),
            Some(text) => text.parse::<i64>().ok(),
        };
        let (year, month, day) = (part(0)?, part(1)?, part(2)?);
        (parts.len() <= 3 && month <= 12 && day <= 31).then_some((year, month, day))
    }

    fn played(&self) -> Option<(i64, i64, i64)> {
        ["Date", "UTCDate"].into_iter().filter_map(|name| self.date(name)).find(|date| date.0 > 0)
    }

    fn year(&self) -> Option<i64> {
        self.played().map(|date| date.0)
    }

    fn eco(&self) -> Option<&str> {
        let eco = self.tag("ECO")?;
        let bytes = eco.as_bytes();
        let intact =
            bytes.len() >= 3 && (b'A'..=b'E').contains(&bytes[0]) && bytes[1..3].iter().all(u8::is_ascii_digit);
        intact.then(|| &eco[..3])
    }

    fn result(&self) -> Option<&str> {
        match self.tag("Result") {
            Some(result @ ("1-0" | "0-1" | "1/2-1/2")) => Some(result),
            _ => self.game.outcome().map(Outcome::token).or(Some("*")),
        }
    }

    fn comments(&self) -> Vec<String> {
        self.game.comments().unwrap().into_iter().map(|comment| comment.text).collect()
    }

    /// Returns the glyphs as words: marks after a move, or a NAG.
    fn glyphs(&self) -> Vec<String> {
        Seen::words(self.game.to_game().unwrap().events)
    }

    /// Returns the glyphs of the main line as words.
    fn main_glyphs(&self) -> Vec<String> {
        let mut depth = 0;
        let mut events = self.game.to_game().unwrap().events;
        events.retain(|event| {
            depth -= i32::from(matches!(event, Event::Close));
            let is_main = depth == 0;
            depth += i32::from(matches!(event, Event::Open));
            is_main
        });
        Seen::words(events)
    }

    fn words(events: Vec<Event>) -> Vec<String> {
        let words = events.into_iter().map(|event| match event {
            Event::Suffix(true) => "!".to_owned(),
            Event::Suffix(false) => "?".to_owned(),
            Event::Nag(nag) => format!(" ${nag} "),
            _ => " ".to_owned(),
        });
        words.collect::<String>().split_whitespace().map(str::to_owned).collect()
    }

    /// Returns the fewest moves of a mate in the evaluations of the main line.
    fn announced_mate(&self) -> Option<u32> {
        let comments = self.game.comments().unwrap().into_iter().filter(|note| note.depth == 0);
        let evaluations = comments.filter(|note| note.ply > 0).filter_map(|note| stated(&note));
        let mates = evaluations.filter_map(|evaluation| match evaluation {
            Evaluation::Mate(moves) => Some(moves.unsigned_abs()),
            Evaluation::Centipawns(_) => None,
        });
        mates.min()
    }

    /// Returns the pieces of the last position, such as `KRP v KR`, with one P for all pawns, an empty text if a side has
    /// more than two pieces, or `none` if a side does not have one king.
    fn ending(&self) -> String {
        let fen = self.game.position(self.game.plies()).unwrap().fen();
        let letters = fen.split(' ').next().unwrap();
        if ["K", "k"].iter().any(|king| letters.matches(king).count() != 1) {
            return "none".to_owned();
        }
        let side = |is_white: bool| {
            let own = |role: char| if is_white { role } else { role.to_ascii_lowercase() };
            let count = |role: char| letters.matches(own(role)).count();
            let pieces: String = "QRBN".chars().map(|role| role.to_string().repeat(count(role))).collect();
            (pieces.len() <= 2).then(|| format!("K{pieces}{}", if count('P') > 0 { "P" } else { "" }))
        };
        side(true).zip(side(false)).map_or(String::new(), |(white, black)| format!("{white} v {black}"))
    }

    /// Returns the evaluations of the main line, for White.
    fn evals(&self) -> Vec<Evaluation> {
        let comments = self.game.comments().unwrap().into_iter().filter(|note| note.depth == 0 && note.ply > 0);
        let mut of_plies = BTreeMap::new();
        for note in comments {
            if let Some(evaluation) = stated(&note) {
                of_plies.entry(note.ply).or_insert(evaluation);
            }
        }
        of_plies.into_values().collect()
    }

    /// Returns the material that a side has given up until the end, from the FENs of the last positions.
    fn sacrifice(&self, is_white: bool) -> i64 {
        let behind = |ply: u32| -> i64 {
            let fen = self.game.position(ply).unwrap().fen();
            let value = |letter: char| match letter.to_ascii_lowercase() {
                'p' => 1,
                'n' | 'b' => 3,
                'r' => 5,
                'q' => 9,
                _ => 0,
            };
            let own = |letter: &char| letter.is_ascii_uppercase() == is_white;
            let (own, other): (Vec<char>, Vec<char>) =
                fen.split([' ', '[']).next().unwrap().chars().filter(char::is_ascii_alphabetic).partition(own);
            other.into_iter().map(value).sum::<i64>() - own.into_iter().map(value).sum::<i64>()
        };
        let plies = self.game.plies();
        let least = (plies.saturating_sub(3)..=plies).map(behind).min().unwrap();
        (least - behind(0).max(0)).max(0)
    }

    /// Returns how often the most frequent position occurs.
    fn repetitions(&self) -> usize {
        let four = |ply| {
            let mut text = Vec::new();
            let position = self.game.position(ply).unwrap();
            position.write_four(&mut text, EnPassantStyle::Legal, CastlingStyle::XFen);
            text
        };
        let all: Vec<_> = (0..=self.game.plies()).map(four).collect();
        all.iter().map(|one| all.iter().filter(|other| *other == one).count()).max().unwrap()
    }

    /// Returns how the game ends, from all positions of the main line, or else from the texts.
    fn end(&self) -> &'static str {
        let plies = self.game.plies();
        // A target square counts only where a pawn may capture on it.
        let four = |ply| {
            let mut text = Vec::new();
            let position = self.game.position(ply).unwrap();
            position.write_four(&mut text, EnPassantStyle::Legal, CastlingStyle::XFen);
            text
        };
        let (last, position) = (four(plies), self.game.position(plies).unwrap());
        let last_fen = position.fen();
        let clock: u32 = last_fen.split(' ').nth(4).unwrap().parse().unwrap();
        let pieces: Vec<char> =
            last_fen.split([' ', '[']).next().unwrap().chars().filter(char::is_ascii_alphabetic).collect();
        let minors = pieces.iter().filter(|piece| !matches!(piece, 'K' | 'k')).count();
        let has_heavy = pieces.iter().any(|piece| "PRQprq".contains(*piece));
        let bishops = (0..64u8)
            .map(Square::masked)
            .filter(|square| position.piece_at(*square).is_some_and(|piece| piece.role == Role::Bishop));
        let colors: HashSet<u8> = bishops.map(|square| (square.file().index() + square.rank().index()) % 2).collect();
        let are_bishops = pieces.iter().all(|piece| "KkBb".contains(*piece));
        match plies {
            0 => {}
            _ if position.is_checkmate() => return "checkmate",
            _ if position.is_stalemate() => return "stalemate",
            _ if !has_heavy && (minors <= 1 || are_bishops && colors.len() <= 1) => return "insufficient",
            _ if clock >= 150 => return "seventyfive",
            _ if clock >= 100 => return "fifty",
            _ if (0..=plies).filter(|&ply| four(ply) == last).count() >= 3 => return "repetition",
            _ => {}
        }
        // The last comment counts first.
        let comments = self.game.comments().unwrap().into_iter().rev();
        let last_comments = comments.filter(|note| note.depth == 0 && note.ply == plies);
        let tag = self.tag("Termination").map(|text| (text.to_owned(), true));
        for (text, is_tag) in tag.into_iter().chain(last_comments.map(|note| (note.text, false))) {
            for (word, end) in [
                ("checkmate", "checkmate"),
                ("stalemate", "stalemate"),
                ("on time", "time"),
                ("time forfeit", "time"),
                ("time out", "time"),
                ("timeout", "time"),
                ("out of time", "time"),
                ("insufficient material", "insufficient"),
                ("insufficient mating material", "insufficient"),
                ("75-move", "seventyfive"),
                ("75 move", "seventyfive"),
                ("seventy-five", "seventyfive"),
                ("50-move", "fifty"),
                ("50 move", "fifty"),
                ("fifty-move", "fifty"),
                ("fifty move", "fifty"),
                ("repetition", "repetition"),
                ("resign", "resignation"),
                ("agreement", "agreement"),
                ("agreed", "agreement"),
                ("adjudicat", "adjudication"),
                ("abandon", "abandonment"),
            ] {
                let text = text.to_lowercase();
                // A comment may mention what did not happen.
                let is_stated = match (is_tag, end) {
                    (true, _) => true,
                    (_, "resignation") => ["resigns", "resigned", "resignation"].iter().any(|word| text.contains(word)),
                    (_, "abandonment") => text.contains("abandoned the game") || text.contains("game abandoned"),
                    (_, "time" | "agreement" | "adjudication") => true,
                    _ => false,
                };
                if is_stated && text.contains(word) {
                    return end;
                }
            }
        }
        ""
    }

    fn known(&self, name: &str) -> bool {
        self.tag(name).is_some_and(|value| !["", "?", "-"].contains(&value))
    }

    fn event(&self, fits: impl Fn(&Event) -> bool) -> bool {
        self.game.to_game().unwrap().events.iter().any(fits)
    }
}

/// Returns the evaluation of a comment. A mate in 0 states no side.
fn stated(note: &Comment) -> Option<Evaluation> {
    note.evaluation().filter(|evaluation| *evaluation != Evaluation::Mate(0))
}

/// Returns whether an evaluation is better than this number of centipawns for a side.
fn is_above(evaluation: Evaluation, is_white: bool, centipawns: i32) -> bool {
    let sign = if is_white { 1 } else { -1 };
    match evaluation {
        Evaluation::Centipawns(number) => number * sign > centipawns,
        Evaluation::Mate(moves) => (if moves < 0 { -1 } else { 1 }) == sign,
    }
}

type Naive = fn(&Seen) -> bool;

/// Filters and their meanings as code.
/// Returns the seconds that a time control gives a player for 40 moves, for the forms that the corpora contain.
fn expected_duration(control: &str) -> Option<f64> {
    if let Some((_, days)) = control.split_once(" in ") {
        // Lichess writes the seconds of a day, truncated.
        return Some((days.split(' ').next()?.parse::<f64>().ok()? * 86_400.0 + 0.001).floor());
    }
    if let Some(each) = control.strip_prefix("movetime: ") {
        return Some(40.0 * each.parse::<f64>().ok()?);
    }
    if control.contains(" min") {
        let mut numbers = control.split(|letter: char| !letter.is_ascii_digit()).filter_map(|word| word.parse().ok());
        let (minutes, seconds): (f64, f64) = (numbers.next()?, numbers.next()?);
        return Some(60.0 * minutes + 40.0 * seconds);
    }
    let first = control.split(':').next()?.split('/').next_back()?;
    let (base, add) = first.split_once('+').unwrap_or((first, "0"));
    Some(base.parse::<f64>().ok()? + 40.0 * add.parse::<f64>().ok()?)
}

const CASES: [(&str, Naive); 81] = [
    (r#"white ~ "an""#, |g| g.has("White", "an")),
    (r#"white ~ "AN" and black ~ "e""#, |g| g.has("White", "an") && g.has("Black", "e")),
    (r#"player ~ "ch" or event ~ "blitz""#, |g| {
        g.has("White", "ch") || g.has("Black", "ch") || g.has("Event", "blitz")
    }),
    (r#"not player ~ "a""#, |g| !g.has("White", "a") && !g.has("Black", "a")),
    (r#"white ^= "k""#, |g| g.tag("White").is_some_and(|name| name.to_lowercase().starts_with('k'))),
    ("elo >= 2000", |g| g.any_elo(|elo| elo >= 2000)),
    ("elo != 1500", |g| {
        let elos = ["WhiteElo", "BlackElo"].map(|name| g.elo(name));
        elos.iter().any(Option::is_some) && !elos.contains(&Some(1500))
    }),
    ("elo not in 1400..1600", |g| {
        let elos = ["WhiteElo", "BlackElo"].map(|name| g.elo(name));
        elos.iter().any(Option::is_some) && !elos.iter().flatten().any(|elo| (1400..=1600).contains(elo))
    }),
    (r#"player != "A""#, |g| (g.known("White") || g.known("Black")) && !g.is("White", "A") && !g.is("Black", "A")),
    ("date in 1999.06.01..1999.06.30", |g| g.played().is_some_and(|(year, month, _)| (year, month) == (1999, 6))),
    ("month = 6 and year = 1997", |g| g.played().is_some_and(|(year, month, _)| (year, month) == (1997, 6))),
    ("round != 1", |g| g.known("Round") && !g.is("Round", "1")),
    ("site not in {a, b}", |g| g.known("Site") && !g.is("Site", "a") && !g.is("Site", "b")),
    ("whiteelo in 1500..1600", |g| g.elo("WhiteElo").is_some_and(|elo| (1500..=1600).contains(&elo))),
    ("whiteelo in ..1600", |g| g.elo("WhiteElo").is_some_and(|elo| elo <= 1600)),
    ("blackelo in 1900.. and plies > 10", |g| g.elo("BlackElo").is_some_and(|elo| elo >= 1900) && g.game.plies() > 10),
    ("minelo > 1800", |g| g.elos().is_some_and(|(a, b)| a.min(b) > 1800)),
    ("maxelo < 1400", |g| g.elos().is_some_and(|(a, b)| a.max(b) < 1400)),
    ("avgelo = 1650", |g| g.elos().is_some_and(|(a, b)| (a + b) / 2 == 1650)),
    ("elodiff <= 5", |g| g.elos().is_some_and(|(a, b)| (a - b).abs() <= 5)),
    ("year in 1990..2013", |g| g.year().is_some_and(|year| (1990..=2013).contains(&year))),
    ("year != 2013", |g| g.year().is_some_and(|year| year != 2013)),
    ("year < 1950 or year > 2005", |g| g.year().is_some_and(|year| !(1950..=2005).contains(&year))),
    ("date = 2013.01", |g| g.played().is_some_and(|(year, month, _)| (year, month) == (2013, 1))),
    ("date >= 2012.12.31", |g| {
        g.played().is_some_and(|(year, month, day)| (year, month.max(1), day.max(1)) >= (2012, 12, 31))
    }),
    ("date < 1999.06.15", |g| {
        let latest = |(year, month, day)| match (month, day) {
            (0, _) => (year, 12, 31),
            (month, 0) => (year, month, 31),
            _ => (year, month, day),
        };
        g.played().is_some_and(|date| latest(date) < (1999, 6, 15))
    }),
    ("month = 1", |g| {
        let dates: Vec<_> = ["Date", "UTCDate"].into_iter().filter_map(|name| g.date(name)).collect();
        let dated = dates.iter().find(|date| date.0 > 0).or(dates.iter().find(|date| date.1 > 0));
        dated.map(|date| date.1) == Some(1)
    }),
    ("eco = B90", |g| g.eco() == Some("B90")),
    ("eco = B2", |g| g.eco().is_some_and(|eco| eco.starts_with("B2"))),
    ("eco in {A, C40..C42, D0}", |g| {
        let inside = |eco: &str| eco.starts_with('A') || ("C40"..="C42").contains(&eco) || eco.starts_with("D0");
        g.eco().is_some_and(inside)
    }),
    ("eco not in {A, B00..C99}", |g| g.eco().is_some_and(|eco| eco.starts_with(['D', 'E']))),
    (r#"eco ~ "b0""#, |g| g.has("ECO", "B0")),
    ("result = 1-0", |g| g.result() == Some("1-0")),
    ("result != 1-0", |g| g.result() != Some("1-0")),
    ("result in {draw, *}", |g| matches!(g.result(), Some("1/2-1/2" | "*"))),
    ("movetextresult = 1-0", |g| g.game.outcome() == Some(Outcome::WhiteWins)),
    ("movetextresult != result", |g| {
        let (tag, moves) = (g.result(), g.game.outcome().map(Outcome::token));
        ![tag, moves].contains(&Some("*")) && moves.is_some() && tag != moves
    }),
    ("unreadable(result) or unreadable(date)", |g| {
        let known = |name: &str| g.known(name);
        let result = g.tag("Result").is_some_and(|text| !["1-0", "0-1", "1/2-1/2", "1/2", "*"].contains(&text));
        let date = |name: &str| known(name) && g.date(name).is_none();
        known("Result") && result || date("Date") || date("UTCDate")
    }),
    ("comment ~ \"A\"", |g| g.comments().iter().any(|text| text.to_lowercase().contains('a'))),
    ("not comment ~ e and comments", |g| {
        !g.comments().is_empty() && !g.comments().iter().any(|text| text.to_lowercase().contains('e'))
    }),
    ("comment ^= x or has(comment) and plies < 10", |g| {
        let comments = g.comments();
        comments.iter().any(|text| text.to_lowercase().starts_with('x')) || !comments.is_empty() && g.game.plies() < 10
    }),
    ("glyph = $1", |g| g.glyphs().iter().any(|glyph| ["!", "$1"].contains(&&**glyph))),
    ("glyph in {\"?!\", 6, $4, \"??\"} and not glyph = \"!\"", |g| {
        let has = |any: &[&str]| g.glyphs().iter().any(|glyph| any.contains(&&**glyph));
        has(&["?!", "$6", "$4", "??"]) && !has(&["!", "$1"])
    }),
    ("missing(glyph) and comment ~ e", |g| {
        g.glyphs().is_empty() && g.comments().iter().any(|text| text.to_lowercase().contains('e'))
    }),
    ("announcedmate <= 5", |g| g.announced_mate().is_some_and(|moves| moves <= 5)),
    ("repetitions >= 3 and plies < 60", |g| g.game.plies() < 60 && g.repetitions() >= 3),
    ("whitesacrifice >= 3", |g| g.sacrifice(true) >= 3),
    ("sacrifice in 1..2 and result = draw", |g| {
        g.result() == Some("1/2-1/2") && [true, false].iter().any(|side| (1..=2).contains(&g.sacrifice(*side)))
    }),
    ("playersacrifice >= 5 and score = 1", |g| {
        [(true, "1-0"), (false, "0-1")].iter().any(|(side, won)| g.result() == Some(won) && g.sacrifice(*side) >= 5)
    }),
    ("mainglyph = $1", |g| g.main_glyphs().iter().any(|glyph| ["!", "$1"].contains(&&**glyph))),
    ("has(glyph) and not mainglyph in {\"?\", $2, $4}", |g| {
        !g.glyphs().is_empty() && !g.main_glyphs().iter().any(|glyph| ["?", "$2", "??", "$4"].contains(&&**glyph))
    }),
    ("missing(mainglyph) and glyphs", |g| g.main_glyphs().is_empty() && !g.glyphs().is_empty()),
    ("ending = \"KRP v KRP\"", |g| g.ending() == "KRP v KRP"),
    ("ending = rook", |g| g.ending().contains('R') && !g.ending().contains(['Q', 'B', 'N'])),
    ("ending ~ pawn or ending = bare", |g| g.ending().contains('K') && !g.ending().contains(['Q', 'R', 'B', 'N'])),
    ("ending in {minor, queen, \"KBP v KP\"}", |g| {
        let ending = g.ending();
        let has = |letters: &str| letters.chars().any(|letter| ending.contains(letter));
        let is_minor = ending.contains('B') && ending.contains('N') && !has("QR");
        is_minor || has("Q") && !has("RBN") || ending == "KBP v KP"
    }),
    ("ending = more", |g| g.ending().is_empty()),
    ("whiteworsteval < -3", |g| g.evals().iter().any(|eval| is_above(*eval, false, 300))),
    ("besteval > 3", |g| [true, false].iter().any(|side| g.evals().iter().any(|eval| is_above(*eval, *side, 300)))),
    // A lost position that was saved, by either side.
    ("playerworsteval < -2.5 and score > 0", |g| {
        [(true, "0-1"), (false, "1-0")].into_iter().any(|(is_white, lost)| {
            let was_lost = g.evals().iter().any(|eval| is_above(*eval, !is_white, 250));
            was_lost && ![Some(lost), Some("*")].contains(&g.result())
        })
    }),
    ("end = mate", |g| g.end() == "checkmate"),
    ("end in {stalemate, repetition, fifty}", |g| ["stalemate", "repetition", "fifty"].contains(&g.end())),
    ("end = insufficient", |g| g.end() == "insufficient"),
    ("end in {resignation, time}", |g| ["resignation", "time"].contains(&g.end())),
    ("missing(end)", |g| g.end().is_empty()),
    ("plies > 60 and plies <= 80", |g| (61..=80).contains(&g.game.plies())),
    ("moves = 30", |g| matches!(g.game.plies(), 59 | 60)),
    ("moves not in 20..40", |g| !(20..=40).contains(&g.game.plies().div_ceil(2))),
    ("game in {1, 5..9}", |g| g.game.number() == 1 || (5..=9).contains(&g.game.number())),
    ("has(eco) and missing(whiteelo)", |g| g.known("ECO") && g.eco().is_some() && g.elo("WhiteElo").is_none()),
    ("has(annotator) or has(tag(\"Round\"))", |g| g.known("Annotator") || g.known("Round")),
    ("missing(date)", |g| g.played().is_none()),
    (r#"tag("Termination") = "Time forfeit""#, |g| g.is("Termination", "Time forfeit")),
    (r#""Event" != "Rated Blitz game""#, |g| g.known("Event") && !g.is("Event", "Rated Blitz game")),
    (r#"site in {"?", "Paris", "London"}"#, |g| ["?", "Paris", "London"].iter().any(|site| g.is("Site", site))),
    ("round > 3", |g| {
        let digits = |text: &str| text.trim().chars().take_while(char::is_ascii_digit).collect::<String>();
        g.tag("Round").and_then(|round| digits(round).parse::<i64>().ok()).is_some_and(|round| round > 3)
    }),
    ("speed in {blitz, Classical}", |g| {
        let seconds = g.tag("TimeControl").and_then(expected_duration);
        seconds.is_some_and(|seconds| (180.0..480.0).contains(&seconds) || (1500.0..21_600.0).contains(&seconds))
    }),
    ("base >= 300 and increment = 0", |g| {
        let Some(control) = g.tag("TimeControl") else { return false };
        // Correspondence: `1 in 3 days`.
        if let Some((_, days)) = control.split_once(" in ") {
            let number = days.trim_end_matches(['d', 'a', 'y', 's', ' ']).parse::<f64>();
            return number.is_ok_and(|days| days * 86_400.0 >= 299.9);
        }
        let first = control.split(':').next().unwrap().split('/').next_back().unwrap();
        let (base, add) = first.split_once('+').unwrap_or((first, "0"));
        base.parse::<i64>().is_ok_and(|base| base >= 300) && add == "0"
    }),
    ("comments or variations", |g| {
        let said = |kind: &TextKind| matches!(kind, TextKind::Brace | TextKind::Line);
        g.event(|event| matches!(event, Event::Open) || matches!(event, Event::Text(kind, _) if said(kind)))
    }),
    ("glyphs and not setup", |g| !g.game.is_set_up() && g.event(|e| matches!(e, Event::Nag(_) | Event::Suffix(_)))),
    ("(fault or setup) and not (white = \"?\" or black = \"?\")", |g| {
        (g.game.has_fault() || g.game.is_set_up()) && g.tag("White") != Some("?") && g.tag("Black") != Some("?")
    }),
];

/// Games whose tags are partial, missing, duplicate or unusual.
const ODD: &str = r#"
[White "Kasparov, G"] [Black "?"] [Date "1998.??.??"] [WhiteElo "2700?"] [BlackElo "0"] [ECO "B90a"] [Result "1/2"]

1. e4 {x} c5 ; y
1/2-1/2

[White "A"] [White "B"] [Black "Kasparov"] [Date "????.05.12"] [UTCDate "1999.06.15"] [WhiteElo "-"] [ECO "?"] [Result "+-"]

1. e4 $1 e5 (1... c5 2. Nf3) 2. Nf3! 0-1

[Event "Łódź"] [Date "1998.05.??"] [Site "Paris"] [Round "4.1"] [BlackElo "2650"] [WhiteElo "2651"] [ECO "b2"]

1. d4 1-0

[Date "12.05.1998"] [Round "-"] [TimeControl "300+0"] [FEN "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"] [SetUp "1"] [Annotator ""]

1. a4 Kd7 *

[Date "1999.06"] [TimeControl "40/9000:900"] [Site "?"]

1. e4 Ke4

[Date "1997.??.??"] [UTCDate "1998.06.02"] [Site "c"] [White "-"] [Black "B"] [WhiteElo "1600"]

1. e4 *

[Termination "White won by resignation"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1-0

[Termination "White won by resignation"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 1-0

[FEN "8/8/4k3/8/8/4K3/4R3/8 w - - 98 90"]

90. Kd3 Kd5 1/2-1/2 {drawn by the 50-move rule}

[FEN "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"]

1. Kxe2 {xyz} *

1. e4 e5 {Black forfeits on time} 1-0

[Result "0-0"] [Date "31.12.99"]

1. f3 e5 2. g4 (2. Nc3 {Zugzwang}) Qh4# 0-1

1. e4 Nf6 2. Nf3 Ng8 3. Ng1 Nf6 4. Nf3 Ng8 5. Ng1 1/2-1/2

[Termination "Game drawn by timeout vs insufficient material"]

1. e4 e5 1/2-1/2

1. f3 {[%eval -0.3]} e5 {[%eval -0.3]} 2. g4 {[%eval #-1]} Qh4# {[%eval #0]} 0-1
"#;

fn imported(folder: &Path, sources: &[PathBuf], name: &str) -> PathBuf {
    let target = folder.join(name);
    try_import(sources, &target, &ImportOptions::default()).unwrap();
    target
}

/// Compares the answers on every `step`-th game.
fn compare(path: &Path, step: usize) {
    let archive = Archive::open(path).unwrap();
    let made = TagColumns::without_file(&archive);
    tag_columns::write(&archive).unwrap();
    let filed = TagColumns::open(&archive);
    assert_eq!(filed.state(), scoresheet::archive::SideState::File);
    let mut expected: Vec<Vec<u64>> = CASES.iter().map(|_| Vec::new()).collect();
    for game in archive.games().step_by(step) {
        let game = game.unwrap();
        let seen = Seen { game: &game, tags: game.tags().unwrap() };
        for ((_, naive), expected) in CASES.iter().zip(&mut expected) {
            if naive(&seen) {
                expected.push(game.number());
            }
        }
    }
    let mut faults = Vec::new();
    for ((text, _), expected) in CASES.iter().zip(expected) {
        let filter = Filter::parse(text).unwrap_or_else(|fault| panic!("{fault}"));
        for headers in [&made, &filed] {
            let games = filter.games(headers).games;
            let games: Vec<u64> = games.iter().filter(|game| (game - 1).is_multiple_of(step as u64)).collect();
            let first = games.iter().zip(&expected).position(|(game, expected)| game != expected);
            if games != expected {
                faults.push(format!("{text}: {} games, not {}, from {first:?}", games.len(), expected.len()));
            }
        }
    }
    assert!(faults.is_empty(), "{}: {faults:#?}", path.display());
}

#[test]
fn filters_say_what_a_naive_reading_says() {
    let folder = crate::common::tempdir().unwrap();
    let odd = folder.path().join("odd.pgn");
    std::fs::write(&odd, ODD).unwrap();
    let odd = imported(folder.path(), &[odd], "odd.bga");
    compare(&odd, 1);
    let archive = Archive::open(&odd).unwrap();
    let games = |text: &str| Filter::parse(text).unwrap().numbers(&archive).unwrap();
    // Written by hand, so both evaluations cannot share an error.
    assert_eq!(archive.len(), 15);
    assert_eq!(games("blackaccuracy >= 99 and whiteaccuracy < 70 and blackworsteval = 0.3"), [15]);
    assert_eq!(games("player ~ kasparov"), [1, 2]);
    assert_eq!(games("year = 1998"), [1, 3, 4]);
    assert_eq!(games("date >= 1998.05"), [2, 3, 4, 5]);
    assert_eq!(games("date <= 1998.06"), [3, 4, 6]);
    assert_eq!(games("result = draw"), [1, 9, 13, 14]);
    assert_eq!(games("result = 0-1"), [2, 12, 15]);
    assert_eq!(games("eco = B90"), [1]);
    assert_eq!(games("elo > 2650"), [1, 3]);
    assert_eq!(games("avgelo = 2650"), [3]);
    assert_eq!(games("event ~ łÓDŹ"), [3]);
    assert_eq!(games("white = B"), [0u64; 0]);
    assert_eq!(games("fault"), [2, 5, 12]);
    assert_eq!(games("setup or comments"), [1, 4, 9, 10, 11, 12, 15]);
    assert_eq!(games("has(annotator)"), [0u64; 0]);
    assert_eq!(games("end = repetition"), [7, 13]);
    assert_eq!(games("end = resignation"), [8]);
    assert_eq!(games("end = fifty"), [9]);
    assert_eq!(games("end = insufficient"), [10]);
    assert_eq!(games("end = time"), [11, 14]);
    assert_eq!(games("end = checkmate"), [12, 15]);
    assert_eq!(games("comment ~ zugZWANG"), [12]);
    assert_eq!(games("glyph = \"!\""), [2]);
    assert_eq!(games("glyph not in {$2, $3} and has(glyph)"), [2]);
    compare(&imported(folder.path(), &[lichess()], "sample.bga"), 1);
}

#[test]
fn large_corpora_agree_too() {
    let folder = crate::common::tempdir().unwrap();
    for name in ["otb", "online", "annotated"] {
        let Some(sources) = corpora::sources(name) else { return };
        compare(&imported(folder.path(), &sources, &format!("{name}.bga")), 5);
    }
}

#[test]
fn a_stale_or_damaged_file_is_not_used() {
    let folder = crate::common::tempdir().unwrap();
    let source = folder.path().join("odd.pgn");
    std::fs::write(&source, ODD).unwrap();
    let path = imported(folder.path(), &[source], "odd.bga");
    let archive = Archive::open(&path).unwrap();
    tag_columns::write(&archive).unwrap();
    let file = FileKind::TagColumns.beside(&path);
    let original = std::fs::read(&file).unwrap();
    let filter = Filter::parse("player ~ kasparov and plies > 1 and not result = 1-0").unwrap();
    for at in (0..original.len()).step_by(4) {
        let mut bytes = original.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&file, &bytes).unwrap();
        assert_eq!(filter.numbers(&archive).unwrap(), [1, 2], "byte {at}");
    }
    std::fs::write(&file, &original[..original.len() / 2]).unwrap();
    assert_eq!(filter.numbers(&archive).unwrap(), [1, 2]);
}

#[test]
fn faults_name_their_place() {
    for (text, column, what) in [
        ("", 1, "expected a condition"),
        ("white", 6, "expected = != < <= > >= ~ ^= or \"in\""),
        ("whit = \"x\"", 1, "did you mean white?"),
        ("zzzzzz = 1", 1, "tag(\"zzzzzz\")"),
        ("elo >= abc", 8, "expected a rating"),
        ("year in 2010", 13, "expected \"..\""),
        ("year in 2020..2010", 15, "ends before it begins"),
        ("year = 0", 8, "expected a year"),
        ("date = 1998.13", 8, "expected a date"),
        ("eco = F10", 7, "expected a code"),
        ("eco in {B90, }", 14, "expected a value"),
        ("eco in {B90 C1}", 13, "expected \",\" or \"}\""),
        ("result > 1-0", 10, "compare results with = or !="),
        ("result = 2-0", 10, "expected 1-0, 0-1, 1/2-1/2 or *"),
        ("plies ~ 3", 7, "this is not a text"),
        ("white > Adams", 9, "expected a whole number"),
        ("player > 3", 10, "names have no order"),
        ("white = \"x\" black = \"y\"", 13, "expected \"and\", \"or\" or the end"),
        ("(white = x", 11, "expected \")\""),
        ("white = x)", 10, "unmatched closing parenthesis"),
        ("white = \"x", 9, "no closing quotation mark"),
        ("fault = 1", 7, "takes no comparison"),
        ("has(plies)", 5, "every game has this field"),
        ("comment = good", 11, "write comment ~ word"),
        ("glyph != $4", 10, "write glyph = $4"),
        ("glyph = good", 9, "expected a glyph"),
        ("end = draw", 7, "expected an end"),
        ("ending = KRPP v KR", 10, "expected an ending"),
        ("ending = towers", 10, "expected an ending"),
        ("ending > rook", 10, "this field has no order"),
        ("unreadable(plies)", 12, "every value of this field can be read"),
        ("white = x && black = y", 11, "write \"and\" here"),
        ("elo not 3", 9, "expected \"in\""),
        ("événement = 3", 1, "no field is called événement"),
        ("white = é and §", 15, "has no meaning here"),
    ] {
        let fault = Filter::parse(text).expect_err(text);
        assert_eq!(fault.column(), column, "{text}: {fault}");
        assert!(fault.what().contains(what), "{text}: {}", fault.what());
    }
    let fault = Filter::parse("white ~ \"a\"\n  and elo >= x").unwrap_err();
    assert_eq!(fault.to_string(), "column 14: expected a rating\n    and elo >= x\n               ^");
    let deep = format!("{}fault{}", "(".repeat(5000), ")".repeat(5000));
    assert!(Filter::parse(&deep).unwrap_err().what().contains("nested more than"));
    assert!(Filter::parse(&"not ".repeat(20_000)).is_err());
}

#[test]
fn case_and_accents_do_not_matter() {
    let folder = crate::common::tempdir().unwrap();
    let (source, target) = (folder.path().join("g.pgn"), folder.path().join("g.bga"));
    let names =
        ["Polgár, Judit", "Polgar, Zsuzsa", "POLGA\u{301}R, Sofia", "Großmann", "Grossmann", "Łukasz", "Lukasz"];
    let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    let mut text: String =
        names.iter().map(|name| format!("[White \"{name}\"]\n[Site \"x/AbC\"]\n\n1. e4 *\n\n")).collect();
    text += &format!("[White \"a\"]\n[Site \"x/abc\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n1. Ke2 *\n");
    std::fs::write(&source, text).unwrap();
    try_import(&[source], &target, &ImportOptions::default()).unwrap();
    for stored in [false, true] {
        let archive = Archive::open(&target).unwrap();
        if stored {
            tag_columns::write(&archive).unwrap();
        }
        let columns = TagColumns::open(&archive);
        let games = |filter: &str| -> Vec<u64> {
            Filter::parse(&filter.replace('\'', "\"")).unwrap().games(&columns).games.iter().collect()
        };
        for filter in [
            "white ~ polgar",
            "white ~ Polgár",
            "player ^= POLGÁR",
            "white ^= polgar",
            "not white = x and white ~ pOLGa",
        ] {
            assert_eq!(games(filter), [1, 2, 3], "{filter}");
        }
        assert_eq!(games("white = 'polgar, judit'"), [1]);
        assert_eq!(games("white in {'Grossmann', 'lukasz'}"), [4, 5, 6, 7]);
        assert_eq!(games("player = 'GROßMANN'"), [4, 5]);
        assert_eq!(games("white != 'Łukasz' and white != grossmann"), [1, 2, 3, 8]);
        // With a slash, every letter counts.
        assert_eq!(games("site = 'x/AbC'"), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(games("site = 'x/abc'"), [8]);
        assert_eq!(games(&format!("fen = '{fen}'")), [8]);
        assert!(games(&format!("fen = '{}'", fen.to_uppercase())).is_empty());
        assert_eq!(games("site ~ 'X/ABC'"), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(Filter::parse(r#"white = "POLGAR, JUDIT""#).unwrap().unknown_texts(&columns).unwrap(), []);
    }
}
