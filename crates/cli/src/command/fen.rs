//! `scoresheet fen`: prints any number of positions as FEN, one per line.

use crate::failure::{Code, Failure};
use crate::output::flavor::Flavor;
use crate::output::json::Object;
use crate::output::lines::{self, Task};
use crate::select::archives;
use crate::session::Session;
use crate::text::number;
use crate::threads::Threads;
use scoresheet::archive::Archive;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, FenText};
use std::io::{self, BufWriter, Read, Stdout, Write};
use std::path::PathBuf;

/// Print positions as FEN, for one or millions of pairs of game and ply
///
/// `fen` prints one FEN per line, in the order of the pairs. By default, a FEN names the en passant target after every
/// double step of a pawn (see --flavor). An invalid pair ends the output with an error that names its line; the lines
/// before this pair are already printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet fen games.bga 7:20          game 7 after 20 half-moves
  scoresheet fen games.bga 7 8:0         the end of game 7, the start of game 8
  scoresheet fen games.bga < pairs.txt   one pair per line, 7:20 or 7 20
  scoresheet fen games.bga 7:20 --flavor shredder")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Game and ply, e.g. 7:20, or a game for its last position
    ///
    /// Without arguments, or with -, the pairs are read from standard input.
    #[arg(value_name = "GAME:PLY")]
    pairs: Vec<String>,
    /// Print one JSON object per position: game, ply and FEN
    #[arg(help_heading = "Output")]
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flavor: Flavor,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    let mut out = session.stdout();
    let from_stdin = args.pairs.is_empty() || args.pairs == ["-"];
    let done = if from_stdin {
        args.threads.install(|| from_reader(&archive, args, io::stdin().lock(), &mut out))
    } else {
        args.pairs.iter().try_for_each(|pair| {
            let mut text = Vec::new();
            push_fen(&archive, args, pair.as_bytes(), &mut text)
                .map_err(|fault| Failure::Message(format!("{}: {fault}", shortened(pair.as_bytes()))))?;
            Ok(out.write_all(&text)?)
        })
    };
    // The output keeps the lines before a fault.
    out.flush()?;
    done.map(|()| Code::Success)
}

/// Prints the FEN of each pair as soon as its line arrives.
fn from_reader(archive: &Archive, args: &Args, input: impl Read, out: &mut BufWriter<Stdout>) -> Result<(), Failure> {
    let task = |lines: &[&[u8]], first: u64| {
        let mut text = Vec::with_capacity(lines.len() * 72);
        for (line, number) in lines.iter().zip(first..) {
            let pair = line.trim_ascii();
            if pair.is_empty() {
                continue;
            }
            if let Err(fault) = push_fen(archive, args, pair, &mut text) {
                return Task { text, result: Err(format!("line {number}: {}: {fault}", shortened(pair))) };
            }
        }
        Task { text, result: Ok(()) }
    };
    lines::batches(input, "standard input", |batch, first| {
        let count = lines::answer(batch, first, out, task, |result| result.map_err(Failure::Message))?;
        out.flush()?;
        Ok(count)
    })
}

fn push_fen(archive: &Archive, args: &Args, pair: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let (game, ply) = parse(pair).ok_or("not a pair: write GAME:PLY, e.g. 7:20, or GAME alone")?;
    let replay = match ply {
        Some(ply) => archive.replay(game, ply),
        None => archive.game(game).and_then(|game| game.replay(game.plies())),
    };
    let replay = replay.map_err(|error| error.to_string())?;
    let start = out.len();
    match args.flavor.styles() {
        (EnPassantStyle::Always, CastlingStyle::XFen) => {
            out.extend_from_slice(replay.state().fen(&mut FenText::default()));
        }
        (target, castling) => replay.position().write_fen(out, target, castling),
    }
    if args.json {
        let fen = String::from_utf8_lossy(out.get(start..).unwrap_or_default()).into_owned();
        let object = Object::new().with("game", game).with("ply", replay.ply()).with("fen", fen);
        out.truncate(start);
        out.extend_from_slice(object.to_string().as_bytes());
    }
    out.push(b'\n');
    Ok(())
}

/// Parses `N:K`, `N K` or `N`.
fn parse(pair: &[u8]) -> Option<(u64, Option<u32>)> {
    let digits = pair.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (game, rest) = pair.split_at(digits);
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start();
    let ply = match rest {
        [] if pair.last() == Some(&b':') => return None,
        [] => None,
        ply => Some(u32::try_from(number(ply)?).ok()?),
    };
    Some((number(game)?, ply))
}

/// Returns the beginning of a pair as written, for a message.
fn shortened(pair: &[u8]) -> String {
    let text = String::from_utf8_lossy(pair.get(..40).unwrap_or(pair)).into_owned();
    if pair.len() > 40 { format!("{text}...") } else { text }
}
