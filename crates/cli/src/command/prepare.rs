//! `scoresheet prepare`: writes a sheet for a game against a player.

use crate::completion;
use crate::failure::{self, Code, Failure};
use crate::output::json::Object;
use crate::output::quiet::Quiet;
use crate::output::sheet::Sheet;
use crate::output::{game_table, group_table, html, new_file, progress};
use crate::select::filter::{self, Where};
use crate::select::grouped::Games;
use crate::select::{archives, players, repertoire, side_files};
use crate::session::Session;
use crate::threads::Threads;
use scoresheet::chess::Color;
use scoresheet_output::Outputs;
use scoresheet_query::ArchiveSet;
use scoresheet_query::report::groups::{Group, PlayerGames};
use scoresheet_query::report::preparation::{Preparation, PreparationOptions, TreeMove, line_texts};
use std::io::Write;
use std::path::PathBuf;

/// Prepare for a game against a player: a sheet to print or read
///
/// The sheet is one HTML file without scripts. It shows the player's openings with both colors as trees with boards,
/// results by opening and by strength of the opponent, recent games, clocks, endings, and novelties if the archive has a
/// position index (`scoresheet index`). With --white or --black, it also shows what your repertoire has against these
/// games, and the player's moves that it does not answer.
///
/// The name is read as by `player`. A tree shows the most frequent moves; positions count, whatever moves lead to them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet prepare games.bga \"Carlsen, Magnus\" -o carlsen.html
  scoresheet prepare games.bga carlsen -o carlsen.html --where 'year >= 2020'
  scoresheet prepare games.bga Carlsen -o carlsen.html --white mine.pgn
  scoresheet prepare games.bga Carlsen --json")]
pub struct Args {
    /// One or more archives, or folders of archives, counted together
    #[arg(required = true, add = completion::files_and_players())]
    archives: Vec<PathBuf>,
    /// The player's name, or a part of the name
    #[arg(value_name = "NAME")]
    name: String,
    /// The HTML file to write
    #[arg(short, long, value_name = "FILE.html", required_unless_present = "json")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,
    /// Your repertoire with White, a PGN file or an archive
    #[arg(long, value_name = "FILE")]
    white: Option<PathBuf>,
    /// Your repertoire with Black, a PGN file or an archive
    #[arg(long, value_name = "FILE")]
    black: Option<PathBuf>,
    #[command(flatten)]
    filter: Where,
    /// Limit the moves of each tree
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "N", default_value_t = PreparationOptions::default().moves)]
    moves: usize,
    /// Limit the rows of each list
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "N", default_value_t = PreparationOptions::default().rows)]
    limit: usize,
    /// Print JSON instead
    #[arg(long, conflicts_with = "output", help_heading = "Output")]
    json: bool,
    #[command(flatten)]
    quiet: Quiet,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    args.quiet.apply(session);
    let archives = args.filter.open(session, &args.archives)?;
    let mut outputs = Outputs::from_archives(archives.archives());
    let target = html::target(args.output.as_deref(), args.force, &mut outputs)?;
    args.threads.install(|| {
        let mut repertoires = Vec::new();
        for (color, path) in [(Color::White, &args.white), (Color::Black, &args.black)] {
            if let Some(path) = path {
                repertoires.push(repertoire::read(session, path, color, args.filter.rules_or_chess())?);
            }
        }
        let (mut all, mut failed) = Games::chosen(session, &archives, &args.filter)?;
        let chosen = players::choose(session, &mut all, &args.name, &args.filter, &mut failed)?;
        let games: Vec<PlayerGames> = all.iter().filter_map(|selection| selection.player.clone()).collect();
        let options = PreparationOptions { moves: args.moves, rows: args.limit, ..PreparationOptions::default() };
        let work = || Preparation::new(&archives, &games, &repertoires, &options);
        let report = progress::waiting(session, work);
        let report = report.map_err(|error| players::failure(&archives, error))?;
        let failed = failed + filter::report_lost(session, &archives, &report.unread);
        side_files::report_searches(session, &archives);
        let Some(target) = &target else {
            let mut out = session.stdout();
            writeln!(out, "{}", json(&archives, &report)?)?;
            out.flush()?;
            return failure::all_read(failed);
        };
        players::report(session, &chosen, &args.name);
        let archives_text = archives::names(&args.archives);
        let colors = repertoires.iter().map(|repertoire| repertoire.color()).collect();
        let sheet = Sheet {
            archives: &archives,
            report: &report,
            source: &archives_text,
            filter: args.filter.text(),
            repertoires: colors,
        };
        let html = sheet.html()?;
        new_file::write(target, |file| Ok(file.write_all(html.as_bytes())?))?;
        let games = report.player.all().games;
        html::report(session, target, games);
        failure::all_read(failed)
    })
}

fn json(archives: &ArchiveSet, report: &Preparation) -> Result<Object, Failure> {
    let list = |groups: &[Group], title: &str| {
        groups.iter().map(|group| group_table::json(group, &[title])).collect::<Vec<_>>()
    };
    let moves = |tree: &[TreeMove]| {
        let row = |(played, line): (&TreeMove, String)| {
            Object::new()
                .with("line", line)
                .with("fen", played.before.fen())
                .with("move", played.before.san(played.m))
                .joined(&group_table::points(&played.points))
                .with("last", played.is_last)
                .with("hole", played.is_hole)
        };
        tree.iter().zip(line_texts(tree)).map(row).collect::<Vec<_>>()
    };
    let game = |(index, number): (usize, u64)| -> Result<Object, Failure> {
        let Some(archive) = archives.archive(index) else { return Ok(Object::new()) };
        let name = archives::name_in(archives, archive);
        Ok(game_table::object(&archive.game(number)?, name.as_deref())?)
    };
    let games = |games: &[(usize, u64)]| games.iter().map(|found| game(*found)).collect::<Result<Vec<_>, _>>();
    let clocks = report.clocks.iter().map(|clocks| {
        let after = clocks.after.iter().map(|after| {
            Object::new()
                .with("move", after.number)
                .with("games", after.games)
                .with("player", after.player.as_secs())
                .with("opponents", after.opponents.as_secs())
        });
        Object::new()
            .with("speed", clocks.speed)
            .with("games", clocks.games)
            .array("after", &after.collect::<Vec<_>>())
            .object("low", &group_table::points(&clocks.low))
    });
    let clocks: Vec<Object> = clocks.collect();
    let name = report.player.names.first().map_or("", |(name, _)| name.as_str());
    let object = Object::new()
        .with("name", name)
        .object("results", &group_table::points(&report.player.all()))
        .object("white", &group_table::points(&report.player.sides[0]))
        .object("black", &group_table::points(&report.player.sides[1]))
        .array("openings_with_white", &list(&report.player.openings[0], "opening"))
        .array("openings_with_black", &list(&report.player.openings[1], "opening"))
        .array("tree_with_white", &moves(&report.trees[0]))
        .array("tree_with_black", &moves(&report.trees[1]))
        .array("answers_with_black", &moves(&report.answers[0]))
        .array("answers_with_white", &moves(&report.answers[1]))
        .array("strengths", &list(&report.strengths, "rating_band"))
        .array("recent", &games(&report.recent)?)
        .array("clocks", &clocks)
        .array("endings", &list(&report.endings, "ending"))
        .array("best_wins", &games(&report.player.best_wins)?)
        .array("worst_losses", &games(&report.player.worst_losses)?);
    let Some(novelties) = &report.novelties else { return Ok(object) };
    let rows = novelties
        .iter()
        .map(|novelty| Ok(game(novelty.game)?.with("ply", novelty.ply).with("move", novelty.before.san(novelty.m))));
    Ok(object.array("novelties", &rows.collect::<Result<Vec<Object>, Failure>>()?))
}
