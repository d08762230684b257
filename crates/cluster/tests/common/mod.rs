//! Test archives, and clusters of processes.

#![allow(dead_code)]

use scoresheet::Import;
use scoresheet::import::ImportOptions;
use scoresheet_sql::{Memory, Tables, session};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// An archive of many small chunks: games with ratings 1000 to 1999, every third a Sicilian.
pub fn archive(folder: &Path, name: &str, games: u32) -> PathBuf {
    let mut pgn = String::new();
    for game in 0..games {
        let moves = if game % 3 == 0 { "1. e4 c5 2. Nf3" } else { "1. d4 d5" };
        let (elo, white, day, year) = (1000 + game * 7 % 1000, game % 40, game % 28 + 1, 2013 + game / 2000);
        pgn +=
            &format!("[White \"P{white}\"]\n[Result \"1-0\"]\n[WhiteElo \"{elo}\"]\n[Date \"{year}.01.{day:02}\"]\n");
        pgn += &format!("[Note \"n{}\"]\n\n{moves} 1-0\n\n", game % 5);
    }
    let path = folder.join(name);
    let options = ImportOptions { chunk_bytes: 8 << 10, ..ImportOptions::default() };
    Import::new(&path).options(options).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    path
}

/// Returns the answer of one process, as comma-separated values.
pub fn local(arguments: &[String], query: &str) -> String {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let context = session(&Tables::new(arguments), &Memory::default(), 3).await.unwrap();
        let rows = context.sql(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        let stream = rows.execute_stream().await.unwrap();
        let mut text = Vec::new();
        let csv = scoresheet_sql::command::output::Format::Csv;
        scoresheet_sql::command::output::write(csv, stream, &mut text).await.unwrap();
        String::from_utf8(text).unwrap()
    })
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_scoresheet-cluster");

/// Makes a list of archives.
pub fn manifest(folder: &Path, name: &str, archives: &[&Path]) -> PathBuf {
    let list = folder.join(name);
    let made = Command::new(PROGRAM).arg("manifest").args(archives).arg("-o").arg(&list).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    list
}

/// Asks a scheduler: the rows as comma-separated values, or exit code and message.
pub fn query(port: u16, query: &str, more: &[&str]) -> Result<String, String> {
    let mut command = Command::new(PROGRAM);
    command.args(["query", query, "--format", "csv", "--scheduler", &format!("127.0.0.1:{port}")]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let (ended, watched) = (std::sync::mpsc::channel::<()>(), child.id());
    // A process that hangs makes the test fail, and does not block it.
    let watch = std::thread::spawn(move || {
        if ended.1.recv_timeout(Duration::from_secs(90)).is_err_and(|error| error == RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").arg(watched.to_string()).status();
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(ended.0);
    watch.join().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.code() {
        Some(0) => Ok(text(&output.stdout)),
        code => Err(format!("exit code {}, {}", code.unwrap_or(-1), text(&output.stderr))),
    }
}

/// Returns the log of a service: a file in the folder SCORESHEET_CLUSTER_LOGS, if that is set.
fn log(name: &str, port: u16) -> Stdio {
    match std::env::var_os("SCORESHEET_CLUSTER_LOGS") {
        Some(folder) => std::fs::File::create(Path::new(&folder).join(format!("{name}-{port}.log"))).unwrap().into(),
        None => Stdio::null(),
    }
}

fn verbose() -> Option<&'static str> {
    std::env::var_os("SCORESHEET_CLUSTER_LOGS").map(|_| "--verbose")
}

/// Returns the first of two ports in a row that nobody uses.
fn two_ports() -> u16 {
    for _ in 0..200 {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        if port < u16::MAX && TcpListener::bind(("127.0.0.1", port + 1)).is_ok() {
            return port;
        }
    }
    panic!("no two free ports");
}

/// A scheduler and executors, which end when this value is dropped.
pub struct Cluster {
    pub port: u16,
    folder: PathBuf,
    scheduler: Child,
    executors: Vec<(Child, PathBuf)>,
    pub environment: Vec<(&'static str, String)>,
}

impl Cluster {
    /// Starts a scheduler with these lists.
    pub fn new(folder: &Path, lists: &[&str]) -> Cluster {
        Cluster::with(folder, lists, Vec::new())
    }

    pub fn with(folder: &Path, lists: &[&str], environment: Vec<(&'static str, String)>) -> Cluster {
        let port = two_ports();
        let mut command = Command::new(PROGRAM);
        command.arg("scheduler").args(lists).args(["--port", &port.to_string(), "--silence", "6"]);
        command.envs(environment.clone()).stderr(log("scheduler", port)).stdout(Stdio::null());
        command.args(verbose());
        let scheduler = command.spawn().unwrap();
        let cluster = Cluster { port, folder: folder.to_path_buf(), scheduler, executors: Vec::new(), environment };
        wait_for(port);
        cluster
    }

    /// Starts an executor, and returns its index.
    pub fn executor(&mut self, more: &[&str]) -> usize {
        let (port, index) = (two_ports(), self.executors.len());
        let work = self.folder.join(format!("executor-{index}"));
        std::fs::create_dir_all(&work).unwrap();
        let mut command = Command::new(PROGRAM);
        command.arg("executor").args(["--scheduler", &format!("127.0.0.1:{}", self.port)]);
        command.args(["--port", &port.to_string()]).arg("--temporary").arg(&work);
        if more.is_empty() {
            command.args(["--threads", "2", "--memory", "512"]);
        }
        command.args(more).envs(self.environment.clone()).stderr(log("executor", port)).stdout(Stdio::null());
        command.args(verbose());
        self.executors.push((command.spawn().unwrap(), work));
        wait_for(port);
        index
    }

    /// Kills an executor, and deletes its files.
    pub fn kill(&mut self, index: usize) {
        let (child, work) = &mut self.executors[index];
        child.kill().unwrap();
        child.wait().unwrap();
        std::fs::remove_dir_all(work).unwrap();
    }

    pub fn kill_scheduler(&mut self) {
        self.scheduler.kill().unwrap();
        self.scheduler.wait().unwrap();
    }

    /// Asks the scheduler.
    pub fn ask(&self, text: &str, more: &[&str]) -> Result<String, String> {
        query(self.port, text, more)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in self.executors.iter_mut().map(|(child, _)| child).chain([&mut self.scheduler]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits until something listens at a port.
fn wait_for(port: u16) {
    let start = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing listens at {port}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
