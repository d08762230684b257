//! Reads the lines of a prompt: from a terminal, with an editor, or from standard input.

use super::complete::Known;
use crate::failure::Failure;
use crate::words::{quoted, quoted_from, words};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hinter, HistoryHinter};
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

/// The number of lines that the history keeps.
const HISTORY: usize = 10_000;

/// The maximum width of a description beside a candidate, in characters.
const HELP: usize = 60;

/// The result of reading a line.
pub enum Line {
    /// A line, or several lines if quotation marks contain line ends.
    Text(String),
    /// Ctrl-C was pressed, which discards the line.
    Interrupted,
    /// There are no more lines.
    End,
}

/// The source of lines.
pub enum Lines {
    /// An editor, and the file of earlier lines.
    Terminal(Box<Editor<Assistant, FileHistory>>, Option<PathBuf>),
    /// Standard input.
    Script,
}

impl Lines {
    /// Returns the lines of the terminal. Errors: the terminal cannot be used.
    pub fn of_terminal(has_color: bool, known: Rc<RefCell<Known>>) -> Result<Lines, Failure> {
        let config = Config::builder().completion_type(CompletionType::List).history_ignore_space(true);
        let config = config.max_history_size(HISTORY).map_err(failure)?.build();
        let mut editor = Editor::with_config(config).map_err(failure)?;
        editor.set_helper(Some(Assistant { known, hinter: HistoryHinter::new(), has_color }));
        let history = history();
        if let Some(path) = &history {
            // The first prompt has no history, and a history that cannot be written is no reason to refuse lines.
            let _ = path.parent().map(fs::create_dir_all);
            let _ = editor.load_history(path);
        }
        Ok(Lines::Terminal(Box::new(editor), history))
    }

    /// Reads a line. Errors: the terminal or standard input cannot be read.
    pub fn next(&mut self, name: &str) -> Result<Line, Failure> {
        let Lines::Terminal(editor, history) = self else { return script_line() };
        match editor.readline(&format!("{name}> ")) {
            Ok(text) => {
                if editor.add_history_entry(text.as_str()).unwrap_or(false) {
                    let _ = history.as_ref().map(|path| editor.append_history(path));
                }
                Ok(Line::Text(text))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(failure(error)),
        }
    }
}

fn failure(error: ReadlineError) -> Failure {
    Failure::Message(format!("cannot read the terminal: {error}"))
}

/// Reads a line of standard input, with the lines after it if they close a quotation mark.
fn script_line() -> Result<Line, Failure> {
    let cannot_read = |error: io::Error| Failure::Message(format!("cannot read standard input: {error}"));
    let mut text = String::new();
    loop {
        let read = io::stdin().read_line(&mut text).map_err(cannot_read)?;
        if read == 0 {
            return Ok(if text.is_empty() { Line::End } else { Line::Text(text) });
        }
        if words(&text).is_ok() {
            return Ok(Line::Text(text));
        }
    }
}

/// Returns the path of the file of earlier lines: the value of SCORESHEET_HISTORY, or `scoresheet/history` in the
/// folder for the state of programs. Returns `None` if the variable is empty.
fn history() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SCORESHEET_HISTORY") {
        return Some(PathBuf::from(named)).filter(|path| !path.as_os_str().is_empty());
    }
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = match cfg!(windows) {
        true => folder("LOCALAPPDATA"),
        false => folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state"))),
    };
    Some(state?.join("scoresheet").join("history"))
}

/// Completes lines, hints at earlier lines, and waits for closing quotation marks.
pub struct Assistant {
    known: Rc<RefCell<Known>>,
    hinter: HistoryHinter,
    has_color: bool,
}

impl Helper for Assistant {}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = line.get(..pos).unwrap_or_default();
        let (mut split, mark) = match words(before) {
            Ok(split) => (split, None),
            Err(open) => (open.words, Some(open.mark)),
        };
        let is_begun = mark.is_some() || !before.ends_with(char::is_whitespace);
        let last = if is_begun { split.pop() } else { None };
        let (start, current) = last.map_or((pos, String::new()), |word| (word.start, word.text));
        // Text within a mark that begins the word stays within it.
        let mark = mark.filter(|mark| before.get(start..).is_some_and(|word| word.starts_with(*mark)));
        let split: Vec<String> = split.into_iter().map(|word| word.text).collect();
        let found = self.known.borrow().candidates(&split, &current);
        let longest = found.iter().map(|candidate| candidate.word.chars().count()).max().unwrap_or(0);
        let is_only = found.len() == 1;
        let pair = |candidate: super::complete::Candidate| {
            let word = candidate.word;
            let is_complete = is_only && !word.ends_with(std::path::is_separator);
            let mut replacement = match mark {
                Some(mark) => quoted_from(mark, &word),
                None => quoted(&word),
            };
            if is_complete && mark.is_none() {
                replacement.push(' ');
            }
            let help: String = candidate.help.chars().take(HELP).collect();
            let display = if help.is_empty() { word } else { format!("{word:longest$}  {help}") };
            Pair { display, replacement }
        };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, context: &Context<'_>) -> Option<String> {
        self.hinter.hint(line, pos, context)
    }
}

impl Highlighter for Assistant {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if self.has_color { Cow::Owned(format!("\x1b[2m{hint}\x1b[0m")) } else { Cow::Borrowed("") }
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match words(context.input()) {
            Ok(_) => ValidationResult::Valid(None),
            Err(_) => ValidationResult::Incomplete,
        })
    }
}
