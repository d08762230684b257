//! What `scoresheet find` prints of the games it has found.

use crate::failure::{self, Code, Failure};
use crate::out::formats;
use crate::out::game_line::{self, Style};
use crate::out::heading::Heading;
use crate::out::json::Object;
use crate::select::{archives, parallel};
use crate::session::Session;
use crate::text::printable;
use clap::ValueEnum;
use scoresheet::archive::{ArchiveSet, GameRef};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::error::Error;
use scoresheet::pgn::PgnWriter;
use scoresheet::query::Hit;
use std::io::Write;
use std::ops::Range;

/// How the games found are printed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum Format {
    /// One line per game: number, ply, players, result, date, ECO code, plies, event
    #[default]
    Line,
    /// The numbers of the games, one per line
    Numbers,
    /// Game and ply, e.g. 7:20, one per line: what `scoresheet fen` reads
    Pairs,
    /// The games as PGN
    Pgn,
    /// The position of each hit as FEN, with its move counters
    Fen,
    /// One JSON object per game
    Json,
    /// Comma-separated values with a header line
    Csv,
}

/// A game found.
pub struct Place {
    /// The archive's place among those searched, and the game's number in it.
    pub game: (usize, u64),
    /// Where its hits are among those of the archive.
    pub hits: Range<usize>,
}

/// Prints the games found; `failed` others could not be read.
pub fn print(
    session: &Session,
    format: Format,
    archives: &ArchiveSet,
    places: &[Place],
    hits: &[Vec<Hit>],
    mut failed: u64,
) -> Result<Code, Failure> {
    let mut out = session.stdout();
    // Aligned for people, separated by tabs for programs.
    let style = if session.is_terminal() { Style::Columns } else { Style::Tabs };
    let names: Vec<Option<String>> =
        archives.archives().iter().map(|archive| archives::name_in(archives, archive)).collect();
    if format == Format::Csv {
        out.write_all(if names.len() > 1 { b"archive," } else { b"" })?;
        out.write_all(b"game,ply,white,black,result,date,eco,plies,event\n")?;
    }
    let games: Vec<(usize, u64)> = places.iter().map(|place| place.game).collect();
    let work = |number: usize, game: Result<GameRef, Error>| {
        let mut text = Vec::new();
        let place = places.get(number);
        let name = place.and_then(|place| names.get(place.game.0)).and_then(Option::as_deref);
        let hits = place.and_then(|place| hits.get(place.game.0)?.get(place.hits.clone())).unwrap_or_default();
        match game.and_then(|game| push(format, style, name, &game, hits, &mut text)) {
            Ok(()) => Ok(text),
            Err(error) => Err(archives::fault(name, &error)),
        }
    };
    parallel::in_any_order(archives, &games, work, |text| {
        match text {
            Ok(text) => out.write_all(&text)?,
            Err(fault) => {
                session.message(&fault);
                failed += 1;
            }
        }
        Ok(())
    })?;
    out.flush()?;
    failure::all_read(failed)
}

/// Appends what is printed of a game, with the archive's name if one is given.
fn push(
    format: Format,
    style: Style,
    name: Option<&str>,
    game: &GameRef,
    hits: &[Hit],
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let plies: Vec<String> =
        hits.iter().map(|hit| format!("{}{}", hit.ply, if hit.variation { "v" } else { "" })).collect();
    let number = game.number();
    let before = name.map_or_else(String::new, |name| format!("{}\t", printable(name)));
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
            let mut line = String::new();
            game_line::push_line(game, Some(&plies.join(",")), style, &mut line)?;
            game_line::push_name(name, style, 0, &mut line);
            out.extend_from_slice(line.as_bytes());
        }
        Format::Json => {
            let heading = Heading::of(game)?;
            let hits: Vec<Object> =
                hits.iter().map(|hit| Object::new().with("ply", hit.ply).with("variation", hit.variation)).collect();
            let mut line = format!("{}\n", game_line::object(game, &heading).array("hits", &hits));
            game_line::push_name(name, Style::Json, 0, &mut line);
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
