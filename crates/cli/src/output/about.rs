//! Options for the metadata of an archive.

use crate::failure::Failure;
use std::collections::BTreeMap;

/// Options for the metadata of an archive.
#[derive(Debug, clap::Args)]
pub struct About {
    /// Set the archive's title, which `info` shows
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Set the archive's license: an SPDX identifier or a URL
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "TEXT")]
    license: Option<String>,
    /// Set other metadata, e.g. creator=NAME
    ///
    /// The keys description, creator, origin, date and language are common; any key is allowed. Repeat the option for
    /// several.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "KEY=VALUE")]
    meta: Vec<String>,
}

impl About {
    /// Returns the keys and values of the options; if a key occurs twice, the last value counts.
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
