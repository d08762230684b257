//! What an archive says of itself, as options of the commands that set it.

use crate::failure::Failure;
use std::collections::BTreeMap;

/// Options for the metadata of an archive.
#[derive(Debug, clap::Args)]
pub struct About {
    /// Set the archive's title, which `info` shows
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Set the license that the archive may be used under, as an SPDX identifier or an address
    #[arg(long, value_name = "TEXT")]
    license: Option<String>,
    /// Set other metadata of the archive: description, creator, origin, date, language or any key; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
}

impl About {
    /// Returns the keys and values that are given; of a key that is given twice, the last.
    pub fn pairs(&self) -> Result<BTreeMap<String, String>, Failure> {
        let mut pairs = BTreeMap::new();
        for pair in &self.meta {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Failure::Usage(format!("--meta {pair}: not KEY=VALUE")));
            };
            pairs.insert(key.to_owned(), value.to_owned());
        }
        for (key, value) in [("title", &self.title), ("license", &self.license)] {
            pairs.extend(value.clone().map(|value| (key.to_owned(), value)));
        }
        Ok(pairs)
    }
}
