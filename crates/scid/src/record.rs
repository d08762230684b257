//! The record of a game: tags, starting position, moves and comments.

use crate::entry::{DELETED, Entry, date};
use crate::names::{EVENTS, Names, PLAYERS, ROUNDS, SITES, decode};
use crate::pieces::Pieces;
use scoresheet::chess::{CastlingSide, Color, Move, MoveKind, Position, Role, Square};
use scoresheet::game::{Outcome, TextKind, Visitor};
use scoresheet::import::GameReceiver;
use scoresheet::pgn::FaultKind;

/// The names of tags that have a number.
const TAGS: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "Setup",
    "Source",
    "SetUp",
];
/// The names of the kinds of ratings.
const RATINGS: [&str; 7] = ["Elo", "Rating", "Rapid", "ICCF", "USCF", "DWZ", "ECF"];
const RESULTS: [Outcome; 4] = [Outcome::Unknown, Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw];

/// The marks among the moves.
const NAG: u8 = 11;
const COMMENT: u8 = 12;
const OPEN: u8 = 13;
const CLOSE: u8 = 14;
const END: u8 = 15;

/// What is wrong with a record.
type Fault = (FaultKind, String);

fn cut_off() -> Fault {
    (FaultKind::UnreadableMove, "the record of the game is cut off".to_owned())
}

/// Passes on a game. `record` is its record, which may be cut off, or the reason why it cannot be read.
pub fn pass_on(games: &mut GameReceiver<'_>, entry: &Entry, names: &Names, record: Result<&[u8], &str>) {
    games.begin(entry.offset, 0);
    head(games, entry, names);
    let body = match record {
        Ok(record) => {
            let body = Body { input: record, comments: Vec::new(), marks: 0 }.pass_on(games, entry);
            body.and_then(|()| if record.len() < entry.length as usize { Err(cut_off()) } else { Ok(()) })
        }
        Err(reason) => Err((FaultKind::UnreadableMove, reason.to_owned())),
    };
    if let Err((kind, token)) = body {
        games.fault(kind, &token);
    }
    let outcome = RESULTS.get(entry.result as usize).copied().unwrap_or(Outcome::Unknown);
    games.outcome(outcome);
    if entry.flags & DELETED == 0 { games.end() } else { games.end_deleted() }
}

/// Passes on the tags of the index.
fn head(games: &mut GameReceiver<'_>, entry: &Entry, names: &Names) {
    let name = |games: &mut GameReceiver<'_>, tag: &str, list: usize, id: u32| {
        let name = names.name(list, id);
        if name.is_none() {
            games.fault(FaultKind::UnreadableValue, &format!("{tag}: the base has no name {id}"));
        }
        games.tag(tag.as_bytes(), name.as_deref().unwrap_or("?").as_bytes());
    };
    name(games, "Event", EVENTS, entry.event);
    name(games, "Site", SITES, entry.site);
    games.tag(b"Date", date(entry.date).as_bytes());
    name(games, "Round", ROUNDS, entry.round);
    name(games, "White", PLAYERS, entry.white);
    name(games, "Black", PLAYERS, entry.black);
    let outcome = RESULTS.get(entry.result as usize).copied();
    if outcome.is_none() {
        games.fault(FaultKind::UnreadableValue, &format!("Result: number {}", entry.result));
    }
    games.tag(b"Result", outcome.unwrap_or(Outcome::Unknown).token().as_bytes());
    for (color, (rating, kind)) in ["White", "Black"].into_iter().zip(entry.ratings) {
        if rating > 0 {
            let kind = RATINGS.get(kind as usize).copied().unwrap_or("Elo");
            games.tag(format!("{color}{kind}").as_bytes(), rating.to_string().as_bytes());
        }
    }
    if let Some(eco) = entry.eco() {
        games.tag(b"ECO", eco.as_bytes());
    }
    if entry.event_date > 0 {
        games.tag(b"EventDate", date(entry.event_date).as_bytes());
    }
    let letters = entry.letters();
    if !letters.is_empty() {
        games.tag(b"ScidFlags", letters.as_bytes());
    }
}

/// The part of a record that has not been read.
struct Body<'a> {
    input: &'a [u8],
    /// The comments that have not been passed on, from the last to the first.
    comments: Vec<&'a [u8]>,
    /// The number of marks for comments that follow.
    marks: usize,
}

/// Tags that a game has.
#[derive(Default)]
struct Seen {
    variant: bool,
    set_up: bool,
}

/// The state of a line of moves.
#[derive(Clone)]
struct Line {
    pieces: Pieces,
    /// The pieces before the last move, which a variation replaces.
    before: Pieces,
}

impl<'a> Body<'a> {
    fn pass_on(mut self, games: &mut GameReceiver<'_>, entry: &Entry) -> Result<(), Fault> {
        let seen = self.tags(games)?;
        if entry.is_chess960 && !seen.variant {
            games.tag(b"Variant", b"Chess960");
        }
        let fen = self.start(games, seen.set_up)?;
        let start = fen.clone().unwrap_or_else(Position::standard);
        games.start(&start);
        self.find_comments();
        let too_many = || (FaultKind::UnreadableMove, "a side has more than sixteen pieces".to_owned());
        let pieces = Pieces::new(&start, fen.is_some()).ok_or_else(too_many)?;
        self.moves(games, pieces)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        let (byte, rest) = self.input.split_first().ok_or_else(cut_off)?;
        self.input = rest;
        Ok(*byte)
    }

    fn take(&mut self, count: u8) -> Result<&'a [u8], Fault> {
        let (part, rest) = self.input.split_at_checked(usize::from(count)).ok_or_else(cut_off)?;
        self.input = rest;
        Ok(part)
    }

    /// Reads bytes to the next zero.
    fn text(&mut self) -> Result<&'a [u8], Fault> {
        let end = self.input.iter().position(|byte| *byte == 0).ok_or_else(cut_off)?;
        let (text, rest) = self.input.split_at(end);
        self.input = rest.get(1..).unwrap_or_default();
        Ok(text)
    }

    /// Passes on the tags that are not in the index.
    fn tags(&mut self, games: &mut GameReceiver<'_>) -> Result<Seen, Fault> {
        let mut seen = Seen::default();
        loop {
            let kind = self.byte()?;
            let name = match kind {
                0 => return Ok(seen),
                1..=240 => decode(self.take(kind)?),
                241..=250 => TAGS.get(usize::from(kind - 241)).copied().unwrap_or_default().to_owned(),
                255 => {
                    // The date of the event, as versions before 3 wrote it.
                    let number = self.take(3)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
                    games.tag(b"EventDate", date(number).as_bytes());
                    continue;
                }
                _ => {
                    let length = self.byte()?;
                    self.take(length)?;
                    games.fault(FaultKind::BadTag, &format!("tag of kind {kind}"));
                    continue;
                }
            };
            let length = self.byte()?;
            let value = decode(self.take(length)?);
            seen.variant |= name == "Variant";
            seen.set_up |= name == "SetUp";
            games.tag(name.as_bytes(), value.as_bytes());
        }
    }

    /// Returns the position of the record's FEN, if it has one.
    fn start(&mut self, games: &mut GameReceiver<'_>, has_set_up: bool) -> Result<Option<Position>, Fault> {
        if self.byte()? & 1 == 0 {
            return Ok(None);
        }
        let fen = decode(self.text()?);
        if !has_set_up {
            games.tag(b"SetUp", b"1");
        }
        games.tag(b"FEN", fen.as_bytes());
        fen.parse().map(Some).map_err(|error| (FaultKind::BadFen(error), fen))
    }

    /// Finds the comments, which follow the moves, and counts their marks. A record that is cut off within its moves
    /// has no comments.
    fn find_comments(&mut self) {
        let (mut at, mut depth) = (0, 0usize);
        loop {
            match self.input.get(at) {
                None => return,
                Some(&NAG) => at += 1,
                Some(&COMMENT) => self.marks += 1,
                Some(&OPEN) => depth += 1,
                Some(&CLOSE) => depth = depth.saturating_sub(1),
                Some(&END) if depth == 0 => break,
                Some(_) => {}
            }
            at += 1;
        }
        let (moves, rest) = self.input.split_at(at + 1);
        self.input = rest;
        while !self.input.is_empty() {
            // The last text may lack its zero.
            let text = self.text().unwrap_or_else(|_| std::mem::take(&mut self.input));
            self.comments.push(text);
        }
        self.comments.reverse();
        self.input = moves;
    }

    /// Passes on the next comment.
    fn comment(&mut self, games: &mut GameReceiver<'_>) {
        if let Some(text) = self.comments.pop().filter(|text| !text.is_empty()) {
            // A comment in braces cannot contain the sign for its end.
            let text = decode(text).replace('}', ")");
            games.text(TextKind::Brace, text.as_bytes());
        }
    }

    /// Passes on the comment at a place: the start of the game, a move or the start of a variation. After the last
    /// mark, each place has a comment, which may be empty.
    fn place(&mut self, games: &mut GameReceiver<'_>) {
        if self.marks == 0 {
            self.comment(games);
        }
    }

    fn moves(&mut self, games: &mut GameReceiver<'_>, pieces: Pieces) -> Result<(), Fault> {
        let mut line = Line { before: pieces.clone(), pieces };
        let mut lines = Vec::new();
        self.place(games);
        loop {
            match self.byte()? {
                NAG => {
                    let nag = self.byte()?;
                    games.nag(nag);
                }
                COMMENT => {
                    self.marks = self.marks.saturating_sub(1);
                    self.comment(games);
                }
                OPEN => {
                    let inner = line.before.clone();
                    lines.push(std::mem::replace(&mut line, Line { before: inner.clone(), pieces: inner }));
                    games.open();
                    self.place(games);
                }
                CLOSE => {
                    line = lines.pop().ok_or((FaultKind::StrayParenthesis, ")".to_owned()))?;
                    games.close();
                }
                END => return Ok(()),
                byte => {
                    self.play(games, &mut line, byte)?;
                    self.place(games);
                }
            }
        }
    }

    /// Passes on a move. The receiver checks that it is legal.
    fn play(&mut self, games: &mut GameReceiver<'_>, line: &mut Line, byte: u8) -> Result<(), Fault> {
        let unreadable = || (FaultKind::UnreadableMove, format!("move {byte:#04x}"));
        let (number, code) = (byte >> 4, byte & 15);
        line.before.clone_from(&line.pieces);
        let pieces = &mut line.pieces;
        let (from, role) = pieces.piece(number).ok_or_else(unreadable)?;
        let (is_king, color) = (number == 0, pieces.turn);
        if is_king && code == 0 {
            games.play_next(Move::NULL);
            pieces.turn = color.other();
            return Ok(());
        }
        if is_king && matches!(code, 9 | 10) {
            let side = if code == 10 { CastlingSide::King } else { CastlingSide::Queen };
            castle(games, pieces, from, side);
            return Ok(());
        }
        let step = |by: i16| u8::try_from(i16::from(from) + by).ok().filter(|to| *to < 64);
        let by_rank = || if code < 8 { from & 56 | code } else { (code - 8) * 8 + (from & 7) };
        let file_step = i16::from(code & 7) - i16::from(from & 7);
        let mut promotion = None;
        let to = match role {
            _ if is_king => KING.get(usize::from(code)).and_then(|by| step(*by)),
            Role::King => None,
            Role::Knight => KNIGHT.get(usize::from(code)).filter(|by| **by != 0).and_then(|by| step(*by)),
            Role::Rook => Some(by_rank()),
            Role::Bishop => step(if code & 8 == 0 { 9 * file_step } else { -7 * file_step }),
            Role::Queen if code == from & 7 => {
                let second = self.byte()?;
                second.checked_sub(64).filter(|to| *to < 64)
            }
            Role::Queen => Some(by_rank()),
            Role::Pawn => {
                let forward = if color == Color::White { 1 } else { -1 };
                promotion = match code {
                    3..=5 => Some(Role::Queen),
                    6..=8 => Some(Role::Rook),
                    9..=11 => Some(Role::Bishop),
                    12..=14 => Some(Role::Knight),
                    _ => None,
                };
                step(forward * if code == 15 { 16 } else { 7 + i16::from(code % 3) })
            }
        };
        let to = to.ok_or_else(unreadable)?;
        let is_en_passant = role == Role::Pawn && (from ^ to) & 7 != 0 && pieces.is_empty(to);
        let captured = if is_en_passant { from & 56 | to & 7 } else { to };
        let kind = match promotion {
            Some(role) => MoveKind::Promotion(role),
            None if is_en_passant => MoveKind::EnPassant,
            None => MoveKind::Plain,
        };
        games.play_next(Move { from: Square::masked(from), to: Square::masked(to), kind });
        pieces.play(number, to, captured, promotion);
        pieces.turn = color.other();
        Ok(())
    }
}

/// The steps of a king and of a knight by code.
const KING: [i16; 9] = [0, -9, -8, -7, -1, 1, 7, 8, 9];
const KNIGHT: [i16; 9] = [0, -17, -15, -10, -6, 6, 10, 15, 17];

fn castle(games: &mut GameReceiver<'_>, pieces: &mut Pieces, from: u8, side: CastlingSide) {
    let color = pieces.turn;
    let rank = from & 56;
    let (king_file, rook_file) = if side == CastlingSide::King { (6, 5) } else { (2, 3) };
    let king = Square::masked(from);
    match games.position().castling_rook(color, side) {
        Some(rook) => {
            games.play_next(Move { from: king, to: rook, kind: MoveKind::Castle(side) });
            let number = pieces.number_at(rook.index());
            pieces.place(0, rank | king_file, None);
            number.into_iter().for_each(|number| pieces.place(number, rank | rook_file, None));
        }
        // The receiver reports the king's move of two squares as illegal.
        None => games.play_next(Move { from: king, to: Square::masked(rank | king_file), kind: MoveKind::Plain }),
    }
    pieces.turn = color.other();
}
