//! `scoresheet position`: FENs and EPDs drawn and explained (the SAN Kit's commands dvfe and svde in one), one or lists of them.

mod line;
mod list;
mod report;

use crate::failure::{Code, Failure};
use crate::out::flavour::Flavour;
use crate::select::position::move_words;
use crate::session::Session;
use crate::threads::Threads;
use line::{Form, Style};
use list::Output;
use scoresheet::Position;
use scoresheet::chess::fen::ReadMode;
use std::io::Write;
use std::path::Path;

/// Draw a FEN and explain it: its fields, whether it is legal, its flavours and moves; or do so for lists of FENs and EPDs, line by line
///
/// Of a list (- for standard input, files, folders) each line gives a line: the position as --flavour has it, a tab, and whether it is legal; why
/// not; and which moves of bm, am, pm, sm and pv are no moves there. Those that are get the standard's notation, and other operations stay.
/// Empty lines and those that begin with # stay; a line that is no position becomes one that begins with #, and the exit code is then 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet position \"4k3/8/8/8/8/8/4P3/4K3 w - - 5 39\"
  scoresheet position 4k3/8/8/8/8/8/4P3/4K3 w - - 5 39         the quotes are not needed
  scoresheet position startpos --moves \"e4 c5\" --json         after these moves
  scoresheet position bratko-kopec.epd wac.epd                 each position and whether it is legal
  scoresheet position - --bare --flavour shredder < in.fen     the positions alone, in another flavour
  scoresheet position suite.epd --json --uci                   one JSON object a line, moves as UCI

X-FEN for other boards (10x8) is read and written as text; the rules of such boards are not played.")]
pub struct Args {
    /// The FEN or EPD, or startpos; fields after the placement may be missing. Or lists: files, folders, - for standard input
    #[arg(required = true, value_name = "FEN|FILE")]
    fen: Vec<String>,
    /// Refuse what is not written just as the FEN documents have it
    #[arg(long)]
    strict: bool,
    /// Play these moves first, SAN or UCI
    #[arg(long, value_name = "MOVES", default_value = "", hide_default_value = true)]
    moves: String,
    /// Write moves of EPD operations as UCI instead of SAN
    #[arg(long)]
    uci: bool,
    /// Write every line in this form instead of the one it came in
    #[arg(long = "as", value_name = "FORM", value_enum)]
    form: Option<Form>,
    /// Print the position alone, on one line, without a verdict
    #[arg(long, conflicts_with_all = ["json", "flip", "ascii", "unicode"])]
    bare: bool,
    /// Draw the board from Black's side
    #[arg(long)]
    flip: bool,
    /// Draw the pieces as letters
    #[arg(long, conflicts_with = "unicode")]
    ascii: bool,
    /// Draw the pieces as chess symbols, even where the terminal may not have them
    #[arg(long)]
    unicode: bool,
    /// Print one JSON object a position
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flavour: Flavour,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let (target, castling) = args.flavour.styles();
    let mode = if args.strict { ReadMode::Strict } else { ReadMode::Forgiving };
    let moves = move_words(&args.moves).map(|(_, san)| san.to_owned()).collect();
    let style = Style { mode, target, castling, uci: args.uci, form: args.form, moves };
    if list::are_lists(&args.fen) {
        let output = Output { style, bare: args.bare, json: args.json };
        return args.threads.install(|| list::run(session, &args.fen, &output));
    }
    let text = args.fen.join(" ");
    let start = Position::standard().fen();
    let text = if text == "startpos" { &start } else { &text };
    let seen = line::read(text.as_bytes(), &style).map_err(|message| Failure::Message(hinted(&args.fen, message)))?;
    let mut out = session.stdout();
    let shown = match args.json {
        true => report::json(&seen, Some(text), &style).to_string() + "\n",
        false if args.bare => report::normalised(&seen, &style) + "\n",
        false => {
            let unicode = args.unicode || (!args.ascii && session.is_unicode_terminal());
            report::text(&seen, text, &style, unicode, args.flip)
        }
    };
    out.write_all(shown.as_bytes())?;
    out.flush()?;
    Ok(Code::Fine)
}

/// Names a list that is not there, rather than what is wrong with its name as a position.
fn hinted(arguments: &[String], message: String) -> String {
    let is_list =
        |name: &&String| [".epd", ".fen", ".sfen", ".txt", ".zst", ".gz"].iter().any(|end| name.ends_with(end));
    match arguments.iter().find(|name| is_list(name) && !Path::new(name).exists()) {
        Some(name) => format!("{name}: there is no such file"),
        None => message,
    }
}
