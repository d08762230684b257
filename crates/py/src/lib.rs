//! Scoresheet archives in Python: the module `_scoresheet`, which the package `scoresheet` re-exports.
//!
//! Objects are frozen and hold shared archives, so any thread may use them, with or without a global lock. Long
//! operations run on separate threads with the interpreter's lock released, and stop at Ctrl-C (`work`). The cause of
//! an error determines its exception (`failure`).
//!
//! Data flow: `open` -> `View` (games in an order) -> `Game`, `Table`, `Positions` -> Python objects, Arrow streams,
//! bytes of tensors.

use pyo3::prelude::*;

mod arrays;
mod batch;
mod care;
mod events;
mod failure;
mod game;
mod import;
mod numbers;
mod position;
mod positions;
mod reading;
mod remote;
mod search;
mod shared;
mod table;
mod view;
mod work;
mod writer;

/// The implementation of the package `scoresheet`; use that package.
#[pymodule(gil_used = false)]
mod _scoresheet {
    #[pymodule_export]
    use super::arrays::{PositionTable, columns};
    #[pymodule_export]
    use super::batch::{move_names, pack};
    #[pymodule_export]
    use super::failure::{ArchiveError, DamagedError, DeletedError, QueryError, ScoresheetError};
    #[pymodule_export]
    use super::game::{Analysis, Comment, Eval, Game, Variation, game_of_events, restored_game};
    #[pymodule_export]
    use super::import::{Fault, Summary, import_pgn};
    #[pymodule_export]
    use super::numbers::NumberList;
    #[pymodule_export]
    use super::position::{Position, restored_position};
    #[pymodule_export]
    use super::positions::{Positions, permutation, restored_positions};
    #[pymodule_export]
    use super::reading::{PgnReader, read_pgn};
    #[pymodule_export]
    use super::search::{Tree, TreeMove};
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::view::{Archive, Games, View, open, restored_archive, restored_table};
    #[pymodule_export]
    use super::writer::ArchiveWriter;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
