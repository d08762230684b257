//! Trains the model of packed moves (FORMAT.md, "Packed moves"), and prints its cost on held-out games. MODEL.md
//! describes the data and the results.

mod book;
mod games;
mod learn;
mod quantize;
mod report;

use games::{Game, Games};
use learn::{Learner, Random, Rates, Weights};
use scoresheet::packed::train::model::Model;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "\
Usage:
  trainer train FILE [--games N] [--engine N] [--linear RATE] [--head RATE] [--node N] [--edge N] [--model N]
                                                trains on the folder SCORESHEET_CORPORA and writes the model file: at most
                                                N games, engine games N times each; of the book, what a position and a move
                                                must have been played, and what the model counts for
  trainer book FILE [--node N] [--edge N] [--model N]   gives a model file another opening book
  trainer report FILE [--games N]               bits per ply of the held-out games, N a kind

Archives of the corpora are kept in the folder SCORESHEET_CACHE (or the corpora's own), and made where they are missing.";

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
        Err(failure) => {
            eprintln!("trainer: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [command, file, options @ ..] = args.as_slice() else { return Ok(false) };
    let option = |name: &str, otherwise: f64| -> Result<f64, Failure> {
        match options.iter().position(|option| option == name) {
            Some(at) => Ok(options.get(at + 1).ok_or("an option without a number")?.parse()?),
            None => Ok(otherwise),
        }
    };
    let corpora = PathBuf::from(std::env::var_os("SCORESHEET_CORPORA").ok_or("SCORESHEET_CORPORA is not set")?);
    let cache = std::env::var_os("SCORESHEET_CACHE").map_or(corpora.clone(), PathBuf::from);
    let begun = Instant::now();
    let games = games::read(&corpora, &cache)?;
    eprintln!("read in {:.0} s", begun.elapsed().as_secs_f64());
    let sizes = book::Sizes {
        node: option("--node", 14.0)? as u32,
        edge: option("--edge", 3.0)? as u32,
        model: option("--model", 6.0)?,
    };
    match command.as_str() {
        "train" => {
            let rates = Rates { linear: option("--linear", 0.08)? as f32, head: option("--head", 0.018)? as f32 };
            let most = option("--games", 1e9)? as usize;
            train(&games, Path::new(file), most, option("--engine", 4.0)? as usize, rates, sizes)?;
        }
        "book" => {
            let mut bytes = std::fs::read(file)?;
            bytes.truncate(scoresheet::packed::train::model::BOOK_AT);
            bytes.extend(book::book(&games.train, sizes));
            std::fs::write(file, &bytes)?;
            let model = Model::read(&bytes).ok_or("not a model file")?;
            report::report(&model, &games, option("--games", 1000.0)? as usize)?;
        }
        "report" => {
            let model = Model::read(&std::fs::read(file)?).ok_or("not a model file")?;
            report::report(&model, &games, option("--games", 1e9)? as usize)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn train(
    games: &Games,
    file: &Path,
    most: usize,
    engine: usize,
    rates: Rates,
    sizes: book::Sizes,
) -> Result<(), Failure> {
    // Engine games are few and long: they are used several times.
    let mut order: Vec<&Game> = Vec::new();
    for game in &games.train {
        let times = if matches!(games::KINDS[game.kind].0, "engine" | "engine960") { engine } else { 1 };
        order.extend(std::iter::repeat_n(game, times));
    }
    let mut random = Random(7);
    for i in (1..order.len()).rev() {
        order.swap(i, (random.bits() % (i as u64 + 1)) as usize);
    }
    order.truncate(most);
    let plies: usize = order.iter().map(|game| game.moves.len()).sum();
    eprintln!("{} games, {plies} plies", order.len());
    let mut weights = Weights::new();
    let mut learner = Learner::default();
    let begun = Instant::now();
    let (mut done, mut cost, mut since) = (0usize, 0.0, 0usize);
    for (number, game) in order.iter().enumerate() {
        let left = 1.0 - done as f32 / plies as f32;
        let rates = Rates { linear: rates.linear * left, head: rates.head * left };
        cost += learner.game(&mut weights, game, rates);
        done += game.moves.len();
        since += game.moves.len();
        if (number + 1).is_multiple_of(10_000) || number + 1 == order.len() {
            let speed = begun.elapsed().as_secs_f64() * 1e6 / done as f64;
            eprintln!("{} games: {:.4} bits a ply, {speed:.2} us a ply", number + 1, cost / since as f64);
            (cost, since) = (0.0, 0);
        }
    }
    let sample: Vec<&Game> = order.iter().rev().take(3000).copied().collect();
    let book = book::book(&games.train, sizes);
    let bytes = quantize::finish(&weights, &sample, book)?;
    std::fs::write(file, &bytes)?;
    eprintln!("{} bytes", bytes.len());
    let model = Model::read(&bytes).ok_or("the model file cannot be read back")?;
    report::report(&model, games, 1000)
}
