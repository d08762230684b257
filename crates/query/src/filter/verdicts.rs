//! Computes the verdicts of a condition for the strings of a table, once for each string.

use crate::filter::expr::{TextTest, is_exact};
use crate::fold::fold;
use crate::tag_columns::{Column, Strings};
use crate::value::reading;
use memchr::memmem::Finder;
use scoresheet::parallel;
use std::ops::Range;

/// The verdict that is neither true (1) nor false (0): another column must decide.
pub const ASK: u8 = 2;
/// The number of strings from which a table is decided in parallel, in parts of this size.
const PART: usize = 1 << 12;
/// The number of strings that are searched together as one text.
const RUN: u32 = 64;

/// Returns the verdict for each number in a column: `missing` for 0, and the result of `decide` for each string.
pub fn of(column: &Column, missing: u8, decide: impl Fn(&[u8]) -> u8 + Sync) -> Vec<u8> {
    in_parts(column, missing, |strings, numbers, all| {
        all.extend(numbers.map(|number| strings.get(number).map_or(missing, &decide)));
    })
}

/// Returns the verdict of a text condition for each number in a column.
pub fn of_text(column: &Column, test: &TextTest) -> Vec<u8> {
    match test {
        TextTest::Is(texts) => some(column, texts, 0),
        TextTest::IsNot(texts) => some(column, texts, 1),
        TextTest::Known => of(column, 0, |text| u8::from(reading::is_known(text))),
        TextTest::Unreadable(reading) => of(column, 0, |text| u8::from(reading::is_unreadable(*reading, text))),
        TextTest::Has(part) => {
            let part = fold(part);
            let finder = Finder::new(part.as_bytes());
            in_parts(column, 0, |strings, numbers, all| having(strings, numbers, &finder, all))
        }
        TextTest::Begins(part) => {
            let part = fold(part);
            of(column, 0, |text| u8::from(begins(text, part.as_bytes())))
        }
    }
}

/// Calls `decide` with the numbers of each part of the strings. `decide` must append the verdicts.
fn in_parts(column: &Column, missing: u8, decide: impl Fn(&Strings, Range<u32>, &mut Vec<u8>) + Sync) -> Vec<u8> {
    let mut all = vec![missing];
    let Some(strings) = column.strings() else { return all };
    let count = strings.len() as u32;
    if strings.len() < PART {
        decide(strings, 1..count + 1, &mut all);
        return all;
    }
    let of_part = |part: u32| {
        let first = 1 + part * PART as u32;
        let mut verdicts = Vec::with_capacity(PART);
        decide(strings, first..(first + PART as u32).min(count + 1), &mut verdicts);
        verdicts
    };
    let parts = parallel::map(strings.len().div_ceil(PART), |part| of_part(part as u32));
    all.reserve(strings.len());
    parts.iter().for_each(|part| all.extend_from_slice(part));
    all
}

/// Returns the verdicts of a condition for which a few strings differ from all other strings.
fn some(column: &Column, texts: &[String], others: u8) -> Vec<u8> {
    let Some(strings) = column.strings() else { return vec![0] };
    let mut all = vec![others; strings.len() + 1];
    // A missing value is neither equal to these texts nor different from them, so its verdict is always 0.
    let unknown = [&b""[..], b"?", b"-"].into_iter().filter_map(|text| strings.find(text));
    for number in unknown.chain([0]) {
        if let Some(verdict) = all.get_mut(number as usize) {
            *verdict = 0;
        }
    }
    let exact = texts.iter().filter_map(|text| strings.find(text.as_bytes()));
    let mut plain: Vec<String> = texts.iter().filter(|text| !is_exact(text)).map(|text| fold(text)).collect();
    plain.sort_unstable();
    let is_one = |text: &[u8]| plain.binary_search_by(|known| known.as_bytes().cmp(text)).is_ok();
    // If there is a single requested string, the lengths of most other strings differ from it.
    let length = if let [only] = plain.as_slice() { Some(only.len()) } else { None };
    let folded = |number: &u32| {
        let text = strings.get(*number).unwrap_or_default();
        let may_be = length.is_none_or(|length| length == text.len() || !text.is_ascii());
        may_be && folded(text, is_one)
    };
    let found = (1..=strings.len() as u32).filter(|number| !plain.is_empty() && folded(number));
    for number in exact.chain(found) {
        if let Some(verdict) = all.get_mut(number as usize) {
            *verdict = 1 - others;
        }
    }
    all
}

/// Appends the verdict for each of these strings: whether it contains the part. Runs of strings are searched as a
/// single text.
fn having(strings: &Strings, numbers: Range<u32>, part: &Finder<'_>, all: &mut Vec<u8>) {
    let has = |text: &[u8]| u8::from(folded(text, |text| part.find(text).is_some()));
    let length = part.needle().len();
    let mut small = Vec::new();
    let mut first = numbers.start;
    while first < numbers.end {
        let run = first..(first + RUN).min(numbers.end);
        first = run.end;
        let Some((text, ends)) = strings.run(run.clone()).filter(|_| length > 0) else {
            all.extend(run.map(|number| strings.get(number).map_or(0, has)));
            continue;
        };
        small.clear();
        small.extend_from_slice(text);
        small.make_ascii_lowercase();
        let is_ascii = small.is_ascii();
        // Returns the next offset at which the part occurs, which skips strings without it.
        let find = |from: usize| small.get(from..).and_then(|rest| part.find(rest)).map(|at| from + at);
        let (mut next, mut start) = (find(0), 0);
        for end in ends {
            // A match that extends across the end of a string is not a match in either string.
            while let Some(at) = next.filter(|at| *at < end && at + length > end) {
                next = find(at + 1);
            }
            let mut verdict = u8::from(next.is_some_and(|at| at < end));
            if verdict == 1 {
                next = find(end);
            }
            if !is_ascii && let Some(part) = text.get(start..end).filter(|part| !part.is_ascii()) {
                verdict = has(part);
            }
            all.push(verdict);
            start = end;
        }
    }
}

/// Returns whether a text, after folding, begins with a part.
fn begins(text: &[u8], part: &[u8]) -> bool {
    let head = text.get(..part.len()).unwrap_or(text);
    if head.is_ascii() {
        return head.eq_ignore_ascii_case(part);
    }
    folded(text, |text| text.starts_with(part))
}

/// Calls `look` with the folded text.
fn folded<T>(text: &[u8], look: impl FnOnce(&[u8]) -> T) -> T {
    let mut small = [0; 128];
    match small.get_mut(..text.len()) {
        Some(small) if text.is_ascii() => {
            small.copy_from_slice(text);
            small.make_ascii_lowercase();
            look(small)
        }
        _ => look(fold(&String::from_utf8_lossy(text)).as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strings(texts: &[String]) -> Column {
        let (mut ends, mut text) = (Vec::new(), Vec::new());
        for string in texts {
            text.extend_from_slice(string.as_bytes());
            ends.extend_from_slice(&(text.len() as u32).to_le_bytes());
        }
        Column::from_strings(ends, text)
    }

    proptest! {
        #[test]
        fn as_one_by_one(
            texts in prop::collection::btree_set("[abABéÉK\u{212A}e/ß]{0,6}", 0..300),
            part in "[abABéÉks]{0,3}",
        ) {
            let texts: Vec<String> = texts.into_iter().collect();
            let column = strings(&texts);
            let plainly = |test: &dyn Fn(&String) -> bool| -> Vec<u8> {
                std::iter::once(0).chain(texts.iter().map(|text| u8::from(test(text)))).collect()
            };
            let some = [vec![part.clone()], vec![part.clone(), "ab".to_owned(), "e/".to_owned()]];
            let is = some.clone().map(TextTest::Is);
            let others = [TextTest::Has(part.clone()), TextTest::Begins(part)];
            for test in others.into_iter().chain(is).chain(some.map(TextTest::IsNot)) {
                // An empty text is a missing value: it contains, and begins with, only the empty text.
                let fits = |text: &String| match &test {
                    TextTest::IsNot(_) => !text.is_empty() && test.fits(text),
                    test => test.fits(text),
                };
                prop_assert_eq!(of_text(&column, &test), plainly(&fits), "{:?} {:?}", test, texts);
            }
        }
    }

    #[test]
    fn large_tables_are_decided_in_parts() {
        let texts: Vec<String> = (0..3 * PART + 7).map(|number| format!("{number:06}")).collect();
        let has = of_text(&strings(&texts), &TextTest::Has("77".to_owned()));
        let plainly = std::iter::once(0).chain(texts.iter().map(|text| u8::from(text.contains("77"))));
        assert!(has.into_iter().eq(plainly));
    }
}
