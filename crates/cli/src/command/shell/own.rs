//! The commands of the prompt itself.

/// The commands, with their descriptions.
pub const OWN: [(&str, &str); 8] = [
    ("open", "Open more archives, or all archives of a folder"),
    ("close", "Close archives, or all of them"),
    ("archives", "List the open archives"),
    ("use", "Choose the archive for commands that read one archive"),
    ("format", "Print answers as table, csv, json, or auto"),
    ("help", "List the commands, or describe one"),
    ("quit", "End the prompt"),
    ("exit", "End the prompt"),
];

/// Returns whether the prompt has a command of this name.
pub fn is_own(name: &str) -> bool {
    OWN.iter().any(|(own, _)| *own == name)
}
