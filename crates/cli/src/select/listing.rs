//! Lists games for `list` and `find`: order, number, columns and format.

use crate::completion;
use crate::failure::{self, Code, Failure};
use crate::output::game_table::{self, Column, Columns};
use crate::output::table::{self, Table};
use crate::output::upkeep::Upkeep;
use crate::output::{new_archive, progress, rows};
use crate::select::fields::named_fields;
use crate::select::filter::Where;
use crate::select::{archives, filter, side_files};
use crate::session::Session;
use crate::text::{count, plain, printable, shown};
use clap::ValueEnum;
use scoresheet::Monitor;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::error::Error;
use scoresheet::pgn::PgnWriter;
use scoresheet_output::games::write_in_order;
use scoresheet_query::ArchiveSet;
use scoresheet_query::filter::Missing;
use scoresheet_query::{FoundGame, Hit, Query, SortKeys, Step};
use std::io::{BufWriter, Stdout, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The options for listing games.
#[derive(Debug, clap::Args)]
pub struct Listing {
    /// Sort by these fields, e.g. -elo,date
    ///
    /// A - before a field sorts in descending order. Games without the field come last. With -o, the games keep their
    /// order in the archive; --sort then only determines which games --limit selects. `scoresheet help query` lists the
    /// fields.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "KEY,..", allow_hyphen_values = true, value_parser = named_fields::<SortKeys>(), hide_possible_values = true)]
    #[arg(add = completion::fields())]
    sort: Option<SortKeys>,
    /// Limit the number of games
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Skip the first N games
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: u64,
    /// Print only the number of games
    #[arg(help_heading = "Output")]
    #[arg(long, conflicts_with_all = ["format", "limit", "offset", "output", "json"])]
    count: bool,
    /// Print these fields, and tags in quotation marks
    ///
    /// Fields (`scoresheet help query`) and tags in quotation marks, separated by commas: 'white,whiteelo,accuracy,"My
    /// tag"'. The plies that a search found are `ply`, and the name of the archive is `archive`, which is the first
    /// column if there are several archives.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FIELD,..", value_parser = named_fields::<Columns>(), hide_possible_values = true)]
    #[arg(add = completion::fields())]
    columns: Option<Columns>,
    /// Output format [default: table, or line if piped]
    ///
    /// The default on a terminal is a table. Other output contains values separated by tabs, without a header line.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FORMAT", value_enum, hide_default_value = true)]
    format: Option<Format>,
    /// Print one JSON object per game
    #[arg(help_heading = "Output")]
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Copy the games to a new archive
    ///
    /// `list` and `find` copy the games as stored, and do not print them.
    #[arg(help_heading = "Output")]
    #[arg(short, long, value_name = "FILE.bga", conflicts_with_all = ["format", "json", "columns"])]
    output: Option<PathBuf>,
    /// Replace an existing archive at -o
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    upkeep: Upkeep,
    /// Report on standard error how games were found
    ///
    /// Report the number of games after each step, and the treatment of games without a value in the filter.
    #[arg(hide_short_help = true)]
    #[arg(help_heading = "Output")]
    #[arg(long)]
    explain: bool,
    /// Print no progress, and no notes about games that are not found
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(short, long)]
    quiet: bool,
    /// Exit with code 1 if no game matches, like grep [default: 0]
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long)]
    exit_status: bool,
}

/// The formats of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// A table that fits the terminal; the least useful columns are cut first
    Table,
    /// Comma-separated values with a header line
    Csv,
    /// Values separated by tabs with a header line
    Tsv,
    /// One JSON object per game
    Json,
    /// The game numbers, one per line
    Numbers,
    /// Game and ply, e.g. 7:20, one per line: the input of `scoresheet fen`
    Pairs,
    /// The games as PGN
    Pgn,
    /// The position of each hit as FEN, with move counters; without a search, the last position of each game
    Fen,
    /// Values separated by tabs, without a header line
    #[value(hide = true)]
    Line,
}

impl Listing {
    /// Returns whether the format identifies hits only by plies of the main line.
    pub fn names_plies(&self) -> bool {
        matches!(self.format, Some(Format::Pairs | Format::Fen))
    }

    /// Returns the exit code; with `--exit-status`, the code for an empty result is a failure.
    fn status(&self, is_none: bool, code: Code) -> Code {
        if self.exit_status && is_none && code == Code::Success { Code::Failed } else { code }
    }

    /// Refuses a query on novelties without a position index, and reports columns that have no values without it.
    fn check_index(&self, session: &Session, archives: &ArchiveSet, query: &Query) -> Result<(), Failure> {
        for member in archives.members() {
            if let Some(error) = query.missing_index(member.columns()) {
                return Err(Failure::Message(format!("{}: {error}", shown(member.archive().path()))));
            }
            let columns = self.columns.iter().filter(|_| !self.quiet);
            if let Some(error) = columns.filter_map(|columns| columns.missing_index(member.archive())).next() {
                session.message(&format!("{}: {error}", shown(member.archive().path())));
            }
        }
        Ok(())
    }

    /// Runs a query restricted by `filter`, and lists, counts or copies its games. Calls `none` to report an empty
    /// result.
    pub fn run(
        &self,
        session: &Session,
        archives: &ArchiveSet,
        filter: &Where,
        query: Query,
        none: impl FnOnce(),
    ) -> Result<Code, Failure> {
        let paths = archives.archives().map(Archive::path);
        let target = self.output.as_deref().map(|path| new_archive::target(paths, path, self.force)).transpose()?;
        let mut query = match &self.sort {
            Some(keys) => query.sort(keys.clone()),
            None => query,
        };
        if self.limit.is_some() {
            query = query.limit(self.limit);
        }
        if self.offset > 0 {
            query = query.offset(self.offset);
        }
        self.check_index(session, archives, &query)?;
        let started = Instant::now();
        let searched = AtomicU64::new(0);
        let monitor = Monitor::new().on_progress(|games| _ = searched.fetch_add(games, Ordering::Relaxed));
        let mut found = query.run_monitored(archives, &monitor);
        let mut printer = match (self.count, &target) {
            (false, None) => Some(Printer::new(session, archives, self, query.has_hits())?),
            _ => None,
        };
        let (mut games, mut sets) =
            (0, archives.archives().map(|archive| GameSet::new(archive.len())).collect::<Vec<_>>());
        if self.count {
            games = progress::searching(session, !self.quiet, &searched, || found.total())?;
        } else {
            let mut next = || progress::searching(session, !self.quiet, &searched, || found.next_batch());
            while let Some(batch) = next()? {
                games += batch.len() as u64;
                match &mut printer {
                    Some(printer) => printer.games(&batch)?,
                    None => batch.iter().for_each(|found| {
                        sets.get_mut(found.archive).map(|set| set.insert(found.game));
                    }),
                }
            }
        }
        if let Some(printer) = &mut printer {
            printer.end()?;
        }
        let mut failed = filter::report_lost(session, archives, found.unread());
        side_files::report_all(session, archives);
        if !self.quiet {
            for Missing { field, games } in found.missing() {
                let verb = if *games == 1 { "has" } else { "have" };
                session.message(&format!("{} {verb} no {field}: these come last", count(*games, "game", "games")));
            }
        }
        if self.explain {
            for (member, steps) in archives.members().iter().zip(found.steps()) {
                archives::name_in(archives, member.archive()).iter().for_each(|name| session.note(name));
                if query.has_hits() {
                    let line = |step: &Step| format!("{:<16} {}", step.what, count(step.games, "game", "games"));
                    steps.iter().for_each(|step| session.note(&line(step)));
                }
                filter.explain(session, member.columns());
            }
            session.note(&format!("{:<16} {:.1} ms", "time", started.elapsed().as_secs_f64() * 1e3));
        }
        // Offset and limit can leave a page without games, although games match.
        let (offset, limit) = (query.get_offset(), query.get_limit());
        let is_page = offset > 0 || limit == Some(0);
        let is_none = games == 0 && (!is_page || query.clone().offset(0).limit(None).run(archives).total()? == 0);
        if is_none && !self.count && !self.quiet {
            none();
        } else if games == 0 && offset > 0 && !self.quiet {
            let what = if self.offset > 0 { "--offset" } else { "the offset" };
            session.message(&format!("{what} skips all games that match"));
        }
        if self.count {
            let mut out = session.stdout();
            writeln!(out, "{games}")?;
            out.flush()?;
        }
        if let Some(target) = &target {
            let parts = archives.archives().zip(sets).map(|(archive, games)| Part { archive, games });
            let written =
                new_archive::write_part(session, target, self.quiet, self.upkeep, &parts.collect::<Vec<_>>(), failed)?;
            return Ok(self.status(is_none, written));
        }
        failed += printer.map_or(0, |printer| printer.failed);
        Ok(self.status(is_none, failure::all_read(failed)?))
    }
}

/// Writes the found games in the chosen format.
struct Printer<'a> {
    session: &'a Session,
    archives: &'a ArchiveSet,
    names: Vec<Option<String>>,
    columns: Vec<Column>,
    /// Whether columns were chosen.
    has_columns: bool,
    format: Format,
    /// Whether the query has conditions on the board or in comments, so each game has hits.
    has_hits: bool,
    table: Table,
    out: BufWriter<Stdout>,
    /// The number of games that could not be read.
    failed: u64,
}

/// The separator of a row's cells until the table formats the row; cells never contain it.
const CELL: u8 = b'\0';

impl<'a> Printer<'a> {
    /// Returns a printer that has written its header line.
    fn new(
        session: &'a Session,
        archives: &'a ArchiveSet,
        listing: &Listing,
        has_hits: bool,
    ) -> Result<Printer<'a>, Failure> {
        let names: Vec<Option<String>> =
            archives.archives().map(|archive| archives::name_in(archives, archive)).collect();
        let format = match listing.format {
            _ if listing.json => Format::Json,
            Some(format) => format,
            None if session.is_terminal() => Format::Table,
            None => Format::Line,
        };
        let has_columns = listing.columns.is_some();
        let columns = game_table::columns(listing.columns.as_ref(), names.len() > 1, has_hits);
        let in_table =
            columns.iter().enumerate().map(|(index, column)| table::Column::of_games(column, index, !has_columns));
        let table = Table::new(in_table.collect(), session.table_width()).bold_titles(session.has_color());
        let mut out = session.stdout();
        let titles: Vec<String> = columns.iter().map(|column| column.title().to_owned()).collect();
        match format {
            Format::Csv => {
                out.write_all(rows::csv_line(&titles).as_bytes())?;
            }
            Format::Tsv => {
                writeln!(out, "{}", titles.iter().map(|title| plain(title)).collect::<Vec<_>>().join("\t"))?;
            }
            _ => {}
        }
        Ok(Printer { session, archives, names, columns, has_columns, format, has_hits, table, out, failed: 0 })
    }

    /// Prints games.
    fn games(&mut self, found: &[FoundGame]) -> Result<(), Failure> {
        let Printer { session, archives, names, columns, has_columns, format, has_hits, table, out, failed } = self;
        let row = Row { columns, has_columns: *has_columns, format: *format, has_hits: *has_hits };
        let name = |index: usize| {
            let archive = found.get(index).map_or(0, |found_game| found_game.archive);
            names.get(archive).and_then(Option::as_deref)
        };
        let places: Vec<_> = found.iter().map(|found_game| (found_game.archive, found_game.game)).collect();
        let write = |index: usize, game: &GameRef, text: &mut Vec<u8>| {
            let hits = found.get(index).map_or(&[] as &[Hit], |found_game| &found_game.hits);
            row.push(name(index), game, hits, text)
        };
        let mut index = 0;
        write_in_order(archives, &places, &write, |text, fault| {
            if *format == Format::Table && !text.is_empty() {
                let text = String::from_utf8_lossy(&text);
                table.row(text.split(char::from(CELL)).map(str::to_owned).collect(), out)?;
            } else {
                out.write_all(&text)?;
            }
            let archive = places.get(index).and_then(|(archive, _)| archives.archive(*archive));
            archive.zip(fault.as_ref()).iter().for_each(|(of, fault)| session.unread(&archives::fault(of, fault)));
            *failed += u64::from(fault.is_some());
            index += 1;
            Ok(())
        })
    }

    /// Writes the buffered text.
    fn end(&mut self) -> Result<(), Failure> {
        self.table.finish(&mut self.out)?;
        Ok(self.out.flush()?)
    }
}

/// Converts games to rows.
struct Row<'a> {
    columns: &'a [Column],
    has_columns: bool,
    format: Format,
    has_hits: bool,
}

impl Row<'_> {
    fn push(&self, name: Option<&str>, game: &GameRef, hits: &[Hit], out: &mut Vec<u8>) -> Result<(), Error> {
        let number = game.number();
        let before = name.map_or_else(String::new, |name| format!("{}\t", printable(name)));
        let line = match self.format {
            Format::Numbers => format!("{before}{number}\n"),
            Format::Pairs if self.has_hits => {
                let pairs = hits.iter().filter(|hit| hit.is_main_line());
                pairs.map(|hit| format!("{before}{number}:{}\n", hit.ply)).collect()
            }
            Format::Pairs => format!("{before}{number}:{}\n", game.plies()),
            Format::Pgn => {
                let mut writer = PgnWriter::new();
                game.write_pgn(&mut writer)?;
                out.extend_from_slice(writer.as_bytes());
                return Ok(());
            }
            Format::Fen => {
                let of_hits = hits.iter().filter(|hit| hit.is_main_line()).map(|hit| hit.ply);
                let last = (!self.has_hits).then(|| game.plies());
                for ply in of_hits.chain(last) {
                    game.position(ply)?.write_fen(out, EnPassantStyle::Always, CastlingStyle::XFen);
                    out.push(b'\n');
                }
                return Ok(());
            }
            Format::Json => {
                let hits = self.has_hits.then_some(hits);
                format!("{}\n", game_table::json(self.has_columns, self.columns, game, name, hits)?)
            }
            Format::Csv => {
                game_table::push_csv(self.columns, game, name, hits, out)?;
                "\n".to_owned()
            }
            Format::Table => {
                game_table::push_plain(self.columns, game, name, hits, CELL, out)?;
                return Ok(());
            }
            Format::Line | Format::Tsv => {
                game_table::push_plain(self.columns, game, name, hits, b'\t', out)?;
                "\n".to_owned()
            }
        };
        out.extend_from_slice(line.as_bytes());
        Ok(())
    }
}
