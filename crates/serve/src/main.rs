//! The program `scoresheet-serve`, which `scoresheet serve` runs.

use clap::Parser;
use scoresheet::archive::{Access, OpenOptions};
use scoresheet_serve::{App, Config, EngineConfig, Limits, serve};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Show chess archives in a browser: explorer, games, search, statistics
///
/// The server prints its address and runs until Ctrl-C. It shows new commits of the archives as they appear. By
/// default, only this machine can connect; docs/serve.md explains how to run the server behind a proxy.
/// `scoresheet index --positions --tag-columns` makes the server fast.
#[derive(Debug, Parser)]
#[command(
    name = "scoresheet serve",
    version,
    max_term_width = 80,
    after_help = "\
Examples:
  scoresheet serve games.bga --open
  scoresheet serve otb.bga online.bga --port 9000
  scoresheet serve games.bga --host chess.example.org    behind a proxy
  curl 'http://127.0.0.1:8064/masters?play=e2e4,c7c5'    the explorer's API"
)]
struct Args {
    /// The archives to show; game numbers continue from one archive to the next
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    /// Listen on this port; 0 for any free port
    #[arg(long, value_name = "N", default_value_t = 8064)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Listen at this address instead of 127.0.0.1; needs --host
    #[arg(long, value_name = "ADDRESS", requires = "host")]
    listen: Option<IpAddr>,
    /// Also accept requests for this host name (the Host header); may be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Let pages of other sites read /masters, /lichess and /player
    #[arg(long)]
    cors: bool,
    /// Limit the time of a request in seconds; streams may take 60 times as long
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    deadline: u64,
    /// Limit the number of concurrent scans; default: the number of cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    scans: Option<u16>,
    /// Limit the number of concurrent requests from an address
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    per_client: u32,
    /// Limit the number of games in a download
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    download: u64,
    /// Analyze positions with this engine, a program that supports UCI
    #[arg(long, value_name = "PROGRAM", help_heading = "Engine")]
    engine: Option<PathBuf>,
    /// Limit the time of the engine for a position
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600), help_heading = "Engine")]
    engine_time: u64,
    /// Use N threads for the engine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Engine")]
    engine_threads: u32,
    /// Use this amount of hash memory for the engine, in MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1_048_576), help_heading = "Engine")]
    engine_hash: u32,
    /// Limit the number of requests that wait for the engine
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Engine")]
    engine_requests: u16,
    /// Let other machines use the engine; required with --host or --listen
    #[arg(long, requires = "engine", help_heading = "Engine")]
    engine_public: bool,
    /// Read archives with ordinary reads instead of mapping them into memory
    #[arg(long)]
    no_map: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("cannot start threads: {error}")),
    };
    let code = runtime.block_on(run(args));
    // The program exits without waiting for work that is still running.
    runtime.shutdown_timeout(Duration::from_millis(200));
    code
}

async fn run(args: Args) -> ExitCode {
    let access = if args.no_map { Access::Read } else { Access::Map };
    let is_public = !args.host.is_empty() || args.listen.is_some_and(|address| !address.is_loopback());
    if args.engine.is_some() && is_public && !args.engine_public {
        return failed("--engine serves only this machine; --engine-public lets other machines use it");
    }
    let engine = args.engine.map(|path| EngineConfig {
        path,
        time: Duration::from_secs(args.engine_time),
        threads: args.engine_threads,
        hash: args.engine_hash,
        requests: usize::from(args.engine_requests),
    });
    let defaults = Config::default();
    let config = Config {
        archives: args.archives,
        options: OpenOptions::from(access),
        hosts: args.host,
        cors: args.cors,
        deadline: Duration::from_secs(args.deadline),
        body: defaults.body,
        scans: args.scans.map_or(defaults.scans, usize::from),
        per_client: args.per_client as usize,
        download: args.download,
        engine,
    };
    let app = match App::open(config) {
        Ok(app) => app,
        Err(error) => return failed(&error.to_string()),
    };
    let address = SocketAddr::new(args.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)), args.port);
    let listener = match tokio::net::TcpListener::bind(address).await {
        Ok(listener) => listener,
        Err(error) => {
            return failed(&format!("cannot listen at {address}: {error}; choose another port with --port N"));
        }
    };
    let address = listener.local_addr().unwrap_or(address);
    let shown = match address.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), address.port()),
        _ => address,
    };
    let url = format!("http://{shown}/");
    println!("{url}");
    eprintln!("scoresheet serve: {} games; Ctrl-C stops the server", app.games());
    for reason in app.incomplete() {
        eprintln!("scoresheet serve: {reason}");
    }
    if args.open
        && let Err(error) = open::that_detached(&url)
    {
        eprintln!("scoresheet serve: cannot open a browser: {error}");
    }
    serve(app, listener, Limits::default(), ended(), |what| eprintln!("scoresheet serve: {what}")).await;
    ExitCode::SUCCESS
}

/// Waits for Ctrl-C or SIGTERM.
async fn ended() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}

fn failed(why: &str) -> ExitCode {
    eprintln!("scoresheet serve: {why}");
    ExitCode::FAILURE
}
