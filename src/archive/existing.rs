//! The treatment of an existing file.

/// The treatment of a file that exists at the path of a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// It stays, and there is an error.
    #[default]
    Refuse,
    /// It is replaced when the new one is complete.
    Replace,
    /// Append to it. If the format does not allow this, the file is unchanged and the result is an error.
    Append,
}

impl Existing {
    /// Returns the treatment for the value of `--force`.
    #[doc(hidden)]
    pub fn from_force(force: bool) -> Existing {
        if force { Existing::Replace } else { Existing::Refuse }
    }
}
