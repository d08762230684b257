//! The help of the program: the subcommands by what they are for.

use super::Command;
use clap::Subcommand;

/// The subcommands by job. One that is in no group is shown under the last heading.
const GROUPS: [(&str, &[&str]); 8] = [
    ("Make archives", &["import", "merge", "split", "pack", "unpack"]),
    ("Look at games", &["list", "show", "view", "info", "fen"]),
    ("Search and count", &["find", "tree", "stats", "report", "player", "opening", "eco", "sample"]),
    ("Change games", &["set", "rename", "edit", "delete", "undelete", "replace", "dedupe"]),
    ("Export", &["export", "book"]),
    ("Take care of archives", &["describe", "verify", "repair", "index", "compact", "inspect"]),
    ("Measure", &["bench"]),
    ("Work without an archive", &["position", "pcn", "brenner", "completions", "man", "help"]),
];

/// Columns of the screen, and of the names.
const SCREEN: usize = 80;
const NAMES: usize = 14;

/// Returns the template of the help.
pub fn template() -> String {
    let commands = Command::augment_subcommands(clap::Command::new("scoresheet"));
    let about = |name: &str| match name {
        "help" => Some("Print this, or the help of a command: help COMMAND; of queries: help query".to_owned()),
        _ => commands.find_subcommand(name).and_then(|command| Some(command.get_about()?.to_string())),
    };
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> = commands.get_subcommands().map(|command| command.get_name()).collect();
    let others: Vec<&str> = others.into_iter().filter(|name| !is_grouped(name)).collect();
    let mut text = String::new();
    for (place, (heading, names)) in GROUPS.iter().enumerate() {
        text += &format!("\x1b[1m\x1b[4m{heading}:\x1b[0m\n");
        let others = if place + 1 == GROUPS.len() { others.as_slice() } else { &[] };
        for name in others.iter().chain(names.iter()) {
            if let Some(about) = about(name) {
                text += &row(name, &about);
            }
        }
        text.push('\n');
    }
    format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}\x1b[1m\x1b[4mOptions:\x1b[0m\n{{options}}{{after-help}}"
    )
}

/// A name and what it is for, on as many lines as that takes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_place_and_fits() {
        let template = template();
        let commands = Command::augment_subcommands(clap::Command::new("scoresheet"));
        for command in commands.get_subcommands() {
            let name = command.get_name();
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(groups, 1, "{name} has no place in the help, or two");
            assert_eq!(template.matches(&format!("\x1b[1m{name}\x1b[0m")).count(), 1, "{name}");
        }
        let plain = template.replace("\x1b[1m", "").replace("\x1b[4m", "").replace("\x1b[0m", "");
        assert!(plain.lines().all(|line| line.chars().count() <= SCREEN || line.contains('{')), "{plain}");
    }
}
