//! The names in a source file: the items it defines, its imports, and the paths in its code. This is not a parser. It
//! reads tokens, knows `use` trees and attributes, and skips comments, strings and code compiled only for tests.

/// A name imported by a `use`: `a::b as c` is `(["a", "b"], "c")`; a glob has the name `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    pub path: Vec<String>,
    pub name: String,
    /// `pub use`, of any visibility: other files reach the item through this file.
    pub is_public: bool,
}

#[derive(Debug, Default)]
pub struct Source {
    /// Names of items at the top of the file.
    pub items: Vec<String>,
    pub imports: Vec<Import>,
    /// Paths of two or more segments.
    pub paths: Vec<Vec<String>>,
    /// Every other name in the code.
    pub words: Vec<String>,
}

const KEYWORDS: [&str; 10] =
    ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules", "mod"];

impl Source {
    pub fn of(text: &str) -> Source {
        let tokens = without_tests(tokens(text));
        let mut source = Source::default();
        let (mut at, mut depth) = (0, 0);
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                "use" => {
                    let before = tokens[..at]
                        .iter()
                        .rev()
                        .find(|token| !matches!(token.as_str(), ")" | "(" | "crate" | "super" | "in"));
                    let is_public = before.is_some_and(|token| token == "pub");
                    at = use_tree(&tokens, at + 1, &[], is_public, &mut source.imports);
                    continue;
                }
                word if depth == 0 && KEYWORDS.contains(&word) => {
                    let next = tokens[at + 1..].iter().find(|token| !matches!(token.as_str(), "!" | "fn" | "mut"));
                    let is_module = word == "mod" && tokens.get(at + 2).is_some_and(|token| token == ";");
                    if let (Some(name), false) = (next, is_module) {
                        source.items.push(name.clone());
                    }
                }
                word if is_name(word) => {
                    let mut path = vec![word.to_owned()];
                    while let (Some("::"), Some(next)) = (tokens.get(at + 1).map(String::as_str), tokens.get(at + 2))
                        && is_name(next)
                    {
                        path.push(next.clone());
                        at += 2;
                    }
                    match path.len() {
                        1 => source.words.append(&mut path),
                        _ => source.paths.push(path),
                    }
                }
                _ => {}
            }
            at += 1;
        }
        source
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Parses the `use` tree that begins at a token; returns its end.
fn use_tree(tokens: &[String], mut at: usize, before: &[String], is_public: bool, imports: &mut Vec<Import>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    at = use_tree(tokens, at, &path, is_public, imports);
                    at += usize::from(tokens.get(at).is_some_and(|token| token == ","));
                }
                return at + 1;
            }
            Some("::") => at += 1,
            Some("as") => {
                let name = tokens.get(at + 1).cloned().unwrap_or_default();
                imports.push(Import { path, name, is_public });
                return at + 2;
            }
            Some("*") => {
                imports.push(Import { path, name: "*".to_owned(), is_public });
                return at + 1;
            }
            // `a::{self, b}` imports `a`.
            Some("self") if !path.is_empty() => at += 1,
            Some(word) if is_name(word) => {
                path.push(word.to_owned());
                at += 1;
            }
            _ => {
                if let Some(name) = path.last().cloned().filter(|_| path.len() > before.len() || !before.is_empty()) {
                    imports.push(Import { path, name, is_public });
                }
                return at;
            }
        }
    }
}

/// Removes the items after an attribute like `#[cfg(test)]`, and all other attributes.
fn without_tests(tokens: Vec<String>) -> Vec<String> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if tokens[at] != "#" {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let start = at;
        at = end_of(&tokens, at + 1 + usize::from(tokens.get(at + 1).is_some_and(|token| token == "!")));
        let attribute = &tokens[start..at];
        let is_test = attribute.get(2).is_some_and(|token| token == "cfg")
            && attribute.iter().any(|token| token == "test")
            && !attribute.iter().any(|token| token == "not");
        if is_test {
            // Up to the end of the item: its block or its semicolon, whichever comes first.
            while at < tokens.len() && tokens[at] != "{" && tokens[at] != ";" {
                at = if tokens[at] == "#" { end_of(&tokens, at + 1) } else { at + 1 };
            }
            at = if tokens.get(at).is_some_and(|token| token == "{") { end_of(&tokens, at) } else { at + 1 };
        }
    }
    kept
}

/// Returns the index after the bracket that closes the one at `at`.
fn end_of(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns names, `::` and single signs; skips comments, strings, numbers and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let (bytes, mut at, mut tokens) = (text.as_bytes(), 0, Vec::new());
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    while at < bytes.len() {
        match (byte(at), byte(at + 1)) {
            (b'/', b'/') => at += text[at..].find('\n').unwrap_or(text.len() - at),
            (b'/', b'*') => at += 4 + text[at + 2..].find("*/").unwrap_or(text.len() - at - 4),
            (b'r', _) | (b'b', b'r') if raw_string(&text[at..]) > 0 => at += raw_string(&text[at..]),
            (b'"', _) => {
                at += 1;
                while at < bytes.len() && byte(at) != b'"' {
                    at += 1 + usize::from(byte(at) == b'\\');
                }
                at += 1;
            }
            (b'\'', _) => at += quoted(&text[at..]),
            (b':', b':') => {
                tokens.push("::".to_owned());
                at += 2;
            }
            (first, _) if in_name(first) => {
                let start = at;
                while in_name(byte(at)) {
                    at += 1;
                }
                if !first.is_ascii_digit() {
                    tokens.push(text[start..at].to_owned());
                }
            }
            (first, _) => {
                if first.is_ascii_graphic() {
                    tokens.push(char::from(first).to_string());
                }
                at += 1;
            }
        }
    }
    tokens
}

/// Returns the length of a raw string at the start of a text, or 0.
fn raw_string(text: &str) -> usize {
    let prefix = if text.starts_with("br") { 2 } else { 1 };
    let signs = text[prefix..].bytes().take_while(|byte| *byte == b'#').count();
    let start = prefix + signs + 1;
    if text.as_bytes().get(start - 1) != Some(&b'"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(signs));
    text[start..].find(&end).map_or(text.len(), |length| start + length + end.len())
}

/// Returns the length of a character or lifetime at the start of a text.
fn quoted(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => text.get(3..).and_then(|rest| rest.find('\'')).map_or(text.len(), |at| at + 4),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1 + text[1..].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count(),
    }
}
