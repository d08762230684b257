//! `scoresheet find`: the games that reach a position.

use crate::failure::{self, Code, Failure};
use crate::output::new_archive;
use crate::select::filter::{self, Where};
use crate::select::listing::{self, Listing, Place, Printer};
use crate::select::pattern::PatternArgs;
use crate::select::position::PositionQueryArgs;
use crate::select::ranges::{self, Ranges};
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::count;
use crate::threads::Threads;
use scoresheet::archive::{Archive, ArchiveSet, GameSet};
use scoresheet::query::measure::Moments;
use scoresheet::query::pattern::Pattern;
use scoresheet::query::{Filter, Hit, PositionQuery, Search, SearchOptions, SearchResult, Step, TagColumns};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Find the games that reach a position, match a pattern, or have a mistake or little time
///
/// Transpositions are found too. Move counters are ignored, and an en passant target counts only if a capture is legal.
/// Fast with `scoresheet index --signatures` (8 bytes per game), immediate with `scoresheet index --positions` (8 bytes
/// per half-move); without them every game is replayed. Without anything to find it lists games, like `list`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet find games.bga --moves \"e4 c5 Nf3 d6 d4\"
  scoresheet find games.bga --fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" --either-color
  scoresheet find games.bga --fens openings.epd --count   any position of a list
  scoresheet find games.bga --moves \"d4 d5 c4\" --where 'elo >= 2700' --count
  scoresheet find games.bga --material KRP+krp+          rook endings with pawns
  scoresheet find games.bga --material KRPkr --plies 10  KRP against KR
  scoresheet find games.bga --board \"8/8/8/3p4/3P4/8/8/R3K3\"  these pieces
  scoresheet find games.bga --white-move Bxh7+ --either-color   Bxh7+ or Bxh2+
  scoresheet find games.bga --mate --moved N                   mates by a knight
  scoresheet find games.bga --mistake blunder --clock-below 10  in time trouble
  scoresheet find games.bga --query '{\"white-move\": \"O-O-O\"}'
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
    /// Also with colours exchanged and the board flipped
    #[arg(long)]
    either_color: bool,
    /// The last move was at least this bad, by the evaluations in the comments (Lichess's rule, docs/QUERY.md)
    #[arg(long, value_name = "JUDGEMENT", value_enum)]
    mistake: Option<Mistake>,
    /// The last move left less than this on the clock, by the comments: seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    clock_below: Option<std::time::Duration>,
    /// Only these games, e.g. 5,10-20,1000-
    #[arg(long, value_name = "RANGES")]
    games: Option<Ranges>,
    #[command(flatten)]
    filter: Where,
    /// Report every ply at which a game matches, not only the first
    #[arg(long)]
    all_plies: bool,
    /// Search variations too
    #[arg(long)]
    variations: bool,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    threads: Threads,
}

/// How bad a move is.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Mistake {
    /// The chances to win fall by 5 percent or more
    Inaccuracy,
    /// By 10 percent or more
    #[value(name = "mistake")]
    Error,
    /// By 15 percent or more
    Blunder,
}

/// Reads seconds.
fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    seconds
        .and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok())
        .ok_or("expected seconds".to_owned())
}

/// What is looked for.
struct Sought {
    positions: Vec<Vec<PositionQuery>>,
    every: bool,
    pattern: Option<Pattern>,
    moments: Moments,
    either_color: bool,
    options: SearchOptions,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    use scoresheet::query::measure::Judgement;
    let listing = &args.listing;
    if args.variations && listing.names_plies() {
        let what =
            "a hit in a variation has no ply of the main line: leave out --variations, or --format fen and pairs";
        return Err(Failure::Usage(what.to_owned()));
    }
    let archives = archives::open_all(session, &args.archives)?;
    ranges::of_one(&archives, args.games.as_ref())?;
    let (pattern, skip, own_limit) = match args.pattern.pattern()? {
        Some(query) => (Some(query.pattern), query.skip, query.limit),
        None => (None, 0, None),
    };
    let judgement = args.mistake.map(|mistake| match mistake {
        Mistake::Inaccuracy => Judgement::Inaccuracy,
        Mistake::Error => Judgement::Mistake,
        Mistake::Blunder => Judgement::Blunder,
    });
    let sought = Sought {
        positions: args.position.queries(args.either_color)?,
        every: args.position.every,
        pattern,
        moments: Moments { judgement, clock_below: args.clock_below },
        either_color: args.either_color,
        options: SearchOptions { all_plies: args.all_plies, variations: args.variations },
    };
    let target = listing.target(&archives)?;
    let (mut limit, offset) = listing.span();
    if let (None, Some(own)) = (listing.limit, own_limit) {
        limit = usize::try_from(own).unwrap_or(usize::MAX);
    }
    let offset = offset.saturating_add(usize::try_from(skip).unwrap_or(usize::MAX));
    args.threads.install(|| {
        let (mut places, mut hits, mut failed) = (Vec::new(), Vec::new(), 0);
        for (number, archive) in archives.archives().iter().enumerate() {
            let started = Instant::now();
            let name = archives::name_in(&archives, archive);
            let (mut chosen, undecided) = args.filter.games(session, archive);
            if args.games.is_some() {
                chosen = Some(args.filter.within(archive, args.games.as_ref(), chosen)?);
            }
            let found = side_files::with_search(session, archive, chosen.as_ref(), |search| {
                sought.find(session, archive, chosen.as_ref(), &search)
            });
            if listing.explain {
                explain(session, name.as_deref(), &found.0, started);
            }
            listing.explain_filter(session, archive, &args.filter);
            let (found, lost) = found;
            found.unread.iter().for_each(|error| session.unread(&archives::fault(name.as_deref(), error)));
            failed += undecided + lost + found.unread.len() as u64;
            let mut begin = 0;
            for own in found.hits.chunk_by(|a, b| a.game == b.game) {
                let place = begin..begin + own.len();
                begin = place.end;
                places.extend(own.first().map(|hit| Place { game: (number, hit.game), hits: place }));
            }
            hits.push(found.hits);
        }
        if places.is_empty() && !listing.count {
            sought.report_none(args, session, &archives);
        }
        let (mut places, lost) = listing.sorted(session, &archives, places);
        failed += lost;
        places.drain(..offset.min(places.len()));
        places.truncate(limit);
        if listing.count {
            let mut out = session.stdout();
            writeln!(out, "{}", places.len())?;
            out.flush()?;
            return failure::all_read(failed);
        }
        if let Some(target) = &target {
            return new_archive::write_part(session, target, &listing::parts(&archives, &places), failed);
        }
        let mut printer = Printer::new(session, &archives, listing, sought.is_any())?;
        printer.games(&places, &hits)?;
        failure::all_read(failed + printer.finish()?)
    })
}

impl Sought {
    /// Says on standard error that nothing was found, and what no game has at all.
    fn report_none(&self, args: &Args, session: &Session, archives: &ArchiveSet) {
        if !self.is_any() {
            return args.filter.report_none(session, archives.archives(), args.games.as_ref());
        }
        let needed = [
            (self.moments.clock_below.is_some(), "lowclock", "clocks ([%clk 0:03:00] in comments)"),
            (self.moments.judgement.is_some(), "evalswing", "evaluations ([%eval 0.35] in comments)"),
        ];
        let lacks = |field: &str| {
            let filter = Filter::parse(&format!("has({field})"));
            let is_empty = |archive: &Archive| {
                let games = filter.as_ref().map(|filter| filter.games(&TagColumns::of(archive)).games);
                games.is_ok_and(|games| games.is_empty())
            };
            archives.archives().iter().all(is_empty)
        };
        let lacking = needed.iter().filter(|(is_asked, field, _)| *is_asked && lacks(field)).map(|(.., what)| *what);
        let lacking: Vec<&str> = lacking.collect();
        let what = if args.filter.is_given() || args.games.is_some() { "of the games chosen none" } else { "no game" };
        session.message(&match lacking.is_empty() {
            true => format!("{what} matches what is looked for"),
            false => format!("{what} matches what is looked for: none has {}", lacking.join(" or ")),
        });
    }

    /// Returns whether anything on the board or in comments is asked.
    fn is_any(&self) -> bool {
        !self.positions.is_empty() || self.pattern.is_some() || self.moments.is_any()
    }

    /// Returns what is found in an archive, and how many games' comments could not be read.
    fn find(
        &self,
        session: &Session,
        archive: &Archive,
        among: Option<&GameSet>,
        search: &Search,
    ) -> (SearchResult, u64) {
        // Which of a game's moves are mistakes is asked of all plies that match.
        let all_plies = self.options.all_plies || self.moments.is_any();
        let mut found = match &self.pattern {
            Some(pattern) => search.pattern(pattern, self.either_color, all_plies),
            None if !self.positions.is_empty() => self.any_position(search, all_plies),
            None => {
                let games = among.cloned().unwrap_or_else(|| archive.live());
                let step = Step { what: if among.is_some() { "filter" } else { "all games" }, games: games.len() };
                let hits = games.iter().map(|game| Hit { game, ply: 0, variation: false }).collect();
                SearchResult { hits, steps: vec![step], ..SearchResult::default() }
            }
        };
        if !self.moments.is_any() {
            return (found, 0);
        }
        let games = GameSet::of(archive.len(), found.hits.iter().map(|hit| hit.game));
        let (moments, unread) = self.moments.find(archive, &games);
        let lost = filter::report_unread(session, archive, &unread);
        let is_limited = self.pattern.is_some() || !self.positions.is_empty();
        let mut own = found.hits.into_iter().peekable();
        let at = |hit: &Hit| (hit.game, hit.ply);
        found.hits = moments
            .into_iter()
            .filter(|hit| {
                while is_limited && own.peek().is_some_and(|own| at(own) < at(hit)) {
                    own.next();
                }
                !is_limited || own.peek().is_some_and(|own| at(own) == at(hit))
            })
            .collect();
        if !self.options.all_plies {
            found.hits.dedup_by_key(|hit| hit.game);
        }
        let games = found.hits.chunk_by(|a, b| a.game == b.game).count() as u64;
        found.steps.push(Step { what: "comments", games });
        (found, lost)
    }

    /// Returns the games that reach any of the positions, or all of them.
    fn any_position(&self, search: &Search, all_plies: bool) -> SearchResult {
        let options = SearchOptions { all_plies, ..self.options };
        if let [queries] = self.positions.as_slice()
            && let [query] = queries.as_slice()
        {
            return search.position(query, options);
        }
        // The hits of each game, and how many of the positions it has.
        let mut games: BTreeMap<u64, (Vec<Hit>, usize, usize)> = BTreeMap::new();
        let mut all = SearchResult::default();
        for (place, queries) in self.positions.iter().enumerate() {
            for query in queries {
                let found = search.position(query, options);
                all.steps.extend(found.steps);
                // What cannot be read is met by each of them.
                all.unread = found.unread;
                for hit in found.hits {
                    let (hits, positions, last) = games.entry(hit.game).or_insert((Vec::new(), 0, usize::MAX));
                    hits.push(hit);
                    *positions += usize::from(*last != place);
                    *last = place;
                }
            }
        }
        let wanted = if self.every { self.positions.len() } else { 1 };
        for (mut hits, positions, _) in games.into_values() {
            hits.sort();
            hits.dedup();
            if !all_plies && !self.every {
                hits.truncate(1);
            }
            all.hits.extend(hits.into_iter().filter(|_| positions >= wanted));
        }
        all
    }
}

fn explain(session: &Session, name: Option<&str>, found: &SearchResult, started: Instant) {
    name.into_iter().for_each(|name| session.note(name));
    for step in &found.steps {
        session.note(&format!("{:<16} {}", step.what, count(step.games, "game", "games")));
    }
    session.note(&format!("{:<16} {:.1} ms", "time", started.elapsed().as_secs_f64() * 1e3));
}
