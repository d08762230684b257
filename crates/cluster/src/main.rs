//! The command `scoresheet-cluster`, which `scoresheet cluster` runs: it runs schedulers, executors and queries, and
//! writes lists of archives.
//!
//! This file defines the arguments; the library implements services, plans and stores.

use ballista_core::error::BallistaError;
use clap::{Args, Parser, Subcommand};
use scoresheet_arrow::NewFile;
use scoresheet_cluster::client::Client;
use scoresheet_cluster::copies::Copies;
use scoresheet_cluster::manifest::{Manifest, name_beside};
use scoresheet_cluster::services::{self, Executor};
use scoresheet_cluster::shelf::{Listed, Opener, Tables};
use scoresheet_cluster::store::{Location, Stores};
use scoresheet_cluster::temporary::Temporary;
use scoresheet_output::{Content, Outputs};
use scoresheet_sql::command::output::Destination;
use scoresheet_sql::command::{Failure, answer, ending, read_queries};
use scoresheet_sql::{ALL_YEARS, Needs, Shelf};
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Run SQL over archives on several machines
///
/// A list names the archives (`manifest`). A scheduler reads the list, executors read the archives, and clients send
/// queries to the scheduler. Connections are not encrypted, and everybody who can reach a scheduler can read the games
/// of its lists. Use it only in trusted networks.
#[derive(Debug, Parser)]
#[command(name = "scoresheet-cluster", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  scoresheet cluster manifest games/*.bga -o games/games.json
  scoresheet cluster scheduler games/games.json
  scoresheet cluster executor --scheduler localhost
  scoresheet cluster query \"select eco, count(*) from games group by eco\" --scheduler localhost
  scoresheet cluster manifest s3://bucket/games/ -o games.json        archives in an object store
  scoresheet cluster executor --scheduler head --bind 10.0.0.7 --root /mnt/games")]
struct Command {
    #[command(subcommand)]
    action: Action,
    /// Print more messages about scheduled and running tasks
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write the list of archives of one table
    Manifest(ManifestArgs),
    /// Run the scheduler, which plans queries and distributes tasks
    Scheduler(SchedulerArgs),
    /// Run an executor, which reads archives
    Executor(ExecutorArgs),
    /// Send a query to a scheduler, or open a prompt
    Query(QueryArgs),
}

#[derive(Debug, Args)]
struct ManifestArgs {
    /// Archives, folders of archives, or s3://bucket/prefix/
    #[arg(required = true, value_name = "ARCHIVE")]
    archives: Vec<String>,
    /// Write to this list; paths of archives are relative to its folder
    #[arg(short, long, value_name = "FILE", default_value = "games.json")]
    output: PathBuf,
    /// Replace the list if it already exists
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
struct SchedulerArgs {
    /// Lists of archives: the table `games`, or NAME=LIST
    #[arg(required = true, value_name = "LIST")]
    lists: Vec<String>,
    /// Listen on this address; 0.0.0.0 for all addresses of this machine
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Listen on this port
    #[arg(long, default_value_t = 50050)]
    port: u16,
    /// Tell executors to connect to this name or address. Default: the address of --bind
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Drop executors after this time of silence, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(3..))]
    silence: u64,
}

#[derive(Debug, Args)]
struct ExecutorArgs {
    /// Connect to this scheduler
    #[arg(long, value_name = "HOST[:PORT]", default_value = "localhost:50050")]
    scheduler: String,
    /// Listen on this address for executors and clients that fetch rows
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    bind: IpAddr,
    /// Listen on this port and the next port
    #[arg(long, default_value_t = 50051)]
    port: u16,
    /// Tell other machines to connect to this name or address. Default: the address of --bind
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Read archives from this folder or s3://bucket/prefix. Default: the folder of the list
    #[arg(long, value_name = "FOLDER")]
    root: Option<String>,
    /// Run N tasks at once; 0 for one per core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Limit the memory for sorting, grouping and joining in all tasks, beyond which data goes to temporary files. 0
    /// for 70 % of the machine's memory
    #[arg(long, value_name = "MIB", default_value_t = 0)]
    memory: u64,
    /// Limit the memory for blocks of archives in an object store
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    blocks: u64,
    /// Limit the disk space for copies of tag columns and signatures of archives in an object store
    #[arg(long, value_name = "MIB", default_value_t = 8192)]
    side_files: u64,
    /// Keep N archives open
    #[arg(long, value_name = "N", default_value_t = 256)]
    open: usize,
    /// Use this folder for temporary files, which are removed at the end
    #[arg(long, value_name = "FOLDER")]
    temporary: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct QueryArgs {
    /// Queries separated by semicolons. Default: open a prompt
    query: Option<String>,
    /// Read queries from this file
    #[arg(short, long, value_name = "FILE", conflicts_with = "query")]
    file: Option<PathBuf>,
    /// Connect to this scheduler
    #[arg(long, value_name = "HOST[:PORT]", default_value = "localhost:50050")]
    scheduler: String,
    #[command(flatten)]
    destination: Destination,
    /// Use N partitions for groups, sorts and joins, roughly the total number of the executors' threads
    #[arg(long, value_name = "N", default_value_t = 16)]
    partitions: usize,
}

fn main() -> ExitCode {
    let command = Command::parse();
    // Clients receive the errors of their queries, so the log omits these errors.
    let level = match (command.verbose, &command.action) {
        (true, _) => "info",
        (false, Action::Query(_)) => "off",
        (false, _) => "error",
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(level)).init();
    ending(match command.action {
        Action::Manifest(args) => manifest(&args),
        Action::Scheduler(args) => scheduler(args),
        Action::Executor(args) => executor(args),
        Action::Query(args) => query(args),
    })
}

/// Returns stores for a process that reads only few blocks.
fn small_stores(folder: &tempfile::TempDir) -> Result<Stores, Failure> {
    Ok(Stores::new(64 << 20, Copies::new(folder.path().to_path_buf(), 64 << 20))?)
}

fn manifest(args: &ManifestArgs) -> Result<(), Failure> {
    let copies = tempfile::tempdir()?;
    let stores = small_stores(&copies)?;
    let folder = Location::Path(args.output.clone()).folder();
    let (mut opened, mut inputs) = (Vec::new(), Vec::new());
    for argument in &args.archives {
        for location in stores.archives(&Location::parse(argument)?)? {
            // The dates are read from tag columns, if there are any.
            let needs = Needs { tag_columns: true, signatures: false };
            let (games, _) = stores.open(&location)?.games(0, needs)?;
            let location = match location {
                Location::Path(path) => {
                    let path = std::path::absolute(path)?;
                    inputs.push(path.clone());
                    Location::Path(path)
                }
                address => address,
            };
            opened.push((name_beside(&folder, &location), Arc::new(games)));
        }
    }
    let mut outputs = Outputs::from_inputs(inputs);
    let mut file = NewFile::create(&mut outputs, &args.output, Content::Json, args.force)?;
    let manifest = Manifest::new(opened)?;
    file.write_all(manifest.to_text().as_bytes())?;
    file.finish()?;
    println!("{}", size(&manifest));
    Ok(())
}

fn size(manifest: &Manifest) -> String {
    let (games, archives) = (manifest.len(), manifest.shards.len());
    let s = |number: u64| if number == 1 { "" } else { "s" };
    format!("{games} game{} in {archives} archive{}", s(games), s(archives as u64))
}

/// Returns the runtime of a service.
fn runtime(threads: usize) -> Result<tokio::runtime::Runtime, Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if threads > 0 {
        builder.worker_threads(threads);
    }
    Ok(builder.enable_all().build()?)
}

fn scheduler(args: SchedulerArgs) -> Result<(), Failure> {
    let copies = tempfile::tempdir()?;
    let stores = small_stores(&copies)?;
    let mut tables = Tables::new();
    for argument in &args.lists {
        let named = argument.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains(['/', '\\', '.']));
        let (name, location) = named.unwrap_or(("games", argument));
        let location = match Location::parse(location)? {
            Location::Path(path) => Location::Path(std::path::absolute(path)?),
            address => address,
        };
        let text = String::from_utf8(stores.read(&location)?).map_err(|_| format!("{location}: not a manifest"))?;
        let manifest = Manifest::parse(&text).map_err(|error| format!("{location}: {error}"))?;
        eprintln!("table {name}: {}", size(&manifest));
        let listed = Listed { root: location.folder().to_string(), manifest: Arc::new(manifest) };
        // If a list cannot be divided, it cannot be scanned.
        debug_assert!(listed.cut(&(1..u64::MAX), &ALL_YEARS, 1).len() <= 1);
        if tables.insert(name.to_owned(), Arc::new(listed)).is_some() {
            return Err(format!("two lists for the table {name}; name one of the tables with NAME=LIST").into());
        }
    }
    drop(stores);
    let address = SocketAddr::new(args.bind, args.port);
    eprintln!("scheduler at {address}");
    Ok(runtime(0)?.block_on(services::schedule(address, args.host, tables, args.silence))?)
}

fn executor(args: ExecutorArgs) -> Result<(), Failure> {
    rayon::ThreadPoolBuilder::new().num_threads(args.threads).build_global()?;
    let temporary = Temporary::new(args.temporary.as_deref())?;
    let (work, copies) = (temporary.folder("shuffles")?, temporary.folder("copies")?);
    let opener =
        Opener::new(Stores::new(args.blocks << 20, Copies::new(copies, args.side_files << 20))?, args.root, args.open);
    let executor = Executor {
        scheduler: host_and_port(&args.scheduler)?,
        address: SocketAddr::new(args.bind, args.port),
        host: args.host,
        threads: args.threads,
        memory: (args.memory > 0).then_some(args.memory << 20),
        work,
    };
    eprintln!("executor at {}, scheduler {}:{}", executor.address, executor.scheduler.0, executor.scheduler.1);
    let (host, port) = executor.scheduler.clone();
    runtime(0)?.block_on(services::execute(executor, opener)).map_err(|error| match error {
        BallistaError::GrpcConnectionError(_) => format!("no scheduler answers at {host}:{port}").into(),
        error => error.into(),
    })
}

/// Reads HOST or HOST:PORT.
fn host_and_port(text: &str) -> Result<(String, u16), Failure> {
    match text.rsplit_once(':') {
        // An IPv6 address contains colons.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            Ok((host.to_owned(), port.parse().map_err(|_| format!("{text}: invalid port"))?))
        }
        _ => Ok((text.to_owned(), 50050)),
    }
}

fn query(args: QueryArgs) -> Result<(), Failure> {
    let queries = match &args.file {
        Some(path) => Some(read_queries(path)?),
        None => args.query,
    };
    let scheduler = host_and_port(&args.scheduler)?;
    runtime(0)?.block_on(async {
        let client = Client::new(scheduler, args.partitions).await?;
        answer(&client, queries.as_deref(), &args.destination, &mut Outputs::default()).await
    })
}
