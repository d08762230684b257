//! The command `scoresheet`: chess games in a compact archive, every position at hand.
//!
//! Data goes to standard output, progress and messages to standard error. This file owns the exit codes. Imports go one
//! way:
//!
//!     main -> command -> select -> out -> session, threads, interrupt, failure, text
//!
//! `command` has a file for each subcommand, which no other one imports; `select` finds what a command works on
//! (archives, games, positions, files); `out` writes the result. Nothing but the library's public API is used.

#![forbid(unsafe_code)]

mod command;
mod failure;
mod interrupt;
mod out;
mod select;
mod session;
mod text;
mod threads;

use clap::Parser;
use command::Cli;
use failure::{Code, Failure};
use scoresheet::archive::Access;
use session::Session;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut session = Session::start();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            print(&session, &error);
            return ExitCode::from(error.exit_code().try_into().unwrap_or(2));
        }
    };
    session.access = if cli.no_map { Access::Read } else { Access::Map };
    match command::run(&cli.command, &session) {
        Ok(Code::Success) if session.is_incomplete() => Code::Failed.into(),
        Ok(code) => code.into(),
        Err(failure) if failure.is_broken_pipe() => Code::Success.into(),
        Err(failure) => report(&session, &failure),
    }
}

/// Prints why the command failed; returns the exit code for it.
fn report(session: &Session, failure: &Failure) -> ExitCode {
    let text = failure.to_string();
    match failure {
        Failure::Query(..) => {
            // The query and the place in it follow on lines of their own.
            let mut lines = text.lines();
            lines.next().into_iter().for_each(|line| session.message(line));
            lines.for_each(|line| session.note(line));
            Code::Usage.into()
        }
        Failure::Interrupted(_) => {
            session.message(&text);
            session.interrupt_code().into()
        }
        _ => {
            session.message(&text);
            Code::Failed.into()
        }
    }
}

/// Prints what clap says: help, or what is wrong with the arguments, which may contain control characters.
fn print(session: &Session, error: &clap::Error) {
    // A reader who closes the pipe early is not a failure.
    if std::env::args_os().all(|argument| !argument.to_string_lossy().contains(char::is_control)) {
        let _ = error.print();
    } else {
        error.render().to_string().lines().for_each(|line| session.note(line));
    }
}
