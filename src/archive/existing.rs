//! What becomes of a file that exists already.

/// What happens to a file that already exists where a new one is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Existing {
    /// It stays, and there is an error.
    #[default]
    Refuse,
    /// It is replaced when the new one is complete.
    Replace,
    /// It is added to. Where nothing can be added, it stays, and there is an error.
    Append,
}

impl Existing {
    /// Returns what `--force` asks for.
    #[doc(hidden)]
    pub fn from_force(force: bool) -> Existing {
        if force { Existing::Replace } else { Existing::Refuse }
    }
}
