//! General PCN: games of any chess family, on boards of any number of dimensions.
//!
//! [`parse`](super::parse) reads games of western chess, whose rules this library implements. For all other games, this
//! library implements only the notation. It reads the document, checks its structure, and replays the moves action by
//! action, with captured pieces in hand and pieces above squares. It does not check the rules of the game.
//!
//! ```
//! use scoresheet_pcn::general::{self, JsonLayout, Squares};
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
//! # Ok::<(), scoresheet_pcn::PcnError>(())
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
