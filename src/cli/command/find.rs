//! `scoresheet find`: the games that reach a position.

use crate::command::Threads;
use crate::command::list::{self, Style};
use crate::failure::{Code, Failure};
use crate::out::formats;
use crate::out::heading::Heading;
use crate::out::json::Object;
use crate::out::new_archive;
use crate::out::output::{self, count, message, note};
use crate::select::games::{self, Where};
use crate::select::pattern::PatternArgs;
use crate::select::position::SoughtArgs;
use crate::select::side_files;
use clap::ValueEnum;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, ArchiveSet, GameRef, GameSet};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::error::Error;
use scoresheet::pgn::PgnWriter;
use scoresheet::query::{Hit, SearchOptions, SearchResult, SortKeys, TagColumns};
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;
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
  scoresheet find games.bga --board \"8/8/8/3p4/3P4/8/8/R3K3\"     these pieces there, whatever else
  scoresheet find games.bga --query '{\"white-move\": \"O-O-O\"}'    a query in Scoutfish's JSON
  scoresheet find games.bga --moves \"d4 f5\" --format pgn > dutch.pgn
  scoresheet find games/*.bga --moves \"d4 f5\" --sort -elo --limit 20     the strongest of several archives")]
pub struct Args {
    /// The archive, or several, or a folder of them; of several, what names a game names its archive, too
    #[arg(required = true)]
    archives: Vec<PathBuf>,
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
    /// In the order of these fields (docs/QUERY.md), as in -elo,date: a - before what descends; games that do not say it come last. A
    /// new archive keeps its order, and has the games that --limit takes
    #[arg(long, value_name = "KEY,..", allow_hyphen_values = true)]
    sort: Option<SortKeys>,
    /// What to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
    /// Print nothing; write the games to a new archive, as they are stored
    #[arg(short, long, value_name = "FILE.bga", conflicts_with_all = ["format", "count"])]
    output: Option<PathBuf>,
    /// Replace that file if it exists already and is an archive
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

/// A game found.
struct Place {
    /// The archive's place among those asked, and the game's number there.
    game: (usize, u64),
    /// Where its hits are among those of the archive.
    hits: Range<usize>,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    let archives = output::open_all(&args.archives)?;
    let (pattern, skip, limit) = match args.pattern.pattern()? {
        Some(query) => (Some(query.pattern), query.skip, args.limit.or(query.limit)),
        None => (None, 0, args.limit),
    };
    if pattern.is_none() && !args.sought.position.is_given() {
        let what = "nothing to find: say a position (--fen, --moves) or a pattern (--board, --material, --query ..)";
        return Err(Failure::Message(what.to_owned()));
    }
    let sought = args.sought.sought()?;
    let paths = archives.archives().iter().map(Archive::path);
    let target = args.output.as_deref().map(|path| new_archive::target(paths, path, args.force)).transpose()?;
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let (skip, limit) = (whole(skip), limit.map_or(usize::MAX, whole));
    args.threads.install(|| {
        let reach = SearchOptions { all_plies: args.all_plies, variations: args.variations };
        let (mut places, mut hits, mut failed) = (Vec::new(), Vec::new(), 0);
        for (number, archive) in archives.archives().iter().enumerate() {
            let started = Instant::now();
            let name = games::name_in(&archives, archive);
            let (chosen, undecided) = args.filter.games(archive);
            let found = side_files::with_search(archive, chosen.as_ref(), |search| match &pattern {
                Some(pattern) => search.pattern(pattern, args.pattern.either_color, args.all_plies),
                None => search.position(&sought, reach),
            });
            if args.explain {
                explain(name.as_deref(), &found, started);
            }
            found.unread.iter().for_each(|error| message(&games::fault(name.as_deref(), error)));
            failed += undecided + found.unread.len() as u64;
            let mut begin = 0;
            for own in found.hits.chunk_by(|a, b| a.game == b.game) {
                let place = begin..begin + own.len();
                begin = place.end;
                places.extend(own.first().map(|hit| Place { game: (number, hit.game), hits: place }));
            }
            hits.push(found.hits);
        }
        if let Some(keys) = &args.sort {
            let (sorted, unread) = sorted(&archives, keys, places, limit.saturating_add(skip));
            places = sorted;
            failed += unread;
        }
        places.drain(..skip.min(places.len()));
        places.truncate(limit);
        match &target {
            None => print(args, &archives, &places, &hits, failed),
            Some(target) => {
                let mut sets: Vec<GameSet> =
                    archives.archives().iter().map(|archive| GameSet::new(archive.len())).collect();
                for (archive, game) in places.iter().map(|place| place.game) {
                    if let Some(set) = sets.get_mut(archive) {
                        set.insert(game);
                    }
                }
                let parts = archives.archives().iter().zip(sets).map(|(archive, games)| Part { archive, games });
                new_archive::write_part(target, &parts.collect::<Vec<_>>(), failed)
            }
        }
    })
}

/// Returns the first places in the order of these keys, and how many games have headers that could not be read for it.
fn sorted(archives: &ArchiveSet, keys: &SortKeys, places: Vec<Place>, most: usize) -> (Vec<Place>, u64) {
    let headers: Vec<TagColumns> = archives.archives().iter().map(TagColumns::of).collect();
    let games: Vec<(usize, u64)> = places.iter().map(|place| place.game).collect();
    let (order, unread) = keys.order(&headers, &games, most);
    headers.iter().for_each(side_files::report_columns);
    let mut lost = 0;
    for (number, unread) in unread {
        lost += archives.archives().get(number).map_or(0, |archive| games::tell(archive, &[unread]));
    }
    let mut places: Vec<Option<Place>> = places.into_iter().map(Some).collect();
    let sorted = order.into_iter().filter_map(|place| places.get_mut(place)?.take()).collect();
    (sorted, lost)
}

fn explain(name: Option<&str>, found: &SearchResult, started: Instant) {
    name.into_iter().for_each(note);
    for step in &found.steps {
        note(&format!("{:<16} {}", step.what, count(step.games, "game", "games")));
    }
    note(&format!("{:<16} {:.1} ms", "time", started.elapsed().as_secs_f64() * 1e3));
}

/// Prints what was found.
fn print(
    args: &Args,
    archives: &ArchiveSet,
    places: &[Place],
    hits: &[Vec<Hit>],
    mut failed: u64,
) -> Result<Code, Failure> {
    let mut out = output::stdout();
    if args.count {
        writeln!(out, "{}", places.len())?;
    } else {
        let names: Vec<Option<String>> =
            archives.archives().iter().map(|archive| games::name_in(archives, archive)).collect();
        if args.format == Format::Csv {
            out.write_all(if names.len() > 1 { b"archive," } else { b"" })?;
            out.write_all(b"game,ply,white,black,result,date,eco,plies,event\n")?;
        }
        let games: Vec<(usize, u64)> = places.iter().map(|place| place.game).collect();
        let work = |number: usize, game: Result<GameRef, Error>| {
            let mut text = Vec::new();
            let place = places.get(number);
            let name = place.and_then(|place| names.get(place.game.0)).and_then(Option::as_deref);
            let hits = place.and_then(|place| hits.get(place.game.0)?.get(place.hits.clone())).unwrap_or_default();
            match game.and_then(|game| push(args.format, name, &game, hits, &mut text)) {
                Ok(()) => Ok(text),
                Err(error) => Err(games::fault(name, &error)),
            }
        };
        games::in_any_order(archives, &games, work, |text| {
            match text {
                Ok(text) => out.write_all(&text)?,
                Err(fault) => {
                    message(&fault);
                    failed += 1;
                }
            }
            Ok(())
        })?;
    }
    out.flush()?;
    games::all_read(failed)
}

/// Appends what is printed of a game; with the archive's name, where one is given and games are named.
fn push(format: Format, name: Option<&str>, game: &GameRef, hits: &[Hit], out: &mut Vec<u8>) -> Result<(), Error> {
    let plies: Vec<String> =
        hits.iter().map(|hit| format!("{}{}", hit.ply, if hit.variation { "v" } else { "" })).collect();
    let number = game.number();
    let before = name.map_or_else(String::new, |name| format!("{}\t", output::printable(name)));
    match format {
        Format::Numbers => out.extend_from_slice(format!("{before}{number}\n").as_bytes()),
        Format::Pairs => {
            for hit in hits.iter().filter(|hit| !hit.variation) {
                out.extend_from_slice(format!("{before}{number}:{}\n", hit.ply).as_bytes());
            }
        }
        Format::Pgn => {
            let mut writer = PgnWriter::new();
            game.write_pgn(&mut writer)?;
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
            list::push_name(name, style, 0, &mut line);
            out.extend_from_slice(line.as_bytes());
        }
        Format::Json => {
            let heading = Heading::of(game)?;
            let hits: Vec<Object> =
                hits.iter().map(|hit| Object::new().with("ply", hit.ply).with("variation", hit.variation)).collect();
            let mut line = format!("{}\n", list::object(game, &heading).array("hits", &hits));
            list::push_name(name, Style::Json, 0, &mut line);
            out.extend_from_slice(line.as_bytes());
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
            let fields: Vec<String> = name.into_iter().chain(fields).map(formats::csv).collect();
            out.extend_from_slice(fields.join(",").as_bytes());
            out.push(b'\n');
        }
    }
    Ok(())
}
