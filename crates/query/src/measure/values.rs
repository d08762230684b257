//! Computes the measures of many games, in parallel by chunk.

use super::GameMeasures;
use super::accuracy::EvaluationMeasures;
use super::end;
use super::ending;
use super::field::{Measure, MeasureKind, code_of, mate_of, swing};
use crate::openings::Openings;
use crate::position::novelties::Novelties;
use crate::position::novelty::missing_index;
use crate::unread::Unread;
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::chess::{Color, Position, Role, Square};
use scoresheet::error::Result;
use scoresheet::parallel;

/// The number that stands for a missing value.
pub const NONE: i64 = i64::MIN;

/// Returns the novelties for `games` games if these measures need them and the position index of the archive is
/// complete.
pub fn novelties_for(archive: &Archive, measures: &[Measure], games: u64) -> Option<Novelties> {
    let needs_index = measures.iter().any(|measure| measure.kind == MeasureKind::Novelty);
    needs_index.then(|| Novelties::new(archive, games)).flatten()
}

/// Returns the values of these measures for a game, with [`NONE`] for missing values. Without
/// [`novelties_for`], novelties are missing.
pub fn of_game(game: &GameRef<'_>, measures: &[Measure], novelties: Option<&Novelties>) -> Result<Vec<i64>> {
    let reads_comments = |measure: &Measure| measure.is_of_comments() && measure.kind != MeasureKind::PvLength;
    let measured = match measures.iter().any(reads_comments) {
        true => GameMeasures::from_game(game)?,
        false => GameMeasures::default(),
    };
    let of = |measure: &Measure| -> Result<i64> {
        let value = match measure.kind {
            MeasureKind::PvLength => longest_line(game, measure.side)?,
            MeasureKind::Mate => mating_piece(game)?.map(|role| role as i64),
            MeasureKind::End => end::of_game(game)?.map(|end| end as i64),
            MeasureKind::Novelty => match novelties {
                Some(novelties) => novelties.of_game(game)?.map(i64::from),
                None => None,
            },
            MeasureKind::Repetitions => Some(repetitions(game)?),
            MeasureKind::Sacrifice => Some(sacrifice(game, measure.side.unwrap_or(Color::White))?),
            MeasureKind::Ending => ending::of_game(game)?,
            MeasureKind::Opening => {
                let found = Openings::table().classify(game)?;
                found.and_then(|(opening, _)| Openings::table().index_of(opening.name)).map(|index| index as i64)
            }
            _ => value(*measure, &measured),
        };
        Ok(value.unwrap_or(NONE))
    };
    measures.iter().map(of).collect()
}

/// Returns, for each measure, the values for all games by index from 0, and the games that cannot be read. Reads only
/// the games in `among`. All other games have missing values.
pub fn of_games(archive: &Archive, measures: &[Measure], among: &GameSet) -> (Vec<Vec<i64>>, Vec<Unread>) {
    if let [Measure { kind: MeasureKind::Novelty, .. }] = measures
        && let Some(novelties) = novelties_for(archive, measures, among.len())
        && among.iter().next().is_none_or(|game| novelties.known(game).is_some())
    {
        // The pass has found all novelties, so no game is read.
        let mut values = vec![NONE; archive.len() as usize];
        for game in among.iter() {
            if let (Some(slot), Some(known)) = (values.get_mut(game as usize - 1), novelties.known(game)) {
                *slot = known.map_or(NONE, i64::from);
            }
        }
        return (vec![values], Vec::new());
    }
    of_each(archive, measures, measures.len(), among, &|game, novelties| of_game(game, measures, novelties))
}

/// Computes the values of a game, with the novelties that its measures need.
pub type ValuesOfGame<'a> = dyn Fn(&GameRef<'_>, Option<&Novelties>) -> Result<Vec<i64>> + Sync + 'a;

/// Returns `count` columns of values like [`of_games`], where `of` computes the values of a game, which include these
/// measures.
pub fn of_each(
    archive: &Archive,
    measures: &[Measure],
    count: usize,
    among: &GameSet,
    of: &ValuesOfGame<'_>,
) -> (Vec<Vec<i64>>, Vec<Unread>) {
    let mut columns = vec![vec![NONE; archive.len() as usize]; count];
    let novelties = novelties_for(archive, measures, among.len());
    // Without an index of positions, every game would seem to have no novelty.
    if novelties.is_none() && measures.iter().any(|measure| measure.kind == MeasureKind::Novelty) {
        let of_run = |(first, last)| Some(Unread { games: first..last + 1, error: missing_index(archive)? });
        return (columns, among.runs().filter_map(of_run).collect());
    }
    let of_chunk = |number: usize| {
        let games = archive.games_of(number);
        let selected: Vec<u64> = games.clone().filter(|game| among.contains(*game)).collect();
        let (mut rows, mut unread) = (Vec::with_capacity(selected.len()), Vec::new());
        if selected.is_empty() {
            return (rows, unread);
        }
        match archive.chunk(number) {
            Err(error) => unread.push(Unread { games, error }),
            Ok(chunk) => {
                for game in selected {
                    match chunk.game(game).and_then(|game| of(&game, novelties.as_ref())) {
                        Ok(values) => rows.push((game, values)),
                        Err(error) => unread.push(Unread { games: game..game + 1, error }),
                    }
                }
            }
        }
        (rows, unread)
    };
    let chunks = parallel::map(archive.chunk_count(), of_chunk);
    let mut unread = Vec::new();
    for (rows, lost) in chunks {
        unread.extend(lost);
        for (game, values) in rows {
            for (column, value) in columns.iter_mut().zip(values) {
                if let Some(cell) = column.get_mut(game as usize - 1) {
                    *cell = value;
                }
            }
        }
    }
    (columns, unread)
}

/// Returns the value of a measure for a game, or `None` if the game has no value.
fn value(measure: Measure, measured: &GameMeasures) -> Option<i64> {
    let side = measure.side.map_or(0, Color::index);
    let clock = || measured.clocks.get(side).copied().flatten();
    let play = || measured.evaluations.get(side).copied().flatten();
    let count = |of: fn(&EvaluationMeasures) -> u32| play().as_ref().map(of).map(i64::from);
    let hundredths = |value: f64| (value * 100.0).round() as i64;
    let evaluations = || measured.evaluation_after.iter().flatten().copied().map(code_of);
    // From the point of view of the measured side.
    let own_evaluations = || evaluations().map(|code| if side == 0 { code } else { -code });
    match measure.kind {
        MeasureKind::LowClock => {
            let has_clocks = measured.clock_after.iter().any(Option::is_some);
            clock().filter(|_| has_clocks).map(|clock| clock.lowest.as_millis() as i64)
        }
        MeasureKind::TimeUsed => Some(clock()?.used?.as_millis() as i64),
        MeasureKind::Accuracy => play()?.accuracy.map(hundredths),
        MeasureKind::CentipawnLoss => play()?.centipawn_loss.map(hundredths),
        MeasureKind::Inaccuracies => count(|play| play.inaccuracies),
        MeasureKind::Mistakes => count(|play| play.mistakes),
        MeasureKind::Blunders => count(|play| play.blunders),
        MeasureKind::Depth => measured.engines.get(side)?.depth.map(i64::from),
        MeasureKind::Nodes => measured.engines.get(side)?.nodes.map(|nodes| i64::try_from(nodes).unwrap_or(i64::MAX)),
        MeasureKind::BestEval => own_evaluations().max(),
        MeasureKind::WorstEval => own_evaluations().min(),
        MeasureKind::MaxEval => evaluations().max(),
        MeasureKind::MinEval => evaluations().min(),
        MeasureKind::EvalSwing => {
            let pairs = measured.evaluation_after.windows(2);
            let change = |pair: &[Option<_>]| match pair {
                [Some(before), Some(after)] => Some(swing(*before, *after)),
                _ => None,
            };
            pairs.filter_map(change).max()
        }
        MeasureKind::AnnouncedMate => evaluations().filter_map(mate_of).map(i64::abs).min(),
        MeasureKind::PvLength
        | MeasureKind::Mate
        | MeasureKind::End
        | MeasureKind::Repetitions
        | MeasureKind::Sacrifice
        | MeasureKind::Novelty
        | MeasureKind::Opening
        | MeasureKind::Ending => None,
    }
}

/// Returns how often the most frequent position of the main line occurs. Positions are equal as for the rule of
/// threefold repetition.
fn repetitions(game: &GameRef<'_>) -> Result<i64> {
    let mut keys = end::keys(game, 0)?;
    keys.sort_unstable();
    Ok(keys.chunk_by(|a, b| a == b).map(|same| same.len() as i64).max().unwrap_or(0))
}

/// The number of plies at the end of a game for which a side must be behind. An exchange of pieces takes fewer plies.
const SACRIFICED_PLIES: usize = 4;

/// Returns the material that a side has given up and not regained, in pawns: the least amount by which it is behind
/// after the last four plies, or in all positions of a shorter game. The amount at the start of the game does not count.
fn sacrifice(game: &GameRef<'_>, side: Color) -> Result<i64> {
    let mut behind = Vec::with_capacity(game.plies() as usize + 1);
    game.positions(|position| behind.push(material(position, side.other()) - material(position, side)))?;
    let at_start = behind.first().copied().unwrap_or(0).max(0);
    let least = behind.iter().rev().take(SACRIFICED_PLIES).min().copied().unwrap_or(0);
    Ok((least - at_start).max(0))
}

/// Returns the value of a side's pieces in pawns.
fn material(position: &Position, side: Color) -> i64 {
    ending::material(&position.bitboards().map(u64::count_ones), side).into()
}

/// Returns the number of moves in the longest principal variation of a side's engine, or of both engines if no side is
/// given.
fn longest_line(game: &GameRef<'_>, side: Option<Color>) -> Result<Option<i64>> {
    if !game.has_comments()? {
        return Ok(None);
    }
    let first = game.start().turn();
    let mover = |ply: u32| if ply.is_multiple_of(2) { first.other() } else { first };
    let analysis = game.analysis()?;
    let of_side = analysis.iter().filter(|entry| side.is_none_or(|side| side == mover(entry.ply)));
    Ok(of_side.filter_map(|entry| Some(entry.pv.as_ref()?.moves.len() as i64)).max())
}

/// Returns the piece that gives checkmate with the last move: after a promotion the new piece, and in castling the
/// king. Returns `None` if the game does not end with checkmate.
pub fn mating_piece(game: &GameRef<'_>) -> Result<Option<Role>> {
    let plies = game.plies();
    // A game without a stated winner may still end with checkmate, so the position decides.
    let last = game.position_by_rules(plies)?;
    if plies == 0 || !last.is_checkmate() {
        return Ok(None);
    }
    let before = game.position(plies - 1)?;
    let mover = before.turn();
    let squares = (0..64u8).map(Square::masked);
    let arrived = |square: Square| {
        let piece = last.piece_at(square).filter(|piece| piece.color == mover)?;
        (before.piece_at(square) != Some(piece)).then_some(piece.role)
    };
    // In castling, the king is used as the moved piece, not the rook.
    let moved = squares.filter_map(arrived);
    Ok(moved.max_by_key(|role| *role == Role::King))
}
