//! The hub to and from which all forms of a game are converted: a stream of events, and `Game`, which owns such a
//! stream.
//!
//! A reader drives a [`Visitor`], so an import can encode records without a tree for each game. [`Game`] is the visitor
//! that keeps everything, and can drive another visitor. All text is UTF-8.

mod analysis;
mod engine;
mod events;
mod line;

mod notes;
mod played;

mod owned;
mod values;

pub(crate) use analysis::AnalysisReader;
pub use analysis::{Analysis, PrincipalVariation};
pub use engine::EngineNote;
pub use events::{Event, Outcome, TextKind, Visitor};
pub(crate) use line::Line;
pub(crate) use notes::Notes;
pub use notes::{Comment, Variation};
pub use owned::{Game, GameFault, GameFaultKind};
pub use played::PlayedMove;
pub use values::Evaluation;
