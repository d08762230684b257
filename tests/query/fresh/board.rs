//! Random conditions on the board, drawn from positions of games, with naive meanings on boards of letters.

use crate::common::random::Random;
use scoresheet::Position;
use scoresheet::archive::GameRef;
use scoresheet::chess::{Color, MoveKind};
use serde_json::{Value, json};

/// A position as letters, and the move that led to it.
#[derive(Clone)]
pub struct Board {
    /// The piece on each square, from a8, or `.`.
    squares: Vec<char>,
    is_white: bool,
    castling: String,
    /// The target square of a legal en passant capture.
    en_passant: Option<String>,
    fen: String,
    last: Option<Last>,
}

/// A move.
#[derive(Clone)]
struct Last {
    is_white: bool,
    san: String,
    from: String,
    moved: char,
    captured: Option<char>,
}

/// Returns the board of each ply of a game.
pub fn boards(game: &GameRef) -> Vec<Board> {
    let mut position = game.start().clone();
    let mut boards = vec![Board::new(&position, None)];
    for m in game.to_game().unwrap().main_line() {
        let before = position.clone();
        position.play_unchecked(m);
        let captured = match m.kind {
            MoveKind::EnPassant => Some('P'),
            MoveKind::Castle(_) | MoveKind::Null => None,
            _ => before.piece_at(m.to).map(|piece| piece.letter().to_ascii_uppercase() as char),
        };
        let moved = before.piece_at(m.from).map_or('-', |piece| piece.letter().to_ascii_uppercase() as char);
        let from = String::from_utf8(m.from.name().to_vec()).unwrap();
        let last = Last { is_white: before.turn() == Color::White, san: before.san(m), from, moved, captured };
        boards.push(Board::new(&position, Some(last)));
    }
    boards
}

fn swapped(text: &str) -> String {
    let swap = |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    text.chars().map(swap).collect()
}

impl Board {
    fn new(position: &Position, last: Option<Last>) -> Board {
        let fen = position.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        let mut squares = Vec::new();
        for letter in fields[0].chars().filter(|letter| *letter != '/') {
            match letter.to_digit(10) {
                Some(count) => squares.extend(std::iter::repeat_n('.', count as usize)),
                None => squares.push(letter),
            }
        }
        let captures = position.legal_moves().into_iter().find(|m| m.kind == MoveKind::EnPassant);
        Board {
            squares,
            is_white: fields[1] == "w",
            castling: fields[2].to_owned(),
            en_passant: captures.map(|m| String::from_utf8(m.to.name().to_vec()).unwrap()),
            fen,
            last,
        }
    }

    /// Returns the board with colors and ranks exchanged.
    pub fn turned(&self) -> Board {
        let ranks: Vec<String> =
            self.squares.chunks(8).rev().map(|rank| swapped(&rank.iter().collect::<String>())).collect();
        let mut rights: Vec<char> = swapped(&self.castling).chars().collect();
        rights.sort_by_key(|right| right.is_ascii_lowercase());
        let turned_rank = |square: &String| format!("{}{}", &square[..1], if square.ends_with('3') { 6 } else { 3 });
        Board {
            squares: ranks.concat().chars().collect(),
            is_white: !self.is_white,
            castling: rights.into_iter().collect(),
            en_passant: self.en_passant.as_ref().map(turned_rank),
            fen: String::new(),
            // No rule of a move is drawn for both colors, so squares need not be exchanged.
            last: self.last.clone(),
        }
    }

    /// Returns the move that led to the position as SAN, or `None` at the start and after a null move.
    pub fn san(&self) -> Option<&str> {
        self.last.as_ref().filter(|last| last.moved != '-').map(|last| last.san.as_str())
    }

    pub fn fen(&self) -> &str {
        &self.fen
    }

    /// Returns whether a capture en passant is legal.
    pub fn has_en_passant(&self) -> bool {
        self.en_passant.is_some()
    }

    fn count(&self, letter: char) -> usize {
        self.squares.iter().filter(|piece| **piece == letter).count()
    }
}

/// A condition on a board, as a member of a question and as a test.
pub struct Condition {
    pub member: (&'static str, Value),
    /// Whether the condition is about the position only, and not about the move before it.
    pub is_of_position: bool,
    fits: Box<dyn Fn(&Board) -> bool>,
}

impl Condition {
    pub fn fits(&self, board: &Board) -> bool {
        (self.fits)(board)
    }
}

/// The parts of a position that a question compares.
#[derive(Clone, Copy)]
pub struct Compared {
    pub side: bool,
    pub castling: bool,
    pub en_passant: bool,
}

/// Returns a FEN of this board, possibly without its last fields, and whether another board has this position.
pub fn position(board: &Board, compared: Compared, random: &mut Random) -> (String, impl Fn(&Board) -> bool + use<>) {
    let fields: Vec<&str> = board.fen.split(' ').collect();
    let fields = &fields[..random.pick(&[6, 6, 4, 4, 3, 2])];
    let Compared { side, castling, en_passant } = compared;
    let (castling, en_passant) = (castling && fields.len() > 2, en_passant && fields.len() > 3);
    let (fen, board) = (fields.join(" "), board.clone());
    let fits = move |other: &Board| {
        other.squares == board.squares
            && (!side || other.is_white == board.is_white)
            && (!castling || other.castling == board.castling)
            && (!en_passant || other.en_passant == board.en_passant)
    };
    (fen, fits)
}

/// Draws a condition that this board satisfies.
pub fn condition(board: &Board, random: &mut Random) -> Condition {
    let moved = board.last.clone();
    match (random.below(10), moved) {
        (0 | 1, _) => material(board, random),
        (2, _) => imbalance(board, random),
        (8, _) => structure(board, random),
        (3, _) => pawns(board),
        (4 | 5, Some(last)) => san(last, random),
        (6, Some(last)) => {
            let letters: String = if random.one_in(3) { format!("{}K", last.moved) } else { last.moved.to_string() };
            let text = letters.clone();
            let fits = move |board: &Board| board.last.as_ref().is_some_and(|last| letters.contains(last.moved));
            Condition { is_of_position: false, member: ("moved", json!(text)), fits: Box::new(fits) }
        }
        (7, Some(last)) => {
            let letters = last.captured.map_or(String::new(), String::from);
            let text = letters.clone();
            let fits = move |board: &Board| {
                board.last.as_ref().is_some_and(|last| match last.captured {
                    Some(piece) => letters.contains(piece),
                    None => letters.is_empty(),
                })
            };
            Condition { is_of_position: false, member: ("captured", json!(text)), fits: Box::new(fits) }
        }
        _ => pieces(board, random),
    }
}

fn material(board: &Board, random: &mut Random) -> Condition {
    let (mut text, mut ranges) = (String::new(), Vec::new());
    for side in ["KQRBNP", "kqrbnp"] {
        for letter in side.chars() {
            let count = board.count(letter);
            let (part, least, most) = match (letter, count, random.below(6)) {
                ('K' | 'k', ..) => (letter.to_string(), 1, 1),
                (_, 0, 0) => (format!("{letter}?"), 0, 1),
                (_, _, 1) => (format!("{letter}*"), 0, 64),
                (_, 0, _) => (String::new(), 0, 0),
                (_, _, 2) => (format!("{letter}{count}+"), count, 64),
                (_, _, 3) => (format!("{letter}1-{}", count + 1), 1, count + 1),
                (_, _, 4) => (format!("{letter}+"), 1, 64),
                _ => (letter.to_string().repeat(count), count, count),
            };
            text += &part;
            ranges.push((letter, least, most));
        }
    }
    let fits = move |board: &Board| {
        ranges.iter().all(|(letter, least, most)| (*least..=*most).contains(&board.count(*letter)))
    };
    Condition { is_of_position: true, member: ("material", json!(text)), fits: Box::new(fits) }
}

fn differences(board: &Board) -> Vec<i64> {
    "QRBNP".chars().map(|role| board.count(role) as i64 - board.count(role.to_ascii_lowercase()) as i64).collect()
}

fn imbalance(board: &Board, random: &mut Random) -> Condition {
    let wanted = differences(board);
    // The index of a role whose number is not compared.
    let free = random.one_in(2).then(|| random.below(5));
    let is_free = move |role: usize| free == Some(role);
    let side = |sign: i64| -> String {
        let roles = "QRBNP".chars().zip(&wanted).enumerate().filter(|(role, _)| !is_free(*role));
        roles.map(|(_, (role, more))| role.to_string().repeat((sign * more).max(0) as usize)).collect()
    };
    let text = format!("{}v{}", side(1), side(-1));
    let text = match free {
        None => text,
        Some(role) if random.one_in(2) => format!("{}*{text}", &"QRBNP"[role..=role]),
        Some(role) => format!("{text}, {} free", ["queens", "rooks", "bishops", "knights", "pawns"][role]),
    };
    let fits = move |board: &Board| {
        differences(board).iter().zip(&wanted).enumerate().all(|(role, (more, wanted))| is_free(role) || more == wanted)
    };
    Condition { is_of_position: true, member: ("imbalance", json!(text)), fits: Box::new(fits) }
}

/// Returns the file and rank of each of these pieces, from 1.
fn places(board: &Board, letter: char) -> Vec<(i32, i32)> {
    let places = (0..64).filter(|at| board.squares[*at as usize] == letter);
    places.map(|at| (at % 8 + 1, 8 - at / 8)).collect()
}

/// Returns whether White has a structure, by its text in docs/FIND.md.
pub fn has_structure(board: &Board, name: &str) -> bool {
    let (own, other) = (places(board, 'P'), places(board, 'p'));
    let on = |pawns: &[(i32, i32)], file: i32| pawns.iter().filter(|pawn| pawn.0 == file).count();
    let (bishops, black_bishops) = (places(board, 'B'), places(board, 'b'));
    let colors =
        |bishops: &[(i32, i32)]| -> Vec<i32> { bishops.iter().map(|(file, rank)| (file + rank) % 2).collect() };
    let (light, dark) = (colors(&bishops), colors(&black_bishops));
    let are_single = (light.len(), dark.len()) == (1, 1);
    let is_pair = |colors: &[i32]| colors.contains(&0) && colors.contains(&1);
    let (king, black_king) = (places(board, 'K')[0], places(board, 'k')[0]);
    let is_home = king.1 <= 2 && black_king.1 >= 7;
    match name {
        "passed-pawn" => own.iter().any(|(file, rank)| {
            !other.iter().any(|(their_file, their_rank)| (file - their_file).abs() <= 1 && their_rank > rank)
        }),
        "doubled-pawns" => (1..=8).any(|file| on(&own, file) >= 2),
        "isolated-pawn" => own.iter().any(|(file, _)| on(&own, file - 1) + on(&own, file + 1) == 0),
        "iqp" => (on(&own, 3), on(&own, 4), on(&own, 5), on(&other, 4)) == (0, 1, 0, 0),
        "hanging-pawns" => {
            let central: Vec<_> = own.iter().filter(|(file, _)| (2..=5).contains(file)).collect();
            let mut squares: Vec<_> = central.into_iter().copied().collect();
            squares.sort_unstable();
            squares == [(3, 4), (4, 4)] && on(&other, 3) + on(&other, 4) == 0
        }
        "carlsbad" => {
            own.contains(&(4, 4))
                && other.contains(&(4, 5))
                && on(&own, 5) > 0
                && on(&own, 3) == 0
                && on(&other, 3) > 0
                && on(&other, 5) == 0
        }
        "opposite-bishops" => are_single && light != dark,
        "same-bishops" => are_single && light == dark,
        // The sum of file and rank of a1, a dark square, is 2.
        "light-bishop" => light == [1],
        "dark-bishop" => light == [0],
        "bishop-pair" => is_pair(&light) && !is_pair(&dark),
        "opposite-castling" => {
            let wing = |file: i32| match file {
                1..=3 => -1,
                6..=8 => 1,
                _ => 0,
            };
            is_home && wing(king.0) * wing(black_king.0) == -1
        }
        "king-walk" => king.1 >= 4 && board.count('q') > 0,
        _ => panic!("no structure {name}"),
    }
}

/// Draws one or two structures, if possible some that the board has.
fn structure(board: &Board, random: &mut Random) -> Condition {
    let all: Vec<&str> = scoresheet_query::pattern::Structure::names().collect();
    let held: Vec<&str> = all.iter().copied().filter(|name| has_structure(board, name)).collect();
    let names = if held.is_empty() { all } else { held };
    let drawn = [names[random.below(names.len())], names[random.below(names.len())]];
    let text = drawn.join(" ");
    let fits = move |board: &Board| drawn.iter().all(|name| has_structure(board, name));
    Condition { is_of_position: true, member: ("structure", json!(text)), fits: Box::new(fits) }
}

/// Returns ranks as in a FEN, with digits for `?`.
fn ranks(squares: &[String]) -> String {
    let rank = |rank: &[String]| {
        let (mut text, mut any) = (String::new(), 0);
        for square in rank.iter().map(String::as_str).chain(["end"]) {
            if square == "?" {
                any += 1;
                continue;
            }
            if any > 0 {
                text += &any.to_string();
                any = 0;
            }
            text += if square == "end" { "" } else { square };
        }
        text
    };
    squares.chunks(8).map(rank).collect::<Vec<_>>().join("/")
}

fn pawns(board: &Board) -> Condition {
    let is_pawn = |piece: &char| "Pp".contains(*piece);
    let squares: Vec<String> =
        board.squares.iter().map(|piece| if is_pawn(piece) { piece.to_string() } else { "?".to_owned() }).collect();
    let wanted: Vec<char> = board.squares.iter().map(|piece| if is_pawn(piece) { *piece } else { '.' }).collect();
    let fits = move |board: &Board| {
        board.squares.iter().zip(&wanted).all(|(piece, wanted)| (if is_pawn(piece) { *piece } else { '.' }) == *wanted)
    };
    Condition { is_of_position: true, member: ("pawns", json!(ranks(&squares))), fits: Box::new(fits) }
}

/// Draws some squares, and conditions on their contents.
fn pieces(board: &Board, random: &mut Random) -> Condition {
    let mut squares = vec!["?".to_owned(); 64];
    type Content = Box<dyn Fn(char) -> bool>;
    let mut wanted: Vec<(usize, Content)> = Vec::new();
    for _ in 0..1 + random.below(4) {
        // Most squares contain pieces.
        let at = (0..20).map(|_| random.below(64)).find(|at| board.squares[*at] != '.').unwrap_or(0);
        let at = if random.one_in(5) { random.below(64) } else { at };
        let piece = board.squares[at];
        if squares[at] != "?" {
            continue;
        }
        let fits: Content = match (piece, random.below(6)) {
            ('.', _) => {
                squares[at] = ".".to_owned();
                Box::new(|piece| piece == '.')
            }
            (_, 0) => {
                squares[at] = "*".to_owned();
                Box::new(|piece| piece != '.')
            }
            (piece, 1) => {
                let is_white = piece.is_ascii_uppercase();
                squares[at] = if is_white { "A" } else { "a" }.to_owned();
                Box::new(move |piece| piece != '.' && piece.is_ascii_uppercase() == is_white)
            }
            (piece, 2) => {
                squares[at] = format!("[{piece}.]");
                Box::new(move |other| other == piece || other == '.')
            }
            (piece, 3) => {
                let not = if piece == 'P' { 'Q' } else { 'P' };
                squares[at] = format!("[^{not}]");
                Box::new(move |other| other != not)
            }
            _ => {
                squares[at] = piece.to_string();
                Box::new(move |other| other == piece)
            }
        };
        wanted.push((at, fits));
    }
    let fits = move |board: &Board| wanted.iter().all(|(at, fits)| fits(board.squares[*at]));
    Condition { is_of_position: true, member: ("board", json!(ranks(&squares))), fits: Box::new(fits) }
}

/// Draws a rule that a move satisfies, which omits parts of its text.
fn san(last: Last, random: &mut Random) -> Condition {
    let side = if last.is_white { "white_move" } else { "black_move" };
    let rule = match last.san.find('=').filter(|_| random.one_in(2)) {
        Some(at) => last.san[at..].to_owned(),
        None => last.san.clone(),
    };
    let rule = if random.one_in(2) { rule.trim_end_matches(['+', '#']).to_owned() } else { rule };
    let rule = if random.one_in(3) && !rule.starts_with(|c: char| c.is_ascii_lowercase()) {
        rule.replacen('x', "", 1)
    } else {
        rule
    };
    let text = rule.clone();
    let is_white = last.is_white;
    let fits = move |board: &Board| {
        board.last.as_ref().is_some_and(|last| last.is_white == is_white && matches_rule(last, &rule))
    };
    Condition { is_of_position: false, member: (side, json!(text)), fits: Box::new(fits) }
}

/// The parts of a move's text: role, origin, capture, target, promotion, and the mark of check or mate.
fn parts(san: &str) -> (String, String, bool, String, String, String) {
    let bare = san.trim_end_matches(['+', '#']);
    let mark = san[bare.len()..].to_owned();
    if bare.starts_with("O-O") || bare == "--" {
        return (bare.to_owned(), String::new(), false, String::new(), String::new(), mark);
    }
    let (moved, promotion) = bare.split_once('=').unwrap_or((bare, ""));
    let role = moved.chars().next().filter(char::is_ascii_uppercase).map_or("P".to_owned(), String::from);
    let rest = moved.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let target = rest.get(rest.len().saturating_sub(2)..).unwrap_or_default().to_owned();
    let origin = rest[..rest.len() - target.len()].replace('x', "");
    (role, origin, rest.contains('x'), target, promotion.to_owned(), mark)
}

fn matches_rule(last: &Last, rule: &str) -> bool {
    let (role, _, captures, target, promotion, mark) = parts(&last.san);
    let (rule_role, rule_origin, rule_captures, rule_target, rule_promotion, rule_mark) = parts(rule);
    (rule.starts_with('=') || role == rule_role)
        && rule_origin.chars().all(|part| last.from.contains(part))
        && (!rule_captures || captures)
        && (rule_target.is_empty() || target == rule_target)
        && (rule_promotion.is_empty() || promotion == rule_promotion)
        && match rule_mark.as_str() {
            "" => true,
            "+" => !mark.is_empty(),
            _ => mark == "#",
        }
}
