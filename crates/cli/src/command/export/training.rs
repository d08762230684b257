//! `scoresheet export --format binpack` and the like: writes the scored positions of games.

use crate::failure::Failure;
use crate::output::{new_file, progress};
use crate::select::archives;
use crate::select::parallel;
use crate::select::units::Unit;
use crate::session::Session;
use crate::text::count;
use indicatif::ProgressBar;
use scoresheet::Archive;
use scoresheet_output::{Content, Target};
use scoresheet_train::{Exported, Exporter, Filter, ScoredGame, TrainingFormat, Units};
use std::io::Write;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The options that select positions.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Training data")]
pub struct TrainingArgs {
    /// Leave out positions: check, noisy, unscored, duplicate
    ///
    /// check: the side to move is in check. noisy: the move is a capture or a promotion. unscored: the position has no
    /// score. duplicate: the position has been written; this takes about 16 bytes of memory for each position.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "KIND,..", value_enum, value_delimiter = ',')]
    skip: Vec<Skip>,
    /// Write only positions of these plies, e.g. 16-200
    ///
    /// The first position of a game has ply 0.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "RANGE")]
    plies: Option<Range>,
    /// Write only positions with this number of pieces, e.g. 8-
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "RANGE")]
    pieces: Option<Range>,
    /// Write only positions with a score from -N to N
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..=32767))]
    max_score: Option<i32>,
    /// Shuffle the output in an order that this number determines
    ///
    /// Every order is equally likely. A shuffle moves positions, games of viriformat, or chains of binpack. Above 256 MiB,
    /// it writes temporary files.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
}

/// The values of `--skip`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Skip {
    Check,
    Noisy,
    Unscored,
    Duplicate,
}

/// A range of numbers: `16-200`, `8-`, `-40` or `12`.
#[derive(Clone, Debug)]
struct Range(RangeInclusive<u32>);

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Range, String> {
        let number = |text: &str, default: u32| match text {
            "" => Ok(default),
            text => text.parse().map_err(|_| format!("{text:?} is not a number")),
        };
        let (first, last) = match text.split_once('-') {
            Some((first, last)) => (number(first, 0)?, number(last, u32::MAX)?),
            None if !text.is_empty() => (number(text, 0)?, number(text, 0)?),
            None => return Err("a range such as 16-200".to_owned()),
        };
        if first > last {
            return Err(format!("{first} is above {last}"));
        }
        Ok(Range(first..=last))
    }
}

impl TrainingArgs {
    /// Returns the filter of the options.
    fn filter(&self) -> Filter {
        let skips = |kind: Skip| self.skip.contains(&kind);
        let mut filter = Filter {
            quiet: skips(Skip::Noisy),
            no_check: skips(Skip::Check),
            scored: skips(Skip::Unscored),
            distinct: skips(Skip::Duplicate),
            max_score: self.max_score,
            ..Filter::default()
        };
        if let Some(Range(plies)) = &self.plies {
            filter.plies = plies.clone();
        }
        if let Some(Range(pieces)) = &self.pieces {
            filter.pieces = pieces.clone();
        }
        filter
    }

    /// Returns an error if an option is given that applies only to training data.
    pub fn only_for_training(&self) -> Result<(), Failure> {
        if self.filter().is_everything() && self.shuffle.is_none() {
            return Ok(());
        }
        let names: Vec<&str> = TrainingFormat::ALL.iter().map(|format| format.name()).collect();
        let what = "--skip, --plies, --pieces, --max-score and --shuffle apply to training data";
        Err(Failure::Usage(format!("{what}: --format {}", names.join(", "))))
    }
}

/// Returns the kind of content of a file in this format.
pub fn content(format: TrainingFormat) -> Content {
    if format.is_text() { Content::Text } else { Content::Binary }
}

/// Games to write: an archive, its name if there are several, and its units of games.
pub type Work<'a> = (&'a Archive, Option<String>, Vec<Unit>);

/// Writes the games; returns the number of unreadable games.
pub fn write(
    format: TrainingFormat,
    args: &TrainingArgs,
    quiet: bool,
    session: &Session,
    work: &[Work<'_>],
    games: u64,
    target: Option<&Target>,
) -> Result<u64, Failure> {
    let filter = args.filter();
    if format == TrainingFormat::Viriformat && !filter.is_everything() {
        let what = "viriformat contains complete games: select games with --where, or write another format";
        return Err(Failure::Usage(what.to_owned()));
    }
    let (exported, damaged) = match target {
        None => write_to(format, &filter, args.shuffle, session, work, &ProgressBar::hidden(), &mut session.stdout())?,
        Some(target) => {
            let bar = progress::bar(session, Some(games), !quiet);
            new_file::write(target, |file| write_to(format, &filter, args.shuffle, session, work, &bar, file))?
        }
    };
    if !quiet && target.is_some() {
        let positions = count(exported.positions, "position", "positions");
        session.note(&format!("{positions} of {}", count(exported.games, "game", "games")));
    }
    if exported.left_out > 0 {
        let games = count(exported.left_out, "game has", "games have");
        session.message(&format!("{games} no result or no place in the format (docs/training.md): left out"));
    }
    if exported.unscored > 0 {
        let positions = count(exported.unscored, "position has", "positions have");
        session.message(&format!("{positions} no score: left out"));
    }
    Ok(damaged)
}

fn write_to(
    format: TrainingFormat,
    filter: &Filter,
    seed: Option<u64>,
    session: &Session,
    work: &[Work<'_>],
    bar: &ProgressBar,
    out: &mut impl Write,
) -> Result<(Exported, u64), Failure> {
    let mut damaged = 0;
    let mut exporter = Exporter::new(format, filter.clone(), seed, out);
    for (archive, _, units) in work {
        parallel::in_order(
            units,
            |unit| {
                let (mut scored, mut encoded, mut games, mut faults) = (Vec::new(), Units::default(), 0, Vec::new());
                unit.each(archive, |_, game| {
                    games += 1;
                    let read = game.and_then(|game| match filter.distinct {
                        // Only one thread knows which positions have been written.
                        true => ScoredGame::from_archive(&game).map(|game| scored.push(game)),
                        false => encoded.push_stored(format, filter, &game),
                    });
                    if let Err(error) = read {
                        faults.push(archives::fault(archive, &error));
                    }
                });
                (scored, encoded, games, faults)
            },
            |(scored, encoded, games, faults)| {
                bar.suspend(|| faults.iter().for_each(|fault| session.unread(fault)));
                damaged += faults.len() as u64;
                exporter.push_games(&scored)?;
                exporter.push_units(&encoded)?;
                bar.inc(games);
                Ok(())
            },
        )?;
    }
    Ok((exporter.finish()?, damaged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let range = |text: &str| text.parse::<Range>().map(|range| range.0);
        assert_eq!(range("16-200"), Ok(16..=200));
        assert_eq!(range("8-"), Ok(8..=u32::MAX));
        assert_eq!(range("-40"), Ok(0..=40));
        assert_eq!(range("12"), Ok(12..=12));
        for wrong in ["", "x", "3-2", "1-2-3"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
