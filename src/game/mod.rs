//! The hub that every way of writing a game converts to and from: a stream of events, and `Game` as one owner of such a
//! stream.
//!
//! A reader drives a [`Visitor`]; so an import can encode records without building a tree for each game. [`Game`] is
//! the visitor that keeps everything, and can drive another one. All text is UTF-8.

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
