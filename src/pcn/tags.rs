//! Tag names for PCN data for which PGN defines no tag.

/// The tag for a draw proposal, which PGN does not cover: the proposer, `White` or `Black`.
pub const DRAW_PROPOSAL: &str = "DrawProposal";
/// The tag for a `started_at` that Date, Time, UTCDate and UTCTime cannot represent: its text.
pub const STARTED_AT: &str = "StartedAt";
