//! `scoresheet find`: the games that reach a position.

use crate::args::Threads;
use crate::copying;
use crate::failure::{Code, Failure};
use crate::formats;
use crate::games::{self, Unit, Where};
use crate::heading::Heading;
use crate::json::Object;
use crate::list::{self, Style};
use crate::output::{self, count, message, note};
use crate::pattern::PatternArgs;
use crate::sought::SoughtArgs;
use clap::ValueEnum;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, Game, GameSet};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::error::Error;
use scoresheet::pgn::PgnWriter;
use scoresheet::query::{Found, Hit, PositionIndex, Reach, Search, SideState, Signatures};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Find the games that reach a position, transpositions included, or one like a pattern
///
/// Clocks never count, and an en passant target only where a capture is legal. Fast with `scoresheet index --signatures` (8 bytes a
/// game), at once with `scoresheet index --positions` (8 bytes a half-move); without them every game is looked into.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet find games.bga --moves \"e4 c5 Nf3 d6 d4\"
  scoresheet find games.bga --fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" --any-side
  scoresheet find games.bga --moves \"d4 d5 c4\" --where 'elo >= 2700' --count
  scoresheet find games.bga --material KRPkr --plies 10           rook and pawn against rook for ten half-moves
  scoresheet find games.bga --board \"8/8/8/3p4/3P4/8/8/R3K3\"     these men there, whatever else
  scoresheet find games.bga --query '{\"white-move\": \"O-O-O\"}'    a query in Scoutfish's JSON
  scoresheet find games.bga --moves \"d4 f5\" --format pgn > dutch.pgn")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    #[command(flatten)]
    sought: SoughtArgs,
    #[command(flatten)]
    pattern: PatternArgs,
    #[command(flatten)]
    filter: Where,
    /// Every ply at which a game has it, not the first alone
    #[arg(long)]
    all_plies: bool,
    /// In variations too
    #[arg(long)]
    variations: bool,
    /// Print how many games there are, and nothing else
    #[arg(long, conflicts_with_all = ["format", "limit"])]
    count: bool,
    /// Print no more than this many games
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// What to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
    /// Print nothing; write the games to a new archive, as they are stored
    #[arg(short, long, value_name = "FILE.bga", conflicts_with_all = ["format", "count"])]
    output: Option<PathBuf>,
    /// Replace that archive if it exists already
    #[arg(long, requires = "output")]
    force: bool,
    /// Tell on standard error what was done and how many games each step left
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    threads: Threads,
}

/// What is printed of the games found.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
enum Format {
    /// One line a game: number, ply, players, result, date, ECO code, plies, event
    #[default]
    Line,
    /// The numbers of the games, one a line
    Numbers,
    /// Game and ply as in 7:20, one a line: what `scoresheet fen` reads
    Pairs,
    /// The games as PGN
    Pgn,
    /// The position of each hit as FEN, with its clocks
    Fen,
    /// One JSON object a game
    Json,
    /// Comma-separated values with a heading
    Csv,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    let archive = output::open(&args.archive)?;
    let (pattern, skip, limit) = match args.pattern.pattern()? {
        Some(query) => (Some(query.pattern), query.skip, args.limit.or(query.limit)),
        None => (None, 0, args.limit),
    };
    if pattern.is_none() && !args.sought.position.is_given() {
        let what = "nothing to find: say a position (--fen, --moves) or a pattern (--board, --material, --query ..)";
        return Err(Failure::Message(what.to_owned()));
    }
    let sought = args.sought.sought()?;
    args.threads.install(|| {
        let started = Instant::now();
        let reach = Reach { all_plies: args.all_plies, variations: args.variations };
        let chosen = args.filter.games(&archive)?;
        let mut found = with_side_files(&args.archive, &archive, chosen.as_ref(), |search| match &pattern {
            Some(pattern) => search.pattern(pattern, args.pattern.either_color, args.all_plies),
            None => search.position(&sought, reach),
        });
        if args.explain {
            explain(&found, started);
        }
        if skip > 0 {
            let passed = found.hits.chunk_by(|a, b| a.game == b.game).take(skip.try_into().unwrap_or(usize::MAX));
            let passed: usize = passed.map(<[Hit]>::len).sum();
            found.hits.drain(..passed);
        }
        let Some(path) = &args.output else { return print(args, &archive, &found, limit) };
        found.unread.iter().for_each(|error| message(&error.to_string()));
        let mut games = GameSet::new(archive.len());
        let numbers = found.hits.chunk_by(|a, b| a.game == b.game).filter_map(|hits| hits.first());
        for hit in numbers.take(limit.map_or(usize::MAX, |limit| limit.try_into().unwrap_or(usize::MAX))) {
            games.insert(hit.game);
        }
        copying::write(path, args.force, false, &[Part { archive: &archive, games }])
    })
}

/// Runs `work` with a search in these games, or all, that has the help of the side files that there are.
pub fn with_side_files<T>(
    path: &Path,
    archive: &Archive,
    among: Option<&GameSet>,
    work: impl FnOnce(Search) -> T,
) -> T {
    let among: Option<Vec<u64>> = among.map(|games| games.iter().collect());
    let (index, index_state) = PositionIndex::open(archive);
    let (signatures, state) = Signatures::open(archive);
    told_if_stale(&PositionIndex::path(path), index_state, "--positions");
    told_if_stale(&Signatures::path(path), state, "--signatures");
    let mut search = Search::new(archive);
    if let Some(signatures) = &signatures {
        search = search.with_signatures(signatures);
    }
    if let Some(index) = &index {
        search = search.with_index(index);
    }
    if let Some(games) = &among {
        search = search.among(games);
    }
    work(search)
}

/// Says that a side file is passed over, and what to do about it.
fn told_if_stale(path: &Path, state: SideState, option: &str) {
    if state == SideState::Stale {
        let what = "does not belong to the archive as it is, and is passed over: make it again with `scoresheet index";
        message(&format!("{} {what} {option}`", path.display()));
    }
}

fn explain(found: &Found, started: Instant) {
    for step in &found.steps {
        note(&format!("{:<16} {}", step.what, count(step.games, "game", "games")));
    }
    note(&format!("{:<16} {:.1} ms", "time", started.elapsed().as_secs_f64() * 1e3));
}

/// Prints what was found.
fn print(args: &Args, archive: &Archive, found: &Found, limit: Option<u64>) -> Result<Code, Failure> {
    let mut out = output::stdout();
    let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let games: Vec<&[Hit]> = found.hits.chunk_by(|a, b| a.game == b.game).collect();
    for error in &found.unread {
        message(&error.to_string());
    }
    let mut failed = found.unread.len() as u64;
    if args.count {
        writeln!(out, "{}", games.len().min(most))?;
    } else {
        if args.format == Format::Csv {
            out.write_all(b"game,ply,white,black,result,date,eco,plies,event\n")?;
        }
        let games = games.get(..most.min(games.len())).unwrap_or_default();
        let hits: HashMap<u64, &[Hit]> =
            games.iter().filter_map(|hits| hits.first().map(|hit| (hit.game, *hits))).collect();
        let numbers: Vec<u64> = games.iter().filter_map(|hits| hits.first()).map(|hit| hit.game).collect();
        let units = games::units_of(archive, &numbers)?;
        games::in_order(
            &units,
            |unit| text(args.format, archive, unit, &hits),
            |(text, faults)| {
                faults.iter().for_each(|fault| message(fault));
                failed += faults.len() as u64;
                Ok(out.write_all(&text)?)
            },
        )?;
    }
    out.flush()?;
    match failed {
        0 => Ok(Code::Fine),
        _ => Err(Failure::Message(format!("{} could not be read", count(failed, "game", "games")))),
    }
}

/// The text of a unit, and a message for each game that cannot be read.
fn text(format: Format, archive: &Archive, unit: &Unit, hits: &HashMap<u64, &[Hit]>) -> (Vec<u8>, Vec<String>) {
    let (mut text, mut faults) = (Vec::new(), Vec::new());
    unit.each(archive, |number, game| {
        let hits = hits.get(&number).copied().unwrap_or_default();
        if let Err(error) = game.and_then(|game| push(format, &game, hits, &mut text)) {
            faults.push(error.to_string());
        }
    });
    (text, faults)
}

fn push(format: Format, game: &Game, hits: &[Hit], out: &mut Vec<u8>) -> Result<(), Error> {
    let plies: Vec<String> =
        hits.iter().map(|hit| format!("{}{}", hit.ply, if hit.variation { "v" } else { "" })).collect();
    let number = game.number();
    match format {
        Format::Numbers => out.extend_from_slice(format!("{number}\n").as_bytes()),
        Format::Pairs => {
            for hit in hits.iter().filter(|hit| !hit.variation) {
                out.extend_from_slice(format!("{number}:{}\n", hit.ply).as_bytes());
            }
        }
        Format::Pgn => {
            let mut writer = PgnWriter::new();
            game.visit(&mut writer)?;
            writer.finish();
            out.extend_from_slice(writer.as_bytes());
        }
        Format::Fen => {
            for hit in hits.iter().filter(|hit| !hit.variation) {
                game.position(hit.ply)?.write_fen(out, EnPassantStyle::Always, CastlingStyle::XFen);
                out.push(b'\n');
            }
        }
        Format::Line => {
            let style = if output::is_terminal() { Style::Columns } else { Style::Tabs };
            let mut line = String::new();
            list::push_line(game, Some(&plies.join(",")), style, &mut line)?;
            out.extend_from_slice(line.as_bytes());
        }
        Format::Json => {
            let heading = Heading::of(game)?;
            let hits: Vec<Object> =
                hits.iter().map(|hit| Object::new().with("ply", hit.ply).with("variation", hit.variation)).collect();
            let object = list::object(game, &heading).array("hits", &hits);
            out.extend_from_slice(format!("{object}\n").as_bytes());
        }
        Format::Csv => {
            let heading = Heading::of(game)?;
            let (game_plies, number) = (game.plies().to_string(), number.to_string());
            let fields = [
                &number,
                &*plies.join(" "),
                heading.known("White"),
                heading.known("Black"),
                heading.result(),
                heading.date(),
                heading.tag("ECO").unwrap_or_default(),
                &game_plies,
                heading.known("Event"),
            ];
            out.extend_from_slice(fields.map(formats::csv).join(",").as_bytes());
            out.push(b'\n');
        }
    }
    Ok(())
}
