//! Conditions on the number of a move.

use crate::fault::{Fault, QueryFault, reason};

/// A range of move numbers of a game, which are counted from its first move: White's and Black's first moves have the
/// number 1.
///
/// ```
/// use scoresheet_query::pattern::MoveNumbers;
///
/// let late = MoveNumbers::parse("20-")?;
/// assert_ne!(late, MoveNumbers::parse("20")?);
/// assert!(MoveNumbers::parse("20-10").is_err());
/// # Ok::<(), scoresheet_query::QueryFault>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveNumbers {
    first: u32,
    last: u32,
}

impl MoveNumbers {
    /// Parses a number or a range of numbers: `20`, `20-30`, `20-` or `-30`.
    pub fn parse(text: &str) -> Result<MoveNumbers, QueryFault> {
        MoveNumbers::read(text).map_err(QueryFault::within(text))
    }

    pub(crate) fn read(text: &str) -> Result<MoveNumbers, Fault> {
        let number = |text: &str, missing: u32| match text {
            "" => Some(missing),
            text => text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten(),
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = number(first, 1).zip(number(last, u32::MAX)).filter(|_| text != "-");
        match range.filter(|(first, last)| *first > 0 && first <= last && !text.is_empty()) {
            Some((first, last)) => Ok(MoveNumbers { first, last }),
            None => {
                Err((0..text.len(), reason!("move_numbers", "expected numbers of moves, as in 20, 20-30, 20- or -30")))
            }
        }
    }

    pub(super) fn hold(self, ply: u32) -> bool {
        (self.first..=self.last).contains(&ply.div_ceil(2))
    }
}
