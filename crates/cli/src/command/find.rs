//! `scoresheet find`: finds the games that reach a position or match a pattern.

use crate::failure::{Code, Failure};
use crate::select::filter::Where;
use crate::select::listing::Listing;
use crate::select::pattern::PatternArgs;
use crate::select::position::PositionQueryArgs;
use crate::select::repertoire;
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::chess::{Color, Variant};
use scoresheet_query::ArchiveSet;
use scoresheet_query::measure::{Judgement, Moments};
use scoresheet_query::report::repertoire::{Leaving, RepertoireQuery};
use scoresheet_query::{Board, Filter, Member, Rules, SearchOptions, measure};
use std::path::PathBuf;

/// Find games by position, pattern, last move, mistake or clock
///
/// `find` finds a position after any order of moves. It ignores move counters, and an en passant target counts only if
/// a capture is legal. `scoresheet index --signatures` (8 bytes per game) makes searches fast, and
/// `scoresheet index --positions` (5 bytes per half-move) makes them immediate. Without these files, `find` replays
/// every game. Without a position, pattern or last move, `find` lists games, like `list`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet find games.bga --moves \"e4 c5 Nf3 d6 d4\"
  scoresheet find games.bga --fen \"8/8/4k3/8/8/4K3/4P3/8 w - -\" --either-color
  scoresheet find games.bga --fens openings.epd --count   any position of a list
  scoresheet find games.bga --moves \"d4 d5 c4\" --where 'elo >= 2700' --count
  scoresheet find games.bga --material KRP+krp+          rook endings with pawns
  scoresheet find games.bga --material KRPkr --for-plies 10  KRP against KR
  scoresheet find games.bga --board \"8/8/8/3p4/3P4/8/8/R3K3\"  these pieces
  scoresheet find games.bga --white-move Bxh7+ --either-color   Bxh7+ or Bxh2+
  scoresheet find games.bga --mate --moved N                   mates by a knight
  scoresheet find games.bga --mistake blunder --clock-below 10  in time trouble
  scoresheet find games.bga --query '{\"white-move\": \"O-O-O\"}'
  scoresheet find games.bga --mate --in-pv               mates in engine lines
  scoresheet find games.bga --moves \"d4 f5\" --format pgn > dutch.pgn
  scoresheet find games.bga --repertoire mine.pgn --side white --leaves opponent
  scoresheet find games/*.bga --moves \"d4 f5\" --sort -elo --limit 20")]
pub struct Args {
    /// One or more archives to search, or folders of archives
    ///
    /// With several archives, each result names its archive.
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    position: PositionQueryArgs,
    #[command(flatten)]
    pattern: PatternArgs,
    /// Also match with colors and board reversed
    ///
    /// In --where, `score`, `playerelo` and other fields of a player mean the side in White's place.
    #[arg(help_heading = "Pattern")]
    #[arg(long)]
    either_color: bool,
    /// Find moves at least this bad, e.g. mistake
    ///
    /// `find` classifies moves by the evaluations in the comments, with the rule of Lichess (docs/QUERY.md).
    #[arg(help_heading = "Last move")]
    #[arg(long, value_name = "JUDGMENT", value_enum, hide_possible_values = true)]
    mistake: Option<Mistake>,
    /// Find moves that left less time on the clock
    ///
    /// The time is in seconds, or written as 1:30. `find` reads the clock times from the comments.
    #[arg(help_heading = "Last move")]
    #[arg(long, value_name = "TIME", value_parser = time)]
    clock_below: Option<std::time::Duration>,
    /// Find moves whose evaluation announces a mate in at most N moves, by either side
    #[arg(hide_short_help = true, help_heading = "Last move")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    mate_in: Option<u32>,
    /// Find moves that change the evaluation by at least this number of pawns
    ///
    /// A change to or from a mate is greater than any number.
    #[arg(hide_short_help = true, help_heading = "Last move")]
    #[arg(long, value_name = "PAWNS", value_parser = hundredths)]
    swing: Option<u32>,
    /// Find games that follow this repertoire, a PGN file or an archive
    ///
    /// The ply of a game is the last position that the repertoire has: there the game leaves it, or ends. A game follows
    /// a repertoire if this ply is after at least one move. Together with a position or pattern, the plies are those of
    /// the position or pattern. `scoresheet repertoire` counts the moves that leave it.
    #[arg(hide_short_help = true, help_heading = "Repertoire")]
    #[arg(long, value_name = "FILE", requires = "side")]
    repertoire: Option<PathBuf>,
    /// The side whose moves the repertoire prepares: white or black
    #[arg(hide_short_help = true, help_heading = "Repertoire")]
    #[arg(long, requires = "repertoire")]
    side: Option<Color>,
    /// Only games that leave the repertoire in one of these ways
    #[arg(hide_short_help = true, help_heading = "Repertoire")]
    #[arg(long, value_name = "WAY,..", value_enum, value_delimiter = ',', requires = "repertoire")]
    leaves: Vec<Way>,
    #[command(flatten)]
    filter: Where,
    /// Report every matching ply, not only the first
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Output")]
    #[arg(long)]
    all_plies: bool,
    /// Also search variations
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Games")]
    #[arg(long)]
    variations: bool,
    /// Also search the principal variations in comments
    ///
    /// Engines write principal variations into comments, together with an evaluation.
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Games")]
    #[arg(long)]
    in_pv: bool,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    threads: Threads,
}

/// A way to leave a repertoire.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Way {
    /// The line of the repertoire ends, and the game goes on
    End,
    /// The side plays another move
    Own,
    /// The opponent plays a move that the repertoire lacks
    Opponent,
    /// The game ends within the repertoire
    Never,
}

impl Way {
    fn leaving(self) -> Leaving {
        match self {
            Way::End => Leaving::End,
            Way::Own => Leaving::Own,
            Way::Opponent => Leaving::Opponent,
            Way::Never => Leaving::Never,
        }
    }
}

/// The severity of a mistake.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Mistake {
    /// The chances to win fall by 5 percent or more
    Inaccuracy,
    /// The chances to win fall by 10 percent or more
    #[value(name = "mistake")]
    Error,
    /// The chances to win fall by 15 percent or more
    Blunder,
}

impl Mistake {
    fn judgement(self) -> Judgement {
        match self {
            Mistake::Inaccuracy => Judgement::Inaccuracy,
            Mistake::Error => Judgement::Mistake,
            Mistake::Blunder => Judgement::Blunder,
        }
    }
}

/// Parses a time on a clock.
fn time(text: &str) -> Result<std::time::Duration, String> {
    measure::parse_time(text).map_err(|reason| reason.to_string())
}

/// Parses a number of pawns and returns hundredths.
fn hundredths(text: &str) -> Result<u32, String> {
    let pawns = text.parse::<f64>().ok().filter(|pawns| (0.0..=10_000.0).contains(pawns));
    pawns.map(|pawns| (pawns * 100.0).round() as u32).ok_or("expected 0 to 10000 pawns".to_owned())
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let (listing, filter) = (&args.listing, &args.filter);
    if (args.variations || args.in_pv) && listing.names_plies() {
        let what = "a hit in a variation has no ply of the main line: leave out --variations and --in-pv, or --format \
                    fen and pairs";
        return Err(Failure::Usage(what.to_owned()));
    }
    let archives = filter.open(session, &args.archives)?;
    let mut query = filter.query(args.pattern.query()?)?;
    if args.either_color {
        query = query.either_color(true);
    }
    let reach =
        SearchOptions { all_plies: args.all_plies, variations: args.variations, principal_variations: args.in_pv };
    if reach != SearchOptions::default() {
        query = query.reach(reach);
    }
    let moments = Moments {
        judgement: args.mistake.map(Mistake::judgement),
        clock_below: args.clock_below,
        mate_in: args.mate_in,
        swing: args.swing,
    };
    if moments.is_any() {
        query = query.moments(moments);
    }
    let of_board = args.pattern.pattern()?.map(Board::Pattern).or(args.position.board(filter.position_rules())?);
    if let (Some(path), Some(side)) = (&args.repertoire, args.side) {
        let ways: Vec<Leaving> = args.leaves.iter().map(|way| way.leaving()).collect();
        let repertoire = repertoire::read(session, path, side, args.filter.rules_or_chess())?;
        query = query.follows(RepertoireQuery::new(repertoire, &ways));
    }
    if let Some(board) = of_board {
        query = query.board(board);
    }
    if args.either_color && query.get_filter().is_some_and(Filter::is_of_result) {
        session.message(
            "--either-color turns the board, but not the result: score = 1 selects wins of the side in White's place",
        );
    }
    if let Some(what) = query.impossible() {
        let of_options = [("either_color", "--either-color"), ("variations", "--variations"), ("in_pv", "--in-pv")];
        // The first words name main lines and variations, the last words the members of a query.
        let (why, members) = what.split_once(": ").unwrap_or((what, ""));
        let options = of_options.iter().fold(members.to_owned(), |text, (member, option)| text.replace(member, option));
        return Err(Failure::Usage(format!("{why}: {options}")));
    }
    let has_hits = query.has_hits();
    args.threads.install(|| {
        if has_hits && query.get_rules() == Rules::Only(Variant::Chess) {
            for member in archives.members() {
                let archive = member.archive();
                let selected = filter.ranges().map(|ranges| ranges.live(archive)).transpose()?;
                filter.report_left_out(session, archive, selected.as_ref());
            }
        }
        listing.run(session, &archives, filter, query, || match has_hits {
            false => filter.report_none(session, &archives.columns()),
            true => session.message(&none_found(filter, &moments, &archives)),
        })
    })
}

/// Returns the message for a search without hits. The message names the data that every game lacks.
fn none_found(filter: &Where, moments: &Moments, archives: &ArchiveSet) -> String {
    let needed = [
        (moments.clock_below.is_some(), "lowclock", "clocks ([%clk 0:03:00] in comments)"),
        (moments.judgement.is_some() || moments.swing.is_some(), "evalswing", "evaluations ([%eval 0.35] in comments)"),
        (moments.mate_in.is_some(), "announcedmate", "evaluations with a mate ([%eval #3] in comments)"),
    ];
    let lacks = |field: &str| {
        let filter = Filter::parse(&format!("has({field})"));
        let is_empty =
            |member: &Member| filter.as_ref().is_ok_and(|filter| filter.games(member.columns()).games.is_empty());
        archives.members().iter().all(is_empty)
    };
    let lacking =
        needed.iter().filter(|(is_requested, field, _)| *is_requested && lacks(field)).map(|(.., what)| *what);
    let lacking: Vec<&str> = lacking.collect();
    let what = if filter.is_given() { "no selected game" } else { "no game" };
    match lacking.is_empty() {
        true => format!("{what} matches the search"),
        false => format!("{what} matches the search: none has {}", lacking.join(" or ")),
    }
}
