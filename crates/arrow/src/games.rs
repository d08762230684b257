//! Reads data that only the games contain, a run of games of one chunk at a time: tags without a column, moves, clocks,
//! evaluations.
//!
//! This file handles one chunk at a time, but no batches: many threads read runs, which are joined afterwards.

use crate::columns::{Value, left_over};
use arrow_array::ArrayRef;
use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, Int16Builder, Int32Builder, Int64Builder, ListBuilder, MapBuilder, MapFieldNames,
    StringBuilder,
};
use scoresheet::archive::Chunk;
use scoresheet::chess::Color;
use scoresheet::game::{Analysis, Evaluation, Outcome};
use scoresheet::pgn::{PgnWriter, Style};
use scoresheet::{Archive, GameRef, Result};
use std::sync::Arc;

/// A request for data that is read from games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// The text of a tag.
    Tag(&'static str),
    /// The movetext's result.
    Outcome,
    /// A column whose data only the games contain.
    Value(Value),
}

/// A builder of a column, to which games are added one at a time.
enum Growing {
    /// A column of tag texts, which is built from the chunk's tags, not game by game.
    Tag(ArrayRef),
    Plies(Int32Builder),
    Text(StringBuilder, Value),
    Outcome(StringBuilder),
    Tags(MapBuilder<StringBuilder, StringBuilder>),
    Bytes(BinaryBuilder),
    Moves(ListBuilder<StringBuilder>, Value),
    Clocks(ListBuilder<Int32Builder>, Color),
    Evals(ListBuilder<Int16Builder>, fn(&GameRef<'_>) -> Result<Vec<Option<i16>>>),
    Depths(ListBuilder<Int16Builder>),
    Nodes(ListBuilder<Int64Builder>),
    Times(ListBuilder<Int32Builder>),
    Pvs(ListBuilder<ListBuilder<StringBuilder>>),
}

/// Returns the requested columns, in the order of the requests, for games of one chunk in ascending order of their
/// numbers.
///
/// Errors: the chunk or a game is damaged.
pub fn read(archive: &Archive, chunk: usize, games: &[u64], request: &[Request]) -> Result<Vec<ArrayRef>> {
    let chunk = archive.chunk(chunk)?;
    let mut growing = request.iter().map(|request| begin(&chunk, games, *request)).collect::<Result<Vec<Growing>>>()?;
    if growing.iter().any(|growing| !matches!(growing, Growing::Tag(_))) {
        let mut text = Vec::new();
        let needs_analysis = growing.iter().any(Growing::is_of_analysis);
        for number in games {
            let game = chunk.game(*number)?;
            let analysis = if needs_analysis { game.analysis()? } else { Vec::new() };
            for growing in &mut growing {
                match growing.is_of_analysis() {
                    true => growing.add_analysis(&analysis, game.plies()),
                    false => growing.add(&game, &mut text)?,
                }
            }
        }
    }
    Ok(growing.into_iter().map(Growing::finish).collect())
}

fn begin(chunk: &Chunk<'_>, games: &[u64], request: Request) -> Result<Growing> {
    let names = MapFieldNames { entry: "entries".into(), key: "key".into(), value: "value".into() };
    Ok(match request {
        Request::Tag(name) => Growing::Tag(tag(chunk, games, name)?),
        Request::Outcome => Growing::Outcome(StringBuilder::new()),
        Request::Value(Value::Plies) => Growing::Plies(Int32Builder::new()),
        Request::Value(Value::Tags) => {
            Growing::Tags(MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new()))
        }
        Request::Value(Value::Brenner) => Growing::Bytes(BinaryBuilder::new()),
        Request::Value(value @ (Value::MovesSan | Value::MovesUci)) => {
            Growing::Moves(ListBuilder::new(StringBuilder::new()), value)
        }
        Request::Value(Value::ClocksWhite) => Growing::Clocks(ListBuilder::new(Int32Builder::new()), Color::White),
        Request::Value(Value::ClocksBlack) => Growing::Clocks(ListBuilder::new(Int32Builder::new()), Color::Black),
        Request::Value(Value::Evals) => Growing::Evals(ListBuilder::new(Int16Builder::new()), evals),
        Request::Value(Value::Scores) => Growing::Evals(ListBuilder::new(Int16Builder::new()), scores),
        Request::Value(Value::Depths) => Growing::Depths(ListBuilder::new(Int16Builder::new())),
        Request::Value(Value::Nodes) => Growing::Nodes(ListBuilder::new(Int64Builder::new())),
        Request::Value(Value::Times) => Growing::Times(ListBuilder::new(Int32Builder::new())),
        Request::Value(Value::Pvs) => Growing::Pvs(ListBuilder::new(ListBuilder::new(StringBuilder::new()))),
        Request::Value(value) => Growing::Text(StringBuilder::new(), value),
    })
}

/// Returns the value of the tag `name` in each of the games.
fn tag(chunk: &Chunk<'_>, games: &[u64], name: &str) -> Result<ArrayRef> {
    let mut texts = StringBuilder::new();
    let (mut games, mut number) = (games.iter().peekable(), chunk.first());
    chunk.visit_tag(name, |value| {
        if games.next_if(|game| **game == number).is_some() {
            texts.append_option(value.map(|value| String::from_utf8_lossy(value.text)));
        }
        number += 1;
    })?;
    Ok(Arc::new(texts.finish()))
}

impl Growing {
    fn is_of_analysis(&self) -> bool {
        matches!(self, Growing::Depths(_) | Growing::Nodes(_) | Growing::Times(_) | Growing::Pvs(_))
    }

    /// Adds the engine analysis of a game with this number of plies.
    fn add_analysis(&mut self, analysis: &[Analysis], plies: u32) {
        let mut known = analysis.iter().peekable();
        let of_plies = (1..=plies).map(move |ply| known.next_if(|analysis| analysis.ply == ply));
        fn add<B: ArrayBuilder, T>(
            list: &mut ListBuilder<B>,
            values: impl Iterator<Item = Option<T>>,
            push: fn(&mut B, Option<T>),
        ) {
            let values: Vec<Option<T>> = values.collect();
            let known = values.iter().any(Option::is_some);
            values.into_iter().filter(|_| known).for_each(|value| push(list.values(), value));
            list.append(known);
        }
        match self {
            Growing::Depths(list) => {
                let depth = |analysis: Option<&Analysis>| analysis?.depth.and_then(|depth| i16::try_from(depth).ok());
                add(list, of_plies.map(depth), Int16Builder::append_option);
            }
            Growing::Nodes(list) => {
                let nodes = |analysis: Option<&Analysis>| analysis?.nodes.and_then(|nodes| i64::try_from(nodes).ok());
                add(list, of_plies.map(nodes), Int64Builder::append_option);
            }
            Growing::Times(list) => {
                let time =
                    |analysis: Option<&Analysis>| analysis?.time.and_then(|time| i32::try_from(time.as_millis()).ok());
                add(list, of_plies.map(time), Int32Builder::append_option);
            }
            Growing::Pvs(list) => {
                let line = |analysis: Option<&Analysis>| Some(analysis?.pv.as_ref()?.sans());
                add(list, of_plies.map(line), |list, line| {
                    line.iter().flatten().for_each(|san| list.values().append_value(san));
                    list.append(line.is_some());
                });
            }
            _ => {}
        }
    }

    fn add(&mut self, game: &GameRef<'_>, buffer: &mut Vec<u8>) -> Result<()> {
        match self {
            Growing::Tag(_) | Growing::Depths(_) | Growing::Nodes(_) | Growing::Times(_) | Growing::Pvs(_) => {}
            Growing::Plies(plies) => plies.append_value(i32::try_from(game.plies()).unwrap_or(i32::MAX)),
            Growing::Outcome(outcome) => outcome.append_value(game.outcome().unwrap_or(Outcome::Unknown).token()),
            Growing::Text(text, Value::StartFen) => text.append_option(game.is_set_up().then(|| game.start().fen())),
            Growing::Text(text, _) => text.append_value(movetext(game)?),
            Growing::Tags(map) => {
                let start = game.is_set_up().then(|| game.start().fen());
                for (name, value) in left_over(&game.tags()?, start.as_deref()) {
                    map.keys().append_value(name);
                    map.values().append_value(value);
                }
                // Each key was added together with its value.
                map.append(true).map_err(|error| unexpected(&error))?;
            }
            Growing::Bytes(bytes) => {
                buffer.clear();
                game.push_main_line(buffer);
                bytes.append_value(buffer);
            }
            Growing::Moves(moves, value) => {
                for played in game.moves() {
                    let played = played?;
                    buffer.clear();
                    match value {
                        Value::MovesSan => played.before().write_san(played.played(), buffer),
                        _ => played.write_uci(buffer),
                    }
                    moves.values().append_value(String::from_utf8_lossy(buffer));
                }
                moves.append(true);
            }
            Growing::Clocks(clocks, color) => {
                let all = game.clocks()?;
                let known = all.iter().any(Option::is_some);
                let first = usize::from(game.start().turn() != *color);
                for clock in all.iter().skip(first).step_by(2).filter(|_| known) {
                    let seconds = clock.and_then(|clock| i32::try_from(clock.as_secs()).ok());
                    clocks.values().append_option(seconds);
                }
                clocks.append(known);
            }
            Growing::Evals(list, read) => {
                let all = read(game)?;
                let known = all.iter().any(Option::is_some);
                all.into_iter().filter(|_| known).for_each(|value| list.values().append_option(value));
                list.append(known);
            }
        }
        Ok(())
    }

    fn finish(self) -> ArrayRef {
        match self {
            Growing::Tag(array) => array,
            Growing::Plies(mut builder) => ArrayBuilder::finish(&mut builder),
            Growing::Text(mut builder, _) | Growing::Outcome(mut builder) => ArrayBuilder::finish(&mut builder),
            Growing::Tags(mut builder) => ArrayBuilder::finish(&mut builder),
            Growing::Bytes(mut builder) => ArrayBuilder::finish(&mut builder),
            Growing::Moves(mut builder, _) => ArrayBuilder::finish(&mut builder),
            Growing::Clocks(mut builder, _) => ArrayBuilder::finish(&mut builder),
            Growing::Evals(mut builder, _) | Growing::Depths(mut builder) => ArrayBuilder::finish(&mut builder),
            Growing::Nodes(mut builder) => ArrayBuilder::finish(&mut builder),
            Growing::Times(mut builder) => ArrayBuilder::finish(&mut builder),
            Growing::Pvs(mut builder) => ArrayBuilder::finish(&mut builder),
        }
    }
}

fn unexpected(error: &dyn std::fmt::Display) -> scoresheet::Error {
    let name = "record batch".to_owned();
    scoresheet::Error::Input { name, what: error.to_string(), source: None }
}

/// Returns the evaluation after each ply. A mate in 0 states no side, so it is none.
fn evals(game: &GameRef<'_>) -> Result<Vec<Option<i16>>> {
    Ok(game.evaluations()?.into_iter().map(|eval| eval?.of_a_side().map(centipawns)).collect())
}

/// Returns the score of each position.
fn scores(game: &GameRef<'_>) -> Result<Vec<Option<i16>>> {
    Ok(game.scores()?.into_iter().map(|score| score.map(Evaluation::short_training_score)).collect())
}

/// The maximum evaluation in hundredths of a pawn; larger numbers are mates in at most 512 moves.
const MOST: i32 = 32_255;

/// Returns an evaluation in 16 bits.
fn centipawns(evaluation: Evaluation) -> i16 {
    let value = match evaluation {
        Evaluation::Centipawns(value) => value.clamp(-MOST - 1, MOST),
        Evaluation::Mate(moves) if moves < 0 => (-32_769 - moves.max(-512)).clamp(-32_768, -32_257),
        Evaluation::Mate(moves) => 32_768 - moves.clamp(1, 512),
    };
    value as i16
}

/// Returns the movetext in one line.
fn movetext(game: &GameRef<'_>) -> Result<String> {
    let mut writer = PgnWriter::with_style(Style { width: u32::MAX, after_game: 0, ..Style::default() });
    writer.write_movetext(&game.to_game()?);
    Ok(String::from_utf8_lossy(writer.as_bytes()).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evaluations_in_sixteen_bits() {
        for (evaluation, expected) in [
            (Evaluation::Centipawns(35), 35),
            (Evaluation::Centipawns(1 << 20), 32_255),
            (Evaluation::Centipawns(-(1 << 20)), -32_256),
            (Evaluation::Mate(1), 32_767),
            (Evaluation::Mate(512), 32_256),
            (Evaluation::Mate(-1), -32_768),
            (Evaluation::Mate(-512), -32_257),
            (Evaluation::Mate(-9999), -32_257),
            (Evaluation::Mate(i32::MIN), -32_257),
        ] {
            assert_eq!(centipawns(evaluation), expected, "{evaluation:?}");
        }
    }
}
