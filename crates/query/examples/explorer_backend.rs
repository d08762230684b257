//! What an opening explorer asks for: the moves of a position with results, the games that reach it page by page, with
//! filters, and one game with everything. Asks at random, and prints how long the answers take:
//! `cargo run --release -p scoresheet-query --example explorer_backend -- games.bga 300`
//!
//! Side files make the answers fast: `scoresheet index games.bga`.

use scoresheet::Position;
use scoresheet::pgn::PgnWriter;
use scoresheet_query::tag_columns::Key;
use scoresheet_query::{ArchiveSet, Board, Filter, PositionQuery, Query, Tree, Visit};
use std::error::Error;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The games of a page.
const PAGE: u64 = 50;

/// A line of a list of games.
struct Row {
    number: u64,
    players: [String; 2],
    result: String,
}

/// An open archive that answers the questions of a program with a board.
struct Backend {
    set: ArchiveSet,
}

impl Backend {
    fn open(path: &str) -> Result<Backend> {
        let set = ArchiveSet::open([path])?;
        // Opens the side files now, not at the first question.
        for member in set.members() {
            member.columns();
            member.side_files();
        }
        Ok(Backend { set })
    }

    /// Returns the moves that were played in a position, with results and ratings.
    fn moves(&self, position: &Position) -> Result<Tree> {
        Ok(self.set.tree(position, Visit::First, None, None).complete()?)
    }

    /// Returns a page of the games that reach a position and pass a filter, with their tags.
    fn games(&self, position: &Position, filter: Option<&Filter>, page: u64) -> Result<Vec<Row>> {
        let mut query = Query::new().board(Board::from(PositionQuery::from(position)));
        if let Some(filter) = filter {
            query = query.filter(filter.clone());
        }
        let query = query.offset(page * PAGE).limit(Some(PAGE));
        let keys = ["White", "Black", "Result"].map(|name| Key::Tag(name.to_owned()));
        query
            .run(&self.set)
            .map(|found| {
                let number = found?.number;
                let (member, local) = self.set.member_of(number)?;
                let columns = member.columns().columns(&keys)?;
                let text =
                    |index: usize| String::from_utf8_lossy(columns[index].text(local).unwrap_or(b"?")).into_owned();
                Ok(Row { number, players: [text(0), text(1)], result: text(2) })
            })
            .collect()
    }

    /// Returns a game with tags, moves, comments and variations, as PGN.
    fn game(&self, number: u64) -> Result<String> {
        let mut writer = PgnWriter::new();
        self.set.game(number)?.write_pgn(&mut writer)?;
        Ok(String::from_utf8(writer.into_bytes())?)
    }
}

/// Prints how long answers took.
fn report(name: &str, times: &mut [Duration]) {
    times.sort();
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!("{name:<34} {:>9.2} {:>9.2} {:>9.2} ms (median, p95, most)", at(50), at(95), at(100));
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: explorer_backend ARCHIVE.bga [QUESTIONS]")?;
    let questions: usize = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let start = Instant::now();
    let backend = Backend::open(&path)?;
    println!("{} games, opened in {:.1} ms", backend.set.len(), start.elapsed().as_secs_f64() * 1000.0);

    let standard = Position::standard();
    for branch in backend.moves(&standard)?.branches.iter().take(3) {
        println!("  {:<6} {} games", standard.san(branch.m), branch.tally.games());
    }
    for row in backend.games(&standard, None, 0)?.iter().take(3) {
        println!("  game {}: {} - {} {}", row.number, row.players[0], row.players[1], row.result);
    }

    let filters = ["elo >= 2500", "result = 1-0 and year >= 2005", "eco = B and plies > 80"];
    let filters = filters.iter().map(|text| text.parse()).collect::<std::result::Result<Vec<Filter>, _>>()?;
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below.max(1)
    };
    let [mut moves, mut pages, mut filtered, mut games] = [const { Vec::new() }; 4];
    let timed = |times: &mut Vec<Duration>, start: Instant| times.push(start.elapsed());
    for index in 0..questions {
        // A position of a game, as reached by clicking through it.
        let number = random(backend.set.len()) + 1;
        let (archive, local) = backend.set.locate(number)?;
        let Ok(game) = archive.game(local) else { continue };
        let ply = random(u64::from(game.plies()).min(24) + 1);
        let position = archive.position(local, ply as u32)?;

        let start = Instant::now();
        backend.moves(&position)?;
        timed(&mut moves, start);

        let page = random(3);
        let start = Instant::now();
        backend.games(&position, None, page)?;
        timed(&mut pages, start);

        let start = Instant::now();
        backend.games(&position, filters.get(index % filters.len()), 0)?;
        timed(&mut filtered, start);

        let start = Instant::now();
        backend.game(number)?;
        timed(&mut games, start);
    }
    let mut all = [&moves[..], &pages, &filtered, &games].concat();
    report("moves of a position", &mut moves);
    report("a page of its games", &mut pages);
    report("a page of its games, with filter", &mut filtered);
    report("one game", &mut games);
    report("all questions", &mut all);
    Ok(())
}
