//! The questions of `testdata/questions` for every interface: the library, the command, the server's API, Python and
//! SQL. Their archives are the sample of games and a few unusual ones, in this order.

use super::import::archive_of;
use super::sample::{lichess, testdata};
use scoresheet::ImportOptions;
use scoresheet_query::ArchiveSet;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A question and its answer.
pub struct Question {
    pub ask: Value,
    /// The numbers of the games in the set, in order.
    pub games: Vec<u64>,
    /// The plies of each game's hits; empty for a question without positions or patterns.
    pub plies: Vec<Vec<u32>>,
}

/// The path of the questions.
pub fn file() -> PathBuf {
    testdata("questions/questions.json")
}

/// Reads the questions.
pub fn questions() -> Vec<Question> {
    let all: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file()).unwrap()).unwrap();
    let of = |question: Value| Question {
        ask: question["ask"].clone(),
        games: serde_json::from_value(question["games"].clone()).unwrap(),
        plies: serde_json::from_value(question["plies"].clone()).unwrap(),
    };
    all.into_iter().map(of).collect()
}

/// Makes the archives that the questions refer to.
pub fn archives(folder: &Path) -> ArchiveSet {
    let sources = [("sample.bga", lichess()), ("odd.bga", testdata("questions/odd.pgn"))];
    let made = sources.map(|(name, source)| {
        let target = folder.join(name);
        archive_of(&[source], &target, ImportOptions::default());
        target
    });
    ArchiveSet::open(made).unwrap()
}
