//! The names of tags for PCN data that PGN has no tag for.

/// The tag for a draw proposal, which PGN does not cover. Its value is the proposer, `White` or `Black`.
pub const DRAW_PROPOSAL: &str = "DrawProposal";
/// The tag for a `started_at` that Date, Time, UTCDate and UTCTime cannot represent. Its value is the original text.
pub const STARTED_AT: &str = "StartedAt";
