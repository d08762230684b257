//! Completion at the prompt. This program completes the words of commands, as it does for shells.

use super::open::{AnswerFormat, Open};
use super::own::{OWN, is_own};
use crate::completion;
use clap::ValueEnum;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A word that completes a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub word: String,
    /// A description, which may be empty.
    pub help: String,
}

/// What completion knows.
pub struct Known {
    /// All commands of the program.
    pub commands: clap::Command,
    /// The path of this program.
    pub program: PathBuf,
    /// The global options of the prompt.
    pub globals: Vec<OsString>,
    /// The open archives, and the format.
    pub open: Open,
}

impl Known {
    /// Returns the arguments of a command with these words, like [`Open::fill`].
    pub fn fill(&self, words: &[String]) -> Result<Vec<OsString>, String> {
        self.open.fill(&self.commands, &self.globals, words)
    }

    /// Returns the words that begin with `current`, after the words before it.
    pub fn candidates(&self, before: &[String], current: &str) -> Vec<Candidate> {
        let before = before.strip_prefix(&["scoresheet".to_owned()]).unwrap_or(before);
        let candidate = |word: String, help: String| Candidate { word, help };
        let mut found: Vec<Candidate> = match (before.first().map(String::as_str), before.len()) {
            (None, _) | (Some("help"), 1) => {
                let own = OWN.iter().filter(|_| before.is_empty());
                let own = own.map(|(name, what)| candidate((*name).to_owned(), (*what).to_owned()));
                let commands = self.commands.get_subcommands().filter(|command| !is_own(command.get_name()));
                let about = |command: &clap::Command| command.get_about().map(ToString::to_string).unwrap_or_default();
                own.chain(commands.map(|command| candidate(command.get_name().to_owned(), about(command)))).collect()
            }
            (Some("format"), 1) => {
                let formats = AnswerFormat::value_variants().iter();
                formats.map(|format| candidate(format.to_string(), String::new())).collect()
            }
            (Some("use" | "close"), _) => {
                self.open.paths().map(|path| candidate(path.to_string_lossy().into_owned(), String::new())).collect()
            }
            // `list` takes archives, too.
            (Some("open"), _) => return self.ask(vec!["list".into()], current),
            (Some(name), _) if is_own(name) => Vec::new(),
            _ => {
                let unfilled = || before.iter().map(OsString::from).collect();
                let filled = self.fill(before);
                let found = filled.map(|words| self.ask(words, current)).unwrap_or_default();
                return if found.is_empty() { self.ask(unfilled(), current) } else { found };
            }
        };
        found.retain(|candidate| candidate.word.starts_with(current));
        found
    }

    /// Asks this program for completions of the last word of a command.
    fn ask(&self, words: Vec<OsString>, current: &str) -> Vec<Candidate> {
        let mut command = Command::new(&self.program);
        command.env(completion::VARIABLE, "fish").args(["--", "scoresheet"]).args(words).arg(current);
        let Ok(done) = command.stdin(Stdio::null()).stderr(Stdio::null()).output() else { return Vec::new() };
        let text = String::from_utf8_lossy(&done.stdout);
        let split = |line: &str| {
            let (word, help) = line.split_once('\t').unwrap_or((line, ""));
            Candidate { word: word.to_owned(), help: help.to_owned() }
        };
        text.lines().map(split).collect()
    }
}
