//! Random games, compared with an independent engine ply by ply.

use crate::common::positions::position;
use crate::common::random::Random;
use crate::common::{has_share, share};
use crate::setups::{chess960_start, random_setup};
use oracle_rules::shakmaty;
use oracle_rules::shakmaty::fen::Fen;
use oracle_rules::shakmaty::san::SanPlus;
use oracle_rules::shakmaty::uci::UciMove;
use oracle_rules::shakmaty::{
    CastlingMode, Chess, EnPassantMode, FromSetup, Move as TheirMove, Position as _, Square as TheirSquare,
};
use rayon::prelude::*;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle};
use scoresheet::chess::{Color, Move, MoveKind, Position, Role, Square};
use std::collections::{HashMap, HashSet};

/// Counts of the rare rules, to prove that the games used them.
#[derive(Default, Debug, Clone, Copy)]
struct Seen {
    plies: usize,
    castlings: usize,
    captures_en_passant: usize,
    /// A pawn is ready to capture en passant, but no capture is legal.
    forbidden_en_passant: usize,
    promotions: usize,
    checks: usize,
    mates: usize,
    stalemates: usize,
    /// SAN with a file, with a rank, with both.
    disambiguated: [usize; 3],
    most_moves: usize,
}

impl Seen {
    fn add(mut self, other: Seen) -> Seen {
        self.plies += other.plies;
        self.castlings += other.castlings;
        self.captures_en_passant += other.captures_en_passant;
        self.forbidden_en_passant += other.forbidden_en_passant;
        self.promotions += other.promotions;
        self.checks += other.checks;
        self.mates += other.mates;
        self.stalemates += other.stalemates;
        for (sum, more) in self.disambiguated.iter_mut().zip(other.disambiguated) {
            *sum += more;
        }
        self.most_moves = self.most_moves.max(other.most_moves);
        self
    }
}

/// A move as (from, to, promotion letter, kind), comparable between the engines.
type Key = (u8, u8, u8, u8);

fn our_key(m: Move) -> Key {
    let kind = match m.kind {
        MoveKind::Plain => 0,
        MoveKind::EnPassant => 1,
        MoveKind::Castle(scoresheet::chess::CastlingSide::King) => 2,
        MoveKind::Castle(scoresheet::chess::CastlingSide::Queen) => 3,
        MoveKind::Promotion(_) => 4,
        MoveKind::Null | MoveKind::Drop(_) => 5,
    };
    (m.from.index(), m.to.index(), m.promotion().map_or(0, Role::letter), kind)
}

fn their_key(m: TheirMove) -> Key {
    match m {
        TheirMove::Normal { from, to, promotion: Some(role), .. } => (from as u8, to as u8, role.upper_char() as u8, 4),
        TheirMove::Normal { from, to, .. } => (from as u8, to as u8, 0, 0),
        TheirMove::EnPassant { from, to } => (from as u8, to as u8, 0, 1),
        TheirMove::Castle { king, rook } => (king as u8, rook as u8, 0, if rook > king { 2 } else { 3 }),
        TheirMove::Put { .. } => panic!("no such move in chess"),
    }
}

fn styled(position: &Position, en_passant: EnPassantStyle, castling: CastlingStyle) -> String {
    let mut text = Vec::new();
    position.write_fen(&mut text, en_passant, castling);
    String::from_utf8(text).expect("ASCII")
}

fn shredder_rights(setup: &Chess) -> String {
    let mut text = String::new();
    for color in [shakmaty::Color::White, shakmaty::Color::Black] {
        for side in [shakmaty::CastlingSide::KingSide, shakmaty::CastlingSide::QueenSide] {
            if let Some(rook) = setup.castles().rook(color, side) {
                let letter = rook.file().char();
                text.push(if color.is_white() { letter.to_ascii_uppercase() } else { letter });
            }
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// Plays one game in both engines.
struct Game {
    ours: Position,
    theirs: Chess,
    mode: CastlingMode,
    rng: Random,
    seen: Seen,
    /// A Zobrist key and its position, without counters.
    keys: Vec<(u64, String)>,
}

impl Game {
    fn new(theirs: Chess, mode: CastlingMode, rng: Random) -> Game {
        let fen = Fen::from_position(&theirs, EnPassantMode::Always).to_string();
        Game { ours: position(&fen), theirs, mode, rng, seen: Seen::default(), keys: Vec::new() }
    }

    /// Compares and plays random moves until there are none, or for `plies`.
    fn run(mut self, plies: usize) -> (Seen, Vec<(u64, String)>) {
        for ply in 0..=plies {
            let moves = self.compare();
            if self.rng.one_in(64) {
                self.compare_all_conceivable_moves(&moves);
            }
            if ply == plies || moves.is_empty() {
                break;
            }
            self.play(&moves);
        }
        (self.seen, self.keys)
    }

    fn compare(&mut self) -> Vec<(Move, TheirMove)> {
        let (ours, theirs) = (&self.ours, &self.theirs);
        let fen = ours.fen();
        assert_eq!(fen, Fen::from_position(theirs, EnPassantMode::Always).to_string());

        let legal = Fen::from_position(theirs, EnPassantMode::Legal).to_string();
        assert_eq!(styled(ours, EnPassantStyle::Legal, CastlingStyle::XFen), legal);
        assert_eq!(ours.en_passant_is_legal(), theirs.legal_ep_square().is_some(), "{fen}");

        let mut fields: Vec<&str> = fen.split(' ').collect();
        let rights = shredder_rights(theirs);
        fields[2] = &rights;
        let shredder = styled(ours, EnPassantStyle::Always, CastlingStyle::Shredder);
        assert_eq!(shredder, fields.join(" "));
        for text in [&fen, &shredder] {
            assert_eq!(position(text).fen(), fen, "{text}");
        }

        let mut moves: Vec<Move> = ours.legal_moves();
        let mut expected: Vec<TheirMove> = theirs.legal_moves().into_iter().collect();
        moves.sort_by_key(|m| our_key(*m));
        expected.sort_by_key(|m| their_key(*m));
        let keys: Vec<Key> = moves.iter().map(|m| our_key(*m)).collect();
        let expected_keys: Vec<Key> = expected.iter().map(|m| their_key(*m)).collect();
        assert_eq!(keys, expected_keys, "{fen}");

        assert_eq!(ours.in_check(), theirs.is_check(), "{fen}");
        assert_eq!(ours.has_legal_move(), !moves.is_empty(), "{fen}");
        assert_eq!(ours.is_checkmate(), theirs.is_checkmate(), "{fen}");
        assert_eq!(ours.is_stalemate(), theirs.is_stalemate(), "{fen}");
        assert_pieces_are_where_they_stand(ours);

        let pairs: Vec<_> = moves.into_iter().zip(expected).collect();
        for &(m, their_move) in &pairs {
            self.seen.count(m, &compare_notation(ours, theirs, m, their_move, self.mode));
        }
        let seen = &mut self.seen;
        seen.plies += 1;
        seen.checks += usize::from(ours.in_check());
        seen.mates += usize::from(ours.is_checkmate());
        seen.stalemates += usize::from(ours.is_stalemate());
        let pseudo = theirs.pseudo_legal_ep_square().is_some();
        seen.forbidden_en_passant += usize::from(pseudo && !ours.en_passant_is_legal());
        seen.most_moves = seen.most_moves.max(pairs.len());

        let without_clocks: Vec<&str> = legal.split(' ').take(4).collect();
        self.keys.push((ours.zobrist(), without_clocks.join(" ")));
        pairs
    }

    /// The legality check must agree with the list for every possible move.
    fn compare_all_conceivable_moves(&self, moves: &[(Move, TheirMove)]) {
        let listed: HashSet<Move> = moves.iter().map(|pair| pair.0).collect();
        let mut kinds = vec![MoveKind::Plain, MoveKind::EnPassant, MoveKind::Null];
        kinds.extend(scoresheet::chess::CastlingSide::BOTH.map(MoveKind::Castle));
        kinds.extend(Role::ALL.map(MoveKind::Promotion));
        for from in (0..64).filter_map(Square::new) {
            for to in (0..64).filter_map(Square::new) {
                for &kind in &kinds {
                    let m = Move { from, to, kind };
                    assert_eq!(self.ours.legality(m).is_ok(), listed.contains(&m), "{m:?} in {}", self.ours.fen());
                }
            }
        }
    }

    /// Plays a random move, preferring rare kinds.
    fn play(&mut self, moves: &[(Move, TheirMove)]) {
        let special: Vec<_> = moves.iter().copied().filter(|(m, _)| m.kind != MoveKind::Plain).collect();
        let pawns = self.theirs.board().pawns();
        let is_double_step = |m: Move| m.from.index().abs_diff(m.to.index()) == 16 && pawns.contains(square(m.from));
        let double_steps: Vec<_> = moves.iter().copied().filter(|(m, _)| is_double_step(*m)).collect();
        let from = match self.rng.below(8) {
            0..=3 if !special.is_empty() => &special,
            4 | 5 if !double_steps.is_empty() => &double_steps,
            _ => moves,
        };
        let (m, their_move) = self.rng.pick(from);
        match m.kind {
            MoveKind::Castle(_) => self.seen.castlings += 1,
            MoveKind::EnPassant => self.seen.captures_en_passant += 1,
            MoveKind::Promotion(_) => self.seen.promotions += 1,
            _ => {}
        }
        self.ours.play_unchecked(m);
        self.theirs.play_unchecked(their_move);
    }
}

impl Seen {
    fn count(&mut self, m: Move, san: &str) {
        if m.kind != MoveKind::Plain || !san.starts_with(|c: char| c.is_ascii_uppercase()) {
            return;
        }
        // Between the piece's letter and the target square.
        let text = san.trim_end_matches(['+', '#']).replace('x', "");
        match &text.as_bytes()[1..text.len() - 2] {
            [] => {}
            [b'a'..=b'h'] => self.disambiguated[0] += 1,
            [b'1'..=b'8'] => self.disambiguated[1] += 1,
            [b'a'..=b'h', b'1'..=b'8'] => self.disambiguated[2] += 1,
            _ => panic!("{san}"),
        }
    }
}

fn square(square: Square) -> TheirSquare {
    TheirSquare::new(u32::from(square.index()))
}

/// Compares SAN and UCI, written and parsed; returns the SAN.
fn compare_notation(ours: &Position, theirs: &Chess, m: Move, their_move: TheirMove, mode: CastlingMode) -> String {
    let san = ours.san(m);
    let expected = SanPlus::from_move(theirs.clone(), their_move).to_string();
    assert_eq!(san, expected, "{}", ours.fen());
    assert_eq!(ours.parse_san(san.as_bytes()), Ok(m), "{san} in {}", ours.fen());

    let mut uci = Vec::new();
    ours.write_uci(m, mode.is_chess960(), &mut uci);
    let expected = UciMove::from_move(their_move, mode).to_string();
    assert_eq!(String::from_utf8_lossy(&uci), expected, "{}", ours.fen());
    assert_eq!(ours.parse_san(&uci), Ok(m), "{expected} in {}", ours.fen());

    if let MoveKind::Castle(_) = m.kind {
        for chess960 in [false, true] {
            let mut uci = Vec::new();
            ours.write_uci(m, chess960, &mut uci);
            let text = String::from_utf8_lossy(&uci);
            assert_eq!(ours.parse_san(&uci), Ok(m), "{text} in {}", ours.fen());
        }
    }
    san
}

fn assert_pieces_are_where_they_stand(position: &Position) {
    for color in Color::BOTH {
        let mut count = 0;
        for at in (0..64).filter_map(Square::new) {
            let Some(piece) = position.piece_id_at(at).filter(|piece| piece.color() == color) else {
                continue;
            };
            count += 1;
            assert_eq!(position.occupied(color) & at.bit(), at.bit());
            if piece.label().is_some() {
                assert_eq!(position.square_of(piece), Some(at), "{piece:?} in {}", position.fen());
            }
        }
        assert_eq!(position.occupied(color).count_ones(), count, "{}", position.fen());
    }
}

/// Runs the games on all cores; over all games, equal Zobrist keys must mean equal positions, and different keys
/// different ones.
fn run(name: &str, games: impl ParallelIterator<Item = Game>, plies: usize) -> Seen {
    let results: Vec<_> = games.map(|game| game.run(plies)).collect();
    let mut total = Seen::default();
    let (mut of_key, mut of_text) = (HashMap::new(), HashMap::new());
    for (seen, keys) in results {
        total = total.add(seen);
        for (key, text) in keys {
            assert_eq!(of_text.entry(text.clone()).or_insert(key), &key, "{text}");
            assert_eq!(of_key.entry(key).or_insert_with(|| text.clone()), &text, "{key:016x}");
        }
    }
    println!("{name}: {} positions, {total:?}", of_text.len());
    total
}

#[test]
fn standard_games() {
    let games =
        (0..share(500)).into_par_iter().map(|seed| Game::new(Chess::default(), CastlingMode::Standard, Random(seed)));
    let seen = run("standard", games, 160);
    assert!(has_share(seen.plies, 50_000) && seen.most_moves > 60);
    assert!(has_share(seen.castlings, 100) && has_share(seen.captures_en_passant, 100));
    assert!(has_share(seen.promotions, 300) && has_share(seen.checks, 2000) && has_share(seen.mates, 20));
    assert!(has_share(seen.disambiguated[0], 20_000) && has_share(seen.disambiguated[1], 2000));
}

#[test]
fn chess960_games_from_every_start() {
    let starts: HashSet<String> =
        (0..960).map(|n| Fen::try_from(chess960_start(n)).expect("no loss").to_string()).collect();
    assert_eq!(starts.len(), 960);
    assert_eq!(Fen::try_from(chess960_start(518)).expect("no loss").to_string(), Position::standard().fen());

    // Starts of a share are spread over all numbers.
    let games = (0..share(960) as usize).into_par_iter().map(|n| n * 960 / share(960) as usize).map(|n| {
        let start = Chess::from_setup(chess960_start(n), CastlingMode::Chess960).expect("legal");
        Game::new(start, CastlingMode::Chess960, Random(960_000 + n as u64))
    });
    let seen = run("chess960", games, 70);
    assert!(has_share(seen.plies, 50_000) && has_share(seen.castlings, 500));
    assert!(has_share(seen.captures_en_passant, 200) && has_share(seen.checks, 1000));
}

#[test]
fn games_from_random_arrangements() {
    let games = (0..share(6000)).into_par_iter().map(|seed| {
        let mut rng = Random(seed << 32);
        loop {
            if let Some(start) = random_setup(&mut rng) {
                return Game::new(start, CastlingMode::Chess960, rng);
            }
        }
    });
    let seen = run("random arrangements", games, 8);
    assert!(has_share(seen.plies, 30_000) && seen.most_moves > 90);
    assert!(has_share(seen.castlings, 300) && has_share(seen.captures_en_passant, 400));
    assert!(has_share(seen.promotions, 500) && has_share(seen.forbidden_en_passant, 100));
    assert!(has_share(seen.checks, 2000) && has_share(seen.mates, 100) && has_share(seen.stalemates, 5));
    assert!(seen.disambiguated.iter().all(|count| has_share(*count, 150)));
}
