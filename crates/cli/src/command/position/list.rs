//! Lists of positions: lines of FEN and EPD, each of which is normalized, checked, and optionally advanced by moves.

use super::line::{self, Parsed, Style};
use super::report;
use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::output::lines::{self, Task};
use crate::select::inputs;
use crate::session::Session;
use crate::text::count;
use scoresheet::pgn;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The output options for a list.
pub struct Output {
    pub style: Style,
    /// Print only the position, without the verdict on its legality.
    pub bare: bool,
    /// Print JSON objects instead of lines.
    pub json: bool,
}

/// Returns whether the arguments name lists of positions: `-`, or existing files or folders.
pub fn are_lists(arguments: &[String]) -> bool {
    arguments.iter().all(|argument| argument == "-" || Path::new(argument).exists())
}

/// Writes an output line for every line in the lists.
pub fn run(session: &Session, arguments: &[String], output: &Output) -> Result<Code, Failure> {
    let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
    let files = inputs::expand(&arguments, &inputs::POSITIONS)?;
    let mut out = session.stdout();
    let mut total = Tally::default();
    for file in &files {
        let name = if file.as_os_str() == "-" { "standard input".into() } else { file.display().to_string() };
        let source = pgn::open(file).map_err(|error| match error {
            pgn::SourceError::Io(error) => Failure::cannot_open(file, error),
            error => Failure::Message(format!("{name}: {error}")),
        })?;
        let many = files.len() > 1;
        let is_epd = file.to_string_lossy().to_ascii_lowercase().contains(".epd");
        let style = Style { takes_four: output.style.takes_four || is_epd, ..output.style.clone() };
        let output = &Output { style, ..*output };
        let done = lines::batches(source, &name, |batch, first| {
            let task = |lines: &[&[u8]], first: u64| answer(lines, first, many.then_some(&name), output);
            let count = lines::answer(batch, first, &mut out, task, |tally| {
                total.add(tally);
                Ok(())
            })?;
            out.flush()?;
            Ok(count)
        });
        // The output keeps the lines before an error.
        out.flush()?;
        done?;
    }
    match total.first {
        None => Ok(Code::Success),
        Some(first) => {
            session
                .message(&format!("{} not a position; the first: {first}", count(total.bad, "line is", "lines are")));
            Ok(Code::Failed)
        }
    }
}

/// The number of lines that are not positions, and the fault of the first such line.
#[derive(Default)]
struct Tally {
    bad: u64,
    first: Option<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.bad += other.bad;
        self.first = self.first.take().or(other.first);
    }
}

fn answer(lines: &[&[u8]], first: u64, file: Option<&String>, output: &Output) -> Task<Tally> {
    let mut text = Vec::with_capacity(lines.len() * 96);
    let mut tally = Tally::default();
    for (line, number) in lines.iter().zip(first..) {
        let line = if number == 1 { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        // Strict parsing must see trailing blanks.
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            if !output.json {
                text.extend_from_slice(line);
                text.push(b'\n');
            }
            continue;
        }
        let parsed = line::read(line, &output.style);
        if let Err(message) = &parsed {
            let index = file.map_or(String::new(), |file| format!("{file}, "));
            tally.add(Tally { bad: 1, first: Some(format!("{index}line {number}: {message}")) });
        }
        match (output.json, parsed) {
            (true, parsed) => {
                let at = Object::new();
                let at = if let Some(file) = file { at.with("file", file.as_str()) } else { at };
                let at = at.with("line", number);
                let object = match &parsed {
                    Ok(parsed) => at.joined(&report::json(parsed, None, &output.style)),
                    Err(message) => at.with("error", message.as_str()),
                };
                text.extend_from_slice(object.to_string().as_bytes());
            }
            (false, Ok(Parsed::Position(line))) => {
                line.write(&output.style, &mut text);
                if !output.bare {
                    text.push(b'\t');
                    line.judge(&mut text);
                }
            }
            (false, Ok(Parsed::Other(board))) => {
                text.extend_from_slice(board.to_string().as_bytes());
                if !output.bare {
                    text.extend_from_slice(format!("\t{}", line::note(&board)).as_bytes());
                }
            }
            // Writes a comment, which no program parses as a position. Output lines still correspond to input lines.
            (false, Err(message)) => text.extend_from_slice(format!("# line {number}: {message}").as_bytes()),
        }
        text.push(b'\n');
    }
    Task { text, result: tally }
}
