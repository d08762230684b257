//! Parses option values that name fields of games, and lets shells complete them.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParser};
use scoresheet_query::GameField;
use std::error::Error;
use std::ffi::OsStr;
use std::str::FromStr;
use std::sync::LazyLock;

/// The names of the fields, which live as long as the program.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| GameField::names().map(|name| &*name.leak()).collect());

/// Returns a parser for values that begin with a field, such as the value of `--sort`. It accepts any text that `T`
/// parses. Shells complete the fields.
pub fn named_fields<T>() -> ValueParser
where
    T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>> + Clone + Send + Sync + 'static,
{
    ValueParser::new(NamedFields(StringValueParser::new().try_map(|text| text.parse::<T>())))
}

#[derive(Clone)]
struct NamedFields<P>(P);

impl<P: TypedValueParser> TypedValueParser for NamedFields<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        self.0.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(NAMES.iter().map(|name| PossibleValue::new(*name))))
    }
}
