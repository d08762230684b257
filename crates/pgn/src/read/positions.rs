//! Reads lists of positions: a FEN or an EPD on each line, which becomes a game without moves.

use super::reader::{Disposition, ReadOutcome};
use super::text::{Plain, decode};
use crate::fault::{Fault, FaultKind};
use crate::game::{TextKind, Visitor, start_of_tags};
use crate::limits::{Encoding, ReadOptions};
use scoresheet_chess::Variant;
use scoresheet_chess::epd::{Epd, Operand, Operation};
use scoresheet_chess::fen::ReadMode;
use scoresheet_chess::record::{PositionRecord, is_of_moves};

/// Operations of an EPD that are part of the position.
const CLOCKS: [&str; 2] = ["hmvc", "fmvn"];
/// The tags of the starting position, which an operation must not replace.
const START: [&str; 2] = ["FEN", "SetUp"];

/// Returns whether a text begins like a list of positions: of its lines that are neither blank nor comments, the first
/// and more than half of all are positions, and none begins like a tag pair.
#[doc(hidden)]
pub fn is_position_list(head: &[u8]) -> bool {
    let head = head.strip_prefix(crate::bytes::BOM).unwrap_or(head);
    let lines: Vec<&[u8]> = head.split(|byte| *byte == b'\n').filter(|line| !is_passed_over(line)).collect();
    let is_placement = |line: &[u8]| line.iter().filter(|byte| **byte == b'/').count() >= 7;
    let is_position = |line: &[u8]| is_placement(line) && PositionRecord::read(line.trim_ascii(), MODE).is_ok();
    // The last line may be cut off.
    let is_cut = lines.len() > 1 && !head.ends_with(b"\n");
    let whole = lines.get(..lines.len() - usize::from(is_cut)).unwrap_or_default();
    let positions = whole.iter().filter(|line| is_position(line)).count();
    whole.first().is_some_and(|line| is_position(line))
        && positions * 2 > whole.len()
        && !lines.iter().any(|line| line.starts_with(b"["))
}

const MODE: ReadMode = ReadMode::Forgiving;

/// Returns whether a line is blank or a comment.
fn is_passed_over(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.is_empty() || line.starts_with(b"#")
}

/// Reads a line of a list of positions, and passes it to the visitor as a game without moves. The position is the
/// starting position. Each operation of an EPD is a tag of the same name: the value is the text of the only operand, or
/// all operands as they are written. The clocks of `hmvc` and `fmvn` are those of the position.
///
/// A line that is no position is rejected. A move of `bm`, `am`, `pm`, `sm` or `pv` that is illegal is a fault. So is an
/// operation that cannot be a tag, which becomes a raw text. Blank lines, and lines that begin with `#`, are no games.
///
/// ```
/// use scoresheet_pgn::game::Game;
/// use scoresheet_pgn::{ReadOptions, read_position};
///
/// let line = br#"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; am Kd1 Kf1; id "pawn";"#;
/// let mut game = Game::default();
/// assert!(read_position(line, &ReadOptions::default(), &mut game).faults.is_empty());
/// assert_eq!(game.tags.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(),
///     ["bm=e4", "am=Kd1 Kf1", "id=pawn"]);
/// ```
pub fn read_position<V: Visitor>(line: &[u8], options: &ReadOptions, visitor: &mut V) -> ReadOutcome {
    let mut outcome = ReadOutcome {
        start: 0,
        next: line.len(),
        disposition: None,
        plies: 0,
        faults: Vec::new(),
        more_faults: 0,
        windows_1252: false,
        letters: None,
    };
    let line = line.strip_prefix(crate::bytes::BOM).unwrap_or(line);
    if is_passed_over(line) {
        return outcome;
    }
    let mut add = |kind: FaultKind, token: &str| {
        let token = token.chars().take(Fault::TOKEN_BYTES).collect::<String>();
        match outcome.faults.len() < ReadOutcome::MAX_FAULTS {
            true => outcome.faults.push(Fault { kind, offset: 0, ply: 0, token: token.into_bytes().into() }),
            false => outcome.more_faults += 1,
        }
    };
    let plain = Plain { ascii: line.is_ascii(), no_nul: !line.contains(&0), encoding: options.encoding };
    let text = decode(line.trim_ascii(), plain);
    let is_utf8 = std::str::from_utf8(line).is_ok();
    outcome.windows_1252 = match options.encoding {
        Encoding::Auto => !is_utf8,
        Encoding::Utf8 => false,
        Encoding::Windows1252 | Encoding::Latin1 => !plain.ascii,
    };
    if !plain.no_nul {
        add(FaultKind::NulByte, "");
    }
    if !is_utf8 && options.encoding == Encoding::Utf8 {
        add(FaultKind::NotUtf8, "");
    }
    outcome.disposition = Some(Disposition::Rejected);
    if line.len() > options.limits.max_game_bytes {
        add(FaultKind::Oversized, "");
        return outcome;
    }
    let record = match PositionRecord::read(&text, MODE) {
        Ok(record) => record,
        Err(error) => {
            match error.fen() {
                Some(fen) => add(FaultKind::BadFen(fen), &String::from_utf8_lossy(&text)),
                None => add(FaultKind::Refused, &error.to_string()),
            }
            return outcome;
        }
    };
    let (mut is_rejected, mut variant) = (false, None);
    let mut raw = Vec::new();
    let epd = match &record {
        PositionRecord::Epd(epd) => Some(epd),
        PositionRecord::Fen(_) => None,
    };
    for operation in record.operations() {
        let (name, value) = (operation.opcode.as_str(), value_of(operation));
        if CLOCKS.contains(&name) && value.parse::<u32>().is_ok() {
            continue;
        }
        let is_name = name.bytes().all(|byte| !matches!(byte, 0..=b' ' | b'[' | b']' | b'{' | b'}' | b'(' | b')'));
        if !is_name || START.contains(&name) || value.len() > options.limits.max_tag_bytes {
            add(if is_name && !START.contains(&name) { FaultKind::TagTooLong } else { FaultKind::BadTag }, name);
            raw.push(operation.to_string());
            continue;
        }
        if let Some((kind, token)) = epd.and_then(|epd| illegal_move(epd, operation)) {
            add(kind, &format!("{name} {token}"));
        }
        if let Some(kind) = FaultKind::of_tag(name.as_bytes(), value.as_bytes()) {
            is_rejected |= kind == FaultKind::Variant;
            add(kind, &value);
        } else if name == "Variant" {
            variant = variant.or(Variant::from_tag(&value));
        }
        visitor.tag(name.as_bytes(), value.as_bytes());
    }
    let mut position = record.position();
    if variant.is_some_and(|variant| variant != Variant::Chess) {
        match start_of_tags(variant, Some(position.fen().as_bytes())) {
            Ok((start, _)) => position = start,
            Err(fen) => {
                is_rejected = true;
                add(FaultKind::BadFen(fen), &position.fen());
            }
        }
    }
    visitor.start(&position);
    raw.iter().for_each(|text| visitor.text(TextKind::Token, text.as_bytes()));
    if !is_rejected && (!options.strict || outcome.faults.is_empty()) {
        outcome.disposition = Some(Disposition::Stored);
    }
    outcome
}

/// Returns an operation's operands as the value of a tag.
fn value_of(operation: &Operation) -> String {
    match operation.operands.as_slice() {
        [Operand::Text(text)] => text.clone(),
        operands => {
            let written = |operand: &Operand| match operand {
                Operand::Text(text) => format!("\"{text}\""),
                Operand::Word(word) => word.clone(),
            };
            operands.iter().map(written).collect::<Vec<_>>().join(" ")
        }
    }
}

/// Returns the first operand of an operation of moves that is not a legal move, with the fault.
fn illegal_move<'a>(epd: &Epd, operation: &'a Operation) -> Option<(FaultKind, &'a str)> {
    if !is_of_moves(&operation.opcode) {
        return None;
    }
    let (index, error) = epd.moves(&operation.opcode).err()?;
    Some((error.into(), operation.operands.get(index)?.as_str()))
}

#[cfg(test)]
mod tests {
    use super::is_position_list;

    #[test]
    fn lists_and_what_is_not() {
        const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 5 39";
        for text in [
            FEN.to_owned(),
            format!("\u{FEFF}# mine\n\n {FEN}\r\n"),
            format!("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;\n{FEN}\nnone\n{FEN}\n4k3/8/8"),
        ] {
            assert!(is_position_list(text.as_bytes()), "{text}");
        }
        for text in [
            String::new(),
            "1. e4 e5 *".to_owned(),
            format!("{FEN}\n\n1. e4 e5\n2. Nf3 *\n"),
            format!("{FEN}\n[Event \"x\"]\n"),
            format!("my positions\n{FEN}\n{FEN}\n"),
            "a/b/c/d/e/f/g/h\n".to_owned(),
            "4k3/8/8/8/8/8/4P3/4K3 | 12 | 1.0\n".to_owned(),
        ] {
            assert!(!is_position_list(text.as_bytes()), "{text}");
        }
    }
}
