//! Texts of strangers, made safe to print.

use std::path::Path;

/// Returns the text with control characters made visible, those that turn the direction of writing too: an untrusted tag
/// must not control the terminal.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_control(letter) { safe.extend(letter.escape_default()) } else { safe.push(letter) }
    }
    safe
}

/// Returns whether a character does something to the characters around it instead of being one.
pub fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a path as it may be printed.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}
