//! `scoresheet sample`: draws random positions and games.

use crate::failure::{self, Code, Failure};
use crate::output::json::Object;
use crate::output::{new_file, progress, rows};
use crate::select::archives;
use crate::select::filter::Where;
use crate::select::grouped::Games;
use crate::session::Session;
use crate::text::{count, printable};
use crate::threads::Threads;
use clap::ValueEnum;
use scoresheet::Existing;
use scoresheet::archive::{GameRef, GameSet};
use scoresheet::chess::Position;
use scoresheet::chess::epd::{Epd, Operand};
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::chess::{Color, Variant};
use scoresheet::error::Error;
use scoresheet::game::{Evaluation, PlayedMove};
use scoresheet::pgn::PgnWriter;
use scoresheet_output::Content;
use scoresheet_output::Outputs;
use scoresheet_output::games::write_in_order;
use scoresheet_query::ArchiveSet;
use scoresheet_query::GameSummary;
use scoresheet_query::measure::GameMeasures;
use scoresheet_query::report::frequent::FrequentPosition;
use scoresheet_query::report::sample::{self, Part, SampleOptions, Taken};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// Draw random positions or games, for training and tests
///
/// Every position before a move is equally likely. The same seed selects the same sample on any number of threads, and
/// a larger sample begins with the smaller sample. With --test, games are divided by their moves, so equal games are
/// always in the same part.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet sample games.bga 100000 --format csv -o positions.csv
  scoresheet sample games.bga 100000 --format csv --columns fen,move,result
  scoresheet sample games.bga 100000 --format csv --columns fen,score,wdl
  scoresheet sample games.bga 1000 --seed 7 --distinct --plies 16-80 --quiet-positions
  scoresheet sample games.bga 90000 --test 10 --part train > train.fen
  scoresheet sample games.bga 10000 --test 10 --part test > test.fen
  scoresheet sample games.bga 1000 --frequent --plies 8-20 --format epd   a book of openings
  scoresheet sample games.bga 100 --format pgn > games.pgn           complete games")]
pub struct Args {
    /// The archives, or folders of archives
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// The number of positions or games to draw
    #[arg(value_name = "N")]
    count: u64,
    /// The seed of the random draw
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    /// Output format
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
    /// Draw only positions at these plies, e.g. 16-80 or 16-
    #[arg(help_heading = "Positions")]
    #[arg(long, value_name = "PLIES", value_parser = plies)]
    plies: Option<(u32, u32)>,
    /// Draw no position twice, even from different games
    #[arg(help_heading = "Positions")]
    #[arg(long)]
    distinct: bool,
    /// Only quiet positions
    ///
    /// In a quiet position, the king is not in check, and the move played is no capture, promotion or check.
    #[arg(help_heading = "Positions")]
    #[arg(long)]
    quiet_positions: bool,
    /// Draw at most N positions of a game
    #[arg(help_heading = "Positions")]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    per_game: Option<u32>,
    /// Reserve this share of the games for tests, in percent
    ///
    /// JSON and CSV name the part of each position.
    #[arg(help_heading = "Positions")]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=99))]
    test: Option<u8>,
    /// Draw only from this part
    #[arg(help_heading = "Positions")]
    #[arg(long, value_enum, requires = "test")]
    part: Option<PartName>,
    /// Instead of a random draw, take the positions that most games reach
    ///
    /// The most frequent position comes first. EPD, JSON and CSV contain the number of games.
    #[arg(help_heading = "Positions")]
    #[arg(long, conflicts_with_all = ["seed", "distinct", "quiet_positions", "per_game", "test", "columns"])]
    frequent: bool,
    #[command(flatten)]
    filter: Where,
    /// Print JSON: the same as --format json
    #[arg(help_heading = "Output")]
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write only these columns of CSV or members of JSON
    ///
    /// The columns are game, ply, fen, move, san, result, white_elo, black_elo, clock and evaluation, and on request
    /// score and wdl: the score in hundredths of a pawn and the result (1, 0.5 or 0) for the side to move. Comments are
    /// read only for clock, evaluation and score, which take most of the time in games of engines.
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "COLUMN,..", value_enum, value_delimiter = ',', hide_possible_values = true)]
    columns: Option<Vec<Column>>,
    /// Write to this file, compressed by its extension
    #[arg(help_heading = "Output")]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file at -o
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, requires = "output")]
    force: bool,
    /// Do not report that fewer than N were found
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, clap::ValueEnum)]
enum Format {
    /// One FEN per line
    #[default]
    Fen,
    /// One EPD per line: the move played as sm, the result as c0, game and ply as id
    Epd,
    /// One JSON object per position (docs/JSON.md)
    Json,
    /// Comma-separated values with a header line
    Csv,
    /// Complete games as PGN
    Pgn,
    /// Game numbers, one per line
    Numbers,
}

/// The columns of a position in CSV and JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Column {
    Game,
    Ply,
    Fen,
    Move,
    San,
    Result,
    WhiteElo,
    BlackElo,
    Clock,
    Evaluation,
    Score,
    Wdl,
}

impl Column {
    /// The columns without --columns.
    const DEFAULT: [Column; 10] = [
        Column::Game,
        Column::Ply,
        Column::Fen,
        Column::Move,
        Column::San,
        Column::Result,
        Column::WhiteElo,
        Column::BlackElo,
        Column::Clock,
        Column::Evaluation,
    ];

    /// Returns the name of the column.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum PartName {
    /// Games for training: all games that are not reserved for tests
    Train,
    /// Games reserved for tests
    Test,
}

/// Parses `16-80`, `16-` or `16`.
fn plies(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| "write plies such as 16-80 or 16-".to_owned());
    match text.split_once('-') {
        None => number(text).map(|ply| (ply, ply)),
        Some((first, "")) => Ok((number(first)?, u32::MAX)),
        Some((first, last)) => match (number(first)?, number(last)?) {
            (first, last) if first <= last => Ok((first, last)),
            _ => Err("the last ply is before the first".to_owned()),
        },
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let archives = args.filter.open(session, &args.archives)?;
    let format = if args.json { Format::Json } else { args.format };
    if args.columns.is_some() && !matches!(format, Format::Csv | Format::Json) {
        return Err(Failure::Usage("--columns needs --format csv or json".to_owned()));
    }
    let are_games = matches!(format, Format::Pgn | Format::Numbers);
    let is_of_positions = args.plies.is_some() || args.distinct || args.quiet_positions || args.per_game.is_some();
    if are_games && (args.frequent || is_of_positions) {
        let what = "--plies, --distinct, --quiet-positions, --per-game and --frequent select positions, not games: \
                    choose another format";
        return Err(Failure::Usage(what.to_owned()));
    }
    if format == Format::Epd && args.filter.position_rules() != Variant::Chess {
        return Err(Failure::Usage("EPD describes only chess: use --format fen for variants".to_owned()));
    }
    let content = match format {
        Format::Pgn => Content::Pgn,
        Format::Json => Content::Json,
        _ => Content::Text,
    };
    let mut outputs = Outputs::from_archives(archives.archives());
    let target = args.output.as_deref();
    let target = target.map(|path| outputs.file(path, content, Existing::from_force(args.force))).transpose()?;
    args.threads.install(|| {
        let (chosen, mut failed) = Games::chosen(session, &archives, &args.filter)?;
        let sets: Vec<GameSet> = chosen.into_iter().map(|selection| selection.games).collect();
        let selected_part = args.part.map(|part| if part == PartName::Train { Part::Train } else { Part::Test });
        let options = SampleOptions {
            seed: args.seed,
            plies: args.plies.unwrap_or((0, u32::MAX)),
            quiet: args.quiet_positions,
            distinct: args.distinct,
            per_game: args.per_game,
            part: selected_part.zip(args.test),
        };
        if args.frequent {
            let most = usize::try_from(args.count).unwrap_or(usize::MAX);
            let (first, last) = options.plies;
            let find = || archives.frequent_positions(first..=last, most, Some(&sets), None);
            let found = progress::waiting(session, find);
            found.unread.iter().for_each(|error| session.message(&error.to_string()));
            failed += found.unread.len() as u64;
            let text = frequent_text(&found.positions, format);
            match &target {
                None => {
                    let mut out = session.stdout();
                    out.write_all(text.as_bytes())?;
                    out.flush()?;
                }
                Some(target) => new_file::write(target, |file| Ok(file.write_all(text.as_bytes())?))?,
            }
            return failure::all_read(failed);
        }
        let draw = || taken(&archives, &sets, args.count, &options, are_games);
        let taken = progress::waiting(session, draw)?;
        let (taken, unread) = taken;
        unread.iter().for_each(|error| session.message(&error.to_string()));
        failed += unread.len() as u64;
        let work = Work { args, format, archives: &archives, taken: &taken };
        match &target {
            None => {
                let mut out = session.stdout();
                failed += work.write(session, &mut out)?;
                out.flush()?;
            }
            Some(target) => failed += new_file::write(target, |file| work.write(session, file))?,
        }
        if (taken.len() as u64) < args.count && !args.quiet {
            let what = if are_games {
                count(taken.len() as u64, "game", "games")
            } else {
                count(taken.len() as u64, "position", "positions")
            };
            session.message(&format!("only {what} can be drawn"));
        }
        failure::all_read(failed)
    })
}

/// Returns a line for each position.
fn frequent_text(positions: &[FrequentPosition], format: Format) -> String {
    let mut text = if format == Format::Csv { "games,fen\n".to_owned() } else { String::new() };
    for FrequentPosition { position, games } in positions {
        text.push_str(&match format {
            Format::Epd => {
                let mut epd = Epd::from_position(position, EnPassantStyle::Always, CastlingStyle::XFen);
                epd.push("c0", Operand::Text(count(*games, "game", "games")));
                format!("{epd}\n")
            }
            Format::Json => format!("{}\n", Object::new().with("games", *games).with("fen", position.fen())),
            Format::Csv => rows::csv_line([games.to_string(), position.fen()]),
            Format::Fen | Format::Pgn | Format::Numbers => format!("{}\n", position.fen()),
        });
    }
    text
}

fn taken(
    archives: &ArchiveSet,
    sets: &[GameSet],
    most: u64,
    options: &SampleOptions,
    are_games: bool,
) -> Result<(Vec<Taken>, Vec<Error>), Failure> {
    if are_games {
        let (games, unread) = sample::games(archives, sets, most, options);
        return Ok((games.into_iter().map(|game| (game, 0)).collect(), unread));
    }
    Ok(sample::positions(archives, sets, most, options)?)
}

/// The sample to write.
struct Work<'a> {
    args: &'a Args,
    format: Format,
    archives: &'a ArchiveSet,
    taken: &'a [Taken],
}

impl Work<'_> {
    /// Writes the sample; returns the number of unreadable games.
    fn write(&self, session: &Session, out: &mut impl Write) -> Result<u64, Failure> {
        let names: Vec<Option<String>> =
            self.archives.archives().map(|archive| archives::name_in(self.archives, archive)).collect();
        if self.format == Format::Csv {
            let archive = if names.len() > 1 { "archive," } else { "" };
            let part = if self.args.test.is_some() { ",part" } else { "" };
            let fields: Vec<String> = self.columns().iter().map(|column| column.name()).collect();
            writeln!(out, "{archive}{}{part}", fields.join(","))?;
        }
        let mut failed = 0;
        let name = |index: usize| {
            let archive = self.taken.get(index).map_or(0, |((archive, _), _)| *archive);
            names.get(archive).and_then(Option::as_deref)
        };
        let places: Vec<_> = self.taken.iter().map(|(place, _)| *place).collect();
        let write = |index: usize, game: &GameRef, text: &mut Vec<u8>| {
            let ply = self.taken.get(index).map_or(0, |(_, ply)| *ply);
            self.push(name(index), game, ply, text)
        };
        let mut index = 0;
        write_in_order(self.archives, &places, &write, |text, fault| {
            let archive = places.get(index).and_then(|(archive, _)| self.archives.archive(*archive));
            archive.zip(fault.as_ref()).iter().for_each(|(of, fault)| session.unread(&archives::fault(of, fault)));
            failed += u64::from(fault.is_some());
            index += 1;
            Ok::<(), Failure>(out.write_all(&text)?)
        })?;
        Ok(failed)
    }

    /// Returns the columns of CSV and JSON.
    fn columns(&self) -> &[Column] {
        self.args.columns.as_deref().unwrap_or(&Column::DEFAULT)
    }

    fn push(&self, name: Option<&str>, game: &GameRef, ply: u32, out: &mut Vec<u8>) -> Result<(), Error> {
        match self.format {
            Format::Pgn => {
                let mut writer = PgnWriter::new();
                game.write_pgn(&mut writer)?;
                out.extend_from_slice(writer.as_bytes());
                return Ok(());
            }
            Format::Numbers => {
                let before = name.map_or_else(String::new, |name| format!("{}\t", printable(name)));
                out.extend_from_slice(format!("{before}{}\n", game.number()).as_bytes());
                return Ok(());
            }
            Format::Fen => {
                game.position(ply)?.write_fen(out, EnPassantStyle::Always, CastlingStyle::XFen);
                out.push(b'\n');
                return Ok(());
            }
            Format::Epd | Format::Json | Format::Csv => {}
        }
        let position = game.position(ply)?;
        // Positions without a following move are not drawn, and a null move does not count as a move.
        let found = game.moves().nth(ply as usize).transpose()?;
        let played = found.as_ref().map(PlayedMove::played);
        let summary = GameSummary::from_game(game)?;
        let line = if self.format == Format::Epd {
            let mut epd = Epd::from_position(&position, EnPassantStyle::Always, CastlingStyle::XFen);
            epd.push("hmvc", Operand::Word(position.halfmove_clock().to_string()));
            epd.push("fmvn", Operand::Word(position.fullmove_number().to_string()));
            if let Some(m) = played {
                epd.push("sm", Operand::Word(position.san(m)));
            }
            epd.push("c0", Operand::Text(summary.result().token().to_owned()));
            let archive = name.map_or_else(String::new, |name| format!("{name}:"));
            epd.push("id", Operand::Text(format!("{archive}{}:{ply}", game.number())));
            format!("{epd}\n")
        } else {
            self.row(name, game, ply, &position, found.as_ref(), &summary)?
        };
        out.extend_from_slice(line.as_bytes());
        Ok(())
    }

    fn row(
        &self,
        name: Option<&str>,
        game: &GameRef,
        ply: u32,
        position: &Position,
        played: Option<&PlayedMove>,
        summary: &GameSummary,
    ) -> Result<String, Error> {
        let columns = self.columns();
        let measures = match columns.iter().any(|column| matches!(column, Column::Clock | Column::Evaluation)) {
            true => GameMeasures::from_game(game)?,
            false => GameMeasures::default(),
        };
        let at = ply as usize;
        let before = |back: usize| at.checked_sub(back);
        // The remaining time of the side to move, after its previous move.
        let clock = before(2).and_then(|index| measures.clock_after.get(index).copied().flatten());
        let evaluation = before(1).and_then(|index| measures.evaluation_after.get(index).copied().flatten());
        let score = match columns.contains(&Column::Score) {
            true => game.scores()?.get(at).copied().flatten(),
            false => None,
        };
        let turn = position.turn();
        let value = |column: &Column| -> Value {
            match column {
                Column::Game => game.number().into(),
                Column::Ply => ply.into(),
                Column::Fen => position.fen().into(),
                Column::Move => played.map(PlayedMove::uci).into(),
                Column::San => played.map(PlayedMove::san).into(),
                Column::Result => summary.result().token().into(),
                Column::WhiteElo => summary.rating(Color::White).into(),
                Column::BlackElo => summary.rating(Color::Black).into(),
                Column::Clock => clock.map(|clock| clock.as_secs_f64()).into(),
                Column::Evaluation => evaluation.map(|evaluation| evaluation.to_string()).into(),
                Column::Score => {
                    let white = score.map(Evaluation::short_training_score);
                    white.map(|score| if turn == Color::White { score } else { -score }).into()
                }
                Column::Wdl => summary.result().half_points(turn).map(|half| half as f64 / 2.0).into(),
            }
        };
        let fields = columns.iter().map(|column| (column.name(), value(column)));
        let archive = name.map(|name| ("archive".to_owned(), Value::from(name)));
        let part = self.args.test.map(|percent| sample::part_of(game, sample::train_share(percent), 0));
        let part = part.transpose()?.map(|part| match part {
            Part::Train => ("part".to_owned(), Value::from("train")),
            Part::Test => ("part".to_owned(), Value::from("test")),
        });
        let fields = archive.into_iter().chain(fields).chain(part);
        if self.format == Format::Json {
            return Ok(format!("{}\n", fields.fold(Object::new(), |object, (name, value)| object.with(&name, value))));
        }
        let cell = |(_, value): (String, Value)| match value {
            Value::Null => String::new(),
            Value::String(text) => text,
            value => value.to_string(),
        };
        Ok(rows::csv_line(fields.map(cell)))
    }
}
