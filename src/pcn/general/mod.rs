//! PCN in general: games of any chess family, on boards of any number of dimensions.
//!
//! What [`parse`](super::parse) reads are the games of western chess, whose rules are known here. Of all others the
//! notation is known: what a document says is read, its structure is checked, and its moves are replayed action by
//! action, with captured pieces in hand and pieces above squares. Whether a move is allowed by the rules of its game is
//! not looked at.
//!
//! ```
//! use scoresheet::pcn::general::{self, JsonLayout, Squares};
//!
//! let text = br#"{
//!     "starting_position": ["w:k", "w:p", null, "X:S", null, "X:G"],
//!     "previous_moves": [[["X:S", "shift", 2]], [["w:p", "capture", [2]]], [["X:G", "shift", [4]]], [["x:s", "drop", 5]]]
//! }"#;
//! let game = &general::parse(text)?[0];
//! let checked = game.check()?;
//! assert_eq!(checked.last.board.piece(5).unwrap().as_str(), "x:s");
//! assert_eq!(checked.remarks, []);
//! let flat = game.with_squares(Squares::Flat)?;
//! assert!(general::write(&flat, JsonLayout::Line).contains(r#"[[1, "capture", 2]]"#));
//! # Ok::<(), scoresheet::pcn::PcnError>(())
//! ```

mod action;
mod draw;
mod game;
mod hand;
mod read;
mod replay;
mod write;

pub use super::write::JsonLayout;
pub use action::{Action, Naming, Squares, Verb};
pub use draw::draw;
pub use game::GeneralGame;
pub use hand::Hand;
pub use read::{Document, parse, parse_value, read_documents};
pub use replay::{BoardState, Checked, Remark};
pub use write::write;
