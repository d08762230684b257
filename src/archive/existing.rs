//! The treatment of an existing file.

/// The treatment of a file that already exists at the path of a new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// Keep the existing file and return an error.
    #[default]
    Refuse,
    /// Replace the existing file when the new one is complete.
    Replace,
    /// Append to the existing file. If the format does not allow this, the file is unchanged and an error is returned.
    Append,
}

impl Existing {
    /// Returns the treatment for the value of `--force`.
    #[doc(hidden)]
    pub fn from_force(force: bool) -> Existing {
        if force { Existing::Replace } else { Existing::Refuse }
    }
}
