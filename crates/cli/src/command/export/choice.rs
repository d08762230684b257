//! The values of `--format`: the formats of games, and of training data if the command has them.

use crate::output::formats::Format;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use scoresheet_output::Content;
#[cfg(feature = "train")]
use scoresheet_train::TrainingFormat;

/// A format of the export.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Games.
    Games(Format),
    /// Scored positions or games.
    #[cfg(feature = "train")]
    Training(TrainingFormat),
}

impl Default for Choice {
    fn default() -> Choice {
        Choice::Games(Format::default())
    }
}

impl Choice {
    /// Returns the format of games, or `None` for training data.
    pub fn games(self) -> Option<Format> {
        match self {
            Choice::Games(format) => Some(format),
            #[cfg(feature = "train")]
            Choice::Training(_) => None,
        }
    }

    /// Returns the kind of content of a file in this format.
    pub fn content(self) -> Content {
        match self {
            Choice::Games(format) => format.content(),
            #[cfg(feature = "train")]
            Choice::Training(format) => super::training::content(format),
        }
    }
}

impl ValueEnum for Choice {
    fn value_variants<'a>() -> &'a [Choice] {
        &[
            Choice::Games(Format::Pgn),
            Choice::Games(Format::Uci),
            Choice::Games(Format::San),
            Choice::Games(Format::Epd),
            Choice::Games(Format::Fen),
            Choice::Games(Format::Csv),
            Choice::Games(Format::Json),
            Choice::Games(Format::Moveid),
            Choice::Games(Format::Pcn),
            #[cfg(feature = "train")]
            Choice::Training(TrainingFormat::Viriformat),
            #[cfg(feature = "train")]
            Choice::Training(TrainingFormat::Binpack),
            #[cfg(feature = "train")]
            Choice::Training(TrainingFormat::Plain),
            #[cfg(feature = "train")]
            Choice::Training(TrainingFormat::Bin),
            #[cfg(feature = "train")]
            Choice::Training(TrainingFormat::Marlin),
            #[cfg(feature = "train")]
            Choice::Training(TrainingFormat::Bullet),
            #[cfg(feature = "train")]
            Choice::Training(TrainingFormat::BulletText),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Choice::Games(format) => format.to_possible_value(),
            #[cfg(feature = "train")]
            Choice::Training(format) => Some(PossibleValue::new(format.name()).help(format.about())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_can_be_chosen() {
        let all = Choice::value_variants();
        let games = Format::value_variants().iter().map(|format| Choice::Games(*format));
        assert!(games.clone().all(|format| all.contains(&format)));
        #[cfg(feature = "train")]
        {
            let training = TrainingFormat::ALL.into_iter().map(Choice::Training);
            assert!(games.chain(training).eq(all.iter().copied()));
        }
    }
}
