//! `scoresheet stats --by`: counts games in groups.

use crate::failure::{self, Code, Failure};
use crate::output::group_table::{self, GroupSort};
use crate::output::rows::RowFormat;
use crate::select::filter::Where;
use crate::select::grouped::{Games, by_years, grouped};
use crate::select::{players, side_files};
use crate::session::Session;
use scoresheet_query::ArchiveSet;
use scoresheet_query::report::groups::{GroupKey, GroupKeys, Grouped, join_aliases};
use std::io::Write;

/// The options for groups of games.
#[derive(Debug, clap::Args)]
pub struct GroupArgs {
    /// Group games by one to three of these keys
    ///
    /// The keys are opening, family, eco, ecoclass, rating, opponentrating, year, month, weekday, timecontrol, speed,
    /// player, opponent, color, result, length, ending, mate and event. rating is the mean rating of both players, or
    /// the player's rating. length is in moves, and ending is the pieces of the last position. Points are White's points, or the
    /// points of the player in --player.
    #[arg(help_heading = "Groups")]
    #[arg(long, value_name = "KEY,..", group = "rows", conflicts_with = "report")]
    pub by: Option<GroupKeys>,
    /// Select games of this player, and count the player's points
    ///
    /// A part of the name suffices.
    #[arg(help_heading = "Groups")]
    // A requirement is waived if another option excludes --by.
    #[arg(long, value_name = "NAME", requires = "by", conflicts_with_all = ["count", "positions", "report"])]
    pub player: Option<String>,
    /// Sort groups by this
    ///
    /// By default, groups with a natural order, such as years, have that order. Other groups are sorted by number of
    /// games.
    #[arg(help_heading = "Groups")]
    #[arg(long, value_enum, requires = "by", conflicts_with_all = ["count", "positions", "report"])]
    pub sort: Option<GroupSort>,
    /// Show only groups of at least this many games
    #[arg(help_heading = "Groups")]
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true, requires = "by")]
    #[arg(conflicts_with_all = ["count", "positions", "report"])]
    pub min_games: u64,
    /// Output format of groups and of --positions
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, requires = "rows")]
    pub format: RowFormat,
}

/// A request for groups: the games to group, and the number of groups to show.
pub struct Choice<'a> {
    pub filter: &'a Where,
    pub limit: Option<usize>,
    pub json: bool,
}

/// Prints the groups. Call this after the thread pool has been installed.
pub fn run(
    args: &GroupArgs,
    keys: &GroupKeys,
    choice: &Choice,
    session: &Session,
    archives: &ArchiveSet,
) -> Result<Code, Failure> {
    let mut keys = keys.0.clone();
    if args.player.is_none()
        && let Some(key) = keys.iter().find(|key| key.needs_player())
    {
        return Err(Failure::Usage(format!("--by {} needs --player NAME", key.name())));
    }
    let format = if choice.json { RowFormat::Json } else { args.format };
    let (mut all, mut failed) = Games::chosen(session, archives, choice.filter)?;
    if all.iter().all(|selection| selection.games.is_empty()) {
        choice.filter.report_none(session, &archives.columns());
    }
    if let Some(name) = &args.player {
        let chosen = players::choose(session, &mut all, name, choice.filter, &mut failed)?;
        players::report(session, &chosen, name);
    }
    let titles: Vec<&str> = keys.iter().map(|key| key.title()).collect();
    let headings: Vec<&str> = keys.iter().map(|key| key.heading(args.player.is_some())).collect();
    // The maximum number of years that fit on a screen.
    let (Grouped { mut groups, missing, .. }, lost) = match keys.as_slice() {
        [GroupKey::Year] if format == RowFormat::Table => {
            let (found, key) = by_years(session, &all)?;
            keys = vec![key];
            (found, 0)
        }
        _ => grouped(session, &all, &keys)?,
    };
    side_files::report_searches(session, archives);
    failed += lost;
    if let Some(aliases) = choice.filter.aliases() {
        join_aliases(&mut groups, &keys, aliases);
    }
    let total = groups.len();
    groups.retain(|group| group.points.games >= args.min_games);
    group_table::sort(&mut groups, &keys, args.sort);
    let shown = match (choice.limit, format) {
        (Some(limit), _) => limit,
        // There are few ordered groups, so all are shown. Of other groups, the first groups are the most useful.
        (None, RowFormat::Table) if keys.len() > 1 || keys.iter().any(|key| !key.is_ordered()) => 20,
        (None, _) => usize::MAX,
    };
    let kept = groups.len();
    groups.truncate(shown);
    let text = match format {
        RowFormat::Table => {
            group_table::text(&groups, &headings, session.table_width())
                + &group_table::missing_text(&missing, &headings)
        }
        RowFormat::Csv => group_table::lines(&groups, &titles) + &group_table::missing_line(&missing, &titles),
        RowFormat::Json => {
            let lines = groups.iter().map(|group| format!("{}\n", group_table::json(group, &titles)));
            lines.collect::<String>() + &group_table::missing_json(&missing, &titles)
        }
    };
    let mut out = session.stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    if format == RowFormat::Table && kept > groups.len() && !session.is_silent() {
        session.note(&format!("{} of {total} groups; --limit shows more", groups.len()));
    }
    failure::all_read(failed)
}
