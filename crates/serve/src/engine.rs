//! Runs a UCI engine, which analyzes one position at a time.
//!
//! The first request starts the engine. While the engine thinks, its process belongs to the request, and ends when the
//! client disconnects or the server exits. The engine receives only positions that the server has parsed and rewritten.

use scoresheet::chess::{Color, Position};
use scoresheet_answers::Fault;
use scoresheet_query::reason;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines, Take};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex, Semaphore};

/// An engine, and the limits of a request.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// The program.
    pub path: PathBuf,
    /// The maximum thinking time for a position.
    pub time: Duration,
    /// The number of threads.
    pub threads: u32,
    /// The hash size in megabytes.
    pub hash: u32,
    /// The maximum number of waiting requests.
    pub requests: usize,
}

/// The maximum number of lines in an answer.
const MOST: u32 = 5;
/// The maximum number of moves in a line.
const MOVES: usize = 30;
/// The minimum thinking time.
const LEAST: Duration = Duration::from_millis(50);
/// The time limit for the engine's response to every command, without thinking time.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum output of a process in bytes. After this amount of output, the server starts a new process.
const OUTPUT: u64 = 1 << 30;

/// The engine of a server.
#[derive(Debug)]
pub struct Engine {
    config: EngineConfig,
    process: Mutex<Option<Process>>,
    turns: Semaphore,
    name: OnceLock<String>,
}

/// A running engine. Dropping this value ends the process.
#[derive(Debug)]
struct Process {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<Take<ChildStdout>>>,
}

impl Engine {
    /// Creates an engine without starting its process.
    pub fn new(config: EngineConfig) -> Engine {
        let turns = Semaphore::new(config.requests.max(1));
        Engine { config, process: Mutex::new(None), turns, name: OnceLock::new() }
    }

    /// Analyzes a position within the limits of time and lines. Scores are from White's side.
    ///
    /// Errors: too many requests wait; the engine cannot be started, exits, or does not respond in time.
    pub async fn analyse(&self, position: &Position, time: Duration, lines: u32) -> Result<Value, Fault> {
        let (time, lines) = (time.max(LEAST).min(self.config.time), lines.clamp(1, MOST));
        if position.legal_moves().is_empty() {
            return Ok(self.json(position, 0, &BTreeMap::new()));
        }
        let Ok(_turn) = self.turns.try_acquire() else { return Err(Fault::busy()) };
        let mut slot = self.process.lock().await;
        let mut process = match slot.take() {
            Some(process) => process,
            None => in_time(PATIENCE, self.start()).await?,
        };
        let fen = position.fen();
        let commands = format!(
            "setoption name UCI_Chess960 value {}\nsetoption name MultiPV value {lines}\nposition fen {fen}\ngo movetime {}\n",
            position.is_chess960(),
            time.as_millis()
        );
        let think = async {
            process.say(&commands).await?;
            let mut found = BTreeMap::new();
            loop {
                let line = process.hear().await?;
                if line.starts_with("bestmove") {
                    return Ok(found);
                }
                if let Some(info) = Info::read(&line) {
                    found.insert(info.line, info);
                }
            }
        };
        let found = in_time(time + PATIENCE, think).await?;
        *slot = Some(process);
        Ok(self.json(position, lines, &found))
    }

    async fn start(&self) -> io::Result<Process> {
        let mut command = Command::new(&self.config.path);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        let output = BufReader::new(output.take(OUTPUT)).lines();
        let mut process = Process { _child: child, input, output };
        process.say("uci\n").await?;
        loop {
            let line = process.hear().await?;
            if let Some(name) = line.strip_prefix("id name ") {
                let _ = self.name.set(name.trim().to_owned());
            }
            if line.trim_end() == "uciok" {
                break;
            }
        }
        let EngineConfig { threads, hash, .. } = self.config;
        process
            .say(&format!("setoption name Threads value {threads}\nsetoption name Hash value {hash}\nisready\n"))
            .await?;
        while process.hear().await?.trim_end() != "readyok" {}
        Ok(process)
    }

    fn json(&self, position: &Position, lines: u32, found: &BTreeMap<u32, Info>) -> Value {
        let sign = if position.turn() == Color::White { 1 } else { -1 };
        let line = |info: &Info| {
            let (san, uci) = moves(position, &info.moves);
            json!({
                "cp": info.cp.map(|cp| sign * cp),
                "mate": info.mate.map(|mate| sign * mate),
                "depth": info.depth,
                "moves": san,
                "uci": uci,
            })
        };
        let best = found.get(&1);
        json!({
            "engine": self.name.get(),
            "fen": position.fen(),
            "depth": best.map(|info| info.depth),
            "nodes": best.and_then(|info| info.nodes),
            "lines": found.range(1..=lines.max(1)).map(|(_, info)| line(info)).collect::<Vec<_>>(),
        })
    }
}

/// Waits for the engine. Converts the engine's failures to faults of the request.
async fn in_time<T>(most: Duration, work: impl Future<Output = io::Result<T>>) -> Result<T, Fault> {
    let failed = |reason| Fault::new(axum::http::StatusCode::BAD_GATEWAY, "engine", reason);
    match tokio::time::timeout(most, work).await {
        Ok(Ok(done)) => Ok(done),
        // The text of the error may contain the engine's path.
        Ok(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(failed(reason!("engine_ended", "the engine has ended")))
        }
        Ok(Err(_)) => Err(failed(reason!("engine_run", "the engine cannot be run"))),
        Err(_) => Err(failed(reason!("engine_silent", "the engine does not answer"))),
    }
}

impl Process {
    async fn say(&mut self, commands: &str) -> io::Result<()> {
        self.input.write_all(commands.as_bytes()).await?;
        self.input.flush().await
    }

    async fn hear(&mut self) -> io::Result<String> {
        self.output.next_line().await?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// A line of play, with its score from the view of the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Info {
    /// The number of the line; line 1 is the best line.
    line: u32,
    depth: u32,
    nodes: Option<u64>,
    cp: Option<i64>,
    mate: Option<i64>,
    moves: Vec<String>,
}

impl Info {
    /// Parses a line of the engine's output. Returns `None` if the line contains no score and no moves, or only bounds.
    fn read(text: &str) -> Option<Info> {
        let mut words = text.split_whitespace();
        if words.next() != Some("info") {
            return None;
        }
        let mut info = Info { line: 1, ..Info::default() };
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = words.next()?.parse().ok()?,
                "multipv" => info.line = words.next()?.parse().ok()?,
                "nodes" => info.nodes = words.next()?.parse().ok(),
                "cp" => info.cp = Some(words.next()?.parse().ok()?),
                "mate" => info.mate = Some(words.next()?.parse().ok()?),
                "lowerbound" | "upperbound" | "string" => return None,
                "pv" => info.moves = words.by_ref().take(MOVES).map(str::to_owned).collect(),
                _ => {}
            }
        }
        ((info.cp.is_some() || info.mate.is_some()) && !info.moves.is_empty()).then_some(info)
    }
}

/// Returns moves in SAN and in UCI notation, up to the first illegal move.
fn moves(position: &Position, texts: &[String]) -> (Vec<String>, Vec<String>) {
    let mut now = position.clone();
    let step = |text: &String| {
        let m = now.parse_uci(text).ok().filter(|m| *m != scoresheet::Move::NULL)?;
        let (san, uci) = (now.san(m), now.uci(m));
        now.play_unchecked(m);
        Some((san, uci))
    };
    texts.iter().map_while(step).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_read() {
        let info = Info::read(
            "info depth 20 seldepth 31 multipv 2 score cp -33 nodes 1234 nps 5 hashfull 1 time 9 pv e7e5 g1f3",
        );
        let expected = Info {
            line: 2,
            depth: 20,
            nodes: Some(1234),
            cp: Some(-33),
            mate: None,
            moves: vec!["e7e5".to_owned(), "g1f3".to_owned()],
        };
        assert_eq!(info, Some(expected));
        assert_eq!(Info::read("info depth 3 score mate -2 pv e2e4").and_then(|info| info.mate), Some(-2));
        for none in [
            "info string NNUE evaluation using nn.nnue",
            "info depth 5 currmove e2e4 currmovenumber 1",
            "info depth 5 score cp 30 lowerbound nodes 5 pv e2e4",
            "bestmove e2e4 ponder e7e5",
            "info depth x score cp 1 pv e2e4",
            "",
        ] {
            assert_eq!(Info::read(none), None, "{none}");
        }
    }

    #[test]
    fn lines_end_before_what_is_illegal() {
        let texts = ["e2e4", "e7e5", "e1e2", "x", "a7a6"].map(str::to_owned);
        let (san, uci) = moves(&Position::standard(), &texts);
        assert_eq!((san.join(" "), uci.join(" ")), ("e4 e5 Ke2".to_owned(), "e2e4 e7e5 e1e2".to_owned()));
    }
}
