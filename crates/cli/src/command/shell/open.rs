//! The open archives, and how they are filled into the words of a command.

use crate::words::has_name;
use clap::{Arg, Command, ValueEnum};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The format of answers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub enum AnswerFormat {
    /// As each command prints by default
    #[default]
    Auto,
    /// Tables
    Table,
    /// Comma-separated values, from commands that print rows
    Csv,
    /// JSON
    Json,
}

impl fmt::Display for AnswerFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AnswerFormat::Auto => "auto",
            AnswerFormat::Table => "table",
            AnswerFormat::Csv => "csv",
            AnswerFormat::Json => "json",
        })
    }
}

/// The archives of a prompt.
#[derive(Default)]
pub struct Open {
    paths: Vec<PathBuf>,
    /// The index of the archive that commands for one archive read.
    chosen: Option<usize>,
    /// The format of answers.
    pub format: AnswerFormat,
}

/// The names of arguments that are archives, and the command whose archive has another name.
const ARCHIVES: [&str; 2] = ["archive", "archives"];
const INSPECTED: (&str, &str) = ("inspect", "file");

/// The command whose format is the content of a file, not of an answer.
const EXPORT: &str = "export";

impl Open {
    /// Returns the paths of the archives.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    /// Adds an archive. An open archive stays where it is.
    pub fn add(&mut self, path: PathBuf) {
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    /// Closes archives, or all archives if no path is given. Errors: an archive is not open, and none is closed.
    pub fn close(&mut self, paths: &[PathBuf]) -> Result<(), String> {
        let closed = paths.iter().map(|path| self.index(path)).collect::<Result<Vec<usize>, String>>()?;
        let chosen = self.chosen.and_then(|index| self.paths.get(index).cloned());
        let is_open = |index: usize| !paths.is_empty() && !closed.contains(&index);
        let old = std::mem::take(&mut self.paths);
        self.paths = old.into_iter().enumerate().filter(|(index, _)| is_open(*index)).map(|(_, path)| path).collect();
        self.chosen = self.paths.iter().position(|path| Some(path) == chosen.as_ref());
        Ok(())
    }

    /// Chooses the archive for commands that read one archive. Errors: it is not open.
    pub fn choose(&mut self, path: &Path) -> Result<(), String> {
        self.chosen = Some(self.index(path)?);
        Ok(())
    }

    /// Returns the index of an archive, which may be named without its folder if this name is unique.
    fn index(&self, path: &Path) -> Result<usize, String> {
        let exact = self.paths.iter().position(|open| open == path);
        let mut named = (0..).zip(&self.paths).filter(|(_, open)| open.file_name() == Some(path.as_os_str()));
        match (exact, named.next(), named.next()) {
            (Some(index), ..) | (None, Some((index, _)), None) => Ok(index),
            (None, Some(_), Some(_)) => Err(format!("{} is the name of several archives", path.display())),
            (None, None, _) => Err(format!("{} is not open", path.display())),
        }
    }

    /// Returns the archive for commands that read one archive.
    fn one(&self) -> Option<&Path> {
        match (self.chosen, self.paths.as_slice()) {
            (Some(index), paths) => paths.get(index).map(PathBuf::as_path),
            (None, [path]) => Some(path),
            _ => None,
        }
    }

    /// Returns the name of the archives, for the prompt.
    pub fn name(&self) -> String {
        let more = self.paths.len().saturating_sub(1);
        match self.one() {
            Some(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                if more > 0 { format!("{name} +{more}") } else { name.into_owned() }
            }
            None if self.paths.is_empty() => "scoresheet".to_owned(),
            None => format!("{} archives", self.paths.len()),
        }
    }

    /// Returns the arguments of a command with these words: with global options, and with the open archives and the
    /// format if the words do not contain them. `commands` has been built.
    ///
    /// Errors: the command needs an archive, and none is open, or it needs one of several.
    pub fn fill(&self, commands: &Command, globals: &[OsString], words: &[String]) -> Result<Vec<OsString>, String> {
        let mut filled: Vec<OsString> = words.iter().map(OsString::from).collect();
        let Some((name, rest)) = words.split_first() else { return Ok(filled) };
        // Programs beside this one take other options.
        let Some(command) = commands.find_subcommand(name).filter(|_| name != "help") else { return Ok(filled) };
        let read = Read::new(command, rest);
        if read.asks_for_help {
            return Ok(filled);
        }
        if let Some((place, several)) = archives_of(command) {
            let is_named = read.positionals.get(place).is_some_and(|index| is_archive(&rest[*index]));
            // The archives follow the other values before them, or the command's name.
            let before = match place {
                0 => Some(0),
                place => read.positionals.get(place - 1).map(|index| index + 1),
            };
            if let (false, Some(before)) = (is_named, before) {
                let paths = self.paths_for(name, several)?.into_iter().map(OsString::from);
                filled.splice(1 + before..1 + before, paths);
            }
        }
        let mut added = globals.to_vec();
        added.extend(self.format_words(command, &read, &filled));
        let is_given = |id: &str| read.options.iter().any(|option| option.get_id() == id);
        if name == "import" && (is_given("append") || is_given("new_only")) && !is_given("output") {
            let path = self.paths_for(name, false)?.into_iter().map(OsString::from);
            added.extend(std::iter::once("-o".into()).chain(path));
        }
        filled.splice(1..1, added);
        Ok(filled)
    }

    /// Returns the archives for a command that takes one or several.
    fn paths_for(&self, name: &str, several: bool) -> Result<Vec<PathBuf>, String> {
        match (self.one(), several) {
            _ if self.paths.is_empty() => Err(format!("{name}: no archive is open; open one with `open games.bga`")),
            (_, true) => Ok(self.paths.clone()),
            (Some(path), false) => Ok(vec![path.to_path_buf()]),
            (None, false) => {
                let name_of = |path: &PathBuf| path.display().to_string();
                let first = self.paths.first().map(name_of).unwrap_or_default();
                let open = self.paths.len();
                Err(format!("{name} takes one archive, and {open} are open: choose one with `use {first}`"))
            }
        }
    }

    /// Returns the options for the format, if the command accepts them together with its words.
    fn format_words(&self, command: &Command, read: &Read<'_>, filled: &[OsString]) -> Vec<OsString> {
        let has = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
        // The content of a file has its own format.
        let writes = read.options.iter().any(|option| option.get_id() == "output") && has("format");
        if self.format == AnswerFormat::Auto || command.get_name() == EXPORT || writes {
            return Vec::new();
        }
        let json = ["--json".into()];
        let ways = [vec!["--format".into(), self.format.to_string().into()], json.to_vec()];
        let ways = ways.into_iter().take(if self.format == AnswerFormat::Json { 2 } else { 1 });
        let is_accepted = |way: &Vec<OsString>| {
            let words = filled.iter().take(1).chain(way).chain(filled.iter().skip(1));
            command.clone().try_get_matches_from(words).is_ok()
        };
        ways.into_iter().find(is_accepted).unwrap_or_default()
    }
}

/// Returns the index of the archives among the values of a command, and whether it takes several.
fn archives_of(command: &Command) -> Option<(usize, bool)> {
    let is_archive = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        ARCHIVES.contains(&id) || (command.get_name(), id) == INSPECTED
    };
    let arg = command.get_positionals().find(is_archive)?;
    let several = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    Some((arg.get_index()?.checked_sub(1)?, several))
}

/// Returns whether a word names an archive, or a folder with a slash at its end.
fn is_archive(word: &str) -> bool {
    word.ends_with(".bga") || word.ends_with(std::path::is_separator)
}

/// The words of a command by kind.
struct Read<'a> {
    /// The indexes of the values that belong to no option.
    positionals: Vec<usize>,
    options: Vec<&'a Arg>,
    asks_for_help: bool,
}

impl<'a> Read<'a> {
    fn new(command: &'a Command, words: &[String]) -> Read<'a> {
        let mut read = Read { positionals: Vec::new(), options: Vec::new(), asks_for_help: false };
        let (mut index, mut options_end) = (0, false);
        while let Some(word) = words.get(index) {
            let rest = words.get(index + 1..).unwrap_or_default();
            index += 1;
            if options_end || !word.starts_with('-') || word == "-" {
                read.positionals.push(index - 1);
            } else if word == "--" {
                options_end = true;
            } else if let Some(long) = word.strip_prefix("--") {
                let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                read.asks_for_help |= name == "help";
                let Some(arg) = command.get_arguments().find(|arg| has_name(arg, name)) else { continue };
                read.options.push(arg);
                index += if value.is_none() { values_of(arg, rest) } else { 0 };
            } else {
                let letters: Vec<char> = word.chars().skip(1).collect();
                for (at, letter) in letters.iter().enumerate() {
                    read.asks_for_help |= *letter == 'h';
                    let Some(arg) = command.get_arguments().find(|arg| arg.get_short() == Some(*letter)) else {
                        continue;
                    };
                    read.options.push(arg);
                    if arg.get_action().takes_values() {
                        // The rest of the word is the value.
                        index += if at + 1 == letters.len() { values_of(arg, rest) } else { 0 };
                        break;
                    }
                }
            }
        }
        read
    }
}

/// Returns the number of words that are values of an option before them.
fn values_of(arg: &Arg, rest: &[String]) -> usize {
    if !arg.get_action().takes_values() {
        return 0;
    }
    let most = arg.get_num_args().map_or(1, |range| range.max_values());
    (0..most).zip(rest).take_while(|(index, word)| *index == 0 || !word.starts_with('-')).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::command_line;

    fn filled(open: &Open, line: &str) -> Result<String, String> {
        let mut commands = command_line(false);
        commands.build();
        let words: Vec<String> = crate::words::words(line).unwrap().into_iter().map(|word| word.text).collect();
        let filled = open.fill(&commands, &[], &words)?;
        Ok(filled.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" "))
    }

    fn open(paths: &[&str]) -> Open {
        let mut open = Open::default();
        paths.iter().for_each(|path| open.add(PathBuf::from(path)));
        open
    }

    #[test]
    fn archives_are_filled_in() {
        let one = open(&["a.bga"]);
        for (line, expected) in [
            ("list", "list a.bga"),
            ("list --limit 3", "list a.bga --limit 3"),
            ("show 7:20 --flip", "show a.bga 7:20 --flip"),
            ("player Carlsen", "player a.bga Carlsen"),
            ("repertoire my.pgn --side white", "repertoire my.pgn a.bga --side white"),
            ("repertoire --side white my.pgn", "repertoire --side white my.pgn a.bga"),
            ("repertoire", "repertoire"),
            ("inspect", "inspect a.bga"),
            ("find --moves e4 -o b.bga", "find a.bga --moves e4 -o b.bga"),
            ("merge b.bga -o c.bga", "merge b.bga -o c.bga"),
            ("list -qo c.bga", "list a.bga -qo c.bga"),
            ("list games/", "list games/"),
            ("verify --against x.pgn y.pgn", "verify a.bga --against x.pgn y.pgn"),
            ("list --help", "list --help"),
            ("import x.pgn", "import x.pgn"),
            ("import x.pgn --append", "import -o a.bga x.pgn --append"),
            ("import x.pgn --new-only -o b.bga", "import x.pgn --new-only -o b.bga"),
            ("position startpos", "position startpos"),
            ("serve", "serve"),
            ("help list", "help list"),
        ] {
            assert_eq!(filled(&one, line).as_deref(), Ok(expected), "{line}");
        }
        let mut two = open(&["a.bga", "x/b.bga"]);
        assert_eq!(filled(&two, "list").unwrap(), "list a.bga x/b.bga");
        assert!(filled(&two, "show 7").unwrap_err().contains("use a.bga"));
        assert_eq!(two.name(), "2 archives");
        two.choose(Path::new("b.bga")).unwrap();
        assert_eq!((filled(&two, "show 7").unwrap(), two.name()), ("show x/b.bga 7".to_owned(), "b.bga +1".to_owned()));
        two.close(&[PathBuf::from("a.bga")]).unwrap();
        assert_eq!(two.name(), "b.bga");
        assert!(two.close(&[PathBuf::from("a.bga")]).is_err());
        two.close(&[]).unwrap();
        assert!(filled(&two, "list").unwrap_err().contains("no archive is open"));
        assert_eq!(filled(&two, "list c.bga").unwrap(), "list c.bga");
    }

    #[test]
    fn formats_are_filled_in_unless_an_option_contradicts() {
        let mut open = open(&["a.bga"]);
        open.format = AnswerFormat::Csv;
        for (line, expected) in [
            ("list", "list --format csv a.bga"),
            ("list --count", "list a.bga --count"),
            ("list --json", "list a.bga --json"),
            ("list --format tsv", "list a.bga --format tsv"),
            ("list -o b.bga", "list a.bga -o b.bga"),
            ("stats", "stats a.bga"),
            ("tree", "tree --format csv a.bga"),
            ("info", "info a.bga"),
            ("export", "export a.bga"),
        ] {
            assert_eq!(filled(&open, line).as_deref(), Ok(expected), "{line}");
        }
        open.format = AnswerFormat::Json;
        for (line, expected) in [
            ("list", "list --format json a.bga"),
            ("stats", "stats --json a.bga"),
            ("stats --by year", "stats --format json a.bga --by year"),
            ("list --lmit 3", "list a.bga --lmit 3"),
            ("info", "info --json a.bga"),
            ("info --digest", "info --json a.bga --digest"),
            ("verify", "verify --json a.bga"),
            ("pack -o b.bga", "pack --json a.bga -o b.bga"),
            ("sample 3 -o b.csv", "sample a.bga 3 -o b.csv"),
        ] {
            assert_eq!(filled(&open, line).as_deref(), Ok(expected), "{line}");
        }
    }
}
