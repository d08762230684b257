//! Completion for shells: commands, options, fields, files, and the names in the archives on the command line.
//!
//! A script from [`script`] runs this program on each Tab, with the words of the line as arguments and the shell's name
//! in [`VARIABLE`].

use crate::failure::Code;
use clap::builder::StyledStr;
use clap_complete::CompletionCandidate;
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, PathCompleter, ValueCompleter};
use clap_complete::env::{CompleteEnv, Shells};
use scoresheet::Archive;
use scoresheet_query::tag_columns::{Key, TagColumns};
use scoresheet_query::{Filter, GameField};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// The environment variable with the name of the shell that needs completions.
pub const VARIABLE: &str = "SCORESHEET_COMPLETE";

/// The maximum number of suggested texts of a tag. Nobody reads more.
const MOST_TEXTS: usize = 200;

/// The maximum number of games of an archive whose tags are read on a Tab. Names in larger archives are completed only
/// with tag columns.
const MOST_GAMES: u64 = 20_000;

/// Code for bash that escapes completions with backslashes where necessary, unless the word begins with a quote.
const BASH_QUOTES: &str = r#"_scoresheet_quoted() {
    _clap_complete_scoresheet "$@"
    [[ ${COMP_WORDS[COMP_CWORD]} == [\"\']* ]] && return
    local index
    for index in "${!COMPREPLY[@]}"; do
        if [[ ${COMPREPLY[index]} == *[[:space:]\'\"\(\)\&\;\$]* ]]; then
            printf -v "COMPREPLY[$index]" %q "${COMPREPLY[index]}"
        fi
    done
}
"#;

/// Code for zsh that completes at the first Tab if zsh loads the script as a function from its `fpath`.
const ZSH_FIRST: &str = r#"[[ $funcstack[1] != _scoresheet ]] || _clap_dynamic_completer_scoresheet "$@"
"#;

/// Prints completions or a script if the variable is set, and then returns the exit code of the program.
pub fn answer(command_line: impl Fn() -> clap::Command) -> Option<ExitCode> {
    let words = std::env::args_os();
    let folder = std::env::current_dir().ok();
    let done = CompleteEnv::with_factory(command_line).var(VARIABLE).try_complete(words, folder.as_deref());
    match done {
        Ok(false) => None,
        Ok(true) => Some(Code::Success.into()),
        // The shell proposes nothing.
        Err(_) => Some(Code::Failed.into()),
    }
}

/// Returns the script that makes a shell run this program for completions.
pub fn script(shell: Shell) -> std::io::Result<Vec<u8>> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).ok_or(std::io::ErrorKind::Unsupported)?;
    completer.write_registration(VARIABLE, "scoresheet", "scoresheet", "scoresheet", &mut script)?;
    let text = String::from_utf8_lossy(&script);
    let text = text.trim();
    Ok(match shell {
        Shell::Bash => {
            let quoted = text.replace("-F _clap_complete_scoresheet", "-F _scoresheet_quoted");
            format!("{BASH_QUOTES}{quoted}\n").into_bytes()
        }
        Shell::Zsh => format!("{text}\n{ZSH_FIRST}").into_bytes(),
        _ => format!("{text}\n").into_bytes(),
    })
}

/// Completes files, and the players of the archives that are already on the command line.
pub fn files_and_players() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let mut found = PathCompleter::any().complete(current);
        let begun = current.to_str().filter(|begun| !begun.is_empty());
        found.extend(
            begun
                .into_iter()
                .flat_map(|begun| texts(&tags_of("player"), begun))
                .map(|player| CompletionCandidate::new(player).tag(Some(StyledStr::from("players")))),
        );
        found
    })
}

/// Completes the last word of a filter: a field, or a text in double quotation marks that the archives on the command
/// line have in this field.
pub fn filter() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let Some(text) = current.to_str() else { return Vec::new() };
        let (before, begun) = text.split_at(last_word(text));
        let words: BTreeSet<String> = match (compared(before), begun.strip_prefix('"')) {
            (Some(field), Some(begun)) => {
                let quoted = |text: String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
                texts(&tags_of(field), begun).into_iter().map(quoted).collect()
            }
            (Some(_), None) => BTreeSet::new(),
            (None, _) => named(begun, &["not"]),
        };
        words.into_iter().map(|word| CompletionCandidate::new(format!("{before}{word}"))).collect()
    })
}

/// Completes the last of several fields that commas separate. Each may begin with a dash.
pub fn fields() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let Some(text) = current.to_str() else { return Vec::new() };
        let start = text.rfind(',').map_or(0, |comma| comma + 1);
        let start = start + text.get(start..).map_or(0, |field| field.len() - field.trim_start_matches('-').len());
        let (before, begun) = text.split_at(start);
        named(begun, &[]).into_iter().map(|word| CompletionCandidate::new(format!("{before}{word}"))).collect()
    })
}

/// Returns the fields and the other names that begin with this text, sorted.
fn named(begun: &str, others: &[&str]) -> BTreeSet<String> {
    let all = GameField::names().chain(others.iter().map(|name| (*name).to_owned()));
    all.filter(|name| name.starts_with(&begun.to_lowercase())).collect()
}

/// Returns the index at which the last word of a filter begins. A quotation mark that is not closed begins this word.
fn last_word(text: &str) -> usize {
    let (mut quote, mut start) = (None, 0);
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(_), '"') => quote = None,
            (Some(_), _) => {}
            (None, '"') => (quote, start) = (Some(index), index),
            (None, ' ' | '(' | ')' | ',' | '=' | '<' | '>' | '!' | '~' | '^') => start = index + letter.len_utf8(),
            (None, _) => {}
        }
    }
    start
}

/// Returns the field that a filter compares, if the filter ends with an operator.
fn compared(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let field = before.trim_end_matches(['=', '<', '>', '!', '~', '^']);
    let field = if field.len() < before.len() { field } else { before.strip_suffix(" in")? };
    let field = field.trim_end().trim_end_matches(" not").trim_end();
    Some(match field.strip_suffix('"') {
        Some(name) => name.get(name.rfind('"')? + 1..)?,
        None => field.rsplit([' ', '(']).next()?,
    })
}

/// Returns the tags that contain the texts of a field.
fn tags_of(field: &str) -> Vec<Key> {
    let keys = Filter::parse(&format!("{field} = \"\"")).map(|filter| filter.keys()).unwrap_or_default();
    let tags: Vec<Key> = keys.into_iter().filter(|key| matches!(key, Key::Tag(_))).collect();
    if tags.is_empty() { vec![Key::Tag(field.to_owned())] } else { tags }
}

/// Returns the texts that begin with this text, ignoring case, in these tags of the archives that this program's
/// arguments name.
fn texts(keys: &[Key], begun: &str) -> BTreeSet<String> {
    let begun = begun.to_lowercase();
    let mut found = BTreeSet::new();
    for word in std::env::args_os() {
        let path = Path::new(&word);
        if path.extension() != Some(OsStr::new("bga")) {
            continue;
        }
        let Ok(archive) = Archive::open(path) else { continue };
        let columns = TagColumns::open(&archive);
        let columns: Vec<_> = match archive.len() <= MOST_GAMES {
            true => columns.readable(keys).0,
            false => keys.iter().filter_map(|key| columns.available(key)).collect(),
        };
        for strings in columns.iter().filter_map(|column| column.strings()) {
            let meant = strings.texts().filter(|name| name.to_lowercase().starts_with(&begun));
            found.extend(meant.take(MOST_TEXTS).map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_filter_and_its_field() {
        for (text, before, field) in [
            ("whi", "", None),
            ("white ~ \"Car", "white ~ ", Some("white")),
            ("elo >= 2400 and not (player = \"van d", "elo >= 2400 and not (player = ", Some("player")),
            ("white = \"A\" or bl", "white = \"A\" or ", None),
            ("\"My tag\" = \"x", "\"My tag\" = ", Some("My tag")),
            ("event in (\"a\",\"b", "event in (\"a\",", None),
            ("event in ", "event in ", Some("event")),
            ("white not in ", "white not in ", Some("white")),
            ("year>=", "year>=", Some("year")),
        ] {
            let start = last_word(text);
            assert_eq!(&text[..start], before, "{text}");
            assert_eq!(compared(before), field, "{text}");
        }
    }
}
