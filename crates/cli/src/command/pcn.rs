//! `scoresheet pcn`: shows, checks and converts games of any chess family in the JSON notation.

use crate::failure::{Code, Failure};
use crate::output::json::Object;
use crate::output::new_file;
use crate::session::Session;
use crate::text::{count, printable};
use clap::ValueEnum;
use scoresheet::Existing;
use scoresheet::import;
use scoresheet::pcn::general::{self, Checked, GeneralGame, JsonLayout, Squares};
use scoresheet::pcn::{Board, PcnError, Side};
use scoresheet_output::Content;
use scoresheet_output::Outputs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Show, check and convert PCN documents of any chess family
///
/// Boards may have one or more dimensions. `pcn` replays moves action by action, with captured pieces in hand; it does
/// not check the rules of the game. `scoresheet import` imports games of western chess into an archive.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet pcn show game.pcn             the last position, and pieces in hand
  scoresheet pcn show game.pcn --ply 0 --moves    the start, and all moves
  scoresheet pcn check *.pcn         one line per game; exit code 1 on any fault
  scoresheet pcn convert game.pcn --squares flat   squares by number
  scoresheet pcn convert game.pcn --cache -o new.pcn")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Print players, result and the board at any ply
    Show(Show),
    /// Replay the games of documents and report faults and oddities
    Check(Check),
    /// Rewrite a document with another notation of squares
    Convert(Convert),
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The document to show; - for standard input
    file: PathBuf,
    /// Show only this game of the document
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Show the position at this ply. Default: the last position
    #[arg(long, value_name = "PLY")]
    ply: Option<usize>,
    /// Also print the moves
    #[arg(long)]
    moves: bool,
    /// Print one JSON object per game
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Check {
    /// The documents to check; - for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Treat remarks as faults
    #[arg(long)]
    strict: bool,
    /// Print one JSON object per game
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
struct Convert {
    /// The document to convert; - for standard input
    file: PathBuf,
    /// Notation of squares. By default, the document's notation is kept
    #[arg(long, value_enum)]
    squares: Option<Naming>,
    /// Write one line per game instead of a line per row and move
    #[arg(long, visible_alias = "json")]
    line: bool,
    /// Write a new cache with the last position and the pieces in hand
    ///
    /// `convert` keeps possible moves and captures if the old cache describes the same position.
    #[arg(long, conflicts_with = "no_cache")]
    cache: bool,
    /// Omit the cache
    #[arg(long)]
    no_cache: bool,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it already exists and is JSON
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Naming {
    /// By coordinates: [0, 4]
    Coordinates,
    /// By number: 4
    Flat,
    /// By the piece on the square if its name is unique on the board, e.g. "w:k"; otherwise by coordinates
    Pieces,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let mut out = session.stdout();
    let done = match &args.verb {
        Verb::Show(args) => show(args, &mut out).map(|()| Code::Success),
        Verb::Check(args) => check(args, session, &mut out),
        Verb::Convert(args) => convert(args, &mut out).map(|()| Code::Success),
    };
    out.flush()?;
    done
}

/// Reads a document's text from a file, plain or compressed.
fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut content = Vec::new();
    import::open_as_is(file)?.read_to_end(&mut content).map_err(|error| Failure::cannot_open(file, error))?;
    Ok(content)
}

fn games(file: &Path) -> Result<Vec<GeneralGame>, Failure> {
    let games = general::parse(&read(file)?).map_err(|error| at(file, None, &error))?;
    if games.is_empty() {
        return Err(Failure::Message(format!("{}: no game in this document", file.display())));
    }
    Ok(games)
}

/// Returns the message for an error in a document, or in one of its games.
fn at(file: &Path, game: Option<usize>, error: &PcnError) -> Failure {
    let game = game.map_or(String::new(), |number| format!("game {number}: "));
    Failure::Message(format!("{}: {game}{error}", file.display()))
}

fn size(board: &Board) -> String {
    let sizes: Vec<String> = board.shape().iter().map(usize::to_string).collect();
    sizes.join("x")
}

fn show(args: &Show, out: &mut impl Write) -> Result<(), Failure> {
    let games = games(&args.file)?;
    let selected = args.game.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    if let Some(number) = selected.filter(|number| *number > games.len()) {
        return Err(Failure::Message(format!(
            "{}: there is no game {number}: {}",
            args.file.display(),
            count(games.len() as u64, "game is in it", "games are in it")
        )));
    }
    let mut first = true;
    for (game, number) in
        games.iter().zip(1..).filter(|(_, number)| selected.is_none_or(|selected| selected == *number))
    {
        let ply = args.ply.unwrap_or(game.plies());
        if ply > game.plies() {
            let plies = game.plies();
            return Err(Failure::Message(format!(
                "{}: game {number} has no ply {ply}: it ends after {plies}",
                args.file.display()
            )));
        }
        let state = game.state_after(ply).map_err(|error| at(&args.file, Some(number), &error))?;
        let hand = |side| state.hand(side).iter().map(|piece| piece.as_str()).collect::<Vec<_>>();
        if args.json {
            let object = heading(game)
                .with("game", number)
                .with("ply", ply)
                .with("to_move", state.to_move.name())
                .with("board", state.board_value())
                .with("bottom_hand", hand(Side::Bottom))
                .with("top_hand", hand(Side::Top));
            writeln!(out, "{object}")?;
            continue;
        }
        if !std::mem::take(&mut first) {
            writeln!(out)?;
        }
        let named = |name: &Option<String>| name.as_deref().map_or("?".into(), printable);
        writeln!(out, "{:<12}{}", "Top", named(&game.topside_player))?;
        writeln!(out, "{:<12}{}", "Bottom", named(&game.bottomside_player))?;
        if let Some(moment) = &game.started_at {
            writeln!(out, "{:<12}{}", "Started", printable(moment))?;
        }
        writeln!(out, "{:<12}{}", "Result", game.result_text())?;
        writeln!(out, "{:<12}{}, {} of {} plies", "Board", size(&state.board), ply, game.plies())?;
        writeln!(out)?;
        for line in general::draw(&state.board).split('\n') {
            writeln!(out, "{}", printable(line))?;
        }
        for side in [Side::Top, Side::Bottom] {
            let pieces = printable(&hand(side).join(" "));
            let title = format!("{} hand", if side == Side::Top { "Top" } else { "Bottom" });
            writeln!(out, "{title:<12}{}", if pieces.is_empty() { "empty" } else { &pieces })?;
        }
        writeln!(out, "{:<12}{}", "To move", state.to_move.name())?;
        if args.moves {
            writeln!(out)?;
            for (actions, number) in game.moves.iter().zip(1..) {
                let actions: Vec<String> = actions.iter().map(ToString::to_string).collect();
                let text = if actions.is_empty() { "pass".to_owned() } else { actions.join(" ") };
                writeln!(out, "{number:>4}. {}", printable(&text))?;
            }
        }
    }
    Ok(())
}

fn heading(game: &GeneralGame) -> Object {
    Object::new()
        .with("topside_player", game.topside_player.clone())
        .with("bottomside_player", game.bottomside_player.clone())
        .with("started_at", game.started_at.clone())
        .with("result", game.result_text())
        .with("shape", game.start.shape().to_vec())
        .with("styles", game.styles())
        .with("plies", game.plies())
}

fn check(args: &Check, session: &Session, out: &mut impl Write) -> Result<Code, Failure> {
    let mut code = Code::Success;
    for file in &args.files {
        let name = file.display().to_string();
        let content = read(file)?;
        let games = match general::parse(&content) {
            Ok(games) => games,
            Err(error) => {
                code = Code::Failed;
                report(args, out, Object::new().with("file", name.as_str()), &format!("{name}: "), Err(&error))?;
                continue;
            }
        };
        if games.is_empty() {
            session.message(&format!("{name}: no game in this document"));
            code = Code::Failed;
        }
        for (game, number) in games.iter().zip(1u64..) {
            let checked = game.check();
            if checked.as_ref().map_or(true, |checked| args.strict && !checked.remarks.is_empty()) {
                code = Code::Failed;
            }
            let object = Object::new().with("file", name.as_str()).with("game", number).joined(&heading(game));
            let kind = format!("{} board, {}", size(&game.start), count(game.plies() as u64, "ply", "plies"));
            let styles = game.styles();
            let styles = if styles.is_empty() { "no pieces".to_owned() } else { styles.join(" ") };
            let begin = format!("{name}: game {number}: {kind}, {styles}: ");
            report(args, out, object, &begin, checked.as_ref())?;
        }
    }
    Ok(code)
}

/// Prints the faults and remarks of a game.
fn report(
    args: &Check,
    out: &mut impl Write,
    object: Object,
    begin: &str,
    checked: Result<&Checked, &PcnError>,
) -> Result<(), Failure> {
    let remarks: Vec<String> =
        checked.map(|checked| checked.remarks.iter().map(ToString::to_string).collect()).unwrap_or_default();
    if args.json {
        let object = object.with("valid", checked.is_ok()).with("remarks", remarks);
        let object = match checked {
            Ok(_) => object,
            Err(error) => object.with("path", error.path.as_str()).with("fault", error.fault.to_string()),
        };
        return Ok(writeln!(out, "{object}")?);
    }
    match checked {
        Ok(_) if remarks.is_empty() => writeln!(out, "{}valid", printable(begin))?,
        Ok(_) => writeln!(out, "{}", printable(&format!("{begin}valid; {}", remarks.join("; "))))?,
        Err(error) => writeln!(out, "{}", printable(&format!("{begin}{error}")))?,
    }
    Ok(())
}

fn convert(args: &Convert, out: &mut impl Write) -> Result<(), Failure> {
    let layout = if args.line { JsonLayout::Line } else { JsonLayout::Document };
    let squares = args.squares.map(|naming| match naming {
        Naming::Coordinates => Squares::Coordinates,
        Naming::Flat => Squares::Flat,
        Naming::Pieces => Squares::Pieces,
    });
    let mut text = String::new();
    for (game, number) in games(&args.file)?.into_iter().zip(1..) {
        let failed = |error| at(&args.file, Some(number), &error);
        // `convert` treats a game that cannot be replayed as an error.
        game.check().map_err(failed)?;
        let mut game = match squares {
            Some(squares) => game.with_squares(squares).map_err(failed)?,
            None => game,
        };
        if args.cache {
            game.renew_cache().map_err(failed)?;
        } else if args.no_cache {
            game.cache = None;
        }
        text += &general::write(&game, layout);
        text.push('\n');
    }
    match &args.output {
        None => out.write_all(text.as_bytes())?,
        Some(path) => {
            let existing = Existing::from_force(args.force);
            let target = Outputs::from_sources([&args.file]).file(path, Content::Json, existing)?;
            new_file::write(&target, |file| Ok(file.write_all(text.as_bytes())?))?;
        }
    }
    Ok(())
}
