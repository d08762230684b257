//! Looks up the strings of an archive by text.

use crate::archive::read::archive::Archive;
use crate::error::DamageKind;
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
                match archive.dictionary(number) {
                    Ok(string) => drop(numbers.entry(string.into()).or_insert(number)),
                    // A commit may state any number of strings.
                    Err(damage) if damage.kind == DamageKind::NoSuchString => break,
                    Err(_) => {}
                }
            }
            numbers
        });
        numbers.get(string).copied().filter(|number| *number < known)
    }
}
