//! `scoresheet opening`: reports results, moves and players of an opening.

use crate::failure::{self, Code, Failure};
use crate::output::html::{self, ReportArgs};
use crate::output::json::Object;
use crate::output::progress;
use crate::output::quiet::Quiet;
use crate::output::rows::{RowFormat, RowFormatArgs};
use crate::output::{game_table, group_table, table};
use crate::select::filter::{self, Where};
use crate::select::grouped::{self, Games, by_years, grouped};
use crate::select::position::PositionArgs;
use crate::select::{archives, side_files};
use crate::session::Session;
use crate::text::{count, folded, plain};
use crate::threads::Threads;
use scoresheet::archive::GameSet;
use scoresheet::chess::Color;
use scoresheet_output::Outputs;
use scoresheet_query::ArchiveSet;
use scoresheet_query::GameSummary;
use scoresheet_query::openings::Openings;
use scoresheet_query::report::groups::{Group, GroupKey, join};
use scoresheet_query::report::points::Points;
use scoresheet_query::{Member, Query, TagColumns, Tree};
use std::io::Write;
use std::path::PathBuf;

/// Report on an opening: results, moves, ratings, years, players
///
/// You can specify an opening as a position, reached by any order of moves, or as a filter such as --where 'eco = B90'.
/// Score and performance apply to White.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet opening games.bga --moves \"e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6\"
  scoresheet opening games.bga --where 'opening ~ Najdorf'
  scoresheet opening games/*.bga --moves \"e4 c5\" --where 'elo >= 2000' --json
  scoresheet opening games.bga --where 'eco = B90' --report najdorf.html    a page with charts")]
pub struct Args {
    /// One or more archives, or folders of archives, counted together
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    filter: Where,
    /// Limit the moves, players and games listed
    #[arg(help_heading = "Output")]
    #[arg(long, alias = "top", value_name = "N", default_value_t = 7)]
    limit: usize,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["format", "json", "report"], help_heading = "Output")]
    count: bool,
    #[command(flatten)]
    rows: RowFormatArgs,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.quiet.apply(session);
    if !args.position.is_given() && !args.filter.is_given() {
        let what = "which opening? Give a position (--moves or --fen) or a filter (--where 'eco = B90')";
        return Err(Failure::Usage(what.to_owned()));
    }
    let archives = args.filter.open(session, &args.archives)?;
    let page = args.report.target(&mut Outputs::from_archives(archives.archives()))?;
    let position = args.position.position(args.filter.position_rules())?;
    args.filter.look_for(&position);
    let query = args.filter.with_rules(Query::from(&position));
    args.threads.install(|| {
        let (mut all, mut failed) = Games::chosen(session, &archives, &args.filter)?;
        let any = all.iter().any(|selection| !selection.games.is_empty());
        let tree = (!args.count).then(|| grouped::tree(session, &all, &position));
        if args.position.is_given() {
            for (index, selection) in all.iter_mut().enumerate() {
                let search = || query.in_archive(selection.member, Some(&selection.games), None);
                let found = progress::waiting(session, search);
                selection.games = found.games;
                let unread: Vec<_> = found.unread.into_iter().map(|unread| (index, unread)).collect();
                failed += filter::report_lost(session, &archives, &unread);
            }
        }
        let Some(tree) = tree else {
            side_files::report_searches(session, &archives);
            filter::print_number(session, all.iter().map(|selection| selection.games.len()).sum())?;
            return failure::all_read(failed);
        };
        if all.iter().all(|selection| selection.games.is_empty()) {
            args.filter.report_no_position(session, &archives, any);
            args.position.report_omitted(session);
        }
        let report = Report::new(args, session, &archives, &all, tree)?;
        side_files::report_searches(session, &archives);
        if let Some(target) = &page {
            let title = format!("{}, {}", report.name, archives::names(&args.archives));
            let (games, data) = (report.total.games, report.json(&archives)?);
            html::Report { kind: "opening", title: &title, filter: args.filter.text(), games, data: &data }
                .write(session, target)?;
            return failure::all_read(failed);
        }
        let text = match args.rows.format() {
            RowFormat::Json => format!("{}\n", report.json(&archives)?),
            RowFormat::Csv => report.csv(),
            RowFormat::Table => report.text(session, &archives)?,
        };
        let mut out = session.stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        failure::all_read(failed)
    })
}

struct Report {
    fen: String,
    /// The name of the position, or the opening name in most games.
    name: String,
    total: Points,
    moves: Vec<Group>,
    ratings: Vec<Group>,
    years: Vec<Group>,
    /// The players with the white pieces, and the players with the black pieces. Each group counts the player's points.
    players: [Vec<Group>; 2],
    /// The games with the highest ratings.
    games: Vec<u64>,
}

impl Report {
    fn new(
        args: &Args,
        session: &Session,
        archives: &ArchiveSet,
        all: &[Games],
        tree: Tree,
    ) -> Result<Report, Failure> {
        let mut total = Points::default();
        for group in grouped(session, all, &[GroupKey::Result])?.0.groups {
            total.join(&group.points);
        }
        let (families, _) = grouped(session, all, &[GroupKey::Opening])?;
        let most = families.groups.iter().max_by_key(|group| group.points.games);
        let named = Openings::table().get(&tree.position).map(|opening| format!("{} {}", opening.eco, opening.name));
        let name = named.or_else(|| most.map(|group| group.names.join(" "))).unwrap_or_default();
        let moves = tree.branches.iter().take(args.limit).map(|branch| {
            let mut after = tree.position.clone();
            after.play_unchecked(branch.m);
            let opening = Openings::table().get(&after).map_or("", |opening| opening.name);
            // The tree counts games by result; its ratings are the mean ratings of games.
            let (tally, rating) = (&branch.tally, branch.tally.average_rating().map_or(0, u64::from));
            let points = Points {
                games: tally.games(),
                won: tally.white,
                drawn: tally.draws,
                lost: tally.black,
                ratings: (u64::from(rating > 0), rating),
                against: (0, 0, 0),
            };
            Group { names: vec![tree.position.san(branch.m), opening.to_owned()], order: vec![0, 0], points }
        });
        let moves = moves.collect();
        let mut ratings = grouped(session, all, &[GroupKey::Rating])?.0.groups;
        group_table::sort(&mut ratings, &[GroupKey::Rating], None);
        let (found, key) = by_years(session, all)?;
        let mut years = found.groups;
        group_table::sort(&mut years, &[key], None);
        let mut players = [Vec::new(), Vec::new()];
        for (side, players) in players.iter_mut().enumerate() {
            let mut found = Vec::new();
            for selection in all {
                // Every player of this color is treated as the named player.
                let mut sides = [GameSet::new(selection.archive().len()), GameSet::new(selection.archive().len())];
                if let Some(set) = sides.get_mut(side) {
                    *set = selection.games.clone();
                }
                let player = scoresheet_query::report::groups::PlayerGames { sides, names: Vec::new() };
                let player_games =
                    [Games { member: selection.member, games: selection.games.clone(), player: Some(player) }];
                join(&mut found, grouped(session, &player_games, &[GroupKey::Player])?.0.groups);
            }
            group_table::sort(&mut found, &[GroupKey::Player], None);
            found.truncate(args.limit);
            *players = found;
        }
        let games = strongest(archives, all, args.limit)?;
        Ok(Report { fen: tree.position.fen(), name, total, moves, ratings, years, players, games })
    }

    fn text(&self, session: &Session, archives: &ArchiveSet) -> Result<String, Failure> {
        let width = session.table_width();
        let mut text = format!("{}\n{}\n", folded(&plain(&self.name), session.width()), self.fen);
        let figures = group_table::figures(&self.total);
        let [_, won, drawn, lost, score, rating, performance] = &figures;
        text += &format!(
            "{}: White won {won}, drawn {drawn}, lost {lost}\n\
            score {score}, mean rating {rating}, performance {performance}\n",
            count(self.total.games, "game", "games")
        );
        let tables: [(&[&str], &[Group]); 5] = [
            (&["move", "opening"], &self.moves),
            (&["mean rating"], &self.ratings),
            (&["year"], &self.years),
            (&["White"], &self.players[0]),
            (&["Black"], &self.players[1]),
        ];
        for (titles, groups) in tables.into_iter().filter(|(_, groups)| !groups.is_empty()) {
            text.push('\n');
            text += &group_table::text(groups, titles, width);
        }
        if !self.games.is_empty() {
            text += "\nThe strongest games\n";
        }
        for game in &self.games {
            let (archive, number) = archives.locate(*game)?;
            let summary = GameSummary::from_game(&archive.game(number)?)?;
            let name = archives::name_in(archives, archive).map_or_else(String::new, |name| format!("{name}  "));
            let (white, black) = (summary.player(Color::White), summary.player(Color::Black));
            let (date, result) = (summary.date().unwrap_or("?"), summary.result().token());
            let row = plain(&format!("{name}{number:>8}  {date}  {result:<7}  {white} - {black}"));
            text += &table::shortened(&row, width);
            text.push('\n');
        }
        Ok(text)
    }

    /// Returns the report's groups as CSV; only JSON includes the games.
    fn csv(&self) -> String {
        let all = [Group { names: Vec::new(), order: Vec::new(), points: self.total }];
        let [with_white, with_black] = &self.players;
        let lists: [(&str, &[Group]); 6] = [
            ("all", &all),
            ("moves", &self.moves),
            ("ratings", &self.ratings),
            ("years", &self.years),
            ("with_white", with_white),
            ("with_black", with_black),
        ];
        group_table::report_lines(&lists, &["name", "opening"])
    }

    fn json(&self, archives: &ArchiveSet) -> Result<Object, Failure> {
        let list = |groups: &[Group], titles: &[&str]| {
            groups.iter().map(|group| group_table::json(group, titles)).collect::<Vec<_>>()
        };
        let mut games = Vec::new();
        for game in &self.games {
            let (archive, number) = archives.locate(*game)?;
            let game = archive.game(number)?;
            games.push(game_table::object(&game, archives::name_in(archives, archive).as_deref())?);
        }
        Ok(Object::new()
            .with("opening", self.name.as_str())
            .with("fen", self.fen.as_str())
            .joined(&group_table::points(&self.total))
            .array("moves", &list(&self.moves, &["san", "opening"]))
            .array("ratings", &list(&self.ratings, &["rating_band"]))
            .array("years", &list(&self.years, &["year"]))
            .array("with_white", &list(&self.players[0], &["player"]))
            .array("with_black", &list(&self.players[1], &["player"]))
            .array("strongest", &games))
    }
}

/// Returns the games with the highest mean ratings, numbered through all archives.
fn strongest(archives: &ArchiveSet, all: &[Games], most: usize) -> Result<Vec<u64>, Failure> {
    // This list of sort keys is valid.
    let Ok(keys) = scoresheet_query::SortKeys::parse("-avgelo") else { return Ok(Vec::new()) };
    let columns: Vec<&TagColumns> = all.iter().map(|selection| selection.columns() as &TagColumns).collect();
    let games: Vec<(usize, u64)> = all
        .iter()
        .enumerate()
        .flat_map(|(index, selection)| selection.games.iter().map(move |game| (index, game)))
        .collect();
    let (order, _) = keys.order(&columns, &games, most);
    let before: Vec<u64> = archives.members().iter().map(Member::before).collect();
    let number = |at: usize| {
        let (index, game) = games.get(at)?;
        Some(before.get(*index)? + game)
    };
    Ok(order.into_iter().filter_map(number).collect())
}
