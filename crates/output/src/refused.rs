//! The reasons why a file must not be written.

use crate::text::shown;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why a file must not be written. `Display` writes a single line that names the file and is safe to print.
///
/// ```
/// use scoresheet::Existing;
/// use scoresheet_output::{Content, Outputs, Refused};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// # std::fs::write(&path, "1. e4 *\n")?;
/// // games.pgn exists
/// let mut outputs = Outputs::default();
/// let refused: Refused = outputs.file(&path, Content::Pgn, Existing::Refuse).unwrap_err();
/// assert!(refused.is_existing() && refused.path() == path);
/// let refused = outputs.file(&path, Content::Json, Existing::Replace).unwrap_err();
/// assert!(!refused.is_existing()); // another kind of content
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    path: PathBuf,
    /// The message, or `None` if the file exists and must not be replaced.
    reason: Option<String>,
}

impl Refused {
    /// Returns a refusal with this complete message.
    pub(super) fn new(path: &Path, message: String) -> Refused {
        Refused { path: path.to_path_buf(), reason: Some(message) }
    }

    /// Returns the refusal for an existing file that must not be replaced.
    pub(super) fn exists(path: &Path) -> Refused {
        Refused { path: path.to_path_buf(), reason: None }
    }

    /// Returns whether the file is refused only because it exists. In this case, a program can offer to replace it.
    pub fn is_existing(&self) -> bool {
        self.reason.is_none()
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Some(message) => f.write_str(message),
            None => write!(f, "{} already exists", shown(&self.path)),
        }
    }
}

impl std::error::Error for Refused {}
