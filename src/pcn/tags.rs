//! Names of tags for what PCN says and PGN has no tag for.

/// The tag in which a draw proposal, which PGN has no place for, is kept: the proposer, `White` or `Black`.
pub const DRAW_PROPOSAL: &str = "DrawProposal";
/// The tag for a `started_at` that Date, Time, UTCDate and UTCTime cannot say: its text.
pub const STARTED_AT: &str = "StartedAt";
