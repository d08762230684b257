//! `scoresheet show`: shows one game, and the board at a ply.

use crate::failure::{Code, Failure};
use crate::output::board;
use crate::output::json::Object;
use crate::output::{game_table, measures};
use crate::select::archives;
use crate::session::Session;
use crate::text::{beside, folded, number, printable, thousands};
use scoresheet::archive::GameRef;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::chess::{Color, Position, Variant};
use scoresheet::error::Error;
use scoresheet::game::Analysis;
use scoresheet::pgn::PgnWriter;
use scoresheet_query::GameSummary;
use scoresheet_query::measure::GameMeasures;
use scoresheet_query::openings::Openings;
use std::io::Write;
use std::path::PathBuf;

/// Show a game: players, result, the board at any ply, moves
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet show games.bga 7               game 7, its last position
  scoresheet show games.bga 7 --ply 20      after 20 half-moves
  scoresheet show games.bga 7:20            the same
  scoresheet show games.bga 7 --pgn         the complete game as PGN")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// The number of the game, from 1, e.g. 7 or 7:20
    ///
    /// A number after a colon is the ply to show.
    #[arg(value_name = "GAME[:PLY]", value_parser = game_and_ply)]
    game: (u64, Option<u32>),
    /// Show the position at this ply (half-move)
    ///
    /// Ply 0 is the starting position. The default is the last position.
    #[arg(long, value_name = "PLY", conflicts_with = "pgn")]
    ply: Option<u32>,
    /// Draw the board from Black's side
    #[arg(long, conflicts_with_all = ["pgn", "json"])]
    flip: bool,
    /// Draw the pieces as letters
    #[arg(long, conflicts_with_all = ["pgn", "json", "unicode"])]
    ascii: bool,
    /// Draw the pieces as chess symbols, on any terminal
    #[arg(long, conflicts_with_all = ["pgn", "json"])]
    unicode: bool,
    /// Print the game as PGN instead
    #[arg(long)]
    pgn: bool,
    /// Print one JSON object
    ///
    /// Tags are name and value pairs in their original order.
    #[arg(long, conflicts_with = "pgn")]
    json: bool,
}

/// Reads `7` or `7:20`.
fn game_and_ply(text: &str) -> Result<(u64, Option<u32>), String> {
    let what = "write a game's number from 1, e.g. 7, or game and ply, e.g. 7:20";
    let (game, ply) = match text.split_once(':') {
        Some((game, ply)) => (game, Some(ply)),
        None => (text, None),
    };
    let game = number(game.as_bytes()).filter(|_| !game.is_empty()).ok_or(what)?;
    let ply = ply.map(|ply| number(ply.as_bytes()).filter(|_| !ply.is_empty()).and_then(|ply| u32::try_from(ply).ok()));
    match ply {
        None => Ok((game, None)),
        Some(Some(ply)) => Ok((game, Some(ply))),
        Some(None) => Err(what.to_owned()),
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archive = archives::open(session, &args.archive)?;
    let (number, game_ply) = args.game;
    if let (Some(_), Some(_)) = (game_ply, args.ply) {
        return Err(Failure::Message("the ply is given twice: after the colon and with --ply".to_owned()));
    }
    let game = archive.game(number)?;
    let mut out = session.stdout();
    if args.pgn {
        let mut writer = PgnWriter::new();
        game.write_pgn(&mut writer)?;
        out.write_all(writer.as_bytes())?;
    } else {
        let plies = game.plies();
        let ply = game_ply.or(args.ply).unwrap_or(plies);
        let summary = GameSummary::from_game(&game)?;
        let shown = Shown {
            object: game_table::object(&game, None)?,
            opening: opening(&game, &summary)?,
            summary,
            measures: GameMeasures::from_game(&game)?,
            analysis: game.analysis()?,
            games: archive.len(),
            number,
            plies,
            ply,
            position: game.position_by_rules(ply)?,
            last: last_move(&game, ply)?,
            changed: game.is_changed(),
            moves: if args.json { String::new() } else { move_list(&game)? },
        };
        let text = if args.json { format!("{}\n", shown.json()) } else { shown.text(args, session) };
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(Code::Success)
}

/// Returns the opening's code and name from the tags, or from the table of positions if the tags are missing.
fn opening(game: &GameRef, summary: &GameSummary) -> Result<Option<String>, Error> {
    let found = Openings::table().classify(game)?;
    let eco = summary.tag("ECO").or(found.map(|(opening, _)| opening.eco));
    let words: Vec<&str> = eco.into_iter().chain(summary.opening()).collect();
    Ok((!words.is_empty()).then(|| words.join(" ")))
}

/// A move with its number, in SAN and in UCI.
struct Played {
    number: String,
    san: String,
    uci: String,
}

/// Returns the move that leads to `ply`.
fn last_move(game: &GameRef, ply: u32) -> Result<Option<Played>, Error> {
    let mut decoder = Decoder::new(game.brenner(), game.start().clone(), TextPlaces::Apart);
    let (mut at, mut played) = (0, None);
    while at < ply {
        // The next move of the main line overwrites moves of a variation.
        let mut found = None;
        let item = decoder.advance(|before, m| {
            if at + 1 == ply {
                let mut uci = Vec::new();
                before.write_uci(m, false, &mut uci);
                let dots = if before.turn() == Color::White { "." } else { "..." };
                found = Some(Played {
                    number: format!("{}{dots}", before.fullmove_number()),
                    san: before.san(m),
                    uci: String::from_utf8_lossy(&uci).into_owned(),
                });
            }
        });
        match item {
            Ok(Some(Item::Move(_))) if decoder.depth() == 0 => {
                at += 1;
                played = found;
            }
            Ok(Some(_)) => {}
            // The position was found before, so an intact archive never reaches this point.
            Ok(None) | Err(_) => return Ok(None),
        }
    }
    Ok(played)
}

/// Returns the movetext, which is the game's PGN without the tags.
fn move_list(game: &GameRef) -> Result<String, Error> {
    let mut writer = PgnWriter::new();
    writer.write_movetext(&game.to_game()?);
    Ok(String::from_utf8_lossy(writer.as_bytes()).trim().to_owned())
}

struct Shown {
    summary: GameSummary,
    /// The members that describe the game, which are the same in every command.
    object: Object,
    opening: Option<String>,
    measures: GameMeasures,
    /// The engine data for each ply.
    analysis: Vec<Analysis>,
    games: u64,
    number: u64,
    plies: u32,
    ply: u32,
    position: Position,
    last: Option<Played>,
    /// Whether the game has been changed since it was imported.
    changed: bool,
    /// The moves with all comments and variations, broken into lines.
    moves: String,
}

impl Shown {
    fn text(&self, args: &Args, session: &Session) -> String {
        let summary = &self.summary;
        let changed = if self.changed { ", changed since it was imported" } else { "" };
        let mut text = format!("Game    {} of {}{changed}\n", thousands(self.number), thousands(self.games));
        let rows = [
            ("White", summary.player(Color::White)),
            ("Black", summary.player(Color::Black)),
            ("Event", summary.tag("Event").unwrap_or("?").to_owned()),
            ("Date", summary.date().unwrap_or("?").to_owned()),
            ("Result", summary.result().token().to_owned()),
        ];
        for (title, value) in rows {
            text += &format!("{title:<8}{}\n", beside(&printable(&value), 8, session.width()));
        }
        if self.position.variant() != Variant::Chess {
            text += &format!("Variant {}\n", self.position.variant());
        }
        if let Some(opening) = &self.opening {
            text += &format!("Opening {}\n", beside(&printable(opening), 8, session.width()));
        }
        for (title, value) in measures::rows(&self.measures) {
            text += &format!("{title:<8} {value}\n");
        }
        let unicode = args.unicode || (!args.ascii && session.is_unicode_terminal());
        text += &format!("\n{}\n", board::draw(&self.position, unicode, args.flip));
        let last = match &self.last {
            Some(played) => format!("{} {}", played.number, played.san),
            None => "starting position".to_owned(),
        };
        text += &format!("Ply     {} of {}: {last}; {}\n", self.ply, self.plies, board::state(&self.position));
        if let Some((title, value)) = board::extras(&self.position) {
            text += &format!("{title:<8}{value}\n");
        }
        text += &format!("FEN     {}\n", self.position.fen());
        let analysis = self.analysis.iter().find(|analysis| analysis.ply == self.ply);
        if let Some(line) = analysis.and_then(measures::engine_line) {
            text += &format!("Engine  {}\n", beside(&line, 8, session.width()));
        }
        // Lines of a comment in the source may be longer than the width.
        let width = session.width();
        let lines = self.moves.lines().map(|line| folded(&printable(line), width));
        text += &format!("\n{}\n", lines.collect::<Vec<_>>().join("\n"));
        text
    }

    fn json(&self) -> Object {
        let object = self.object.clone().with("ply", self.ply).with("fen", self.position.fen());
        let object = match &self.last {
            Some(played) => object.object(
                "last_move",
                &Object::new()
                    .with("number", played.number.as_str())
                    .with("san", played.san.as_str())
                    .with("uci", played.uci.as_str()),
            ),
            None => object.with("last_move", serde_json::Value::Null),
        };
        let analysis: Vec<Object> = self.analysis.iter().map(Object::from_value).collect();
        let object = object
            .with("variant", self.position.variant().name())
            .with("state", board::state(&self.position))
            .with("changed", self.changed);
        let object = object.joined(&measures::object(&self.measures));
        if analysis.is_empty() { object } else { object.array("analysis", &analysis) }
    }
}
