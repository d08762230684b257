//! The command `scoresheet`: chess games in a compact archive, every position at hand.
//!
//! Data goes to standard output, progress and messages to standard error. Each subcommand has a file of its own and uses the library's
//! public API alone; this one owns the exit codes.

#![forbid(unsafe_code)]

mod command;
mod failure;
mod interrupt;
mod out;
mod select;

use clap::Parser;
use command::Cli;
use failure::{Code, Failure};
use out::output;
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
    match command::run(&cli.command) {
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
