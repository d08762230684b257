//! The growth of costs with the number of games: import, open, access, scan, search and a reader's memory.
//!
//! The games of a file are repeated, each with a distinct Site tag, so tags do not repeat.

use crate::games::Random;
use crate::{Failure, games};
use scoresheet::Archive;
use scoresheet::Existing;
use scoresheet::Import;
use scoresheet::chess::fen::FenText;
use scoresheet::import::ImportOptions;
use scoresheet_query::{Compare, PositionQuery, Search, SearchOptions, Signatures};
use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The number of random positions read.
const QUESTIONS: u64 = 50_000;

/// The number of positions searched for.
const SEARCHES: u64 = 20;

/// The measurements; a number in a name is the number of threads.
const TITLES: [&str; COLUMNS] = [
    "import 1 s",
    "import 2 s",
    "open us",
    "access ns",
    "scan 1 ns/ply",
    "scan 2 ns/ply",
    "reader KB",
    "search 1 ms",
    "search 2 ms",
];
const COLUMNS: usize = 9;

/// The measurements at one size.
struct Point {
    games: u64,
    /// In the order of the titles.
    values: [f64; COLUMNS],
}

/// Prints a line for each power of ten up to `most`, then the growth of each cost: the slope between the last two sizes
/// on logarithmic axes, 1 if proportional, 0 if constant. Draws the costs if a file is given.
pub fn run(file: &Path, most: u64, drawing: Option<&Path>) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let base = folder.path().join("base.bga");
    games::import(file, &base)?;
    let archive = Archive::open(&base)?;
    let mut texts = Vec::new();
    let mut writer = scoresheet::pgn::PgnWriter::new();
    for game in archive.games().take(100_000) {
        writer.clear();
        game?.write_pgn(&mut writer)?;
        texts.push(String::from_utf8_lossy(writer.as_bytes()).into_owned());
    }
    if texts.is_empty() {
        return Err("no game to grow from".into());
    }
    print!("{:>10}", "games");
    TITLES.iter().for_each(|title| print!("{title:>15}"));
    println!();
    let mut points: Vec<Point> = Vec::new();
    let mut games = 1_000;
    while games <= most {
        let point = measure(&texts, games, folder.path())?;
        print!("{:>10}", point.games);
        point.values.iter().for_each(|value| print!("{value:>15.2}"));
        println!();
        points.push(point);
        games *= 10;
    }
    if let [.., earlier, later] = points.as_slice() {
        print!("{:>10}", "slope");
        for (a, b) in earlier.values.iter().zip(later.values) {
            print!("{:>15.2}", (b / a).log10() / (later.games as f64 / earlier.games as f64).log10());
        }
        println!();
    }
    drawing.map_or(Ok(()), |drawing| Ok(std::fs::write(drawing, plot(&points))?))
}

/// Draws the costs as multiples of the costs at the first size, on logarithmic axes, as SVG.
fn plot(points: &[Point]) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    let decades = (last.games as f64 / first.games as f64).log10().max(1.0);
    let x = |games: u64| 60.0 + 600.0 * (games as f64 / first.games as f64).log10() / decades;
    let y = |times: f64| 420.0 - 360.0 * (times.max(0.1).log10() + 1.0) / (decades + 1.0);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 840 470\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"840\" height=\"470\" fill=\"white\"/>\n\
         <text x=\"60\" y=\"24\">Cost by number of games, as a multiple of that at the first size (in proportion: dashed)</text>\n",
    );
    let mut line = |path: String, color: &str, more: &str| {
        svg += &format!("<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" {more}/>\n");
    };
    let (left, right, growth) = (x(first.games), x(last.games), last.games as f64 / first.games as f64);
    line(format!("M{left:.1} {:.1}L{right:.1} {:.1}", y(1.0), y(growth)), "#bbb", "stroke-dasharray=\"6 6\"");
    line(format!("M{left:.1} {:.1}L{right:.1} {:.1}", y(1.0), y(1.0)), "#bbb", "stroke-dasharray=\"2 6\"");
    let color = |column: usize| format!("hsl({} 65% 42%)", column * 360 / COLUMNS);
    for column in 0..COLUMNS {
        let times = |point: &Point| y(point.values[column] / first.values[column].max(1e-9));
        let steps: Vec<String> =
            points.iter().map(|point| format!("{:.1} {:.1}", x(point.games), times(point))).collect();
        line(format!("M{}", steps.join("L")), &color(column), "");
    }
    for (column, title) in TITLES.iter().enumerate() {
        let (down, color) = (60 + 20 * column, color(column));
        svg += &format!("<text x=\"690\" y=\"{down}\" fill=\"{color}\">{title}</text>\n");
    }
    for point in points {
        svg += &format!("<text x=\"{:.1}\" y=\"450\" text-anchor=\"middle\">{}</text>\n", x(point.games), point.games);
    }
    let mut times = 1.0;
    while times <= growth {
        svg += &format!("<text x=\"52\" y=\"{:.1}\" text-anchor=\"end\">{times}</text>\n", y(times) + 4.0);
        times *= 10.0;
    }
    svg + "</svg>\n"
}

fn measure(texts: &[String], games: u64, folder: &Path) -> Result<Point, Failure> {
    let (source, target) = (folder.join("growth.pgn"), folder.join("growth.bga"));
    let mut out = BufWriter::new(File::create(&source)?);
    for number in 0..games {
        for line in texts[(number % texts.len() as u64) as usize].split_inclusive('\n') {
            if line.starts_with("[Site \"") {
                writeln!(out, "[Site \"https://example.org/{number:09}\"]")?;
            } else {
                out.write_all(line.as_bytes())?;
            }
        }
    }
    out.flush()?;
    drop(out);
    let mut values = [0.0; COLUMNS];
    for threads in [1, 2] {
        let options = ImportOptions { threads, existing: Existing::Replace, ..ImportOptions::default() };
        let start = Instant::now();
        let summary = Import::new(&target).options(options).run(std::slice::from_ref(&source))?;
        values[threads - 1] = start.elapsed().as_secs_f64();
        if summary.stored != games {
            return Err(format!("{} games of {games} stored", summary.stored).into());
        }
    }
    let before = anonymous_memory();
    // The median: a single value depends more on the system than on the work.
    let mut times = [0.0; 7];
    for time in &mut times {
        let start = Instant::now();
        black_box(Archive::open(&target)?);
        *time = start.elapsed().as_secs_f64() * 1e6;
    }
    times.sort_by(f64::total_cmp);
    values[2] = times[times.len() / 2];
    let archive = Archive::open(&target)?;
    let plies = archive.totals()?.plies;
    // Twice: the first time also checks unread blocks.
    for _ in 0..2 {
        let (mut random, mut text) = (Random(games), FenText::default());
        let start = Instant::now();
        for _ in 0..QUESTIONS {
            let game = 1 + random.below(games);
            if let Ok(replay) = archive.replay(game, random.below(16) as u32) {
                black_box(replay.state().fen(&mut text));
            }
        }
        values[3] = start.elapsed().as_nanos() as f64 / QUESTIONS as f64;
    }
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let start = Instant::now();
        let seen = pool.install(|| {
            crate::rows::chunks(&archive, |chunk, count| {
                chunk.walk(|_, state| *count += u64::from(black_box(state.ply()) > 0))
            })
        })?;
        values[3 + threads] = start.elapsed().as_nanos() as f64 / plies as f64;
        if seen != plies {
            return Err("a scan that has not seen every ply".into());
        }
    }
    values[6] = anonymous_memory().saturating_sub(before) as f64;
    let signatures = Signatures::open_or_build(&archive);
    let search = Search::new(&archive).with_signatures(&signatures);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut time = Duration::ZERO;
        for number in 0..SEARCHES {
            let game = archive.game(1 + number * (games / SEARCHES))?;
            let ply = (3 * number as u32).min(game.plies());
            let query = PositionQuery::new(&game.position(ply)?, Compare::default());
            let start = Instant::now();
            let found = pool.install(|| search.position(&query, SearchOptions::default()));
            time += start.elapsed();
            if !found.hits.iter().any(|hit| hit.game == game.number()) {
                return Err("a search that has not found the game it was taken from".into());
            }
        }
        values[6 + threads] = time.as_secs_f64() * 1e3 / SEARCHES as f64;
    }
    Ok(Point { games, values })
}

/// Returns the kilobytes of memory outside files, if the system reports them.
fn anonymous_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
