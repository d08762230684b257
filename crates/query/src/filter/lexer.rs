//! Splits the text of a filter into words and signs.

use crate::fault::{QueryFault, reason};
use std::ops::Range;

/// A word or sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name, a keyword or an unquoted value: `white`, `and`, `1-0`, `1998.05.??`, `B90`.
    Word(String),
    /// A quoted text, without the quotation marks.
    Quoted(String),
    /// A sign: `= != < <= > >= ~ ^= ( ) { } , ..`
    Sign(&'static str),
    /// The end of the filter.
    End,
}

/// A word or sign, with its range in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: Kind,
    pub at: Range<usize>,
}

/// If a sign begins like a shorter sign, the longer sign comes first.
const SIGNS: [&str; 13] = ["!=", "<=", ">=", "^=", "..", "=", "<", ">", "~", "(", ")", "{", "}"];

/// Returns the tokens of a filter, followed by the end token.
pub fn tokens(text: &str) -> Result<Vec<Token>, QueryFault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let start = at;
        let rest = &text[at..];
        if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        }
        let kind = if letter == '"' {
            let (value, length) = quoted(rest).ok_or_else(|| {
                QueryFault::new(text, start..text.len(), reason!("quote", "this text has no closing quotation mark"))
            })?;
            at += length;
            Kind::Quoted(value)
        } else if letter == ',' {
            at += 1;
            Kind::Sign(",")
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
            Kind::Sign(sign)
        } else {
            let length = word(rest);
            if length == 0 {
                let what = match letter {
                    '&' => reason!("write_word", "write \"{word}\" here", word = "and"),
                    '|' => reason!("write_word", "write \"{word}\" here", word = "or"),
                    '!' => reason!("write_word", "write \"{word}\" here", word = "not"),
                    '\'' => reason!("double_quotes", "put texts in double quotation marks"),
                    letter => reason!("no_meaning", "{letter} has no meaning here", letter = format!("{letter:?}")),
                };
                let end = start + letter.len_utf8();
                return Err(QueryFault::new(text, start..end, what));
            }
            at += length;
            Kind::Word(rest[..length].to_owned())
        };
        tokens.push(Token { kind, at: start..at });
    }
    tokens.push(Token { kind: Kind::End, at: text.len()..text.len() });
    Ok(tokens)
}

/// Returns the length in bytes of the word at the start of a text.
fn word(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let inside = match letter {
            // Two dots are a sign for a range, and do not belong to the word.
            '.' => letters.peek().is_some_and(|(_, next)| *next != '.'),
            letter => letter.is_alphanumeric() || "_-/?+*:$".contains(letter),
        };
        if !inside {
            return at;
        }
    }
    text.len()
}

/// Returns the quoted text at the beginning of `text`, and the length in bytes that it occupies.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, at + 1)),
            '\\' => value.push(letters.next()?.1),
            letter => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        tokens(text).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn tokens_are_read() {
        let word = |text: &str| Kind::Word(text.to_owned());
        assert_eq!(
            kinds(r#"year in 2010..2020 date>=1998.05.?? white~"a\"b\\""#),
            [
                word("year"),
                word("in"),
                word("2010"),
                Kind::Sign(".."),
                word("2020"),
                word("date"),
                Kind::Sign(">="),
                word("1998.05.??"),
                word("white"),
                Kind::Sign("~"),
                Kind::Quoted("a\"b\\".to_owned()),
                Kind::End
            ]
        );
        assert_eq!(kinds("result=1/2-1/2")[2], word("1/2-1/2"));
        assert_eq!(kinds("*..*"), [word("*"), Kind::Sign(".."), word("*"), Kind::End]);
        assert_eq!(kinds(""), [Kind::End]);
    }

    #[test]
    fn faults_have_their_place() {
        for (text, at) in [("a = \"b", 4..6), ("a & b", 2..3), ("\u{e9} = %", 5..6), ("a = 'x'", 4..5)] {
            assert_eq!(tokens(text).unwrap_err().at(), at, "{text}");
        }
    }
}
