//! The command line as clap sees it.

pub mod bench;
pub mod book;
pub mod brenner;
pub mod compact;
pub mod completions;
pub mod dedupe;
pub mod delete;
pub mod eco;
pub mod export;
pub mod fen;
pub mod find;
pub mod import;
pub mod index;
pub mod info;
pub mod list;
pub mod man;
pub mod merge;
pub mod pack;
pub mod pcn;
pub mod position;
pub mod repair;
pub mod replace;
pub mod show;
pub mod split;
pub mod stats;
pub mod tree;
pub mod undelete;
pub mod verify;

use crate::failure::{Code, Failure};
use clap::{Args, Parser, Subcommand};

/// Chess games in a compact archive, every position at hand
///
/// PGN databases go in, every tag, comment and variation is kept, and any position of any game is found in about a microsecond.
#[derive(Debug, Parser)]
#[command(name = "scoresheet", version, after_help = AFTER, max_term_width = 100)]
pub struct Cli {
    /// Read archives piece by piece instead of mapping them into memory: for files that others may cut or change meanwhile
    #[arg(long, global = true)]
    pub no_map: bool,
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
Examples:
  scoresheet import games.pgn -o games.bga    make an archive of a PGN file
  scoresheet list games.bga                   see what is in it
  scoresheet show games.bga 7 --ply 20        see game 7 after 20 half-moves
  scoresheet export games.bga -o back.pgn     get the PGN back

Games are numbered from 1; ply 0 is the starting position, and each half-move is a ply.
Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 games rejected under --strict, 4 archive damaged,
130 and 143 interrupted (Ctrl-C, a request to end).";

// One is made in a run, so that its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Subcommand)]
pub enum Command {
    Import(import::Args),
    List(list::Args),
    Show(show::Args),
    Fen(fen::Args),
    Find(find::Args),
    Tree(tree::Args),
    Book(book::Args),
    Export(export::Args),
    Position(position::Args),
    Brenner(brenner::Args),
    Pcn(pcn::Args),
    Info(info::Args),
    Eco(eco::Args),
    Dedupe(dedupe::Args),
    Delete(delete::Args),
    Undelete(undelete::Args),
    Replace(replace::Args),
    Compact(compact::Args),
    Merge(merge::Args),
    Split(split::Args),
    Stats(stats::Args),
    Verify(verify::Args),
    Repair(repair::Args),
    Index(index::Args),
    Pack(pack::PackArgs),
    Unpack(pack::UnpackArgs),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the subcommand.
pub fn run(command: &Command) -> Result<Code, Failure> {
    match command {
        Command::Import(args) => import::run(args),
        Command::Info(args) => info::run(args),
        Command::Show(args) => show::run(args),
        Command::Fen(args) => fen::run(args),
        Command::Find(args) => find::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Book(args) => book::run(args),
        Command::List(args) => list::run(args),
        Command::Export(args) => export::run(args),
        Command::Position(args) => position::run(args),
        Command::Brenner(args) => brenner::run(args),
        Command::Pcn(args) => pcn::run(args),
        Command::Dedupe(args) => dedupe::run(args),
        Command::Eco(args) => eco::run(args),
        Command::Delete(args) => delete::run(args),
        Command::Undelete(args) => undelete::run(args),
        Command::Replace(args) => replace::run(args),
        Command::Compact(args) => compact::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Split(args) => split::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Repair(args) => repair::run(args),
        Command::Index(args) => index::run(args),
        Command::Pack(args) => pack::pack(args),
        Command::Unpack(args) => pack::unpack(args),
        Command::Bench(args) => bench::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    }
}

/// How many threads to use.
#[derive(Clone, Copy, Debug, Args)]
pub struct Threads {
    /// Use this many threads; 0 for one a processor core
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=1024))]
    threads: u16,
}

impl Threads {
    /// Returns the number asked for, 0 for one a core.
    pub fn count(self) -> usize {
        usize::from(self.threads)
    }

    /// Runs `work` with that many threads for everything parallel in it.
    pub fn install<T: Send>(self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        // The global pool, so that `work` itself stays on the main thread and need not be `Send`.
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.count())
            .build_global()
            .map_err(|error| Failure::Message(format!("cannot start {} threads: {error}", self.count())))?;
        work()
    }
}
