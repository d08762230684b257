//! The central module for all forms of a game: each is converted to and from a stream of events, and `Game` stores such
//! a stream.
//!
//! A reader calls a [`Visitor`], so an import can encode records without building a tree for each game. [`Game`] is the
//! visitor that stores all events, and can pass them to another visitor. All text is UTF-8.

/// The maximum number of variations inside each other (FORMAT.md, section 8). Readers and writers share this limit.
pub const MAX_DEPTH: usize = 1024;

mod additions;
mod analysis;
#[doc(hidden)]
pub mod calendar;
mod control;
mod date;
mod engine;
mod events;
mod line;
mod move_tree;
mod notes;
mod played;
mod score;

mod owned;
mod values;

#[doc(hidden)]
pub use analysis::AnalysisReader;
pub use analysis::{Analysis, PrincipalVariation};
#[doc(hidden)]
pub use control::{first_time_used, time_used};
pub use control::{leading_number, time_control};
pub use date::date;
pub use engine::EngineNote;
pub use events::{Event, Outcome, TextKind, Visitor};
#[doc(hidden)]
pub use line::Line;
pub use move_tree::MoveTree;
pub use notes::Notes;
pub use notes::{Comment, Variation};
pub use owned::{Game, GameFault, GameFaultKind};
#[doc(hidden)]
pub use owned::{start_by_rules, start_of_tags, stored_san, stored_start};
pub use played::PlayedMove;
#[doc(hidden)]
pub use score::stated_score;
pub use values::Evaluation;
