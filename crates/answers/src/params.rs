//! The parameters of a request, read from its query within limits. Each fault names its parameter.
//!
//! This file uses the library's notations, but contains no routes. It ignores unknown parameters, like the explorer's
//! API.

use crate::fault::Fault;
use crate::snapshot::Choice;
use scoresheet::chess::fen::{Fen, FenError, Illegality, ReadMode};
use scoresheet::chess::{Color, Position, Variant};
use scoresheet_query::openings::{Opening, Openings};
use scoresheet_query::{QueryFault, Reason, Rules, reason};
use std::str::FromStr;

/// The maximum length of a filter in bytes.
pub const WHERE: usize = 4096;
/// The maximum number of plies in `play`.
pub const PLIES: usize = 1000;

/// The parameters of a URL query, in their order.
#[derive(Clone, Debug, Default)]
pub struct Params(Vec<(String, String)>);

impl Params {
    /// Reads a query: pairs separated by `&`, with `%` and `+` decoded.
    ///
    /// Errors: the decoded text is not UTF-8.
    pub fn read(query: Option<&str>) -> Result<Params, Fault> {
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let read = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        };
        pairs.map(read).collect::<Result<_, Fault>>().map(Params)
    }

    /// Returns the first value of a parameter. An empty value counts as missing.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// Returns whether the query contains a parameter, even without a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Returns a number, or `default`.
    ///
    /// Errors: the value is not a number of this type.
    pub fn number<T: FromStr>(&self, name: &str, default: T) -> Result<T, Fault> {
        match self.get(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| Fault::bad(reason!("number", "{name}: not a number, or out of range", name = name))),
        }
    }

    /// Returns the state of a switch: `1`, `true`, `yes` and `on` are on; `0`, `false`, `no`, `off` and a missing value
    /// are off.
    ///
    /// Errors: any other value.
    pub fn switch(&self, name: &str) -> Result<bool, Fault> {
        match self.get(name).unwrap_or("0").to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Ok(true),
            "0" | "false" | "no" | "off" => Ok(false),
            _ => Err(Fault::bad(reason!("one_or_zero", "{name}: expected 1 or 0", name = name))),
        }
    }

    /// Returns the filter; empty if missing.
    ///
    /// Errors: the filter is too long.
    pub fn filter(&self) -> Result<&str, Fault> {
        let text = self.get("where").unwrap_or_default();
        if text.len() > WHERE {
            Err(Fault::bad(reason!("length", "where: longer than {n} bytes", n = WHERE)))
        } else {
            Ok(text)
        }
    }

    /// Returns the query in JSON; empty if missing.
    ///
    /// Errors: the query is too long.
    pub fn question(&self) -> Result<&str, Fault> {
        let text = self.get("find").unwrap_or_default();
        if text.len() > WHERE {
            Err(Fault::bad(reason!("length", "find: longer than {n} bytes", n = WHERE)))
        } else {
            Ok(text)
        }
    }

    /// Returns whether there is neither a filter nor a query.
    ///
    /// Errors: the filter or the query is too long.
    pub fn is_of_all(&self) -> Result<bool, Fault> {
        Ok(self.filter()?.trim().is_empty() && self.question()?.is_empty())
    }

    /// Returns the number of the requested archive, from 1, or `None` for all archives.
    pub fn archive(&self) -> Result<Option<usize>, Fault> {
        self.get("archive").map(|_| self.number("archive", 0)).transpose()
    }

    /// Returns the games that `archive`, `where`, `find` and `variant` select, in the archives' order.
    pub fn choice(&self) -> Result<Choice<'_>, Fault> {
        Ok(Choice {
            only: self.archive()?,
            filter: self.filter()?,
            question: self.question()?,
            rules: self.get("variant").map(|_| self.variant().map(Rules::Only)).transpose()?,
            ..Choice::default()
        })
    }

    /// Returns the games like `choice`, with games of all variants unless `variant` selects one.
    pub fn choice_of_all_rules(&self) -> Result<Choice<'_>, Fault> {
        let choice = self.choice()?;
        Ok(Choice { rules: choice.rules.or(Some(Rules::Any)), ..choice })
    }

    /// Returns the variant; chess if missing.
    ///
    /// Errors: the name is unknown.
    pub fn variant(&self) -> Result<Variant, Fault> {
        let text = self.get("variant").unwrap_or_default();
        Variant::from_tag(text).ok_or_else(|| {
            Fault::bad(reason!("variant", "variant: no variant that archives can have: {name}", name = text))
        })
    }

    /// Returns the position of the parameter `fen` and the moves of the parameter `play`, by the rules of `variant`.
    pub fn line(&self) -> Result<Line, Fault> {
        let variant = self.variant()?;
        let start = match self.get("fen") {
            None => variant.start(),
            Some(text) => position(text, variant)?,
        }
        .with_variant(variant.of_moves());
        let mut line = Line { opening: opening(&start), start: start.clone(), position: start, moves: Vec::new() };
        let (mut number, mut next) = (0, 0);
        for text in self.get("play").unwrap_or_default().split(',') {
            let start = next;
            next += text.chars().count() + 1;
            if text.is_empty() {
                continue;
            }
            number += 1;
            if number > PLIES {
                return Err(Fault::bad(reason!("many_moves", "play: more than {n} moves", n = PLIES)));
            }
            let legal = line.position.parse_uci(text).ok().filter(|m| *m != scoresheet::Move::NULL);
            let illegal = || reason!("illegal", "play: move {n} is not legal", n = number);
            let m = legal.ok_or_else(|| {
                let fault = Fault::bad(illegal()).with("parameter", "play").with("move", number);
                fault.with_range(Some(start..next - 1))
            })?;
            line.moves.push((line.position.san(m), line.position.uci(m)));
            line.position.play_unchecked(m);
            line.opening = opening(&line.position).or(line.opening);
        }
        Ok(line)
    }
}

/// The position and the moves of a request.
#[derive(Clone, Debug)]
pub struct Line {
    /// The position before the moves.
    pub start: Position,
    /// The position after the moves.
    pub position: Position,
    /// The opening of the last position with a name in the table of openings.
    pub opening: Option<&'static Opening>,
    /// The moves in SAN and in UCI notation.
    pub moves: Vec<(String, String)>,
}

/// Returns the opening of a position of chess.
pub fn opening(position: &Position) -> Option<&'static Opening> {
    if position.variant() != Variant::Chess {
        return None;
    }
    Openings::table().get(position)
}

/// Returns a FEN with blanks. Addresses may contain underscores instead of blanks, as in Lichess's addresses.
pub fn spaced(fen: &str) -> String {
    fen.replace('_', " ")
}

/// Returns the position of a FEN, an X-FEN or the first four fields of either. Impossible castling rights and en
/// passant targets are dropped. Too many pieces or strange clocks do not affect the moves and are accepted.
///
/// Errors: the text is not a FEN; in chess, a king is missing or the side to move could capture the king.
pub fn position(text: &str, variant: Variant) -> Result<Position, Fault> {
    let text = &spaced(text);
    let wrong = |error: FenError| {
        let fault = Fault::query("fen", &QueryFault::from_fen(text, &error));
        Fault { code: "bad_request", ..fault }
    };
    if variant != Variant::Chess {
        return Position::from_fen_of(variant, text).map_err(wrong);
    }
    let fen = Fen::read(text.as_bytes(), ReadMode::Forgiving).map_err(wrong)?;
    let fatal = |why: &Illegality| {
        matches!(
            why,
            Illegality::NoKing(_)
                | Illegality::ManyKings(_)
                | Illegality::PawnOnBackRank(_)
                | Illegality::OpponentInCheck(_)
        )
    };
    let position = fen.position();
    match fen.illegalities_of(&position).into_iter().find(fatal) {
        Some(why) => Err(Fault::bad(illegality(why)).with("parameter", "fen")),
        None => Ok(position),
    }
}

/// Returns the reason why a position cannot be shown.
fn illegality(why: Illegality) -> Reason {
    let text = format!("fen: {why}");
    let of_side = |code, color: Color| {
        let side = if color == Color::White { "white" } else { "black" };
        Reason::new(code, [("side", side.to_owned())], text.clone())
    };
    match why {
        Illegality::NoKing(color) => of_side("no_king", color),
        Illegality::ManyKings(color) => of_side("kings", color),
        Illegality::OpponentInCheck(color) => of_side("check", color),
        Illegality::PawnOnBackRank(square) => Reason::new("pawn_square", [("square", square.to_string())], text),
        _ => text.into(),
    }
}

fn decoded(text: &str) -> Result<String, Fault> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    let digit = |byte: Option<u8>| byte.and_then(|byte| (byte as char).to_digit(16));
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => match (digit(rest.next()), digit(rest.next())) {
                (Some(high), Some(low)) => (high * 16 + low) as u8,
                _ => {
                    return Err(Fault::bad(reason!(
                        "escape",
                        "% in the query must be followed by two hexadecimal digits"
                    )));
                }
            },
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| Fault::bad(reason!("query_utf8", "the query is not UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let params = Params::read(Some("a=1&where=elo%20%3E%3D+2400&a=2&empty=&flag&n%C3%A4me=%C3%BC")).unwrap();
        assert_eq!(params.get("a"), Some("1"));
        assert_eq!(params.get("where"), Some("elo >= 2400"));
        assert_eq!((params.get("empty"), params.get("flag"), params.get("other")), (None, None, None));
        assert_eq!(params.get("näme"), Some("ü"));
        for wrong in ["a=%", "a=%f", "a=%zz", "a=%ff"] {
            assert!(Params::read(Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lines_are_played() {
        let line = |query: &str| Params::read(Some(query)).unwrap().line();
        let both = ["e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,e1g1", "e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,e1h1"];
        let fens = both.map(|moves| line(&format!("play={moves}")).unwrap().position.fen());
        assert_eq!(fens[0], fens[1]);
        // The name comes from the last named position.
        let named = line("play=e2e4,c7c5,a2a4,a7a5,h2h4,h7h5").unwrap();
        assert!(named.opening.unwrap().name.starts_with("Sicilian"), "{:?}", named.opening);
        for wrong in ["play=e2e5", "play=e2e4,0000", "play=xx", "fen=8/8/8/8/8/8/8/8%20w", "fen=rnbq"] {
            assert_eq!(line(wrong).unwrap_err().status, 400, "{wrong}");
        }
        // Ignores impossible castling rights, and accepts too many pieces.
        let odd = line("fen=4k3/qqqqqqqq/qqqqqqqq/8/8/8/8/4K3%20w%20KQkq%20e3").unwrap();
        assert!(odd.position.fen().contains(" w - - "), "{}", odd.position.fen());
        let long = vec!["g1f3,g8f6,f3g1,f6g8"; 251].join(",");
        assert!(line(&format!("play={long}")).unwrap_err().message.contains("1000"));
    }
}
