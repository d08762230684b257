//! The command `scoresheet`: chess games in a compact archive, every position at hand.
//!
//! Data goes to standard output, progress and messages to standard error. Each subcommand has a file of its own and uses the library's
//! public API alone; this one owns the exit codes.

#![forbid(unsafe_code)]

mod against;
mod args;
mod bench;
mod bench_report;
mod board;
mod book;
mod brenner;
mod compact;
mod completions;
mod content;
mod copying;
mod dedupe;
mod delete;
mod eco;
mod export;
mod failure;
mod faults;
mod fen;
mod find;
mod flavour;
mod formats;
mod forms;
mod games;
mod heading;
mod import;
mod index;
mod info;
mod inputs;
mod interrupt;
mod json;
mod kept;
mod lines;
mod list;
mod man;
mod measure;
mod merge;
mod new_file;
mod original;
mod output;
mod outputs;
mod pack;
mod parts;
mod pattern;
mod pcn;
mod position;
mod position_query;
mod positions;
mod progress;
mod repair;
mod replace;
mod show;
mod side_files;
mod split;
mod stats;
mod stats_report;
mod tree;
mod undelete;
mod verify;

use args::{Cli, Command};
use clap::Parser;
use failure::{Code, Failure};
use scoresheet::archive::Access;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            print(&error);
            return ExitCode::from(error.exit_code().try_into().unwrap_or(2));
        }
    };
    interrupt::watch();
    output::set_access(if cli.no_map { Access::Read } else { Access::Map });
    match run(&cli.command) {
        Ok(Code::Fine) if output::is_incomplete() => Code::Failed.into(),
        Ok(code) => code.into(),
        Err(failure) if failure.is_broken_pipe() => Code::Fine.into(),
        Err(failure) => {
            let told = failure.to_string();
            let Failure::Query(..) = failure else {
                output::message(&told);
                return match failure {
                    Failure::Interrupted(_) => interrupt::code().into(),
                    _ => Code::Failed.into(),
                };
            };
            let mut lines = told.lines();
            lines.next().into_iter().for_each(output::message);
            lines.for_each(output::note);
            Code::Usage.into()
        }
    }
}

/// Prints what clap says: help, or what is wrong with the arguments, which may be names that would command the terminal.
fn print(error: &clap::Error) {
    // Help that nobody wants to read to its end is no failure.
    if std::env::args_os().all(|argument| !argument.to_string_lossy().contains(char::is_control)) {
        let _ = error.print();
    } else {
        error.render().to_string().lines().for_each(output::note);
    }
}

fn run(command: &Command) -> Result<Code, Failure> {
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
