//! `scoresheet position`: draws and explains one or many FENs and EPDs (it combines the commands dvfe and svde of the
//! program SAN Kit).

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
/// For one position, `position` explains the fields of the FEN, the legality, the flavors and the moves.
///
/// For a list, every input line produces one output line: the position in the chosen --flavor, a tab, and a verdict.
/// The verdict is "legal", or the reasons why the position is illegal, with the illegal moves of bm, am, pm, sm and pv.
/// `position` rewrites legal moves in standard notation, and keeps other operations, empty lines and lines that begin
/// with #. It replaces other lines by comments that begin with #, and then exits with code 1.
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
    /// A FEN, an EPD or startpos; or files or folders of lists; - for stdin
    ///
    /// Fields after the piece placement may be omitted.
    #[arg(required = true, value_name = "FEN|FILE")]
    fen: Vec<String>,
    /// Accept only standard FEN
    ///
    /// Lines of four fields are accepted only with --as epd, and in files with the extension .epd.
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
    /// Print only the position on one line, without the verdict
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

/// Returns the message for an invalid position, or, if an argument names a missing list, a message with this name.
fn hinted(arguments: &[String], message: String) -> String {
    let is_list =
        |name: &&String| [".epd", ".fen", ".sfen", ".txt", ".zst", ".gz"].iter().any(|end| name.ends_with(end));
    match arguments.iter().find(|name| is_list(name) && !Path::new(name).exists()) {
        Some(name) => format!("{name}: no such file"),
        None => message,
    }
}
