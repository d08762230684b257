//! Questions to an archive: which games have these players, dates, results.
//!
//! `filter` is the language of header filters, `headers` the columns that answer it.

mod fault;
pub mod filter;
pub mod headers;

pub use fault::QueryFault;
pub use filter::Filter;
pub use headers::Headers;

use std::path::{Path, PathBuf};

/// Returns where a side file of an archive is kept: beside it, with this extension in place of `bga`, or behind any other name.
fn beside(archive: &Path, extension: &str) -> PathBuf {
    if archive.extension().is_some_and(|old| old == "bga") {
        return archive.with_extension(extension);
    }
    let mut name = archive.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}
