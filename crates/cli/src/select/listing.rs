//! Games listed: in which order, how many, which columns, in what form. `list` and `find` share it.

use crate::failure::Failure;
use crate::output::game_table::{self, Column, Columns};
use crate::output::heading::Heading;
use crate::output::table::Table;
use crate::output::{formats, new_archive};
use crate::select::filter::Where;
use crate::select::{archives, filter, parallel, side_files};
use crate::session::Session;
use crate::text::{plain, printable};
use clap::ValueEnum;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{Archive, ArchiveSet, GameRef, GameSet};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::error::Error;
use scoresheet::pgn::PgnWriter;
use scoresheet::query::{Hit, SortKeys, TagColumns};
use std::io::{BufWriter, Stdout, Write};
use std::ops::Range;
use std::path::PathBuf;

/// How games are listed.
#[derive(Debug, clap::Args)]
pub struct Listing {
    /// Sort by these fields (scoresheet help query), e.g. -elo,date or -plies; - sorts in descending order, and games
    /// without the field come last. With -o the games keep their archive order: --sort then only chooses which of them
    /// --limit takes
    #[arg(long, value_name = "KEY,..", allow_hyphen_values = true)]
    pub sort: Option<SortKeys>,
    /// At most this many games
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Skip this many games first
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub offset: u64,
    /// Print only the number of games
    #[arg(long, conflicts_with_all = ["format", "limit", "offset", "output", "json"])]
    pub count: bool,
    /// The columns: fields (scoresheet help query), and tags in quotation marks, e.g. 'white,whiteelo,accuracy,"My tag"'
    #[arg(long, value_name = "FIELD,..")]
    columns: Option<Columns>,
    /// What to print. Default: a table on a terminal, otherwise tabs without a header line
    #[arg(long, value_name = "FORMAT", value_enum, hide_default_value = true)]
    format: Option<Format>,
    /// Print one JSON object per game (docs/JSON.md): --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write the games to a new archive instead of printing them; they are copied as stored
    #[arg(short, long, value_name = "FILE.bga", conflicts_with_all = ["format", "json", "columns"])]
    output: Option<PathBuf>,
    /// Replace that file if it already exists and is an archive
    #[arg(long, requires = "output")]
    force: bool,
    /// Report on standard error how the games were found, how many remained after each step, and what the filter says
    /// of games without a value
    #[arg(long)]
    pub explain: bool,
}

/// How games are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// A table as wide as the terminal; the least useful columns are cut first
    Table,
    /// Comma-separated values with a header line
    Csv,
    /// Values separated by tabs with a header line
    Tsv,
    /// One JSON object per game
    Json,
    /// The numbers of the games, one per line
    Numbers,
    /// Game and ply, e.g. 7:20, one per line: what `scoresheet fen` reads
    Pairs,
    /// The games as PGN
    Pgn,
    /// The position of each hit as FEN, with its move counters; of games that were not searched the last one
    Fen,
    /// Values separated by tabs, without a header line
    #[value(hide = true)]
    Line,
}

/// A game of a listing.
#[derive(Clone, Debug)]
pub struct Place {
    /// The archive's place among those searched, and the game's number in it.
    pub game: (usize, u64),
    /// Where its hits are among those of the archive.
    pub hits: Range<usize>,
}

impl Listing {
    /// Returns the archive to be written, if one is asked for.
    pub fn target(&self, archives: &ArchiveSet) -> Result<Option<scoresheet::output::Target>, Failure> {
        let paths = archives.archives().iter().map(Archive::path);
        self.output.as_deref().map(|path| new_archive::target(paths, path, self.force)).transpose()
    }

    /// Returns whether hits are named by plies of the main line alone.
    pub fn names_plies(&self) -> bool {
        matches!(self.format, Some(Format::Pairs | Format::Fen))
    }

    /// Returns the most games that are listed, and how many are skipped before them.
    pub fn span(&self) -> (usize, usize) {
        let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        (self.limit.map_or(usize::MAX, whole), whole(self.offset))
    }

    /// Returns the places in order, and how many games have tags that could not be read for it.
    pub fn sorted(&self, session: &Session, archives: &ArchiveSet, places: Vec<Place>) -> (Vec<Place>, u64) {
        let (limit, offset) = self.span();
        let Some(keys) = &self.sort else { return (places, 0) };
        let tags: Vec<TagColumns> = archives.archives().iter().map(TagColumns::of).collect();
        let games: Vec<(usize, u64)> = places.iter().map(|place| place.game).collect();
        let (order, unread) = keys.order(&tags, &games, limit.saturating_add(offset));
        tags.iter().for_each(|columns| side_files::report_columns(session, columns));
        let mut lost = 0;
        for (number, unread) in unread {
            let archive = archives.archives().get(number);
            lost += archive.map_or(0, |archive| filter::report_unread(session, archive, &[unread]));
        }
        let sorted = order.into_iter().filter_map(|place| places.get(place).cloned()).collect();
        (sorted, lost)
    }

    /// Prints a filter's explanation, if it is asked for.
    pub fn explain_filter(&self, session: &Session, archive: &Archive, filter: &Where) {
        if self.explain {
            filter.explain(session, archive);
        }
    }
}

/// Returns the parts of a new archive that has these games.
pub fn parts<'a>(archives: &'a ArchiveSet, places: &[Place]) -> Vec<Part<'a>> {
    let mut sets: Vec<GameSet> = archives.archives().iter().map(|archive| GameSet::new(archive.len())).collect();
    for (archive, game) in places.iter().map(|place| place.game) {
        if let Some(set) = sets.get_mut(archive) {
            set.insert(game);
        }
    }
    archives.archives().iter().zip(sets).map(|(archive, games)| Part { archive, games }).collect()
}

/// What games are printed on.
pub struct Printer<'a> {
    session: &'a Session,
    archives: &'a ArchiveSet,
    names: Vec<Option<String>>,
    columns: Vec<Column>,
    /// Whether the columns were asked for.
    asked: bool,
    format: Format,
    /// Whether games were searched, so that they have hits.
    has_hits: bool,
    table: Table,
    out: BufWriter<Stdout>,
    /// Games that could not be read.
    failed: u64,
}

/// Stands between the cells of a row on its way to the table; no cell has it.
const CELL: char = '\0';

impl<'a> Printer<'a> {
    /// Returns a printer, its header line written.
    pub fn new(
        session: &'a Session,
        archives: &'a ArchiveSet,
        listing: &Listing,
        has_hits: bool,
    ) -> Result<Printer<'a>, Failure> {
        let names: Vec<Option<String>> =
            archives.archives().iter().map(|archive| archives::name_in(archives, archive)).collect();
        let format = match listing.format {
            _ if listing.json => Format::Json,
            Some(format) => format,
            None if session.is_terminal() => Format::Table,
            None => Format::Line,
        };
        let asked = listing.columns.is_some();
        let columns = game_table::columns(listing.columns.as_ref(), names.len() > 1, has_hits);
        let in_table = columns.iter().enumerate().map(|(place, column)| column.in_table(place, !asked));
        let table = Table::new(in_table.collect(), session.table_width());
        let mut out = session.stdout();
        let titles: Vec<String> = columns.iter().map(|column| column.title().to_owned()).collect();
        match format {
            Format::Csv => {
                let titles: Vec<String> = titles.iter().map(|title| formats::csv(title)).collect();
                writeln!(out, "{}", titles.join(","))?;
            }
            Format::Tsv => {
                writeln!(out, "{}", titles.iter().map(|title| plain(title)).collect::<Vec<_>>().join("\t"))?;
            }
            _ => {}
        }
        Ok(Printer { session, archives, names, columns, asked, format, has_hits, table, out, failed: 0 })
    }

    /// Prints games, whose hits are those of their archive in `hits`.
    pub fn games(&mut self, places: &[Place], hits: &[Vec<Hit>]) -> Result<(), Failure> {
        let games: Vec<(usize, u64)> = places.iter().map(|place| place.game).collect();
        let Printer { session, archives, names, columns, asked, format, has_hits, table, out, failed } = self;
        let row = Row { columns, asked: *asked, format: *format, has_hits: *has_hits };
        let work = |number: usize, game: Result<GameRef, Error>| {
            let mut text = Vec::new();
            let place = places.get(number);
            let name = place.and_then(|place| names.get(place.game.0)).and_then(Option::as_deref);
            let hits = place.and_then(|place| hits.get(place.game.0)?.get(place.hits.clone())).unwrap_or_default();
            match game.and_then(|game| row.push(name, &game, hits, &mut text)) {
                Ok(()) => Ok(text),
                Err(error) => Err(archives::fault(name, &error)),
            }
        };
        parallel::in_any_order(archives, &games, work, |text| {
            match text {
                Ok(text) if *format == Format::Table => {
                    let text = String::from_utf8_lossy(&text);
                    table.row(text.split(CELL).map(str::to_owned).collect(), out)?;
                }
                Ok(text) => out.write_all(&text)?,
                Err(fault) => {
                    session.unread(&fault);
                    *failed += 1;
                }
            }
            Ok(())
        })
    }

    /// Writes what is left; returns how many games could not be read.
    pub fn finish(mut self) -> Result<u64, Failure> {
        self.table.finish(&mut self.out)?;
        self.out.flush()?;
        Ok(self.failed)
    }
}

/// How a game becomes a row.
struct Row<'a> {
    columns: &'a [Column],
    asked: bool,
    format: Format,
    has_hits: bool,
}

impl Row<'_> {
    fn push(&self, name: Option<&str>, game: &GameRef, hits: &[Hit], out: &mut Vec<u8>) -> Result<(), Error> {
        let number = game.number();
        let before = name.map_or_else(String::new, |name| format!("{}\t", printable(name)));
        let cells = || -> Result<Vec<Option<String>>, Error> {
            let heading = Heading::of(game)?;
            self.columns.iter().map(|column| column.text(game, &heading, name, hits)).collect()
        };
        let line = match self.format {
            Format::Numbers => format!("{before}{number}\n"),
            Format::Pairs if self.has_hits => {
                let pairs = hits.iter().filter(|hit| !hit.variation);
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
                let of_hits = hits.iter().filter(|hit| !hit.variation).map(|hit| hit.ply);
                let last = (!self.has_hits).then(|| game.plies());
                for ply in of_hits.chain(last) {
                    game.position(ply)?.write_fen(out, EnPassantStyle::Always, CastlingStyle::XFen);
                    out.push(b'\n');
                }
                return Ok(());
            }
            Format::Json => {
                let heading = Heading::of(game)?;
                let hits = self.has_hits.then_some(hits);
                format!("{}\n", game_table::json(self.asked, self.columns, game, &heading, name, hits)?)
            }
            Format::Csv => {
                let cells = cells()?.into_iter().map(|cell| formats::csv(&cell.unwrap_or_default()));
                format!("{}\n", cells.collect::<Vec<_>>().join(","))
            }
            Format::Table | Format::Line | Format::Tsv => {
                let cell = |cell: Option<String>| plain(cell.as_deref().unwrap_or("?"));
                let cells: Vec<String> = cells()?.into_iter().map(cell).collect();
                match self.format {
                    Format::Table => cells.join(&CELL.to_string()),
                    _ => format!("{}\n", cells.join("\t")),
                }
            }
        };
        out.extend_from_slice(line.as_bytes());
        Ok(())
    }
}
