//! `scoresheet find`: the games that reach a position.

mod print;

use crate::failure::{self, Code, Failure};
use crate::out::new_archive;
use crate::select::filter::{self, Where};
use crate::select::pattern::PatternArgs;
use crate::select::position::PositionQueryArgs;
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::count;
use crate::threads::Threads;
use print::{Format, Place, print};
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, ArchiveSet, GameSet};
use scoresheet::query::{SearchOptions, SearchResult, SortKeys, TagColumns};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Find the games that reach a position or match a pattern
///
/// Transpositions are found too. Move counters are ignored, and an en passant target counts only if a capture is legal.
/// Fast with `scoresheet index --signatures` (8 bytes per game), immediate with `scoresheet index --positions` (8 bytes
/// per half-move); without them every game is replayed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet find games.bga --moves \"e4 c5 Nf3 d6 d4\"
  scoresheet find games.bga --fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" --any-side
  scoresheet find games.bga --moves \"d4 d5 c4\" --where 'elo >= 2700' --count
  scoresheet find games.bga --material KRPkr --plies 10          KRP against KR for 10 plies
  scoresheet find games.bga --board \"8/8/8/3p4/3P4/8/8/R3K3\"    at least these pieces
  scoresheet find games.bga --query '{\"white-move\": \"O-O-O\"}'   a query in Scoutfish's JSON
  scoresheet find games.bga --moves \"d4 f5\" --format pgn > dutch.pgn
  scoresheet find games/*.bga --moves \"d4 f5\" --sort -elo --limit 20")]
pub struct Args {
    /// The archive, or several, or a folder of them: then the archive is named with each game
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    position: PositionQueryArgs,
    #[command(flatten)]
    pattern: PatternArgs,
    #[command(flatten)]
    filter: Where,
    /// Report every ply at which a game matches, not only the first
    #[arg(long)]
    all_plies: bool,
    /// Search variations too
    #[arg(long)]
    variations: bool,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["format", "limit"])]
    count: bool,
    /// Print at most this many games
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Sort by these fields (see docs/QUERY.md), e.g. -elo,date; - sorts in descending order, and games without the
    /// field come last. With -o the games keep their archive order: --sort then only chooses which of them --limit
    /// takes
    #[arg(long, value_name = "KEY,..", allow_hyphen_values = true)]
    sort: Option<SortKeys>,
    /// What to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
    /// Write the games to a new archive instead of printing them; they are copied as stored
    #[arg(short, long, value_name = "FILE.bga", conflicts_with_all = ["format", "count"])]
    output: Option<PathBuf>,
    /// Replace that file if it already exists and is an archive
    #[arg(long, requires = "output")]
    force: bool,
    /// Report each step of the search on standard error, with the number of games that remain
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = archives::open_all(session, &args.archives)?;
    let (pattern, skip, limit) = match args.pattern.pattern()? {
        Some(query) => (Some(query.pattern), query.skip, args.limit.or(query.limit)),
        None => (None, 0, args.limit),
    };
    if pattern.is_none() && !args.position.position.is_given() {
        let what =
            "nothing to find: give a position (--fen, --epd, --moves) or a pattern (--board, --material, --query, ..)";
        return Err(Failure::Message(what.to_owned()));
    }
    let query = args.position.query()?;
    let paths = archives.archives().iter().map(Archive::path);
    let target = args.output.as_deref().map(|path| new_archive::target(paths, path, args.force)).transpose()?;
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let (skip, limit) = (whole(skip), limit.map_or(usize::MAX, whole));
    args.threads.install(|| {
        let options = SearchOptions { all_plies: args.all_plies, variations: args.variations };
        let (mut places, mut hits, mut failed) = (Vec::new(), Vec::new(), 0);
        for (number, archive) in archives.archives().iter().enumerate() {
            let started = Instant::now();
            let name = archives::name_in(&archives, archive);
            let (chosen, undecided) = args.filter.games(session, archive);
            let found = side_files::with_search(session, archive, chosen.as_ref(), |search| match &pattern {
                Some(pattern) => search.pattern(pattern, args.pattern.either_color, args.all_plies),
                None => search.position(&query, options),
            });
            if args.explain {
                explain(session, name.as_deref(), &found, started);
            }
            found.unread.iter().for_each(|error| session.message(&archives::fault(name.as_deref(), error)));
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
            let (sorted, unread) = sorted(session, &archives, keys, places, limit.saturating_add(skip));
            places = sorted;
            failed += unread;
        }
        places.drain(..skip.min(places.len()));
        places.truncate(limit);
        match &target {
            None if args.count => {
                let mut out = session.stdout();
                writeln!(out, "{}", places.len())?;
                out.flush()?;
                failure::all_read(failed)
            }
            None => print(session, args.format, &archives, &places, &hits, failed),
            Some(target) => {
                let mut sets: Vec<GameSet> =
                    archives.archives().iter().map(|archive| GameSet::new(archive.len())).collect();
                for (archive, game) in places.iter().map(|place| place.game) {
                    if let Some(set) = sets.get_mut(archive) {
                        set.insert(game);
                    }
                }
                let parts = archives.archives().iter().zip(sets).map(|(archive, games)| Part { archive, games });
                new_archive::write_part(session, target, &parts.collect::<Vec<_>>(), failed)
            }
        }
    })
}

/// Returns the first places in the order of these keys, and how many games have tags that could not be read for it.
fn sorted(
    session: &Session,
    archives: &ArchiveSet,
    keys: &SortKeys,
    places: Vec<Place>,
    most: usize,
) -> (Vec<Place>, u64) {
    let headers: Vec<TagColumns> = archives.archives().iter().map(TagColumns::of).collect();
    let games: Vec<(usize, u64)> = places.iter().map(|place| place.game).collect();
    let (order, unread) = keys.order(&headers, &games, most);
    headers.iter().for_each(|columns| side_files::report_columns(session, columns));
    let mut lost = 0;
    for (number, unread) in unread {
        lost += archives.archives().get(number).map_or(0, |archive| filter::report_unread(session, archive, &[unread]));
    }
    let mut places: Vec<Option<Place>> = places.into_iter().map(Some).collect();
    let sorted = order.into_iter().filter_map(|place| places.get_mut(place)?.take()).collect();
    (sorted, lost)
}

fn explain(session: &Session, name: Option<&str>, found: &SearchResult, started: Instant) {
    name.into_iter().for_each(|name| session.note(name));
    for step in &found.steps {
        session.note(&format!("{:<16} {}", step.what, count(step.games, "game", "games")));
    }
    session.note(&format!("{:<16} {:.1} ms", "time", started.elapsed().as_secs_f64() * 1e3));
}
