//! Reads tag columns: texts of tags for the games of a batch, as dictionaries or strings, and values parsed from these
//! texts.
//!
//! If the archive has tag columns, the numbers of a column are the keys of a dictionary, and the column's table of
//! strings contains the values. Each text is then parsed once, not once per game.

use arrow_array::types::{ArrowPrimitiveType, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, PrimitiveArray, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use scoresheet_query::Member;
use scoresheet_query::tag_columns::{Column, Strings};
use std::collections::HashMap;
use std::sync::Arc;

/// The texts of a tag for the games of a batch.
pub enum Texts {
    /// The number of each game's text, 0 if missing, and the column with the strings.
    Numbers(Vec<u32>, Arc<Column>),
    /// The texts.
    Strings(StringArray),
}

/// String tables as Arrow arrays, which all batches share.
#[derive(Default)]
pub struct Dictionaries {
    made: HashMap<usize, (Arc<Strings>, ArrayRef)>,
}

impl Dictionaries {
    /// Returns a table as an array, with the string of number n at index n - 1.
    fn of(&mut self, strings: &Arc<Strings>) -> ArrayRef {
        let key = Arc::as_ptr(strings) as usize;
        // The cache keeps the table alive with its array, so no other table can get the same address.
        let (_, array) = self.made.entry(key).or_insert_with(|| (Arc::clone(strings), array_of(strings)));
        Arc::clone(array)
    }
}

/// Returns a table as an array. Uses all bytes of the table at once if they are valid UTF-8, and otherwise adds one
/// string at a time.
fn array_of(strings: &Strings) -> ArrayRef {
    let at_once = || {
        let mut offsets = vec![0i32];
        for end in strings.ends().as_chunks::<4>().0 {
            let end = i32::try_from(u32::from_le_bytes(*end)).ok()?;
            offsets.last().filter(|last| **last <= end)?;
            offsets.push(end);
        }
        let length = *offsets.last()? as usize;
        let text = Buffer::from(strings.text().get(..length)?);
        StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), text, None).ok()
    };
    let array = at_once().unwrap_or_else(|| {
        let text = |number: u32| strings.get(number).map(String::from_utf8_lossy);
        (1..=strings.len() as u32).map(text).collect()
    });
    Arc::new(array)
}

impl Texts {
    /// Returns the texts of a tag column for these games of its archive.
    pub fn from_column(column: Arc<Column>, games: &[u64]) -> Texts {
        let most = column.strings().map_or(0, |strings| strings.len() as u32);
        let number = |game: &u64| Some(column.get(*game)).filter(|number| *number <= most).unwrap_or(0);
        Texts::Numbers(games.iter().map(number).collect(), column)
    }

    /// Returns the number of games.
    pub fn len(&self) -> usize {
        match self {
            Texts::Numbers(numbers, _) => numbers.len(),
            Texts::Strings(strings) => strings.len(),
        }
    }

    /// Returns the text of the game at this index of the batch.
    pub fn get(&self, index: usize) -> Option<&str> {
        match self {
            Texts::Numbers(numbers, column) => {
                let text = column.strings()?.get(*numbers.get(index)?)?;
                std::str::from_utf8(text).ok()
            }
            Texts::Strings(strings) => strings.is_valid(index).then(|| strings.value(index)),
        }
    }

    /// Returns the texts as an array: a dictionary, or strings.
    pub fn array(&self, dictionaries: Option<&mut Dictionaries>) -> ArrayRef {
        match (self, dictionaries) {
            (Texts::Strings(strings), _) => Arc::new(strings.clone()),
            (Texts::Numbers(numbers, column), Some(dictionaries)) => {
                let key = |number: &u32| number.checked_sub(1).map(|index| index as i32);
                let keys: Int32Array = numbers.iter().map(key).collect();
                let values = match column.strings() {
                    Some(strings) => dictionaries.of(strings),
                    None => Arc::new(StringArray::from(Vec::<&str>::new())),
                };
                // Keys are below the number of values: `from_column` ensures this.
                match DictionaryArray::<Int32Type>::try_new(keys, values) {
                    Ok(array) => Arc::new(array),
                    Err(_) => Arc::new(self.separate_dictionary()),
                }
            }
            (Texts::Numbers(numbers, column), None) => {
                let strings = column.strings();
                let text = |number: &u32| strings.and_then(|strings| strings.get(*number)).map(String::from_utf8_lossy);
                Arc::new(numbers.iter().map(text).collect::<StringArray>())
            }
        }
    }

    fn separate_dictionary(&self) -> DictionaryArray<Int32Type> {
        (0..self.len()).map(|index| self.get(index)).collect()
    }

    /// Returns the result of `read` for each text.
    pub fn read<T: ArrowPrimitiveType>(&self, read: impl Fn(&str) -> Option<T::Native>) -> PrimitiveArray<T> {
        match self {
            // If there are fewer strings than games, parse each string once.
            Texts::Numbers(numbers, column)
                if column.strings().is_some_and(|strings| strings.len() < numbers.len()) =>
            {
                let text = |number: u32| std::str::from_utf8(column.strings()?.get(number)?).ok();
                let most = column.strings().map_or(0, |strings| strings.len() as u32);
                let table: Vec<Option<T::Native>> = (0..=most).map(|number| text(number).and_then(&read)).collect();
                numbers.iter().map(|number| table.get(*number as usize).copied().flatten()).collect()
            }
            _ => (0..self.len()).map(|index| self.get(index).and_then(&read)).collect(),
        }
    }
}

/// Returns the column of a tag, if the archive's tag columns contain it.
pub fn available(source: &Member, tag: &str) -> Option<Arc<Column>> {
    source.columns().available(&scoresheet_query::tag_columns::Key::Tag(tag.to_owned()))
}
