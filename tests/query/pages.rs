//! Pages of the games of a position: with the index, which a search reads only as far as needed, they are parts of the
//! list that a search without side files gives.

use crate::common::random::Random;
use scoresheet::archive::FileKind;
use scoresheet::{Import, Monitor};
use scoresheet_query::{ArchiveSet, Board, Filter, FoundGame, PositionQuery, Query, SearchOptions, games, line};
use std::fmt::Write;

/// Games of the same few moves in changing order, some of which begin after the first two.
fn pgn() -> String {
    let mut random = Random::new(56);
    let mut pgn = String::new();
    for _ in 0..3000 {
        let (white, black) = (["e4", "d4", "h3"], ["a6", "h6", "g6"]);
        let (first, second, third) = (random.below(3), random.below(3), random.below(3));
        if random.one_in(20) {
            let fen = "rnbqkbnr/1ppppppp/p7/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
            write!(pgn, "[SetUp \"1\"]\n[FEN \"{fen}\"]\n").unwrap();
            write!(pgn, "[WhiteElo \"{}\"]\n\n2. b3 b6 *\n\n", 2000 + random.below(700)).unwrap();
            continue;
        }
        write!(pgn, "[WhiteElo \"{}\"]\n\n", 2000 + random.below(700)).unwrap();
        write!(pgn, "1. {} {} ", white[first], black[second]).unwrap();
        if random.one_in(30) {
            pgn.push_str("2. Nf3 Nf6 3. Ng1 Ng8 ");
        }
        if third != first {
            write!(pgn, "{} ", white[third]).unwrap();
        }
        pgn.push_str("*\n\n");
    }
    pgn
}

#[test]
fn pages_are_parts_of_the_list() {
    let folder = crate::common::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    Import::new(&target).run_reader("games.pgn", pgn().as_bytes()).unwrap();
    let plain = ArchiveSet::open([&target, &target]).unwrap();
    plain.members().iter().for_each(|member| _ = member.side_files());
    games::build(plain.archive(0).unwrap(), FileKind::Positions, 1 << 20, Monitor::new()).unwrap();
    let indexed = ArchiveSet::open([&target, &target]).unwrap();
    assert!(indexed.members()[0].search().cost(None).games == 3000);

    let after = |moves: &str| PositionQuery::from(&line(moves).unwrap());
    let boards = [
        after(""),
        after("e4"),
        after("e4 a6"),
        after("e4 a6 d4"),
        after("e4 a6 Nf3 Nf6"),
        after("e4 e5"),
        PositionQuery::from_fen("rnbqkbnr/1ppppppp/p7/8/4P3/8/PPPP1PPP/RNBQKBNR").unwrap(),
    ];
    let filters = [None, Some("whiteelo >= 2400"), Some("whiteelo >= 2690"), Some("whiteelo = 1")];
    for (position, board) in boards.into_iter().enumerate() {
        for filter in filters {
            for all_plies in [false, true] {
                let reach = SearchOptions { all_plies, ..SearchOptions::default() };
                let mut query = Query::new().board(Board::from(board.clone())).reach(reach);
                if let Some(filter) = filter {
                    query = query.filter(filter.parse::<Filter>().unwrap());
                }
                let all: Vec<FoundGame> = query.run(&plain).map(Result::unwrap).collect();
                assert_eq!(query.run(&indexed).map(Result::unwrap).collect::<Vec<_>>(), all);
                let ends = [0, 1, 49, all.len() / 2, all.len().saturating_sub(10), all.len(), all.len() + 1];
                for (offset, limit) in ends.iter().flat_map(|offset| [1, 7, 500, 6001].map(|limit| (*offset, limit))) {
                    let query = query.clone().offset(offset as u64).limit(Some(limit));
                    let (from, to) = (offset.min(all.len()), (offset + limit as usize).min(all.len()));
                    let mut hits = query.run(&indexed);
                    let mut found = Vec::new();
                    while let Some(batch) = hits.next_batch().unwrap() {
                        found.extend(batch);
                    }
                    let place = format!("position {position}, {filter:?}, {offset} {limit}");
                    assert_eq!(found, all[from..to], "{place}");
                    assert_eq!(query.run(&indexed).total().unwrap(), (to - from) as u64, "{place}");
                    if offset + (limit as usize) < all.len() {
                        assert!(!hits.is_complete(), "{place}");
                    }
                }
            }
        }
    }
}
