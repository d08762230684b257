//! Completion for shells: commands, options, fields, files, and the players in the archives on the command line.
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
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// The environment variable with the name of the shell that needs completions.
const VARIABLE: &str = "SCORESHEET_COMPLETE";

/// The maximum number of suggested players. Nobody reads more.
const MOST_PLAYERS: usize = 200;

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
                .flat_map(players)
                .map(|player| CompletionCandidate::new(player).tag(Some(StyledStr::from("players")))),
        );
        found
    })
}

/// Returns the players whose names begin with this text, ignoring case, in the archives that this program's arguments
/// name.
fn players(begun: &str) -> BTreeSet<String> {
    let begun = begun.to_lowercase();
    let mut found = BTreeSet::new();
    for word in std::env::args_os() {
        let path = Path::new(&word);
        if path.extension() != Some(OsStr::new("bga")) {
            continue;
        }
        let Ok(archive) = Archive::open(path) else { continue };
        let columns = TagColumns::open(&archive);
        let sides = ["White", "Black"].map(|side| Key::Tag(side.to_owned()));
        let columns: Vec<_> = match archive.len() <= MOST_GAMES {
            true => columns.readable(&sides).0,
            false => sides.iter().filter_map(|key| columns.available(key)).collect(),
        };
        for strings in columns.iter().filter_map(|column| column.strings()) {
            let meant = strings.texts().filter(|name| name.to_lowercase().starts_with(&begun));
            found.extend(meant.take(MOST_PLAYERS).map(str::to_owned));
        }
    }
    found
}
