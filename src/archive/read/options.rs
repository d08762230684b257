//! How an archive is opened.

use crate::archive::read::read_at::Access;
use crate::format::Limits;

/// How an archive is opened: how its bytes are reached, and what its blocks may cost.
///
/// ```
/// use scoresheet::archive::{Access, Limits, OpenOptions};
/// // A file that others may write to, of unknown make, on a machine with little memory.
/// let limits = Limits { block: 16 << 20, allowance_most: 1 << 20, ..Limits::default() };
/// let options = OpenOptions { access: Access::Read, limits };
/// # let _ = options;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenOptions {
    /// How the bytes of the file are reached: mapped by default.
    pub access: Access,
    /// What blocks may cost; one that is beyond a limit gives [`Error::Limit`](crate::Error::Limit).
    pub limits: Limits,
}

impl From<Access> for OpenOptions {
    fn from(access: Access) -> OpenOptions {
        OpenOptions { access, ..OpenOptions::default() }
    }
}

impl From<Limits> for OpenOptions {
    fn from(limits: Limits) -> OpenOptions {
        OpenOptions { limits, ..OpenOptions::default() }
    }
}
