//! The help of the program and of its subcommands.

use crate::outside::KNOWN;
use clap::Arg;
use clap::builder::StyledStr;

/// The subcommands, grouped by task, in the order of `-h` and `--help`. `--help` also lists `MORE`.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Make and export archives", &["import", "export", "merge", "pack"]),
    ("Look at games", &["list", "show", "view", "info", "fen", "position"]),
    ("Search and count", &["find", "tree", "stats", "player", "opening", "sample"]),
    ("Change games", &["set", "rename", "edit", "delete", "dedupe"]),
    ("Maintain archives", &["verify", "repair", "index", "compact"]),
];

/// The less common subcommands. The last group also lists subcommands that are in no other group.
const MORE: &str = "More commands";
const LESS_COMMON: &[&str] = &[
    "shell",
    "split",
    "unpack",
    "event",
    "repertoire",
    "prepare",
    "book",
    "eco",
    "undelete",
    "replace",
    "describe",
    "inspect",
    "bench",
    "pcn",
    "brenner",
    "completions",
    "man",
    "help",
];

/// The subcommands that open no archive. Options for opening an archive have no effect on these subcommands.
const WITHOUT_ARCHIVES: [&str; 5] = ["position", "pcn", "brenner", "completions", "man"];

/// Adds the help texts to the command line. The help of the program lists all subcommands, or only the common
/// subcommands if `is_short` is set.
pub fn with_helps(command: clap::Command, is_short: bool) -> clap::Command {
    let template = template(&command, is_short);
    let mut command = command.help_template(template);
    command = if is_short { command.after_help(SHORT_END) } else { command };
    command.mut_subcommands(|command| {
        let is_without_archive = WITHOUT_ARCHIVES.contains(&command.get_name());
        let command = shortened(command);
        if is_without_archive { without_archive_options(command) } else { command }
    })
}

/// The last lines of the short help.
const SHORT_END: &str = "\
First steps:
  scoresheet import games.pgn -o games.bga    make an archive from a PGN file
  scoresheet list games.bga                   list its games

All commands and options: scoresheet --help. One command: scoresheet list -h";

/// The maximum number of examples in a short help, and the last line of a short help.
const EXAMPLES: usize = 2;

/// Gives a command a short help (`-h`) with a few examples. The long help (`--help`) keeps all examples.
fn shortened(command: clap::Command) -> clap::Command {
    let Some(long) = command.get_after_help().map(ToString::to_string) else { return command };
    let name = command.get_name().to_owned();
    // Example lines begin with the command; other lines appear only in the long help.
    let is_example = |line: &&str| line.starts_with("  ");
    let examples: Vec<&str> = long.lines().skip(1).take_while(is_example).take(EXAMPLES).collect();
    let heading = long.lines().next().unwrap_or_default();
    let short = format!("{heading}\n{}\n\nMore options and examples: scoresheet {name} --help", examples.join("\n"));
    command.after_help(StyledStr::from(short)).after_long_help(StyledStr::from(long))
}

/// Hides the options for opening archives.
fn without_archive_options(command: clap::Command) -> clap::Command {
    let no_map = Arg::new("no_map").long("no-map").action(clap::ArgAction::SetTrue);
    let index_dir = Arg::new("index_dir").long("index-dir").value_name("FOLDER");
    let index_dir = index_dir.value_parser(clap::value_parser!(std::path::PathBuf));
    command.args([no_map, index_dir].map(|arg| arg.hide(true).global(true)))
}

/// The width of the screen, and the width of the column of names, in characters.
pub const SCREEN: usize = 80;
const NAMES: usize = 14;

/// Returns the template of the help.
pub fn template(commands: &clap::Command, is_short: bool) -> String {
    let about = |name: &str| match name {
        "help" => Some("Print this list, or the help of a command or of queries (help query)".to_owned()),
        _ => commands.find_subcommand(name).and_then(|command| Some(command.get_about()?.to_string())),
    };
    let is_listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name)) || LESS_COMMON.contains(&name);
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let rest: Vec<&str> = names.filter(|name| !is_listed(name)).chain(LESS_COMMON.iter().copied()).collect();
    let more = (!is_short).then_some((MORE, rest.as_slice()));
    let mut text = String::new();
    for (heading, names) in GROUPS.into_iter().chain(more) {
        text += &format!("\x1b[1m\x1b[4m{heading}:\x1b[0m\n");
        for (name, about) in names.iter().filter_map(|name| Some((name, about(name)?))) {
            text += &row(name, &about);
        }
        text.push('\n');
    }
    if !is_short {
        let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
        text += &format!("\x1b[1m\x1b[4mOther programs:\x1b[0m {}\n\n", names.join(", "));
    }
    let text = if is_short { text.trim_end() } else { &text };
    let options = if is_short { "" } else { "\x1b[1m\x1b[4mOptions:\x1b[0m\n{options}" };
    format!("{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{options}{{after-help}}")
}

/// Returns the row of a command, wrapped to the screen.
fn row(name: &str, about: &str) -> String {
    let mut row = format!("  \x1b[1m{name}\x1b[0m{:1$}", "", NAMES - 2 - name.len());
    let mut column = NAMES;
    for word in about.split(' ') {
        if column + word.chars().count() > SCREEN {
            row = row.trim_end().to_owned() + &format!("\n{:NAMES$}", "");
            column = NAMES;
        }
        row += &format!("{word} ");
        column += word.chars().count() + 1;
    }
    row.trim_end().to_owned() + "\n"
}
