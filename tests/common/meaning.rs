//! The library's interpretation of the bytes of a part, as the JSON of `testdata/vectors` (FORMAT.md, "Test vectors").
//! Included by the test programs that need it.

use scoresheet::brenner::alternate::Order;
use scoresheet::brenner::decode::{Decoder, Item, TextPlaces};
use scoresheet::brenner::fixed::{self, Width};
use scoresheet::brenner::standalone;
use scoresheet::chess::{Move, Position};
use scoresheet::format::commit::{Commit, Unfinished};
use scoresheet::format::dictionary::BlockStrings;
use scoresheet::format::layout::{Layout, LayoutEdit};
use scoresheet::format::parity::Parity;
use scoresheet::format::record::Record;
use scoresheet::format::source::SourceRecord;
use scoresheet::format::tags::{StoredValue, Tags};
use scoresheet::format::texts::Texts;
use scoresheet::format::{Limits, deletions, loose, metadata};
use scoresheet::game::{Event, Game};
use scoresheet::packed;
use serde_json::{Value, json};

/// Returns bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses hexadecimal digits, with or without spaces.
pub fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect()
}

/// Returns the interpretation of the bytes; `None` if the library refuses them.
pub fn meaning(part: &str, bytes: &[u8], counts: &[u64]) -> Option<Value> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let count = counts.first().map_or(0, |count| *count as usize);
    Some(match part {
        "record" | "variant" => {
            let record = Record::decode(bytes, false).filter(|record| record.is_of_variant() == (part == "variant"))?;
            let start = record.set_up.as_deref().cloned().unwrap_or_else(Position::standard);
            let mut decoder = Decoder::new(&record.stream, start, TextPlaces::Apart);
            let (mut positions, mut elements) = (vec![decoder.position().fen()], Vec::new());
            while let Some(item) = decoder.advance(|_, _| {}).ok()? {
                elements.push(match item {
                    Item::Move(_) => "move".to_owned(),
                    Item::Suffix(good) => if good { "!" } else { "?" }.to_owned(),
                    Item::Nag(number) => format!("${number}"),
                    Item::Text(_) => "text".to_owned(),
                    Item::Open => "(".to_owned(),
                    Item::Close => ")".to_owned(),
                    Item::Outcome(outcome) => outcome.token().to_owned(),
                });
                if matches!(item, Item::Move(_)) {
                    positions.push(decoder.position().fen());
                }
            }
            json!({"flags": record.flags, "elements": elements, "positions": positions})
        }
        "packed" => {
            let record = Record::decode(bytes, true)?;
            let start = record.set_up.as_deref().cloned().unwrap_or_else(Position::standard);
            let mut stream = Vec::new();
            packed::decode(&start, &record.stream, None, &mut stream).ok()?;
            json!({"flags": record.flags, "start": start.fen(), "stream": hex(&stream)})
        }
        "tags" => {
            let tags = Tags::decode(bytes, count)?;
            let game = |game| {
                let mut pairs = Vec::new();
                tags.visit(game, |name, value| {
                    let value = match value {
                        StoredValue::Text(value) => text(value),
                        StoredValue::Dictionary(number) => format!("string {number}"),
                    };
                    pairs.push(json!([text(name), value]));
                })?;
                Some(Value::from(pairs))
            };
            (0..count).map(game).collect::<Option<Vec<_>>>()?.into()
        }
        "texts" => {
            let texts = Texts::decode(bytes, count)?;
            let game = |game| {
                let mut comments = texts.comments(game);
                let mut read = |comment| text(&comments.read(comment, None).unwrap_or_default());
                let placed: Vec<Value> =
                    texts.placed(game).map(|(after, comment)| json!([after, read(comment)])).collect();
                let marked: Vec<Value> =
                    texts.marked(game).map(|(kind, marked_text)| json!([kind as u8, text(marked_text)])).collect();
                json!({"placed": placed, "marked": marked})
            };
            (0..count).map(game).collect()
        }
        "layout" => {
            let layout = Layout::decode(bytes, count)?;
            let game = |game| {
                let (style, edits) = layout.of_game(game)?;
                let edit = |edit: &LayoutEdit| json!([edit.copy, edit.delete, hex(&edit.insert)]);
                Some(json!({"style": hex(&style), "edits": edits.iter().map(edit).collect::<Vec<_>>()}))
            };
            (0..count).map(game).collect::<Option<Vec<_>>>()?.into()
        }
        "dictionary" => {
            let strings = BlockStrings::decode(bytes, count)?;
            (0..count).map(|string| strings.get(string).map(text)).collect::<Option<Vec<_>>>()?.into()
        }
        "deletions" => {
            deletions::decode(bytes, count as u64)?.into_iter().map(|(first, last)| vec![first, last]).collect()
        }
        "metadata" => metadata::decode_within(bytes, count, &Limits::DEFAULT)?
            .into_iter()
            .map(|(key, value)| vec![key, value])
            .collect(),
        "parity" => {
            let mut parity = Parity::decode(&vec![0; *counts.get(1)? as usize])?;
            parity.add(*counts.first()?, bytes);
            hex(parity.sums()).into()
        }
        "source" => source_fields(&SourceRecord::decode(0, bytes)?),
        "loose" => {
            let (source, bytes) = loose::decode(bytes)?;
            json!({"source": source, "bytes": hex(&bytes)})
        }
        "commit" => {
            let commit = Commit::decode(bytes)?;
            let Commit { sequence, games, plies, strings, sources, pgn_bytes, faulty, rejected, .. } = commit;
            let Commit { moves_bytes, tags_bytes, texts_bytes, dictionary_bytes, layout_bytes, .. } = commit;
            let counts = [sequence, games, plies, strings, sources, pgn_bytes, faulty, rejected];
            let sizes = [moves_bytes, tags_bytes, texts_bytes, dictionary_bytes, layout_bytes];
            let numbers = [&counts[..], &sizes].concat();
            let mut means = json!({"numbers": numbers, "chain": hex(&commit.chain.0)});
            if let Some(Unfinished { first_source, line, options, source }) = Unfinished::from_commit(bytes) {
                means["progress"] = json!({"first_source": first_source, "line": line, "options": options,
                    "source": source_fields(&source)});
            }
            means
        }
        "string" => content(&standalone::decode(bytes).ok()?),
        "alternate" => content(&standalone::decode(&Order::Alternate.read(bytes)).ok()?),
        "exchanged" => content(&standalone::decode(&Order::Exchanged.read(bytes)).ok()?),
        "fixed" => content(&standalone::decode(&Order::Fixed.read(bytes)).ok()?),
        "ids" => content(&fixed::decode(bytes, Width::Ids).ok()?),
        "bits" => content(&fixed::decode(bytes, Width::Bits).ok()?),
        _ => panic!("{part}"),
    })
}

fn source_fields(source: &SourceRecord) -> Value {
    json!({"name": source.name, "bytes": source.bytes, "seen": source.seen, "rejected": source.rejected,
        "first": source.first_game, "exact": u8::from(source.exact), "sha256": hex(&source.sha256)})
}

/// Returns a game as tags, start, result, and movetext: moves in UCI, NAGs, texts, variations.
fn content(game: &Game) -> Value {
    let chess960 = game.start.is_chess960();
    let (mut now, mut before, mut stack, mut events) = (game.start.clone(), game.start.clone(), vec![], vec![]);
    for event in &game.events {
        events.push(match event {
            Event::Move(Move::NULL) => "--".to_owned(),
            Event::Move(m) => {
                let mut uci = Vec::new();
                now.write_uci(*m, chess960, &mut uci);
                String::from_utf8(uci).unwrap()
            }
            Event::Suffix(good) => if *good { "!" } else { "?" }.to_owned(),
            Event::Nag(nag) => format!("${nag}"),
            Event::Text(_, text) => format!("{{{text}}}"),
            Event::Open => "(".to_owned(),
            Event::Close => ")".to_owned(),
        });
        match event {
            Event::Move(m) => {
                before = now.clone();
                now.play_unchecked(*m);
            }
            Event::Open => {
                stack.push((now, before.clone()));
                now = before.clone();
            }
            Event::Close => (now, before) = stack.pop().unwrap(),
            _ => {}
        }
    }
    let tags: Vec<[&str; 2]> = game.tags.iter().map(|(name, value)| [name.as_str(), value]).collect();
    let result = game.outcome.map_or("*", |outcome| outcome.token());
    json!({"tags": tags, "start": game.start.fen(), "movetext": events, "result": result})
}
