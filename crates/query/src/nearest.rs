//! Suggests the known name that a misspelled name probably stands for. Both the input and the output are plain words.

/// Returns the name that is most similar to a word, ignoring case, or `None` if no name is similar. If several names
/// are equally similar, returns the first.
///
/// A name is similar to a word if the number of letters to insert, delete or change is at most a quarter of the word's
/// letters, rounded up. The cost is proportional to the number of letters in the word times the total number of letters
/// in all names.
///
/// ```
/// use scoresheet_query::nearest;
/// assert_eq!(nearest("openning", ["white", "opening"]), Some("opening"));
/// assert_eq!(nearest("ratings", ["white", "opening"]), None);
/// assert_eq!(nearest("a", ["", "b"]), None);
/// ```
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).take(LONGEST + 1).collect();
    if word.len() > LONGEST {
        return None;
    }
    let most = word.len().div_ceil(4);
    let mut letters = Vec::new();
    let near = |name: &'a str| {
        letters.clear();
        letters.extend(name.chars().flat_map(char::to_lowercase).take(LONGEST * 2));
        // The difference in length is the minimum number of letters to insert or delete.
        let apart = letters.len().abs_diff(word.len());
        let apart = if apart <= most { distance(&word, &letters) } else { apart };
        // A name with no letter in common is not near.
        (apart <= most && apart < word.len().max(letters.len())).then_some((apart, name))
    };
    let near = names.into_iter().filter_map(near).min_by_key(|(apart, _)| *apart);
    near.map(|(_, name)| name)
}

/// The maximum number of letters in a word that can be corrected.
const LONGEST: usize = 60;

/// Returns the edit distance, that is, the minimum number of letters to insert, delete or change.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            let best = (corner + usize::from(x != y)).min(*cell + 1).min(left + 1);
            (corner, *cell, left) = (*cell, best, best);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested() {
        let names = ["white", "event", "Carlsen, Magnus", "Carlsen,M"];
        assert_eq!(nearest("whit", names), Some("white"));
        assert_eq!(nearest("Eventt", names), Some("event"));
        assert_eq!(nearest("ratings", names), None);
        assert_eq!(nearest("nobody", ["Cody"]), None);
        assert_eq!(nearest("carlsn, magnus", names), Some("Carlsen, Magnus"));
        assert_eq!(nearest(&"x".repeat(100), names), None);
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        let apart = |a, b| distance(&letters(a), &letters(b));
        assert_eq!((apart("kitten", "sitting"), apart("", "abc"), apart("abc", "")), (3, 3, 3));
    }
}
