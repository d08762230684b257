//! Reads the file of default options, which contains a line for each command. These options precede the options of the
//! command line.
//!
//! ```text
//! # A comment. The first word is a command, or * for all commands that have the option; the rest are its options.
//! list --columns white,black,result --limit 50
//! find --threads 4 --where 'elo >= 2400'
//! * --index-dir "/fast disk/indexes"
//! ```

use crate::text;
use crate::words::{has_name, words};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The option that ignores the file.
const IGNORE: &str = "--no-config";

/// The arguments, with options from the file before the options of the command line.
#[derive(Clone)]
pub struct Config {
    /// The arguments; the program's name comes first.
    pub args: Vec<OsString>,
    /// The ranges of `args` that are options from the file, each with its values.
    pub options: Vec<Range<usize>>,
    /// The file, if any of the options come from it.
    pub file: Option<PathBuf>,
}

/// Returns the arguments of this process, with the options in the file for this command. `names` contains the names of
/// all commands, and `definition` returns a command line with some of them.
///
/// Errors: the file cannot be read, or a line is invalid.
pub fn arguments(
    typed: Vec<OsString>,
    names: &[&str],
    definition: fn(&[&str]) -> clap::Command,
) -> Result<Config, String> {
    let command = typed.iter().skip(1).position(|arg| names.iter().any(|name| arg == name));
    // `--` ends the options.
    let is_ignored = typed.iter().take_while(|arg| *arg != "--").any(|arg| arg == IGNORE);
    // `scoresheet help list` has no options.
    let is_help = typed.get(1).is_some_and(|arg| arg == "help");
    let (Some(index), false) = (command, is_ignored || is_help) else { return Ok(Config::typed(typed)) };
    let Some(file) = file() else { return Ok(Config::typed(typed)) };
    let text = match text::read(&file) {
        Ok(text) => text,
        // A file that the variable names must exist; the default file may be missing.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && named().is_none() => String::new(),
        Err(error) => return Err(format!("{}: {error} ({IGNORE} ignores the file)", file.display())),
    };
    let at = index + 1;
    let command = typed.get(at).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let options = options(&text, &command, names, definition)
        .map_err(|(line, what)| format!("{}, line {line}: {what} ({IGNORE} ignores the file)", file.display()))?;
    let found = !options.is_empty();
    let end = at + 1 + options.len();
    let starts = (at + 1..end).zip(&options).filter(|(_, option)| is_option(option)).map(|(index, _)| index);
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([end]);
    let ranges = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
    let mut args = typed;
    args.splice(at + 1..at + 1, options.into_iter().map(OsString::from));
    Ok(Config { args, options: ranges, file: found.then_some(file) })
}

impl Config {
    fn typed(args: Vec<OsString>) -> Config {
        Config { args, options: Vec::new(), file: None }
    }

    /// Returns the arguments without each of the options from the file in turn, the last option first.
    pub fn without_one(&self) -> impl Iterator<Item = Config> {
        self.options.iter().rev().map(|left_out| {
            let mut config = self.clone();
            config.args.drain(left_out.clone());
            config.options.retain(|range| range != left_out);
            for range in config.options.iter_mut().filter(|range| range.start >= left_out.end) {
                *range = range.start - left_out.len()..range.end - left_out.len();
            }
            config
        })
    }
}

/// Returns whether a word is an option. Others that begin with a hyphen are values, such as the sort key `-date`.
fn is_option(word: &str) -> bool {
    let short = word.strip_prefix('-').filter(|rest| rest.len() == 1 && rest.starts_with(char::is_alphabetic));
    short.is_some() || word.starts_with("--")
}

/// Returns the value of SCORESHEET_CONFIG, if it is set.
fn named() -> Option<OsString> {
    std::env::var_os("SCORESHEET_CONFIG")
}

/// Returns the path of the file: the value of SCORESHEET_CONFIG, or `scoresheet/config` in the configuration folder.
/// Returns `None` if the variable is empty.
fn file() -> Option<PathBuf> {
    if let Some(named) = named() {
        return Some(PathBuf::from(named)).filter(|path| path != Path::new(""));
    }
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let settings = match cfg!(windows) {
        true => folder("APPDATA"),
        false => folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config"))),
    };
    Some(settings?.join("scoresheet").join("config"))
}

/// Returns the options of a command, after the options for all commands that it has. Errors: an invalid line, by its
/// number and its fault.
fn options(
    text: &str,
    command: &str,
    names: &[&str],
    definition: fn(&[&str]) -> clap::Command,
) -> Result<Vec<String>, (usize, String)> {
    let (mut all, mut for_command) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let words = words(line).map_err(|open| (index + 1, format!("missing closing {}", open.mark)))?;
        let words: Vec<String> = words.into_iter().map(|word| word.text).collect();
        let Some((name, options)) = words.split_first() else { continue };
        match name.as_str() {
            "*" => {
                let known = known(options, command, names, definition).map_err(|what| (index + 1, what))?;
                all.extend(known);
            }
            name if name == command => for_command.extend_from_slice(options),
            name if names.contains(&name) => {}
            name => return Err((index + 1, format!("there is no command {name}"))),
        }
        // A file name in this file would become an input of every call.
        if let Some(first) = options.first().filter(|first| !first.starts_with('-')) {
            return Err((index + 1, format!("{first} is not an option")));
        }
    }
    Ok([all, for_command].concat())
}

/// Returns the options that a command has, with their values. Errors: no command has an option.
fn known(
    options: &[String],
    command: &str,
    names: &[&str],
    definition: fn(&[&str]) -> clap::Command,
) -> Result<Vec<String>, String> {
    // Whether the option takes a value, if one of these commands has the option.
    let takes_value = |option: &str, names: &[&str]| {
        let mut all = definition(names);
        all.build();
        let commands = all.get_subcommands().filter(|command| names.contains(&command.get_name()));
        let mut args = commands.flat_map(clap::Command::get_arguments);
        args.find(|arg| is_named(arg, option)).map(|arg| arg.get_action().takes_values())
    };
    let (mut kept, mut rest) = (Vec::new(), options.iter().peekable());
    while let Some(option) = rest.next() {
        if !option.starts_with('-') {
            // The value of an option that takes several.
            kept.push(option.clone());
            continue;
        }
        let of_command = takes_value(option, &[command]);
        let Some(takes_value) = of_command.or_else(|| takes_value(option, names)) else {
            return Err(format!("no command has the option {option}"));
        };
        let value = rest.next_if(|_| takes_value && has_no_value(option));
        if of_command.is_some() {
            kept.extend([option].into_iter().chain(value).cloned());
        } else {
            while rest.next_if(|word| !word.starts_with('-')).is_some() {}
        }
    }
    Ok(kept)
}

/// Returns whether a word of the command line, such as `--limit=3` or `-n3`, is this option.
fn is_named(arg: &clap::Arg, word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(name) => has_name(arg, name.split('=').next().unwrap_or_default()),
        None => word.chars().nth(1).is_some_and(|letter| arg.get_short() == Some(letter)),
    }
}

/// Returns whether the value of an option, if it has one, is the next word.
fn has_no_value(option: &str) -> bool {
    if option.starts_with("--") { !option.contains('=') } else { option.chars().count() == 2 }
}

#[cfg(test)]
mod tests {
    fn definition(names: &[&str]) -> clap::Command {
        let of = |name: &str| {
            let command = clap::Command::new(if name == "list" { "list" } else { "find" });
            let option = |name: &'static str| clap::Arg::new(name).long(name);
            match name {
                "list" => command.arg(option("limit").short('n')).arg(option("sort").allow_hyphen_values(true)),
                _ => command.arg(option("where")).arg(option("count").action(clap::ArgAction::SetTrue)),
            }
        };
        let folder = clap::Arg::new("folder").long("index-dir").global(true);
        clap::Command::new("all").arg(folder).subcommands(names.iter().map(|name| of(name)))
    }

    fn options(text: &str, command: &str, names: &[&str]) -> Result<Vec<String>, (usize, String)> {
        super::options(text, command, names, definition)
    }

    #[test]
    fn options_for_all_commands_are_those_that_a_command_has() {
        let names = ["find", "list"];
        let text = "* --sort -date --count -n 3 --where 'a b' --index-dir=x\n* --limit=5";
        assert_eq!(
            options(text, "list", &names).unwrap(),
            ["--sort", "-date", "-n", "3", "--index-dir=x", "--limit=5"]
        );
        assert_eq!(options(text, "find", &names).unwrap(), ["--count", "--where", "a b", "--index-dir=x"]);
        let (line, what) = options("\n* --limmit 3", "find", &names).unwrap_err();
        assert_eq!((line, what.as_str()), (2, "no command has the option --limmit"));
    }

    #[test]
    fn lines_are_read_as_a_shell_reads_them() {
        let names = ["find", "list"];
        let text = "# all\n* --index-dir '/a b'\n\nlist --limit 5  # few\nfind --where \"white = 'A'\" --columns ''\n";
        assert_eq!(options(text, "list", &names).unwrap(), ["--index-dir", "/a b", "--limit", "5"]);
        let find = ["--index-dir", "/a b", "--where", "white = 'A'", "--columns", ""];
        assert_eq!(options(text, "find", &names).unwrap(), find);
        assert_eq!(options("list -x#y", "list", &names).unwrap(), ["-x#y"]);
        for (line, what) in [
            ("lits --limit 5", "no command lits"),
            ("list 'a", "missing closing '"),
            ("list g.bga", "is not an option"),
        ] {
            let (number, said) = options(&format!("\n{line}\n"), "find", &names).unwrap_err();
            assert!(number == 2 && said.contains(what), "{line}: {said}");
        }
    }
}
