//! Parses the parameters of the explorer API. Ignores unknown parameters, including `source`.

use scoresheet::chess::{Color, Variant};
use scoresheet_answers::{Fault, Line, Params};
use scoresheet_query::value::{SPEEDS, speed};

/// The route of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `/masters`
    Masters,
    /// `/lichess`
    Lichess,
    /// `/player`
    Player,
}

/// A request.
pub struct Request {
    /// The position.
    pub line: Line,
    /// The rules of the games.
    pub variant: Variant,
    /// The maximum number of moves.
    pub moves: usize,
    /// The maximum number of top games.
    pub top: usize,
    /// The maximum number of recent games.
    pub recent: usize,
    /// Whether to return the number of games by month.
    pub history: bool,
    /// The filter on tags; empty to select all games.
    pub filter: String,
    /// The speeds to include; empty for all speeds.
    pub speeds: Vec<&'static str>,
    /// The player and the side that the player had.
    pub player: Option<(String, Color)>,
}

/// The lower bounds of the groups of mean ratings; the last group has no upper bound.
const RATINGS: [u32; 9] = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500];

impl Request {
    /// Parses the parameters.
    pub fn read(params: &Params, kind: Kind) -> Result<Request, Fault> {
        let variant = params.variant()?;
        let line = params.line()?;
        let most = |name: &str, default: usize, most: usize| params.number(name, default).map(|found| found.min(most));
        let (top, recent) = match kind {
            Kind::Masters => (most("topGames", 15, 15)?, 0),
            Kind::Lichess => (most("topGames", 4, 4)?, most("recentGames", 8, 8)?),
            Kind::Player => (0, most("recentGames", 8, 8)?),
        };
        let all_moves = if kind == Kind::Player { usize::MAX } else { 12 };
        let mut filter = Vec::new();
        let years = kind == Kind::Masters;
        for (name, sign) in [("since", ">="), ("until", "<=")] {
            filter.extend(bound(params, name, sign, years)?);
        }
        let (mut speeds, mut player) = (Vec::new(), None);
        if kind != Kind::Masters {
            let known = |text: &str| {
                let known = SPEEDS.into_iter().find(|speed| *speed == text);
                known.ok_or_else(|| Fault::bad(format!("speeds: expected one of {}", SPEEDS.join(", "))))
            };
            speeds = list(params, "speeds").map(known).collect::<Result<_, _>>()?;
        }
        match kind {
            Kind::Masters => {}
            Kind::Lichess => filter.extend(ratings(params)?),
            Kind::Player => {
                filter.extend(modes(params)?);
                let name = params.get("player").ok_or_else(|| Fault::bad("player: expected a name"))?;
                let color = match params.get("color") {
                    Some("white") => Color::White,
                    Some("black") => Color::Black,
                    _ => return Err(Fault::bad("color: expected white or black")),
                };
                player = Some((name.to_owned(), color));
            }
        }
        let history = kind == Kind::Lichess && history(params)?;
        let moves = params.number("moves", all_moves)?;
        Ok(Request { line, variant, moves, top, recent, history, filter: filter.join(" and "), speeds, player })
    }

    /// Limits the request to games by month.
    pub fn only_history(&mut self) {
        (self.history, self.moves, self.top, self.recent) = (true, 0, 0, 0);
    }

    /// Returns whether a time control is one of the requested speeds.
    pub fn is_of_speed(&self, control: &str) -> bool {
        self.speeds.is_empty() || self.speeds.contains(&speed(control.as_bytes()))
    }
}

fn list<'a>(params: &'a Params, name: &str) -> impl Iterator<Item = &'a str> {
    params.get(name).unwrap_or_default().split(',').map(str::trim).filter(|text| !text.is_empty())
}

/// Returns a limit on the date as a filter: a year, or a year and a month; `None` if the limit excludes no date. Every
/// filter on dates also excludes games without a known date.
fn bound(params: &Params, name: &str, sign: &str, years: bool) -> Result<Option<String>, Fault> {
    let Some(text) = params.get(name) else { return Ok(None) };
    let form = if years { "expected a year (2016)" } else { "expected year and month (2016-12)" };
    let wrong = || Fault::bad(format!("{name}: {form}"));
    let (year, month) = match text.split_once('-') {
        None if years => (text, None),
        Some((year, month)) if !years => (year, Some(month)),
        _ => return Err(wrong()),
    };
    let year: u16 = year.parse().map_err(|_| wrong())?;
    let month = month.map(|month| month.parse::<u8>().ok().filter(|month| (1..=12).contains(month)).ok_or_else(wrong));
    let month = month.transpose()?;
    // The default bounds of the API exclude no games, even if clients send them.
    if sign == ">=" && year == 1952 && matches!(month, None | Some(1)) || sign == "<=" && year >= 3000 {
        return Ok(None);
    }
    Ok(Some(match month {
        None => format!("year {sign} {year}"),
        Some(month) => format!("date {sign} {year:04}.{month:02}"),
    }))
}

fn ratings(params: &Params) -> Result<Option<String>, Fault> {
    let mut groups = Vec::new();
    for text in list(params, "ratings") {
        let group = text.parse().ok().and_then(|rating: u32| RATINGS.iter().position(|known| *known == rating));
        let group = group
            .ok_or_else(|| Fault::bad("ratings: expected some of 0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500"))?;
        groups.push(match RATINGS.get(group + 1) {
            Some(next) => format!("avgelo in {}..{}", RATINGS[group], next - 1),
            None => format!("avgelo >= {}", RATINGS[group]),
        });
    }
    groups.dedup();
    Ok((!groups.is_empty()).then(|| format!("({})", groups.join(" or "))))
}

fn modes(params: &Params) -> Result<Option<String>, Fault> {
    let (mut casual, mut rated) = (false, false);
    for text in list(params, "modes") {
        match text {
            "casual" => casual = true,
            "rated" => rated = true,
            _ => return Err(Fault::bad("modes: expected casual, rated or both")),
        }
    }
    Ok(match (casual, rated) {
        (true, false) => Some("event ~ \"casual\"".to_owned()),
        (false, true) => Some("not event ~ \"casual\"".to_owned()),
        _ => None,
    })
}

fn history(params: &Params) -> Result<bool, Fault> {
    match params.get("history").unwrap_or("0") {
        "no" | "false" | "False" | "off" | "0" => Ok(false),
        "yes" | "true" | "True" | "on" | "1" => Ok(true),
        _ => Err(Fault::bad("history: expected 1 or 0")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, query: &str) -> Result<Request, Fault> {
        Request::read(&Params::read(Some(query))?, kind)
    }

    #[test]
    fn defaults_and_limits() {
        let masters = read(Kind::Masters, "").unwrap();
        assert_eq!((masters.moves, masters.top, masters.recent, masters.filter.as_str()), (12, 15, 0, ""));
        let lichess = read(Kind::Lichess, "topGames=99&recentGames=99").unwrap();
        assert_eq!((lichess.moves, lichess.top, lichess.recent), (12, 4, 8));
        let player = read(Kind::Player, "player=X&color=black").unwrap();
        assert_eq!((player.moves, player.top, player.recent), (usize::MAX, 0, 8));
        assert_eq!(player.player, Some(("X".to_owned(), Color::Black)));
    }

    #[test]
    fn filters() {
        let filter = |kind, query| read(kind, query).unwrap().filter;
        assert_eq!(filter(Kind::Masters, "since=1952&until=3000"), "");
        assert_eq!(filter(Kind::Masters, "since=1945"), "year >= 1945");
        assert_eq!(filter(Kind::Lichess, "since=1952-01"), "");
        assert_eq!(filter(Kind::Masters, "since=1990&until=2000"), "year >= 1990 and year <= 2000");
        assert_eq!(filter(Kind::Lichess, "since=2016-03"), "date >= 2016.03");
        let groups = "(avgelo in 1600..1799 or avgelo >= 2500)";
        assert_eq!(filter(Kind::Lichess, "ratings=1600,2500&until=3000-12"), groups);
        assert_eq!(filter(Kind::Player, "player=a&color=white&modes=rated"), "not event ~ \"casual\"");
        assert_eq!(filter(Kind::Player, "player=a&color=white&modes=rated,casual"), "");
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let wrong = [
            (Kind::Masters, "variant=bughouse"),
            (Kind::Masters, "since=2016-03"),
            (Kind::Masters, "moves=x"),
            (Kind::Lichess, "since=2016"),
            (Kind::Lichess, "since=2016-13"),
            (Kind::Lichess, "speeds=fast"),
            (Kind::Lichess, "ratings=1700"),
            (Kind::Lichess, "history=maybe"),
            (Kind::Player, "player=X"),
            (Kind::Player, "color=white"),
            (Kind::Player, "player=X&color=white&modes=odd"),
        ];
        for (kind, query) in wrong {
            assert_eq!(read(kind, query).err().map(|fault| fault.status.as_u16()), Some(400), "{query}");
        }
    }
}
