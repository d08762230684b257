//! A report for a game against a certain player: the openings of both sides as trees, results by rating of the opponent,
//! recent games, clocks, endings, novelties, and what a repertoire has against this player.

use crate::filter::sort::SortKeys;
use crate::games::ArchiveSet;
use crate::measure::GameMeasures;
use crate::measure::field::NOVELTY;
use crate::measure::values::{self, NONE};
use crate::position::novelty::complete_index;
use crate::report::groups::{self, Group, GroupKey, PlayerGames};
use crate::report::player::{ArchiveGame, PlayerArchive, PlayerReport, PlayerReportError};
use crate::report::points::Points;
use crate::report::repertoire::Repertoire;
use crate::report::tree::{Tally, Visit};
use crate::tag_columns::{Key, Unread};
use crate::value::{SPEEDS, speed_of};
use scoresheet::archive::GameSet;
use scoresheet::chess::{Color, Move, Position};
use scoresheet::game::{Outcome, time_control};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// The sizes of the parts of a report.
///
/// [`Preparation`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PreparationOptions {
    /// The maximum number of plies of a line in a tree. Default: 20.
    pub plies: u32,
    /// The maximum number of moves in a tree. Default: 60.
    pub moves: usize,
    /// The minimum number of games for a move in a tree, which is also at least one hundredth of the player's games with
    /// this color. Default: 2.
    pub least: u64,
    /// The maximum number of rows in every other list. Default: 12.
    pub rows: usize,
}

impl Default for PreparationOptions {
    fn default() -> PreparationOptions {
        PreparationOptions { plies: 20, moves: 60, least: 2, rows: 12 }
    }
}

/// A move in a tree of openings.
///
/// [`Preparation`] has an example.
#[derive(Clone, PartialEq, Debug)]
pub struct TreeMove {
    /// The number of moves before this one, in its line.
    pub depth: u32,
    /// The position before the move.
    pub before: Position,
    /// The move.
    pub m: Move,
    /// The player's results in the games that play the move in this position, whatever moves lead to it.
    pub points: Points,
    /// Whether the line ends here, because no frequent move follows or the tree is large enough.
    pub is_last: bool,
    /// Whether the repertoire has no answer to this move of the player. Always false without a repertoire.
    pub is_hole: bool,
}

/// The clock of a player in games of one speed.
///
/// [`Preparation`] has an example.
#[derive(Clone, PartialEq, Debug)]
pub struct ClockHabits {
    /// The speed category of the games, such as `blitz`.
    pub speed: &'static str,
    /// The number of games with clocks.
    pub games: u64,
    /// The medians of the time left to the player, and to the opponents, after certain moves.
    pub after: Vec<ClockAfter>,
    /// The player's results in the games in which less than a tenth of the base time was left after some move.
    pub low: Points,
}

/// The time left after a move.
///
/// [`Preparation`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockAfter {
    /// The number of the move.
    pub number: u32,
    /// The number of games in which both clocks are known after this move.
    pub games: u64,
    /// The median of the time left to the player.
    pub player: Duration,
    /// The median of the time left to the opponents.
    pub opponents: Duration,
}

/// A move of the player that no other game of the archive has.
///
/// [`Preparation`] has an example.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedNovelty {
    /// The game.
    pub game: ArchiveGame,
    /// The ply of the move, which is 1 for the first move of a game.
    pub ply: u32,
    /// The position before the move.
    pub before: Position,
    /// The move.
    pub m: Move,
}

/// A report for a game against a certain player.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let [mine, target] = ["mine.bga", "games.bga"].map(|name| folder.path().join(name));
/// # let pgn = "[White \"Tal, M\"]\n[BlackElo \"2600\"]\n[Result \"1-0\"]\n\n1. e4 c5 2. Nf3 1-0\n\n\
/// #     [White \"Tal, M\"]\n[BlackElo \"2450\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Bc4 0-1\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// # scoresheet::Import::new(&mine).run_reader("mine.pgn", &b"1. e4 c5 2. Nf3 d6 *\n"[..])?;
/// use scoresheet::{Archive, chess::Color};
/// use scoresheet_query::ArchiveSet;
/// use scoresheet_query::report::groups::games_of_names;
/// use scoresheet_query::report::preparation::{
///     ClockAfter, ClockHabits, PlayedNovelty, Preparation, PreparationOptions, TreeMove,
/// };
/// use scoresheet_query::report::repertoire::Repertoire;
///
/// let set = ArchiveSet::open([&target])?;
/// let columns = set.members()[0].columns();
/// let tal = games_of_names(columns, &columns.archive().live(), &["Tal, M".to_owned()])?;
/// let mine = Archive::open(&mine)?; // 1. e4 c5 2. Nf3 d6
/// let black = Repertoire::new(Color::Black, mine.games())?;
/// let options = PreparationOptions { least: 1, ..PreparationOptions::default() };
/// let report = Preparation::new(&set, &[tal], &[black], &options)?;
/// let lines = |tree: &[TreeMove]| tree.iter().map(|played| played.before.san(played.m)).collect::<Vec<_>>().join(" ");
/// assert_eq!(lines(&report.trees[0]), "e4 c5 Nf3 e5 Bc4");
/// assert_eq!(lines(&report.answers[0]), "e4 c5 Nf3 d6"); // Black plays only what the repertoire has
/// assert_eq!(report.strengths[0].names, ["2400-2599"]);
/// // Medians of clocks by speed, and moves that no other game has, if the archive has clocks and a position index.
/// let clocks: &[ClockHabits] = &report.clocks;
/// let later = |clocks: &ClockHabits| clocks.after.iter().map(|after: &ClockAfter| after.player).collect::<Vec<_>>();
/// let novelties: Option<Vec<PlayedNovelty>> = report.novelties;
/// assert_eq!((clocks.iter().map(later).count(), novelties), (0, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    /// Results by side, opening, opponent and year.
    pub player: PlayerReport,
    /// The openings in the player's games with White and with Black.
    pub trees: [Vec<TreeMove>; 2],
    /// The trees of the player's games with White and with Black in which the opponent plays only moves of the
    /// repertoire. Empty without a repertoire for the opponent's side.
    pub answers: [Vec<TreeMove>; 2],
    /// The player's results by the rating of the opponent, in order.
    pub strengths: Vec<Group>,
    /// The latest games, the latest first.
    pub recent: Vec<ArchiveGame>,
    /// The clocks, by speed, the most frequent speed first. Empty if no game has clocks.
    pub clocks: Vec<ClockHabits>,
    /// The endings of the games, the most frequent first.
    pub endings: Vec<Group>,
    /// The novelties in the player's latest games, the latest first; `None` if no archive has a position index of all
    /// games.
    pub novelties: Option<Vec<PlayedNovelty>>,
    /// Games that are missing from a part because they cannot be read. Each entry contains the index of the archive.
    pub unread: Vec<(usize, Unread)>,
}

/// The moves after which the clocks are compared.
const CLOCKS_AFTER: [u32; 4] = [10, 20, 30, 40];
/// The number of the latest games in which novelties are looked for.
const LATEST: usize = 200;

impl Preparation {
    /// Returns the report on a player, whose games in each archive of the set are `games`. The repertoires are those of
    /// the player's opponents; a repertoire for Black answers the player's games with White.
    ///
    /// Errors: tags are damaged. The error is returned with the index of their archive.
    pub fn new(
        set: &ArchiveSet,
        games: &[PlayerGames],
        repertoires: &[Repertoire],
        options: &PreparationOptions,
    ) -> Result<Preparation, PlayerReportError> {
        let players: Vec<PlayerArchive> = set
            .members()
            .iter()
            .zip(games)
            .map(|(member, games)| PlayerArchive { columns: member.columns(), games })
            .collect();
        let player = PlayerReport::new(&players, options.rows)?;
        let mut report = Preparation { unread: player.unread.clone(), player, ..Preparation::default() };
        for (index, color) in Color::BOTH.into_iter().enumerate() {
            let chosen: Vec<GameSet> = games.iter().filter_map(|games| games.sides.get(index).cloned()).collect();
            let all: u64 = chosen.iter().map(GameSet::len).sum();
            let tree = Growing { set, games: &chosen, player: color, least: options.least.max(all / 100), options };
            if let Some(own) = report.trees.get_mut(index) {
                *own = tree.grow(None);
            }
            let repertoire = repertoires.iter().find(|repertoire| repertoire.color() == color.other());
            if let (Some(repertoire), Some(answers)) = (repertoire, report.answers.get_mut(index)) {
                *answers = tree.grow(Some(repertoire));
            }
        }
        report.strengths = report.grouped(&players, GroupKey::OpponentRating)?;
        report.endings = report.grouped(&players, GroupKey::Ending)?;
        report.endings.truncate(options.rows);
        let latest = latest(&players);
        report.recent = latest.iter().take(options.rows).copied().collect();
        report.clocks = clocks(&players, &mut report.unread)?;
        report.novelties = novelties(&players, &latest, options.rows, &mut report.unread);
        Ok(report)
    }

    /// Returns the player's games in groups, in the order of the key.
    fn grouped(&mut self, players: &[PlayerArchive], key: GroupKey) -> Result<Vec<Group>, PlayerReportError> {
        let mut found = Vec::new();
        for (index, player) in players.iter().enumerate() {
            let grouped = groups::groups(player.columns, &player.games.all(), Some(player.games), &[key]);
            let grouped = grouped.map_err(|error| PlayerReportError { archive: index, error })?;
            self.unread.extend(grouped.unread.into_iter().map(|lost| (index, lost)));
            groups::join(&mut found, grouped.groups);
        }
        groups::sort(&mut found, key);
        Ok(found)
    }
}

/// Returns the line of each move of a tree, as in `1. e4 c5 2. Nf3`.
///
/// [`Preparation`] has an example of a tree.
pub fn line_texts(tree: &[TreeMove]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut above: Vec<String> = Vec::new();
    for played in tree {
        above.truncate(played.depth as usize);
        let before = above.last().map_or("", String::as_str);
        let number = match played.before.turn() {
            Color::White => format!("{}. ", played.before.fullmove_number()),
            Color::Black => String::new(),
        };
        let blank = if before.is_empty() { "" } else { " " };
        let line = format!("{before}{blank}{number}{}", played.before.san(played.m));
        above.push(line.clone());
        lines.push(line);
    }
    lines
}

/// Returns the player's results from the results of both sides.
fn points(tally: &Tally, player: Color) -> Points {
    let (won, lost) = match player {
        Color::White => (tally.white, tally.black),
        Color::Black => (tally.black, tally.white),
    };
    Points { games: tally.games(), won, drawn: tally.draws, lost, ..Points::default() }
}

/// What a tree is grown from.
struct Growing<'a> {
    set: &'a ArchiveSet,
    games: &'a [GameSet],
    player: Color,
    least: u64,
    options: &'a PreparationOptions,
}

/// A move in a growing tree, and the indexes of the moves after it, the most frequent first.
struct Node {
    played: TreeMove,
    next: Vec<usize>,
}

impl Growing<'_> {
    /// Returns the tree in the order in which it is printed. The tree grows at its most frequent moves first. With a
    /// repertoire, the other side plays only moves of the repertoire.
    fn grow(&self, repertoire: Option<&Repertoire>) -> Vec<TreeMove> {
        let (mut nodes, mut roots): (Vec<Node>, Vec<usize>) = (Vec::new(), Vec::new());
        // The moves after which the tree can grow: the number of games, and the index of the move.
        let mut open = BinaryHeap::from([(u64::MAX, Reverse(None))]);
        let mut seen = HashSet::new();
        while let Some((_, Reverse(at))) = open.pop() {
            if nodes.len() >= self.options.moves {
                break;
            }
            let before = match at.and_then(|at: usize| nodes.get(at)) {
                None => Position::standard(),
                Some(node) => {
                    let mut after = node.played.before.clone();
                    after.play_unchecked(node.played.m);
                    after
                }
            };
            let depth = at.and_then(|at| nodes.get(at)).map_or(0, |node| node.played.depth + 1);
            // A position that another order of moves reaches is in the tree already.
            if depth >= self.options.plies || !seen.insert(before.zobrist()) {
                continue;
            }
            let tree = self.set.tree(&before, Visit::First, Some(self.games), None);
            let tally_of = |m: Move| {
                let branch = tree.branches.iter().find(|branch| branch.m == m);
                branch.map_or_else(Points::default, |branch| points(&branch.tally, self.player))
            };
            let is_prepared = repertoire.filter(|_| before.turn() != self.player);
            let moves: Vec<(Move, Points)> = match is_prepared {
                Some(repertoire) => {
                    let mut moves: Vec<_> = repertoire.moves(&before).iter().map(|m| (*m, tally_of(*m))).collect();
                    moves.sort_by_key(|(_, points)| Reverse(points.games));
                    moves
                }
                None => {
                    let frequent = tree.branches.iter().filter(|branch| branch.tally.games() >= self.least);
                    frequent.map(|branch| (branch.m, points(&branch.tally, self.player))).collect()
                }
            };
            let left = self.options.moves - nodes.len();
            for (m, points) in moves.into_iter().take(left) {
                let index = nodes.len();
                let mut after = before.clone();
                after.play_unchecked(m);
                let is_answered = repertoire.is_none_or(|repertoire| !repertoire.moves(&after).is_empty());
                let is_hole = !is_answered && before.turn() == self.player;
                let games = points.games;
                let played = TreeMove { depth, before: before.clone(), m, points, is_last: true, is_hole };
                nodes.push(Node { played, next: Vec::new() });
                match at.and_then(|at| nodes.get_mut(at)) {
                    Some(node) => {
                        node.next.push(index);
                        node.played.is_last = false;
                    }
                    None => roots.push(index),
                }
                if games > 0 && !is_hole {
                    open.push((games, Reverse(Some(index))));
                }
            }
        }
        let mut ordered = Vec::with_capacity(nodes.len());
        let mut left: Vec<usize> = roots.into_iter().rev().collect();
        while let Some(node) = left.pop().and_then(|index| nodes.get(index)) {
            ordered.push(node.played.clone());
            left.extend(node.next.iter().rev());
        }
        ordered
    }
}

/// Returns the player's games, the latest first.
fn latest(players: &[PlayerArchive]) -> Vec<ArchiveGame> {
    // This list of sort keys is valid.
    let Ok(keys) = SortKeys::parse("-date") else { return Vec::new() };
    let columns: Vec<_> = players.iter().map(|player| player.columns).collect();
    // Of games of the same date, the last one of the last archive is the latest.
    let of = |(index, player): (usize, &PlayerArchive)| {
        let games: Vec<ArchiveGame> = player.games.all().iter().map(|game| (index, game)).collect();
        games.into_iter().rev()
    };
    let games: Vec<ArchiveGame> = players.iter().enumerate().rev().flat_map(of).collect();
    let (order, _) = keys.order(&columns, &games, LATEST);
    order.into_iter().filter_map(|at| games.get(at).copied()).collect()
}

/// The clocks of a player in a game: after certain moves, the player's and the opponent's, and the lowest of the player's.
type ClocksOfGame = [i64; 2 * CLOCKS_AFTER.len() + 1];

/// Returns the clocks of a game, in milliseconds.
fn clocks_of(measures: &GameMeasures, first: Color, player: Color) -> ClocksOfGame {
    let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(NONE);
    let clock = |number: u32, side: Color| {
        let ply = 2 * (number as usize - 1) + usize::from(side != first);
        measures.clock_after.get(ply).copied().flatten().map_or(NONE, millis)
    };
    let mut values = [NONE; 2 * CLOCKS_AFTER.len() + 1];
    let sides = [player, player.other()];
    let pairs = CLOCKS_AFTER.iter().flat_map(|number| sides.map(|side| clock(*number, side)));
    let clocks = measures.clocks.get(player.index()).copied().flatten();
    let lowest = clocks.filter(|clocks| !clocks.lowest.is_zero()).map_or(NONE, |clocks| millis(clocks.lowest));
    values.iter_mut().zip(pairs.chain([lowest])).for_each(|(slot, value)| *slot = value);
    values
}

/// The clocks of the games of one speed.
#[derive(Default)]
struct Clocks {
    games: u64,
    after: [Vec<(i64, i64)>; CLOCKS_AFTER.len()],
    low: Points,
}

fn clocks(players: &[PlayerArchive], unread: &mut Vec<(usize, Unread)>) -> Result<Vec<ClockHabits>, PlayerReportError> {
    let mut by_speed: BTreeMap<usize, Clocks> = BTreeMap::new();
    for (index, player) in players.iter().enumerate() {
        let (games, archive) = (player.games.all(), player.columns.archive());
        let [white, _] = &player.games.sides;
        let color = |game: u64| if white.contains(game) { Color::White } else { Color::Black };
        let (values, lost) = values::of_each(archive, &[], 2 * CLOCKS_AFTER.len() + 1, &games, &|game, _| {
            let measures = GameMeasures::from_game(game)?;
            Ok(clocks_of(&measures, game.start().turn(), color(game.number())).to_vec())
        });
        unread.extend(lost.into_iter().map(|lost| (index, lost)));
        let keys = ["TimeControl", "Result"].map(|name| Key::Tag(name.to_owned()));
        let columns = player.columns.columns_of(&keys, &games);
        let columns = columns.map_err(|error| PlayerReportError { archive: index, error })?;
        let [control, result] = columns.as_slice() else { continue };
        for game in games.iter() {
            let at = |column: usize| {
                let values = values.get(column)?;
                values.get(usize::try_from(game).ok()?.checked_sub(1)?).copied().filter(|value| *value != NONE)
            };
            let Some(lowest) = at(2 * CLOCKS_AFTER.len()) else { continue };
            let control = control.text(game).unwrap_or_default();
            let Some(speed) = speed_of(control) else { continue };
            let clocks = by_speed.entry(speed).or_default();
            clocks.games += 1;
            for (slot, pairs) in clocks.after.iter_mut().enumerate() {
                pairs.extend(at(2 * slot).zip(at(2 * slot + 1)));
            }
            let base = time_control(control).map_or(0, |(base, _)| base.as_millis() as i64);
            if lowest < base / 10 {
                let outcome = result.text(game).and_then(Outcome::parse);
                clocks.low.add(outcome.and_then(|outcome| outcome.half_points(color(game))), 0, 0);
            }
        }
    }
    let median = |mut values: Vec<i64>| {
        values.sort_unstable();
        Duration::from_millis(values.get(values.len() / 2).copied().unwrap_or(0).max(0) as u64)
    };
    let habits = |(speed, clocks): (usize, Clocks)| {
        let after = CLOCKS_AFTER.into_iter().zip(clocks.after).filter(|(_, pairs)| !pairs.is_empty());
        let after = after.map(|(number, pairs)| {
            let games = pairs.len() as u64;
            let (player, opponents): (Vec<i64>, Vec<i64>) = pairs.into_iter().unzip();
            ClockAfter { number, games, player: median(player), opponents: median(opponents) }
        });
        let speed = SPEEDS.get(speed).copied().unwrap_or_default();
        ClockHabits { speed, games: clocks.games, after: after.collect(), low: clocks.low }
    };
    let mut all: Vec<ClockHabits> = by_speed.into_iter().map(habits).collect();
    all.sort_by_key(|habits| Reverse(habits.games));
    Ok(all)
}

/// Returns the player's novelties in the latest games; `None` without a position index.
fn novelties(
    players: &[PlayerArchive],
    latest: &[ArchiveGame],
    most: usize,
    unread: &mut Vec<(usize, Unread)>,
) -> Option<Vec<PlayedNovelty>> {
    let mut plies: Vec<Option<Arc<[i64]>>> = Vec::new();
    for (index, player) in players.iter().enumerate() {
        let archive = player.columns.archive();
        let numbers = latest.iter().filter(|(of, _)| *of == index).map(|(_, game)| *game);
        plies.push(complete_index(archive).map(|_| {
            let games = GameSet::from_numbers(archive.len(), numbers);
            let (mut values, lost) = player.columns.measures(&[NOVELTY], &games);
            unread.extend(lost.into_iter().map(|lost| (index, lost)));
            values.pop().unwrap_or_default()
        }));
    }
    if plies.iter().all(Option::is_none) {
        return None;
    }
    let mut found = Vec::new();
    for (index, number) in latest {
        let Some(player) = players.get(*index) else { continue };
        let values = plies.get(*index).and_then(Option::as_ref);
        let ply = values.and_then(|values| values.get(usize::try_from(*number).ok()?.checked_sub(1)?));
        let Some(ply) = ply.and_then(|ply| u32::try_from(*ply).ok()) else { continue };
        // The ply of a novelty is the ply after the move.
        match player.columns.archive().game(*number).and_then(|game| game.played_at(ply.saturating_sub(1))) {
            Ok((before, Some(m))) => {
                let color = before.turn();
                if player.games.sides.get(color.index()).is_some_and(|games| games.contains(*number)) {
                    found.push(PlayedNovelty { game: (*index, *number), ply, before, m });
                }
            }
            Ok(_) => {}
            Err(error) => unread.push((*index, Unread { games: *number..*number + 1, error })),
        }
        if found.len() >= most {
            break;
        }
    }
    Some(found)
}
