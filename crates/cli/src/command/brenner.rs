//! `scoresheet brenner`: converts games to Brenner strings, and explains each byte.

use crate::failure::{Code, Failure};
use crate::output::formats;
use crate::output::json::Object;
use crate::output::move_sizes::MoveSizes;
use crate::session::Session;
use crate::text::{hex, printable};
use clap::ValueEnum;
use scoresheet::Game;
use scoresheet::brenner::explain::{Explained, Notation, explain};
use scoresheet::brenner::fixed::{self, Width};
use scoresheet::brenner::standalone;
use scoresheet::import;
use scoresheet::pgn::{self, PgnWriter, ReadOptions, Source, Splitter, read_game};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The number of PGN bytes that are split into games at once.
const PIECE: usize = 1 << 20;

/// Convert games to and from Norman Brenner's code, one byte per move
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet brenner encode game.pgn              hexadecimal, one game per line
  scoresheet brenner encode game.pgn --raw > game.bre
  scoresheet brenner decode game.bre --raw         back to PGN
  scoresheet brenner encode game.pgn --form bits     11 bits per half-move
  scoresheet brenner explain game.pgn    every byte with its fields and its move
  scoresheet brenner sizes games.pgn           bytes per half-move in every form")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Encode the games of a PGN file: hexadecimal bytes, one game per line
    Encode(Options),
    /// Decode hexadecimal bytes, one game per line, to PGN
    Decode(Options),
    /// Explain each byte of games in PGN or hexadecimal: bit fields, meaning, move
    Explain(Options),
    /// Print the size of a PGN file's moves in every form, compared with Brenner's document
    Sizes(Sizes),
}

#[derive(Debug, clap::Args)]
struct Sizes {
    /// The file to read; - for standard input
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A form in which a game is written as bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, clap::ValueEnum)]
enum Form {
    /// The main notation of Brenner's document: one byte per half-move, with texts and variations inline
    #[default]
    Table,
    /// The alternate notation
    Alternate,
    /// The alternate notation with the direction in the last bits of the field nnn
    Exchanged,
    /// The alternate notation in the fixed order: type, which piece, direction, number of squares
    Fixed,
    /// Move ids of two bytes: the main line, then the tags
    Ids,
    /// Move ids of 11 bits, packed: the main line, then the tags
    Bits,
}

#[derive(Debug, clap::Args)]
struct Options {
    /// The file to read; - for standard input
    file: PathBuf,
    /// Read or write raw bytes of one game instead of hexadecimal
    #[arg(long)]
    raw: bool,
    /// Use this form of the bytes
    #[arg(long, value_enum, default_value_t)]
    form: Form,
    /// Use the document's alternate notation: the same as --form alternate
    #[arg(long, conflicts_with = "form")]
    alternate: bool,
    /// Print one JSON object per game (docs/JSON.md)
    #[arg(long)]
    json: bool,
}

impl Options {
    fn form(&self) -> Form {
        if self.alternate { Form::Alternate } else { self.form }
    }
}

impl Form {
    /// Returns the notation of the form, or the width of its move ids.
    const fn kind(self) -> Result<Notation, Width> {
        match self {
            Form::Table => Ok(Notation::Table),
            Form::Alternate => Ok(Notation::Alternate),
            Form::Exchanged => Ok(Notation::Exchanged),
            Form::Fixed => Ok(Notation::Fixed),
            Form::Ids => Err(Width::Ids),
            Form::Bits => Err(Width::Bits),
        }
    }

    fn encode(self, game: &Game) -> Result<Vec<u8>, String> {
        match self.kind() {
            Err(width) => fixed::encode(game, width).map_err(|error| error.to_string()),
            Ok(notation) => {
                let bytes = standalone::encode(game).map_err(|error| error.to_string())?;
                Ok(match notation.order() {
                    Some(order) => order.write(&bytes),
                    None => bytes,
                })
            }
        }
    }

    fn decode(self, bytes: &[u8]) -> Result<Game, String> {
        match self.kind() {
            Err(width) => fixed::decode(bytes, width).map_err(|error| error.to_string()),
            Ok(notation) => {
                let table = notation.order().map(|order| order.read(bytes));
                standalone::decode(table.as_deref().unwrap_or(bytes)).map_err(|error| error.to_string())
            }
        }
    }

    fn explain(self, bytes: &[u8], found: impl FnMut(Explained)) -> Result<(), String> {
        match self.kind() {
            Err(width) => fixed::explain(bytes, width, found).map_err(|error| error.to_string()),
            Ok(notation) => explain(bytes, notation, found).map_err(|error| error.to_string()),
        }
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let mut out = session.stdout();
    let done = match &args.verb {
        Verb::Encode(options) => encode(options, session, &mut out),
        Verb::Decode(options) => decode(options, &mut out),
        Verb::Explain(options) => explain_all(options, session, &mut out),
        Verb::Sizes(options) => sizes(options, session, &mut out),
    };
    out.flush()?;
    done.map(|()| Code::Success)
}

fn encode(options: &Options, session: &Session, out: &mut impl Write) -> Result<(), Failure> {
    let (mut seen, mut raw) = (0u64, Vec::new());
    games(session, &options.file, |game| {
        seen += 1;
        let bytes = bytes_of(options, &game, seen)?;
        if options.json {
            writeln!(out, "{}", encoded(options, seen, &bytes).with("plies", game.main_line().count()))?;
        } else if !options.raw {
            writeln!(out, "{}", hex(&bytes, " ").to_ascii_uppercase())?;
        } else if seen == 1 {
            raw = bytes;
        } else {
            return Err(message(
                &options.file,
                seen,
                "--raw takes one game: raw bytes have no separator between games",
            ));
        }
        Ok(())
    })?;
    Ok(out.write_all(&raw)?)
}

/// Returns a game's bytes as JSON.
fn encoded(options: &Options, number: u64, bytes: &[u8]) -> Object {
    let form = options.form().to_possible_value().map(|value| value.get_name().to_owned());
    Object::new().with("game", number).with("form", form).with("bytes", hex(bytes, " ").to_ascii_uppercase())
}

fn bytes_of(options: &Options, game: &Game, number: u64) -> Result<Vec<u8>, Failure> {
    options.form().encode(game).map_err(|error| message(&options.file, number, &error))
}

fn decode(options: &Options, out: &mut impl Write) -> Result<(), Failure> {
    let content = read(&options.file)?;
    for (number, bytes) in strings(options, &content)? {
        let game = options.form().decode(&bytes).map_err(|error| message(&options.file, number, &error))?;
        if options.json {
            writeln!(out, "{}", formats::json(number, &game))?;
            continue;
        }
        let mut writer = PgnWriter::new();
        writer.write(&game);
        out.write_all(writer.as_bytes())?;
    }
    Ok(())
}

fn explain_all(options: &Options, session: &Session, out: &mut impl Write) -> Result<(), Failure> {
    let content = read(&options.file)?;
    let is_hex = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
    let mut list = Vec::new();
    if options.raw || content.iter().all(is_hex) {
        list = strings(options, &content)?;
    } else {
        let mut number = 0;
        let source = import::from_reader(io::Cursor::new(content), &options.file)?;
        games_of(session, &options.file, source, |game| {
            number += 1;
            list.push((number, bytes_of(options, &game, number)?));
            Ok(())
        })?;
    }
    for (index, (number, bytes)) in list.iter().enumerate() {
        if options.json {
            let mut parts = Vec::new();
            let explained = options.form().explain(bytes, |line| {
                let object = Object::new().with("offset", line.offset).with("bits", line.bits);
                parts.push(object.with("meaning", line.meaning).with("content", line.content));
            });
            writeln!(out, "{}", encoded(options, *number, bytes).array("parts", &parts))?;
            explained.map_err(|error| message(&options.file, *number, &error))?;
            continue;
        }
        if index > 0 {
            writeln!(out)?;
        }
        let mut broken = None;
        let explained = options.form().explain(bytes, |line| {
            if broken.is_none() {
                broken = writeln!(out, "{}", printable(&line.to_string())).err();
            }
        });
        broken.map_or(Ok(()), Err)?;
        if let Err(error) = explained {
            out.flush()?;
            return Err(message(&options.file, *number, &error));
        }
    }
    Ok(())
}

fn sizes(options: &Sizes, session: &Session, out: &mut impl Write) -> Result<(), Failure> {
    let mut forms = MoveSizes::default();
    games(session, &options.file, |game| {
        forms.add(&game);
        Ok(())
    })?;
    let text = if options.json { format!("{}\n", forms.json()) } else { forms.text() };
    Ok(out.write_all(text.as_bytes())?)
}

fn message(file: &Path, game: u64, what: &str) -> Failure {
    Failure::Message(format!("{}: game {game}: {what}", file.display()))
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    if file.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut content).map_err(|error| Failure::cannot_open(file, error))?;
    } else {
        content = std::fs::read(file).map_err(|error| Failure::cannot_open(file, error))?;
    }
    Ok(content)
}

/// Returns the strings in a file with their numbers. The file contains a single string of raw bytes, or a string of
/// hexadecimal digits on each line.
fn strings(options: &Options, content: &[u8]) -> Result<Vec<(u64, Vec<u8>)>, Failure> {
    if options.raw {
        return Ok(vec![(1, content.to_vec())]);
    }
    let lines = content.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines
        .zip(1..)
        .map(|(line, number)| {
            let bytes = unhex(line).ok_or_else(|| {
                message(&options.file, number, "not hexadecimal bytes such as 2C 2C 61; use --raw for raw bytes")
            })?;
            Ok((number, bytes))
        })
        .collect()
}

fn unhex(line: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| {
            let text = std::str::from_utf8(pair).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
            (pair.len() == 2).then(|| u8::from_str_radix(text, 16).ok())?
        })
        .collect()
}

fn games(session: &Session, file: &Path, each: impl FnMut(Game) -> Result<(), Failure>) -> Result<(), Failure> {
    games_of(session, file, import::open(file)?, each)
}

/// Calls `each` with every game of a PGN source, and reports faults.
fn games_of(
    session: &Session,
    file: &Path,
    source: Source,
    mut each: impl FnMut(Game) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let options = ReadOptions::default();
    let mut splitter = Splitter::new(source, 0, options.limits);
    let mut number = 0;
    while let Some(piece) = splitter.next_batch(PIECE).map_err(|error| Failure::cannot_open(file, error))? {
        for region in &piece.spans {
            let mut at = 0;
            let text = piece.span(region);
            while at < text.len() {
                let mut game = Game::default();
                let reading = read_game(text, at, &options, &mut game);
                let Some(disposition) = reading.disposition else { break };
                number += 1;
                for fault in &reading.faults {
                    session.message(&format!("{}: game {number}: {}", file.display(), fault.kind));
                }
                if disposition == pgn::Disposition::Stored {
                    each(game)?;
                }
                at = reading.next.max(at + 1);
            }
        }
    }
    Ok(())
}
