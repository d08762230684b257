//! Values of columns that cannot be read because tags are damaged.

use scoresheet::error::Error;
use std::fmt;
use std::ops::Range;

/// Games whose tags cannot be read, and the reason.
///
/// ```
/// use scoresheet_query::tag_columns::Unread;
/// use scoresheet::{Damage, error::DamageKind};
///
/// let unread = Unread { games: 5..8, error: Damage { kind: DamageKind::Tags, offset: 4096, game: None }.into() };
/// assert_eq!(unread.count(), 3);
/// assert!(unread.to_string().contains("5"));
/// ```
#[derive(Debug)]
pub struct Unread {
    /// The games.
    pub games: Range<u64>,
    /// The reason.
    pub error: Error,
}

impl Clone for Unread {
    fn clone(&self) -> Unread {
        Unread { games: self.games.clone(), error: self.error.again() }
    }
}

impl Unread {
    /// Returns the number of these games, or 1 if the games are unknown.
    pub fn count(&self) -> u64 {
        self.games.end.saturating_sub(self.games.start).max(1)
    }
}

impl From<Error> for Unread {
    /// Converts an error to unread games. The range contains the damaged game, or no game if it is unknown.
    fn from(error: Error) -> Unread {
        let games = match &error {
            Error::Damaged(damage) => damage.game.map_or(0..0, |game| game..game + 1),
            _ => 0..0,
        };
        Unread { games, error }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.games.end.saturating_sub(self.games.start) {
            0 => write!(f, "{}", self.error),
            1 => write!(f, "game {}: {}", self.games.start, self.error),
            _ => write!(f, "games {} to {}: {}", self.games.start, self.games.end.saturating_sub(1), self.error),
        }
    }
}
