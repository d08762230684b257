//! Formats measures from clocks and evaluations as text and as JSON.

use crate::output::json::{Object, rounded};
use crate::text::{clock, thousands};
use scoresheet::game::Analysis;
use scoresheet_query::measure::{ClockMeasures, EvaluationMeasures, GameMeasures, Judgement};
use serde_json::Value;
use std::time::Duration;

/// Returns rows of title and value; empty if the game has neither clocks nor evaluations.
pub fn rows(measures: &GameMeasures) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let sides = |of: &dyn Fn(usize) -> Option<String>| {
        let side = |(index, name): (usize, &str)| Some(format!("{name} {}", of(index)?));
        let sides: Vec<String> = ["White", "Black"].into_iter().enumerate().filter_map(side).collect();
        (!sides.is_empty()).then(|| sides.join("; "))
    };
    let has_clocks = measures.clock_after.iter().any(Option::is_some);
    let clock = |index: usize| {
        let clocks = (*measures.clocks.get(index)?)?;
        let lowest = has_clocks.then(|| format!("lowest {}", shown(clocks.lowest)));
        let used = clocks.used.map(|used| format!("{} used", shown(used)));
        Some([lowest, used].into_iter().flatten().collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
    };
    rows.extend(sides(&clock).map(|row| ("Clock", row)));
    let accuracy = |index: usize| {
        let evaluations = (*measures.evaluations.get(index)?)?;
        let percent = evaluations.accuracy.map_or_else(|| "-".to_owned(), |accuracy| format!("{accuracy:.1} %"));
        let word = if index == 0 { " centipawns lost per move" } else { "" };
        let loss = evaluations.centipawn_loss.map_or_else(String::new, |loss| format!(" ({loss:.0}{word})"));
        Some(percent + &loss)
    };
    rows.extend(sides(&accuracy).map(|row| ("Accuracy", row)));
    let mistakes = |index: usize| {
        let evaluations = (*measures.evaluations.get(index)?)?;
        let counted = [
            (evaluations.blunders, "blunder", "blunders"),
            (evaluations.mistakes, "mistake", "mistakes"),
            (evaluations.inaccuracies, "inaccuracy", "inaccuracies"),
        ];
        // The row of both sides has the title of the first side.
        let counted = counted.map(|(number, singular, plural)| match index {
            0 => format!("{number} {}", if number == 1 { singular } else { plural }),
            _ => number.to_string(),
        });
        Some(counted.join(", "))
    };
    rows.extend(sides(&mistakes).map(|row| ("Mistakes", row)));
    rows
}

/// Returns a time as `1:02:03`, with a decimal below ten seconds.
fn shown(time: Duration) -> String {
    if time.as_secs() < 10 && time.subsec_millis() > 0 {
        return format!("0:{:04.1}", time.as_secs_f64());
    }
    clock(time.as_secs())
}

/// Returns an engine's data about a move in one line: evaluation, depth, nodes, time and principal variation. Omits
/// missing values. Returns `None` without data.
pub fn engine_line(analysis: &Analysis) -> Option<String> {
    let depth = match (analysis.depth, analysis.selective_depth) {
        (Some(depth), Some(selective)) => Some(format!("depth {depth}/{selective}")),
        (depth, _) => depth.map(|depth| format!("depth {depth}")),
    };
    let line = analysis.pv.as_ref().map(|pv| pv.sans().join(" "));
    let parts = [
        analysis.evaluation.map(|evaluation| evaluation.to_string()),
        depth,
        analysis.nodes.map(|nodes| format!("{} nodes", thousands(nodes))),
        analysis.time.map(|time| format!("{} s", time.as_secs_f64())),
        line,
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Returns the members of a JSON object: clocks and evaluations by ply, mistakes, and each side's measures; empty if
/// the game has neither clocks nor evaluations.
pub fn object(measures: &GameMeasures) -> Object {
    let mut object = Object::new();
    if measures.clocks.iter().all(Option::is_none) && measures.evaluations.iter().all(Option::is_none) {
        return object;
    }
    if measures.clock_after.iter().any(Option::is_some) {
        let clock = |clock: &Option<Duration>| clock.map_or(Value::Null, |clock| clock.as_secs_f64().into());
        object = object.with("clocks", measures.clock_after.iter().map(clock).collect::<Value>());
    }
    if measures.evaluation_after.iter().any(Option::is_some) {
        let evaluations = measures.evaluation_after.iter();
        let evaluations =
            evaluations.map(|evaluation| evaluation.map_or(Value::Null, |evaluation| evaluation.to_string().into()));
        let mistake =
            |(ply, judgement): &(u32, Judgement)| Object::new().with("ply", *ply).with("judgement", judgement.name());
        object = object
            .with("evaluations", evaluations.collect::<Value>())
            .array("mistakes", &measures.judgements.iter().map(mistake).collect::<Vec<_>>());
    }
    let side = |index: usize| {
        let clock = measures.clocks.get(index).copied().flatten();
        let play = measures.evaluations.get(index).copied().flatten();
        clocks(clock).joined(&evaluations(play))
    };
    object.object("measures", &Object::new().object("white", &side(0)).object("black", &side(1)))
}

fn clocks(clock: Option<ClockMeasures>) -> Object {
    let Some(clock) = clock else { return Object::new() };
    Object::new()
        .with("lowest_clock", rounded(clock.lowest.as_secs_f64(), 3))
        .with("time_used", clock.used.map_or(Value::Null, |used| rounded(used.as_secs_f64(), 3)))
}

fn evaluations(play: Option<EvaluationMeasures>) -> Object {
    let Some(play) = play else { return Object::new() };
    let number = |number: Option<f64>| number.map_or(Value::Null, |number| rounded(number, 2));
    Object::new()
        .with("accuracy", number(play.accuracy))
        .with("centipawn_loss", number(play.centipawn_loss))
        .with("inaccuracies", play.inaccuracies)
        .with("mistakes", play.mistakes)
        .with("blunders", play.blunders)
}
