//! The resource `games/{n}`: a game with all its data, as PGN, or as the bytes in its source; and the novelty of a
//! game.

use super::Answer;
use crate::book::Book;
use crate::fault::Fault;
use crate::site::SiteFile;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use http::StatusCode;
use scoresheet::chess::{Move, Position, Variant};
use scoresheet::game::{Analysis, Comment, Event, Outcome, PrincipalVariation, TextKind, stored_san};
use scoresheet::pgn::PgnWriter;
use scoresheet::{Archive, Error, Game};
use scoresheet_query::openings::{Opening, Openings};
use scoresheet_query::position::novelty::first_left;
use scoresheet_query::{PositionQuery, Query, Rules, reason};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Returns one game as PGN.
pub fn pgn(snapshot: &Snapshot, number: u64) -> Result<Answer, Fault> {
    bytes(snapshot, number, "application/x-chess-pgn", |archive, number| {
        let mut writer = PgnWriter::new();
        archive.game(number)?.write_pgn(&mut writer)?;
        Ok(writer.into_bytes())
    })
}

/// Returns the bytes of a game in its source.
pub fn original(snapshot: &Snapshot, number: u64) -> Result<Answer, Fault> {
    bytes(snapshot, number, "application/octet-stream", |archive, number| {
        let mut bytes = Vec::new();
        archive.game(number)?.original(&mut bytes)?;
        Ok(bytes)
    })
}

fn bytes(
    snapshot: &Snapshot,
    number: u64,
    kind: &'static str,
    text: impl FnOnce(&Archive, u64) -> Result<Vec<u8>, Error>,
) -> Result<Answer, Fault> {
    let (book, before, game) = snapshot.locate(number)?;
    let bytes = text(book.archive(), game).map_err(Fault::in_archive(before))?;
    Ok(Answer::Bytes { kind, name: format!("game-{number}.pgn"), bytes })
}

/// Returns the ply at which a game leaves all other games: the ply after the last position that it shares with another
/// game.
pub fn novelty(snapshot: &Snapshot, number: u64, stop: &Stop) -> Result<Value, Fault> {
    let (book, before, game_number) = snapshot.locate(number)?;
    if !snapshot.is_indexed() {
        return Err(Fault::no_index());
    }
    let game = book.archive().game(game_number).and_then(|game| game.to_game()).map_err(Fault::in_archive(before))?;
    if let Some(site) = book.site() {
        // The positions of a site are those of games of chess.
        if game.variant() != Variant::Chess {
            return Err(Fault::no_index());
        }
        return novelty_of_site(book, site, &game, game_number);
    }
    let (novelty, known) = left(snapshot, &game, Some(number), &mut HashMap::new(), stop)?;
    let (ply, san) = novelty.unzip();
    Ok(json!({"game": before + game_number, "ply": ply, "san": san, "games_before": known}))
}

/// Returns the ply and the move at which a game leaves all other games, and the number of other games that reach the
/// position before this move, which are games of the same rules. `number` is the game's number, if it is in an archive.
/// `counted` keeps the numbers of other games by position, for more games outside the archives.
pub fn left(
    snapshot: &Snapshot,
    game: &Game,
    number: Option<u64>,
    counted: &mut HashMap<(Variant, u64), u64>,
    stop: &Stop,
) -> Result<(Option<(u32, String)>, u64), Fault> {
    let rules = game.variant();
    let mut count = |position: &Position| {
        if stop.is_set() {
            return Err(Fault::stopped());
        }
        let key = (rules, position.zobrist());
        if let Some(others) = counted.get(&key) {
            return Ok(*others);
        }
        let others = others(snapshot, number, position, rules)?;
        counted.insert(key, others);
        Ok(others)
    };
    let mut position = game.start.clone();
    let is_reached = |m: Move| {
        position.play_unchecked(m);
        Ok::<bool, Fault>(count(&position)? > 0)
    };
    let ply = first_left(game.main_line().map(is_reached))?;
    // The last position that other games reach.
    let (known, next) = before(game, ply);
    let novelty = ply.zip(next.map(|m| known.san(m)));
    Ok((novelty, count(&known)?))
}

/// Returns the position before the move of this ply, and the move, or the last position of the main line.
fn before(game: &Game, ply: Option<u32>) -> (Position, Option<Move>) {
    let mut position = game.start.clone();
    for (at, m) in (1..).zip(game.main_line()) {
        if Some(at) == ply {
            return (position, Some(m));
        }
        position.play_unchecked(m);
    }
    (position, None)
}

/// Like `novelty`, but reads the ply from the site file.
fn novelty_of_site(book: &Book, site: &SiteFile, game: &Game, number: u64) -> Result<Value, Fault> {
    let ply = Some(site.known(number)?.novelty).filter(|ply| *ply > 0);
    let (position, next) = before(game, ply);
    let san = next.map(|m| position.san(m));
    let others = of_site(book, site, &position)?.saturating_sub(1);
    Ok(json!({"game": number, "ply": ply, "san": san, "games_before": others}))
}

/// Up to this number of places (games and plies) of a position in the index, `others` counts the games. More places cannot
/// all be in a single game.
const COUNTED: u64 = 20_000;

/// Returns the number of other games of these rules that reach a position. Large numbers are approximate.
fn others(snapshot: &Snapshot, number: Option<u64>, position: &Position, rules: Variant) -> Result<u64, Fault> {
    let query = Query::from(position).rules(Rules::Only(rules));
    let mut others = 0;
    for (_, before, book) in snapshot.books(None)? {
        if let Some(site) = book.site() {
            others += of_site(book, site, position)?.saturating_sub(u64::from(number.is_some()));
            continue;
        }
        let most = book.search().cost(Some(&PositionQuery::from(position))).games;
        let not_counted = not_counted(book);
        others += match most {
            0 => 0,
            most if rules != Variant::Chess || most <= COUNTED.max(2 * not_counted) => {
                let games = query.in_archive(book.indexed(), None, None).games;
                let own = number.and_then(|number| number.checked_sub(before)).is_some_and(|own| games.contains(own));
                games.len() - u64::from(own)
            }
            most => most - not_counted,
        };
    }
    Ok(others)
}

/// Returns the number of games that are not counted as games of chess: deleted games, and games of variants.
fn not_counted(book: &Book) -> u64 {
    book.archive().deleted_count() + book.variants().iter().map(|(_, games)| games).sum::<u64>()
}

/// Returns the number of games of chess in a site that reach a position.
fn of_site(book: &Book, site: &SiteFile, position: &Position) -> Result<u64, Fault> {
    match position.is_usual_start() {
        true => Ok(book.archive().len().saturating_sub(not_counted(book))),
        false => site.count(position),
    }
}

/// Returns a game with all of its data.
pub fn game(snapshot: &Snapshot, number: u64, fens: bool) -> Result<Value, Fault> {
    let (book, before, game_number) = snapshot.locate(number)?;
    let of_archive = Fault::in_archive(before);
    let game = book.archive().game(game_number).map_err(&of_archive)?;
    let opening = Openings::table().classify(&game).map_err(&of_archive)?;
    let opening = opening.map(|(opening, ply)| named(opening, ply));
    let (has_fault, is_changed) = (game.has_fault(), game.is_changed());
    let game = game.to_game().map_err(of_archive)?;
    let mut answer = Map::from_iter([
        ("game".to_owned(), number.into()),
        ("archive".to_owned(), book.name.as_str().into()),
        ("number".to_owned(), (number - before).into()),
        ("last".to_owned(), snapshot.games().into()),
        ("previous".to_owned(), snapshot.live((1..number).rev()).into()),
        ("next".to_owned(), snapshot.live(number + 1..=snapshot.games()).into()),
    ]);
    answer.extend(members(&game, opening, has_fault, fens)?);
    answer.insert("is_changed".to_owned(), is_changed.into());
    Ok(Value::Object(answer))
}

/// Returns the contents of a game, which need not be in an archive: tags, moves with all annotations, the last
/// position.
///
/// Errors: too many variations are inside each other.
pub fn members(game: &Game, opening: Option<Value>, has_fault: bool, fens: bool) -> Result<Map<String, Value>, Fault> {
    let mut reader = Reader { events: game.events.iter(), fens, chess960: game.start.is_chess960() };
    let start = game.start_by_rules();
    let (line, after) = reader.lines(start.clone())?;
    let tags: Vec<Value> = game.tags.iter().map(|(name, value)| json!([name, value])).collect();
    let members = [
        ("tags", tags.into()),
        ("start", start.fen().into()),
        ("variant", game.variant().name().into()),
        ("result", result(game).into()),
        ("plies", game.main_line().count().into()),
        ("opening", opening.into()),
        ("has_fault", has_fault.into()),
        ("before", line.before.into()),
        ("moves", line.moves.into()),
        ("end", after.fen().into()),
    ];
    Ok(members.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)).collect())
}

/// Returns an opening as JSON, with the ply at which a game reaches its position.
pub fn named(opening: &Opening, ply: u32) -> Value {
    json!({"eco": opening.eco, "name": opening.name, "ply": ply})
}

fn result(game: &Game) -> &'static str {
    Outcome::of_game(game.tag("Result").map(str::as_bytes), game.outcome).token()
}

/// The maximum number of variations inside each other in an answer. Each level is several levels of JSON, and parsers of
/// JSON limit these.
const MOST_LEVELS: usize = 256;

/// A line of moves that is being converted to JSON.
struct Line {
    /// Comments before the first move.
    before: Vec<Value>,
    moves: Vec<Value>,
    /// The positions after and before the last move, the last move, and its ply.
    now: Position,
    previous: Position,
    last: Option<Move>,
    ply: u32,
}

impl Line {
    fn new(start: Position, ply: u32) -> Line {
        Line { before: Vec::new(), moves: Vec::new(), now: start.clone(), previous: start, last: None, ply }
    }

    /// Returns the line with a variation of its last move.
    fn with(mut self, variation: Line) -> Line {
        add(&mut self, "variations", json!({"before": variation.before, "moves": variation.moves}));
        self
    }
}

struct Reader<'a> {
    events: std::slice::Iter<'a, Event>,
    fens: bool,
    /// Whether this game writes castling as king takes rook (Chess960).
    chess960: bool,
}

impl Reader<'_> {
    /// Reads all events. Returns the main line and its last position.
    ///
    /// Errors: more than [`MOST_LEVELS`] variations are inside each other.
    fn lines(&mut self, start: Position) -> Result<(Line, Position), Fault> {
        let (mut open, mut line) = (Vec::new(), Line::new(start, 0));
        for event in std::mem::take(&mut self.events) {
            match event {
                Event::Move(m) => {
                    line.ply += 1;
                    let node = self.node(&line.now, *m, line.ply);
                    line.previous = line.now.clone();
                    line.last = Some(*m);
                    line.now.play_unchecked(*m);
                    line.moves.push(node);
                }
                Event::Open if open.len() == MOST_LEVELS => {
                    let what = reason!(
                        "too_deep",
                        "more than {n} variations are inside each other: read the PGN instead",
                        n = MOST_LEVELS
                    );
                    return Err(Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "too_deep", what));
                }
                Event::Open => {
                    let variation = Line::new(line.previous.clone(), line.ply.saturating_sub(1));
                    open.push(std::mem::replace(&mut line, variation));
                }
                Event::Close => match open.pop() {
                    Some(outer) => line = outer.with(line),
                    None => break,
                },
                Event::Nag(nag) => add(&mut line, "nags", (*nag).into()),
                Event::Suffix(good) => add(&mut line, "marks", if *good { "!" } else { "?" }.into()),
                Event::Text(kind, text) => {
                    let is_comment = matches!(kind, TextKind::Brace | TextKind::Line);
                    let analysis = line.last.filter(|_| is_comment);
                    let analysis = analysis.and_then(|m| Analysis::read(text, line.ply, &line.previous, m));
                    text_of(&mut line, *kind, text, analysis.is_some() && !text.contains("[%"));
                    if let Some(analysis) = analysis {
                        self.analysis_of(&mut line, &analysis);
                    }
                }
            }
        }
        line = open.into_iter().rev().fold(line, |line, outer| outer.with(line));
        let now = line.now.clone();
        Ok((line, now))
    }

    /// Adds an engine's values to the last move, under the names of docs/JSON.md. Existing values are kept.
    fn analysis_of(&self, line: &mut Line, analysis: &Analysis) {
        let (Some(Value::Object(node)), Ok(Value::Object(says))) =
            (line.moves.last_mut(), serde_json::to_value(analysis))
        else {
            return;
        };
        if let Some(pv) = analysis.pv.as_ref().filter(|_| self.fens && !node.contains_key("pv")) {
            let (ucis, fens) = self.positions(pv);
            node.insert("pv_uci".to_owned(), ucis.into());
            node.insert("pv_fens".to_owned(), fens.into());
        }
        for (name, value) in says.into_iter().filter(|(name, value)| name != "ply" && !value.is_null()) {
            // For compatibility, the API uses a different name for the time of a move.
            let name = if name == "time" { "elapsed".to_owned() } else { name };
            node.entry(name).or_insert(value);
        }
    }

    /// Returns the moves of a principal variation in UCI notation, and the FEN after each move.
    fn positions(&self, pv: &PrincipalVariation) -> (Vec<String>, Vec<String>) {
        let mut now = pv.start.clone();
        let step = |m: &Move| {
            let mut uci = Vec::with_capacity(5);
            now.write_uci(*m, self.chess960, &mut uci);
            now.play_unchecked(*m);
            (String::from_utf8_lossy(&uci).into_owned(), now.fen())
        };
        pv.moves.iter().map(step).unzip()
    }

    fn node(&self, before: &Position, m: Move, ply: u32) -> Value {
        let mut node = Map::new();
        node.insert("ply".to_owned(), ply.into());
        let null = m == Move::NULL;
        node.insert("san".to_owned(), if null { "--".to_owned() } else { stored_san(before, m) }.into());
        let mut uci = Vec::with_capacity(5);
        before.write_uci(m, self.chess960, &mut uci);
        node.insert("uci".to_owned(), String::from_utf8_lossy(&uci).into());
        if self.fens {
            let mut after = before.clone();
            after.play_unchecked(m);
            node.insert("fen".to_owned(), after.fen().into());
        }
        Value::Object(node)
    }
}

/// Adds an item to one of the lists of a line's last move.
fn add(line: &mut Line, name: &str, value: Value) {
    let Some(Value::Object(node)) = line.moves.last_mut() else { return };
    if let Value::Array(list) = node.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
        list.push(value);
    }
}

/// Adds a text. Separates the text's words from its commands. `engine` is true if an engine wrote the words.
fn text_of(line: &mut Line, kind: TextKind, text: &str, engine: bool) {
    let kind = match kind {
        TextKind::Brace | TextKind::Line => "comment",
        TextKind::Token => "token",
        TextKind::Tail => "tail",
        TextKind::Escape => "escape",
    };
    let comment = Comment { ply: 0, depth: 0, text: text.to_owned(), mover: None };
    let commands = [("csl", "squares"), ("cal", "arrows")];
    let mut json = Map::from_iter([("kind".to_owned(), kind.into()), ("text".to_owned(), words(text).into())]);
    for (command, name) in commands {
        if let Some(value) = comment.command(command) {
            let items: Vec<Value> =
                value.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect();
            json.insert(name.to_owned(), items.into());
        }
    }
    if engine {
        json.insert("engine".to_owned(), true.into());
    }
    match line.moves.is_empty() {
        false => add(line, "comments", Value::Object(json)),
        true => line.before.push(Value::Object(json)),
    }
}

/// Returns a comment's text without commands like `[%clk 0:03:00]`.
fn words(text: &str) -> String {
    let (mut words, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("[%") {
        let Some(length) = rest.get(start..).and_then(|from| from.find(']')) else { break };
        words.push_str(rest.get(..start).unwrap_or_default());
        rest = rest.get(start + length + 1..).unwrap_or_default();
    }
    words.push_str(rest);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_without_commands() {
        assert_eq!(super::words("[%clk 0:03:00] a  good\nmove [%eval 0.3] ! "), "a good move !");
        assert_eq!(super::words("[% open"), "[% open");
    }
}
