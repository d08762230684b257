//! Splits a line into words, as a shell does: blanks separate words, single or double quotation marks protect blanks,
//! and `#` begins a comment.

/// A word of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// The text, without quotation marks.
    pub text: String,
    /// The index of the word's first byte in the line.
    pub start: usize,
}

/// A quotation mark that is not closed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenQuote {
    /// The quotation mark.
    pub mark: char,
    /// The words before the end of the line; the last word contains the quotation mark.
    pub words: Vec<Word>,
}

/// Returns the words of a line. Errors: a quotation mark is not closed.
pub fn words(line: &str) -> Result<Vec<Word>, OpenQuote> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<Word>, None);
    for (index, letter) in line.char_indices() {
        let begun = || Word { text: String::new(), start: index };
        match (quote, letter) {
            (Some(mark), _) if letter == mark => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_with(begun);
            }
            (None, '#') if word.is_none() => break,
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_with(begun).text.push(letter),
        }
    }
    words.extend(word);
    match quote {
        Some(mark) => Err(OpenQuote { mark, words }),
        None => Ok(words),
    }
}

/// Returns whether an option has this name, or has it as another name. `name` has no dashes.
pub fn has_name(arg: &clap::Arg, name: &str) -> bool {
    arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
}

/// Returns a text as a word of a line: within quotation marks if necessary.
#[cfg(feature = "shell")]
pub fn quoted(text: &str) -> String {
    let is_plain = |letter: char| !letter.is_whitespace() && !matches!(letter, '"' | '\'');
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('#') {
        return text.to_owned();
    }
    format!("{}'", quoted_from('\'', text))
}

/// Returns a text within quotation marks of this kind, without the closing mark.
#[cfg(feature = "shell")]
pub fn quoted_from(mark: char, text: &str) -> String {
    let other = if mark == '"' { '\'' } else { '"' };
    // The mark itself stands within marks of the other kind.
    let text = text.replace(mark, &format!("{mark}{other}{mark}{other}{mark}"));
    format!("{mark}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_places_and_quotation_marks() {
        let split = |line: &str| -> Vec<(String, usize)> {
            words(line).unwrap().into_iter().map(|word| (word.text, word.start)).collect()
        };
        let owned = |words: &[(&str, usize)]| -> Vec<(String, usize)> {
            words.iter().map(|(word, start)| ((*word).to_owned(), *start)).collect()
        };
        assert_eq!(split(" a  b'c d'\"'\" # e"), owned(&[("a", 1), ("bc d'", 4)]));
        assert_eq!(split("x#y '' \u{fc}b"), owned(&[("x#y", 0), ("", 4), ("\u{fc}b", 7)]));
        let open = words("a 'b c").unwrap_err();
        assert_eq!((open.mark, open.words.len(), &*open.words[1].text), ('\'', 2, "b c"));
    }

    #[cfg(feature = "shell")]
    #[test]
    fn a_quoted_text_is_one_word() {
        for text in ["", "a", "a b", "O'Kelly, A", "\"x\" 'y'", "#a", "\u{e9} \u{e8}"] {
            for line in [quoted(text), format!("{}'", quoted_from('\'', text)), format!("{}\"", quoted_from('"', text))]
            {
                let split = words(&line).unwrap();
                assert_eq!(split.iter().map(|word| &*word.text).collect::<Vec<_>>(), [text], "{line}");
            }
        }
    }
}
