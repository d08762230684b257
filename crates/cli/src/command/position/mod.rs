//! `scoresheet position`: draws and explains FENs and EPDs, one or many (it combines the commands dvfe and svde of the
//! SAN Kit).

mod line;
mod list;
mod report;

use crate::failure::{Code, Failure};
use crate::output::flavor::Flavor;
use crate::select::position::move_words;
use crate::session::Session;
use crate::threads::Threads;
use line::{Form, Style};
use list::Output;
use scoresheet::Position;
use scoresheet::chess::fen::ReadMode;
use std::io::Write;
use std::path::Path;

/// Draw and explain a FEN, or check lists of FENs and EPDs
///
/// For one position, explains the fields of the FEN, whether it is legal, its flavors and its moves.
///
/// For a list, every input line gives one output line: the position in the chosen --flavor, a tab, and a verdict. The
/// verdict is "legal", or the reasons why the position is not, with the illegal moves of bm, am, pm, sm and pv. Legal
/// moves are rewritten in standard notation, and other operations are kept. Empty lines and lines that begin with # are
/// kept. A line that is no position becomes a comment that begins with #, and the exit code is then 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet position \"4k3/8/8/8/8/8/4P3/4K3 w - - 5 39\"
  scoresheet position 4k3/8/8/8/8/8/4P3/4K3 w - - 5 39       quotes are optional
  scoresheet position startpos --moves \"e4 c5\" --json        after these moves
  scoresheet position bratko-kopec.epd wac.epd              check every position
  scoresheet position - --bare --flavor shredder < in.fen  another flavor
  scoresheet position suite.epd --json --uci  moves in UCI

X-FEN for other boards (10x8) is read and written as text; moves on such boards are not supported.")]
pub struct Args {
    /// A FEN, an EPD or startpos; or files, folders, - for stdin
    ///
    /// Fields after the piece placement may be omitted.
    #[arg(required = true, value_name = "FEN|FILE")]
    fen: Vec<String>,
    /// Accept only standard FEN
    ///
    /// A FEN of four fields is accepted only with --as epd and in files named .epd.
    #[arg(long)]
    strict: bool,
    /// Play these moves first, in SAN or UCI
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
    /// Write moves of EPD operations in UCI instead of SAN
    #[arg(long)]
    uci: bool,
    /// Write every line in this form [default: as read]
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Option<Form>,
    /// Print only the position on one line, without legality
    #[arg(long, conflicts_with_all = ["json", "flip", "ascii", "unicode"])]
    bare: bool,
    /// Draw the board from Black's side
    #[arg(long)]
    flip: bool,
    /// Draw the pieces as letters
    #[arg(long, conflicts_with = "unicode")]
    ascii: bool,
    /// Draw the pieces as chess symbols, on any terminal
    #[arg(long)]
    unicode: bool,
    /// Print one JSON object per position
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flavor: Flavor,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let (target, castling) = args.flavor.styles();
    let mode = if args.strict { ReadMode::Strict } else { ReadMode::Forgiving };
    let moves = move_words(&args.moves).map(|(_, san)| san.to_owned()).collect();
    let takes_four = args.form == Some(Form::Epd);
    let style = Style { mode, takes_four, target, castling, uci: args.uci, form: args.form, moves };
    if list::are_lists(&args.fen) {
        let output = Output { style, bare: args.bare, json: args.json };
        return args.threads.install(|| list::run(session, &args.fen, &output));
    }
    let text = args.fen.join(" ");
    let start = Position::standard().fen();
    let text = if text == "startpos" { &start } else { &text };
    let parsed = line::read(text.as_bytes(), &style).map_err(|message| Failure::Message(hinted(&args.fen, message)))?;
    let mut out = session.stdout();
    let shown = match args.json {
        true => report::json(&parsed, Some(text), &style).to_string() + "\n",
        false if args.bare => report::normalised(&parsed, &style) + "\n",
        false => {
            let unicode = args.unicode || (!args.ascii && session.is_unicode_terminal());
            report::text(&parsed, text, &style, unicode, args.flip)
        }
    };
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    Ok(Code::Success)
}

/// Reports a missing list by its name, instead of parsing the name as a position.
fn hinted(arguments: &[String], message: String) -> String {
    let is_list =
        |name: &&String| [".epd", ".fen", ".sfen", ".txt", ".zst", ".gz"].iter().any(|end| name.ends_with(end));
    match arguments.iter().find(|name| is_list(name) && !Path::new(name).exists()) {
        Some(name) => format!("{name}: no such file"),
        None => message,
    }
}
