//! Makes untrusted text safe to print to a terminal.

use std::path::Path;

/// Returns the text with control characters escaped, including characters that change the writing direction. An
/// untrusted tag must not control the terminal.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_control(letter) { safe.extend(letter.escape_default()) } else { safe.push(letter) }
    }
    safe
}

/// Replaces characters that would break a line or control the terminal with blanks.
pub fn plain(text: &str) -> String {
    text.chars().map(|letter| if is_control(letter) { ' ' } else { letter }).collect()
}

/// Returns whether a character is not displayed but affects the characters around it.
pub fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a path as text that is safe to print.
pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}
