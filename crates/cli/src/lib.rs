//! The command `scoresheet`: it stores, searches and exports chess games in compact archives.
//!
//! Commands write data to standard output, and progress and messages to standard error. This file determines the exit
//! codes. Imports point in one direction:
//!
//! ```text
//! lib -> command -> select -> output -> session, threads, interrupt, failure, text, words
//! ```
//!
//! `command` contains a file for each subcommand, and no subcommand imports another. `select` resolves arguments to
//! archives, games, positions and files. `output` writes the results. `outside` runs separate programs as subcommands.
//! The command uses only the public API of the library.

mod command;
mod completion;
mod config;
mod failure;
mod interrupt;
mod output;
mod outside;
mod pager;
mod select;
mod session;
mod text;
mod threads;
mod words;

use clap::error::{ContextKind, ContextValue};
use command::Cli;
use failure::{Code, Failure};
use scoresheet::archive::Access;
use session::Session;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command with the arguments of the process; returns its exit code.
pub fn run() -> ExitCode {
    interrupt::watch_limits();
    if let Some(code) = completion::answer(|| command::command_line(false)) {
        return code;
    }
    let mut session = Session::start();
    keep_pages();
    if let Some(text) = topic() {
        // It is not an error if a reader closes the pipe early.
        let _ = std::io::stdout().write_all(text.as_bytes());
        return Code::Success.into();
    }
    let mut typed: Vec<_> = std::env::args_os().collect();
    // `--help` lists all commands.
    if typed.len() == 3 && typed[1] == "help" && typed[2] == "--all" {
        typed.truncate(2);
    }
    // An archive alone is shown.
    if let [_, archive] = typed.as_slice()
        && Path::new(archive).extension().is_some_and(|extension| extension == "bga")
        && Path::new(archive).is_file()
    {
        typed.insert(1, if session.is_terminal() { "view" } else { "info" }.into());
    }
    let args = typed.get(1..).unwrap_or_default().to_vec();
    if let Some(code) =
        outside::of_tables(&args).or_else(|| outside::of_help(&args)).and_then(|args| outside(&session, &args))
    {
        return code;
    }
    let configured = match config::arguments(typed, command::NAMES, command::with_subcommands) {
        Ok(configured) => configured,
        Err(what) => return report(&session, &Failure::Usage(what)),
    };
    let cli = match parse(&configured) {
        Ok(cli) => cli,
        Err(mut error) => {
            let is_unknown = error.kind() == clap::error::ErrorKind::InvalidSubcommand;
            if let Some(code) = is_unknown.then(|| outside(&session, &args)).flatten() {
                return code;
            }
            without_false_tips(&mut error);
            with_moves_tip(&mut error);
            with_missing_name(&mut error, &args);
            print(&session, &error);
            if let Some(file) = configured.file.filter(|_| error.use_stderr()) {
                session.note(&format!("some of these options come from {} (--no-config ignores it)", file.display()));
            }
            return ExitCode::from(error.exit_code().try_into().unwrap_or(2));
        }
    };
    session.set_color(cli.globals.color);
    session.access = if cli.globals.no_map { Access::Read } else { Access::Map };
    let named = std::env::var_os("SCORESHEET_INDEX_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if let Some(folder) = cli.globals.index_dir.clone().or(named) {
        // The code that later writes to the folder reports the error.
        let _ = std::fs::create_dir_all(&folder);
        scoresheet::archive::set_index_folder(Some(folder));
    }
    #[cfg(feature = "shell")]
    session.set_globals(cli.globals.words());
    let pager = match session.is_terminal() && cli.command.is_read() && !cli.globals.no_pager {
        true => pager::Pager::start(),
        false => None,
    };
    if pager.is_some() {
        session.set_paged();
    }
    let done = cli.command.run(&session);
    // The pager ends before any message is printed.
    drop(pager);
    match done {
        Ok(Code::Success) if session.is_incomplete() => Code::Failed.into(),
        Ok(code) => code.into(),
        Err(failure) if failure.is_broken_pipe() => Code::Success.into(),
        Err(failure) => report(&session, &failure),
    }
}

/// Makes glibc keep freed memory, so the next chunk can reuse this memory. A new page takes as long to get as to fill.
/// glibc returns large blocks to the system until a larger block is freed; from then on it keeps blocks of that size
/// (mallopt(3), `M_MMAP_THRESHOLD`). Other allocators ignore this.
fn keep_pages() {
    const KEPT: usize = 16 << 20;
    // If there is not enough memory, continue without it.
    let mut block = Vec::<u8>::new();
    let _ = block.try_reserve_exact(KEPT);
    drop(std::hint::black_box(block));
}

/// Prints the reason for a failure; returns its exit code.
fn report(session: &Session, failure: &Failure) -> ExitCode {
    let text = failure.to_string();
    match failure {
        Failure::Query(..) => {
            // The query, and a marker under the fault, follow on separate lines.
            let mut lines = text.lines();
            lines.next().into_iter().for_each(|line| session.message(line));
            lines.for_each(|line| session.note(line));
            Code::Usage.into()
        }
        Failure::Interrupted(_) => {
            session.message(&text);
            session.interrupt_code().into()
        }
        Failure::Usage(_) => {
            session.message(&text);
            Code::Usage.into()
        }
        _ => {
            session.message(&text);
            Code::Failed.into()
        }
    }
}

/// Returns the help of a topic that is not a command.
fn topic() -> Option<&'static str> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [help, name] = arguments.as_slice() else { return None };
    let is_topic = help == "help" && command::query_help::NAMES.iter().any(|known| name == known);
    is_topic.then_some(command::query_help::TEXT)
}

/// Returns the value of `--color`, which also applies to messages about the command line.
fn color_choice(args: &[std::ffi::OsString]) -> clap::ColorChoice {
    let texts: Vec<&str> = args.iter().map_while(|arg| arg.to_str()).take_while(|text| *text != "--").collect();
    let joined = texts.iter().filter_map(|text| text.strip_prefix("--color="));
    let apart = texts.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    joined.chain(apart).next().and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Reads the command line. Options from the file that contradict an option of the command line are dropped.
fn parse(configured: &config::Config) -> Result<Cli, clap::Error> {
    let error = match parse_all(configured) {
        Err(error) if error.kind() == clap::error::ErrorKind::ArgumentConflict => error,
        parsed => return parsed,
    };
    // Dropping an option helps if it resolves this conflict, even if another error remains.
    let options = |error: &clap::Error| {
        [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| error.get(kind).map(ToString::to_string))
    };
    let is_other = |result: &Result<Cli, clap::Error>| match result {
        Ok(_) => true,
        Err(other) => other.kind() != error.kind() || options(other) != options(&error),
    };
    let fewer = configured.without_one().find(|fewer| is_other(&parse_all(fewer)));
    fewer.map_or_else(|| Err(error), |fewer| parse(&fewer))
}

fn parse_all(configured: &config::Config) -> Result<Cli, clap::Error> {
    // Most command lines begin with a subcommand and are valid, so the other subcommands need no definition. Messages
    // come from the complete command line.
    let first = configured.args.get(1).and_then(|arg| arg.to_str()).filter(|name| command::NAMES.contains(name));
    if let Some(Ok(cli)) = first.map(|name| parse_with(command::of_subcommand(name), configured)) {
        return Ok(cli);
    }
    let args = configured.args.iter().skip(1);
    let is_short = configured.args.len() == 1 || args.take_while(|arg| *arg != "--").any(|arg| arg == "-h");
    parse_with(command::command_line(is_short), configured)
}

fn parse_with(command: clap::Command, configured: &config::Config) -> Result<Cli, clap::Error> {
    // With this setting, clap rejects `--limit -3` because of the value, not as an unknown option.
    let takes_negative = |arg: clap::Arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    // An option on the command line replaces the same option from the file.
    let is_configured = configured.file.is_some();
    let mut command = command
        .color(color_choice(&configured.args))
        .args_override_self(is_configured)
        .mut_subcommands(|command| command.mut_args(takes_negative).args_override_self(is_configured));
    let matches = command.try_get_matches_from_mut(&configured.args)?;
    Cli::from_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Runs the program for a subcommand that is not built in. Returns `None` if there is no such program.
fn outside(session: &Session, args: &[std::ffi::OsString]) -> Option<ExitCode> {
    let why = match outside::find(args)? {
        outside::Outside::Missing(why) => why,
        outside::Outside::Program(program) => {
            let name = program.get_program().to_string_lossy().into_owned();
            match outside::run(program) {
                Ok(code) => return Some(code),
                Err(error) => format!("cannot run {name}: {error}"),
            }
        }
    };
    session.message(&why);
    Some(Code::Usage.into())
}

/// Removes clap's tip to write `-- -3`: no value may begin with a dash, before or after `--`.
fn without_false_tips(error: &mut clap::Error) {
    let leads_nowhere = |tip: &ContextValue| match tip {
        ContextValue::StyledStrs(tips) => tips.iter().any(|tip| tip.to_string().contains("'-- -")),
        _ => false,
    };
    if error.get(ContextKind::Suggested).is_some_and(leads_nowhere) {
        error.remove(ContextKind::Suggested);
    }
}

/// Suggests `--moves` for `--move`, to which clap finds `--moved` as similar.
fn with_moves_tip(error: &mut clap::Error) {
    let argument = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    if argument(ContextKind::InvalidArg) == "--move" && argument(ContextKind::SuggestedArg).starts_with("--move") {
        error.insert(ContextKind::SuggestedArg, ContextValue::String("--moves <MOVES>".to_owned()));
        error.remove(ContextKind::Usage);
    }
}

/// Says that the name is missing if an archive is given: clap takes a single argument as the last one, the name.
fn with_missing_name(error: &mut clap::Error, args: &[std::ffi::OsString]) {
    let takes_name = error.render().to_string().contains("<ARCHIVES>... <NAME>");
    let has_archive = args.iter().skip(1).any(|argument| Path::new(argument).exists());
    if let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
        && takes_name
        && has_archive
        && error.kind() == clap::error::ErrorKind::MissingRequiredArgument
    {
        let missing = missing.iter().map(|name| name.replace("<ARCHIVES>...", "<NAME>")).collect();
        error.insert(ContextKind::InvalidArg, ContextValue::Strings(missing));
    }
}

/// Replaces Rust's messages about numbers, such as "invalid digit found in string", with the required form.
fn number_words(text: &str) -> String {
    [
        (": invalid digit found in string", ": write a whole number, from 0"),
        (": cannot parse integer from empty string", ": write a whole number, from 0"),
        (": number too large to fit in target type", ": this number is too large"),
        (": number too small to fit in target type", ": this number is too small"),
        (": invalid float literal", ": write a number"),
        (": cannot parse float from empty string", ": write a number"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (words, ours)| text.replace(words, ours))
}

/// Prints a message of clap: help, or a fault of the arguments, which may contain control characters.
fn print(session: &Session, error: &clap::Error) {
    let rendered = error.render().to_string();
    let text = number_words(&rendered);
    let is_wide = |line: &str| session::message_width().is_some_and(|width| line.chars().count() > width);
    // The line of a query and the line of the marker below it begin with blanks.
    if error.use_stderr() && text.lines().any(|line| is_wide(line) && !line.starts_with(' ')) {
        return text.lines().for_each(|line| session.note(line));
    }
    // It is not an error if a reader closes the pipe early.
    if text == rendered && std::env::args_os().all(|argument| !argument.to_string_lossy().contains(char::is_control)) {
        let _ = error.print();
    } else {
        text.lines().for_each(|line| session.note(line));
    }
}
