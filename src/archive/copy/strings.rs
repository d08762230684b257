//! Looks up the strings of an archive by text.

use crate::archive::read::archive::Archive;
use foldhash::{HashMap, HashMapExt};
use std::sync::OnceLock;

/// The numbers of the strings of an archive, read at the first access.
#[derive(Default)]
pub(crate) struct Strings(OnceLock<HashMap<Box<[u8]>, u64>>);

impl Strings {
    /// Returns the number of a string, if it is among the first `known` strings of the dictionary.
    pub fn number(&self, archive: &Archive, known: u64, string: &[u8]) -> Option<u64> {
        let numbers = self.0.get_or_init(|| {
            let mut numbers = HashMap::new();
            for number in 0..archive.totals().map_or(0, |totals| totals.strings) {
                if let Ok(string) = archive.dictionary(number) {
                    numbers.entry(string.into()).or_insert(number);
                }
            }
            numbers
        });
        numbers.get(string).copied().filter(|number| *number < known)
    }
}
