//! A repertoire, which is the moves that a player prepares, and where games leave it.

use crate::position::search::{Hit, Search, SearchResult, Step, Unreadable};
use foldhash::{HashMap, HashMapExt};
use scoresheet::archive::GameRef;
use scoresheet::chess::{Color, Move, Position};
use scoresheet::error::Result;
use scoresheet::game::Visitor;
use scoresheet::pgn::{ReadOptions, read_game};
use std::sync::Arc;

/// The moves of one side in the positions that it has prepared, and the replies of the opponent that it expects. Positions
/// are equal whatever moves lead to them.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let [mine, games] = ["mine.bga", "games.bga"].map(|name| folder.path().join(name));
/// # scoresheet::Import::new(&mine).run_reader("mine.pgn", &b"1. e4 c5 (1... e5 2. Nf3) 2. Nf3 d6 3. d4 *\n"[..])?;
/// # let pgn = "1. e4 e6 1-0\n\n1. e4 c5 2. Nf3 d6 3. d4 a6 0-1\n\n1. d4 *\n\n1. e4 c5 2. Nf3 *\n";
/// # scoresheet::Import::new(&games).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::{Archive, chess::Color};
/// use scoresheet_query::report::repertoire::{Compared, Left, Repertoire, RepertoireMove};
///
/// let mine = Archive::open(&mine)?; // 1. e4 c5 (1... e5 2. Nf3) 2. Nf3 d6 3. d4
/// let repertoire = Repertoire::new(Color::White, mine.games())?;
/// let games = Archive::open(&games)?;
/// let found: Compared = repertoire.compare(&games, &games.live())?;
/// let hole: &RepertoireMove = &found.holes[0];
/// assert_eq!((repertoire.text(hole.place, hole.m), hole.points.games), ("1. e4 e6".to_owned(), 1));
/// let left: Vec<Left> = found.games.iter().map(|(_, left)| *left).collect();
/// assert!(matches!(left[..], [Left::Opponent { ply: 1, .. }, Left::End { ply: 5 }, Left::Own { .. }, Left::Never]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Repertoire {
    color: Color,
    places: Vec<Place>,
    /// The indexes of positions in `places`, by their keys.
    known: HashMap<u64, usize>,
}

/// A position of the repertoire.
#[derive(Clone, Debug)]
struct Place {
    /// The position before, and the move from there, or the starting position.
    from: std::result::Result<(usize, Move), Box<Position>>,
    is_own: bool,
    /// The moves that the repertoire plays or expects here.
    moves: Vec<Move>,
}

/// Where a game leaves a repertoire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// The repertoire ends in the position after this ply, and the game goes on.
    End {
        /// The ply of the last position that the repertoire has.
        ply: u32,
    },
    /// The side plays another move than the repertoire, in this position.
    Own {
        /// The ply of the last position that the repertoire has.
        ply: u32,
        /// The number of the position.
        place: usize,
        /// The move of the game.
        m: Move,
    },
    /// The opponent plays a move that the repertoire does not expect, in this position.
    Opponent {
        /// The ply of the last position that the repertoire has.
        ply: u32,
        /// The number of the position.
        place: usize,
        /// The move of the game.
        m: Move,
    },
    /// The game ends within the repertoire.
    Never,
    /// The repertoire does not have the game's starting position.
    Elsewhere,
}

/// A way to leave a repertoire, for searches.
///
/// [`RepertoireQuery`] has an example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// The line of the repertoire ends, and the game goes on.
    End,
    /// The side plays another move than the repertoire.
    Own,
    /// The opponent plays a move that the repertoire does not expect.
    Opponent,
    /// The game ends within the repertoire.
    Never,
}

impl Leaving {
    /// The names of the ways, which options and queries use.
    pub const NAMES: [(&str, Leaving); 4] =
        [("end", Leaving::End), ("own", Leaving::Own), ("opponent", Leaving::Opponent), ("never", Leaving::Never)];

    /// Returns the way with this name.
    pub fn from_name(name: &str) -> Option<Leaving> {
        Leaving::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, way)| way)
    }
}

/// A search for games that follow a repertoire by at least one move. A hit is the ply of the last position that the
/// repertoire has: there the game leaves it, or ends.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let [mine, games] = ["mine.bga", "games.bga"].map(|name| folder.path().join(name));
/// # scoresheet::Import::new(&mine).run_reader("mine.pgn", &b"1. e4 c5 2. Nf3 d6 3. d4 *\n"[..])?;
/// # let pgn = "1. e4 e6 1-0\n\n1. e4 c5 2. Nf3 d6 3. d4 a6 0-1\n\n1. d4 *\n\n1. e4 c5 2. Nc3 *\n";
/// # scoresheet::Import::new(&games).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::{Archive, chess::Color};
/// use scoresheet_query::report::repertoire::{Leaving, Repertoire, RepertoireQuery};
/// use scoresheet_query::{ArchiveSet, Query};
///
/// let mine = Archive::open(&mine)?; // 1. e4 c5 2. Nf3 d6 3. d4
/// let repertoire = Repertoire::new(Color::White, mine.games())?;
/// let set = ArchiveSet::open([&games])?;
/// let found = |ways: &[Leaving]| -> scoresheet::Result<Vec<(u64, u32)>> {
///     let query = Query::from(RepertoireQuery::new(repertoire.clone(), ways));
///     query.run(&set).map(|found| found.map(|found| (found.game, found.hits[0].ply))).collect()
/// };
/// assert_eq!(found(&[])?, [(1, 1), (2, 5), (4, 2)]); // not 1. d4
/// assert_eq!((found(&[Leaving::Opponent])?, found(&[Leaving::Own])?), (vec![(1, 1)], vec![(4, 2)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RepertoireQuery {
    repertoire: Arc<Repertoire>,
    ways: Vec<Leaving>,
}

impl RepertoireQuery {
    /// Returns a search for the games that leave a repertoire in one of these ways, or in any way if there are none.
    pub fn new(repertoire: Repertoire, ways: &[Leaving]) -> RepertoireQuery {
        RepertoireQuery { repertoire: Arc::new(repertoire), ways: ways.to_vec() }
    }

    pub(crate) fn find(&self, search: &Search<'_>) -> SearchResult {
        let mut steps = Vec::new();
        let candidates = search.candidates(None, &mut steps);
        let (hits, unread) = search.each(&candidates, |game, hits| {
            let (way, ply) = match self.repertoire.follow(game, |_, _| {}).map_err(Unreadable::Rest)? {
                Left::End { ply } => (Leaving::End, ply),
                Left::Own { ply, .. } => (Leaving::Own, ply),
                Left::Opponent { ply, .. } => (Leaving::Opponent, ply),
                Left::Never => (Leaving::Never, game.plies()),
                Left::Elsewhere => return Ok(()),
            };
            if ply > 0 && (self.ways.is_empty() || self.ways.contains(&way)) {
                hits.push(Hit::new(game.number(), ply));
            }
            Ok(())
        });
        steps.push(Step { what: "repertoire", games: hits.len() as u64 });
        SearchResult { hits, steps, unread }
    }
}

/// Adds the moves of a game to a repertoire.
struct Adding<'a> {
    repertoire: &'a mut Repertoire,
}

impl Visitor for Adding<'_> {
    fn start(&mut self, position: &Position) {
        let start = || Err(Box::new(position.clone()));
        self.repertoire.place(position, start);
    }

    fn play(&mut self, before: &Position, m: Move) {
        let from = self.repertoire.place(before, || Err(Box::new(before.clone())));
        let mut after = before.clone();
        after.play_unchecked(m);
        self.repertoire.place(&after, || Ok((from, m)));
        if let Some(place) = self.repertoire.places.get_mut(from)
            && !place.moves.contains(&m)
        {
            place.moves.push(m);
        }
    }
}

impl Repertoire {
    /// Returns the repertoire of this side that games contain, with their variations.
    ///
    /// Errors: a game cannot be read.
    pub fn new<'g>(color: Color, games: impl IntoIterator<Item = Result<GameRef<'g>>>) -> Result<Repertoire> {
        let mut repertoire = Repertoire { color, places: Vec::new(), known: HashMap::new() };
        for game in games {
            game?.visit(&mut Adding { repertoire: &mut repertoire })?;
        }
        Ok(repertoire)
    }

    /// Returns the repertoire of this side that PGN contains: games with variations, or moves alone.
    ///
    /// Errors: a game has a fault. The error contains its byte in the text, from 0, and the fault.
    ///
    /// ```
    /// use scoresheet::chess::Color;
    /// use scoresheet_query::report::repertoire::Repertoire;
    ///
    /// let repertoire = Repertoire::from_pgn(Color::White, "1. e4 c5 (1... e5 2. Nf3) 2. Nf3 *")?;
    /// assert_eq!(repertoire.positions(), 3);
    /// assert_eq!(Repertoire::from_pgn(Color::White, "1. e4 e4 *").unwrap_err().0, 6);
    /// # Ok::<(), (usize, String)>(())
    /// ```
    pub fn from_pgn(color: Color, pgn: &str) -> std::result::Result<Repertoire, (usize, String)> {
        let mut repertoire = Repertoire { color, places: Vec::new(), known: HashMap::new() };
        let (mut at, options) = (0, ReadOptions::default());
        while at < pgn.len() {
            let game = read_game(pgn.as_bytes(), at, &options, &mut Adding { repertoire: &mut repertoire });
            if let Some(fault) = game.faults.first() {
                return Err((fault.offset, fault.to_string()));
            }
            if game.next <= at {
                break;
            }
            at = game.next;
        }
        Ok(repertoire)
    }

    /// Returns the side whose moves these are.
    pub fn color(&self) -> Color {
        self.color
    }

    /// Returns the number of positions in which the repertoire has a move.
    pub fn positions(&self) -> usize {
        self.places.iter().filter(|place| place.is_own && !place.moves.is_empty()).count()
    }

    /// Returns the moves that the repertoire plays or expects in a position; none if it does not have the position.
    pub fn moves(&self, position: &Position) -> &[Move] {
        let place = self.known.get(&position.zobrist()).and_then(|index| self.places.get(*index));
        place.map_or(&[], |place| &place.moves)
    }

    /// Returns whether the repertoire has several moves of its own side in a position, by the position's number.
    pub(crate) fn is_choice(&self, place: usize) -> bool {
        self.places.get(place).is_some_and(|place| place.is_own && place.moves.len() > 1)
    }

    /// Returns the index of a position, which is added with its origin if it is new.
    fn place(
        &mut self,
        position: &Position,
        from: impl FnOnce() -> std::result::Result<(usize, Move), Box<Position>>,
    ) -> usize {
        let (next, is_own) = (self.places.len(), position.turn() == self.color);
        let index = *self.known.entry(position.zobrist()).or_insert(next);
        if index == next {
            self.places.push(Place { from: from(), is_own, moves: Vec::new() });
        }
        index
    }

    /// Returns the starting position and the moves that lead to a position in the repertoire.
    fn line(&self, place: usize) -> (Position, Vec<Move>) {
        let (mut moves, mut at) = (Vec::new(), place);
        let start = loop {
            match self.places.get(at).map(|place| &place.from) {
                Some(Ok((from, m))) => {
                    moves.push(*m);
                    at = *from;
                }
                Some(Err(start)) => break (**start).clone(),
                None => break Position::standard(),
            }
        };
        moves.reverse();
        (start, moves)
    }

    /// Returns a position of the repertoire by its number.
    pub fn position(&self, place: usize) -> Position {
        let (mut position, moves) = self.line(place);
        moves.into_iter().for_each(|m| position.play_unchecked(m));
        position
    }

    /// Returns the moves that lead to a position of the repertoire and then this move, as in `1. e4 c5 2. Nf3`.
    pub fn text(&self, place: usize, m: Move) -> String {
        let (mut position, moves) = self.line(place);
        let mut text = String::new();
        for m in moves.into_iter().chain([m]) {
            let number = position.fullmove_number();
            match position.turn() {
                Color::White => text += &format!("{number}. "),
                Color::Black if text.is_empty() => text += &format!("{number}... "),
                Color::Black => {}
            }
            text += &position.san(m);
            text.push(' ');
            position.play_unchecked(m);
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// Returns where a game leaves the repertoire. Calls `seen` with each move that the repertoire has.
    pub(crate) fn follow(&self, game: &GameRef<'_>, mut seen: impl FnMut(usize, Move)) -> Result<Left> {
        let mut at = match self.known.get(&game.start().zobrist()) {
            Some(index) => *index,
            None => return Ok(Left::Elsewhere),
        };
        for played in game.moves() {
            let played = played?;
            let (ply, m) = (played.ply() - 1, played.played());
            let Some(place) = self.places.get(at) else { break };
            if place.moves.is_empty() {
                return Ok(Left::End { ply });
            }
            let is_known = place.moves.contains(&m);
            // Another move of the opponent may lead to a position that the repertoire answers.
            let next = self.known.get(&played.after().zobrist()).copied();
            match next.filter(|_| is_known || !place.is_own) {
                Some(next) => {
                    seen(at, m);
                    at = next;
                }
                None if place.is_own => return Ok(Left::Own { ply, place: at, m }),
                None => return Ok(Left::Opponent { ply, place: at, m }),
            }
        }
        Ok(Left::Never)
    }
}
