//! Random questions about clocks, which the test itself writes into games, so it knows them.

use super::{Answer, Played, asked};
use crate::common::import::archive_of;
use crate::common::random::Random;
use scoresheet::ImportOptions;
use scoresheet::chess::Color;
use scoresheet_query::{ArchiveSet, GameField, games};
use serde_json::json;
use std::fmt::Write as _;
use std::path::Path;

/// A game whose clocks are known.
struct Clocked {
    number: u64,
    /// The clock after each ply, in milliseconds.
    clocks: Vec<Option<i64>>,
    /// The base time and the increment in milliseconds.
    control: Option<(i64, i64)>,
}

impl Clocked {
    fn of_side(&self, side: Color) -> Vec<Option<i64>> {
        self.clocks.iter().copied().skip(side.index()).step_by(2).collect()
    }

    fn low(&self, side: Color) -> Option<i64> {
        self.of_side(side).into_iter().flatten().min()
    }

    /// Returns the time that a side used: with each clock, the decrease plus the increments since the previous clock.
    fn used(&self, side: Color) -> Option<i64> {
        let clocks = self.of_side(side);
        clocks.last().copied().flatten()?;
        let (base, increment) = self.control?;
        let (mut before, mut moves, mut total) = (base, 0, 0);
        for (index, clock) in clocks.iter().enumerate() {
            // The clock after the first move includes no increment.
            moves += i64::from(index > 0);
            let Some(clock) = clock else { continue };
            let used = before + moves * increment - clock;
            // Clocks are rounded, so a second more is no gain.
            if used < -1000 {
                return None;
            }
            (before, moves, total) = (*clock, 0, total + used.max(0));
        }
        Some(total)
    }
}

/// Writes the games with random clocks.
fn written(games: &[Played], random: &mut Random) -> (String, Vec<Clocked>) {
    let (mut text, mut clocked) = (String::new(), Vec::new());
    let is_plain = |game: &&Played| {
        game.is_chess && !game.is_set_up && game.boards.iter().skip(1).all(|board| board.san().is_some())
    };
    for game in games.iter().filter(is_plain) {
        let control = random.pick(&[Some((180_000, 2_000)), Some((300_000, 0)), Some((600_000, 5_000)), None]);
        let (mut time, density) = ([control.map_or(240_000, |(base, _)| base); 2], random.pick(&[0, 40, 200, 256]));
        let mut clocks = Vec::new();
        let control_text = match control {
            Some((base, 0)) => format!("{}", base / 1000),
            Some((base, increment)) => format!("{}+{}", base / 1000, increment / 1000),
            None => "-".to_owned(),
        };
        writeln!(text, "[White \"{}\"]\n[TimeControl \"{control_text}\"]\n", clocked.len()).unwrap();
        for (ply, board) in game.boards.iter().skip(1).enumerate() {
            let own = &mut time[ply % 2];
            let increment = if ply > 1 { control.map_or(0, |(_, increment)| increment) } else { 0 };
            // Sometimes, a clock gains more than the increment.
            let gained = if random.one_in(400) { 9_000 } else { 0 };
            *own = (*own - random.below(9_000) as i64).max(0) + increment + gained;
            // Clocks of whole seconds or tenths.
            let shown = if random.one_in(3) { *own / 100 * 100 } else { *own / 1000 * 1000 };
            *own = shown;
            write!(text, "{} ", board.san().unwrap()).unwrap();
            let is_shown = random.chance(density);
            if is_shown {
                let (seconds, tenths) = (shown / 1000, shown % 1000 / 100);
                let fraction = if tenths > 0 { format!(".{tenths}") } else { String::new() };
                let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
                let before = if random.one_in(4) { "good [%eval 0.3] " } else { "" };
                write!(text, "{{ {before}[%clk {hours}:{minutes:02}:{:02}{fraction}] }} ", seconds % 60).unwrap();
            }
            clocks.push(is_shown.then_some(shown));
        }
        text += "*\n\n";
        clocked.push(Clocked { number: clocked.len() as u64 + 1, clocks, control });
    }
    (text, clocked)
}

/// Asks questions about the clocks of games that are written anew. Returns the number of questions with an answer, or
/// `None` if nearly all games begin with other positions.
pub fn ask(games: &[Played], folder: &Path, questions: usize, random: &mut Random) -> Option<usize> {
    let (text, games) = written(games, random);
    if games.len() < 40 {
        return None;
    }
    let [source, plain, indexed, packed] =
        ["clocks.pgn", "clocks-plain.bga", "clocks-indexed.bga", "clocks-packed.bga"].map(|name| folder.join(name));
    std::fs::write(&source, text).unwrap();
    archive_of(std::slice::from_ref(&source), &plain, ImportOptions::default());
    archive_of(std::slice::from_ref(&source), &packed, ImportOptions::packed());
    let archive = archive_of(&[source], &indexed, ImportOptions::default());
    assert_eq!(archive.len(), games.len() as u64);
    games::write_measures(&archive, &GameField::parse_list("lowclock,timeused").unwrap(), |_| {}).unwrap();
    let sets = [plain, indexed, packed].map(|path| ArchiveSet::open([path]).unwrap());
    type Of = fn(&Clocked, Color) -> Option<i64>;
    let fields: [(&str, Of); 2] = [("lowclock", Clocked::low), ("timeused", Clocked::used)];
    let mut answered = 0;
    for _ in 0..questions {
        let (field, of) = random.pick(&fields);
        let side = random.pick(&[None, Some(Color::White), Some(Color::Black)]);
        let prefix = side.map_or("", |side| if side == Color::White { "white" } else { "black" });
        let sides = side.map_or(Color::BOTH.to_vec(), |side| vec![side]);
        let limit = games.iter().filter_map(|game| of(game, sides[0])).nth(random.below(40)).unwrap_or(60_000);
        let sign = random.pick(&["<", "<=", ">", ">=", "missing", "sort"]);
        let values = |game: &Clocked| sides.iter().filter_map(|side| of(game, *side)).collect::<Vec<_>>();
        let seconds = format!("{}.{:03}", limit / 1000, limit % 1000);
        let (question, mut found): (_, Vec<&Clocked>) = match sign {
            "missing" => (
                json!({"where": format!("missing({prefix}{field})")}),
                games.iter().filter(|game| values(game).is_empty()).collect(),
            ),
            "sort" => (json!({"sort": format!("{prefix}{field}"), "limit": 50}), games.iter().collect()),
            _ => {
                let holds = |value: &i64| match sign {
                    "<" => *value < limit,
                    "<=" => *value <= limit,
                    ">" => *value > limit,
                    _ => *value >= limit,
                };
                (
                    json!({"where": format!("{prefix}{field} {sign} {seconds}")}),
                    games.iter().filter(|game| values(game).iter().any(holds)).collect(),
                )
            }
        };
        if sign == "sort" {
            // The lesser value of both sides comes first, and games without a value come last.
            found.sort_by_key(|game| (values(game).is_empty(), values(game).into_iter().min()));
            found.truncate(50);
        }
        let expected: Answer = found.into_iter().map(|game| (game.number, None)).collect();
        answered += usize::from(!expected.is_empty());
        for set in &sets {
            assert_eq!(asked(set, &question.to_string(), false), expected, "{question}");
        }
    }
    Some(answered)
}
