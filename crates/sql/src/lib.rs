//! SQL over Scoresheet archives, with DataFusion: archives as tables, and functions of the moves in the column
//! `brenner`, which work on Parquet files as well.
//!
//! The way of the data: query -> DataFusion's plan -> conditions as filters of archives -> games -> record batches ->
//! DataFusion's operators -> rows. Queries only read.
//!
//! | file | what it does |
//! |---|---|
//! | `table` | the table and its scan: columns, conditions, limit, statistics, order |
//! | `translate` | SQL conditions as `--where` text, ranges of games, positions and patterns |
//! | `work` | open archives, the games that a scan selects, work cut at chunks |
//! | `functions`, `line`, `sought` | scalar functions of stand-alone strings of moves |
//! | `table_functions` | `tree('fen')` and `hits('fen')` |
//! | `session` | a DataFusion session with all of it, its memory bounded |
//! | `command` | what commands share: output, a prompt, messages |

pub mod command;
mod functions;
mod line;
mod session;
mod sought;
mod table;
mod table_functions;
mod translate;
mod work;

pub use functions::functions;
pub use session::{Memory, Tables, session};
pub use sought::{Look, Question};
pub use table::{GamesExec, GamesTable, Scan, schema, work_of, work_table};
pub use translate::{Part, translate, years};
pub use work::{ALL_YEARS, Asked, Games, Needs, Open, Selection, Shelf, Work, deal};
