//! SQL over Scoresheet archives, with DataFusion: archives as tables, and functions of the moves in the column
//! `brenner`, which also work on Parquet files.
//!
//! Data flow: query -> DataFusion's plan -> conditions as filters of archives -> games -> record batches ->
//! DataFusion's operators -> rows. Queries only read.
//!
//! | file | purpose |
//! |---|---|
//! | `table` | the table and its scan: columns, conditions, limit, statistics, order |
//! | `translate` | SQL conditions as `--where` text, ranges of games, positions and patterns |
//! | `work` | open archives, the games that a scan selects, division of work at chunks |
//! | `functions`, `line`, `question` | scalar functions of stand-alone strings of moves |
//! | `table_functions` | `tree('fen')` and `hits('fen')` |
//! | `session` | a DataFusion session with tables, functions and bounded memory |
//! | `command` | code for all commands: output, a prompt, messages |

pub mod command;
mod functions;
mod line;
mod question;
mod session;
mod table;
mod table_functions;
mod translate;
mod work;

pub use functions::functions;
pub use question::{Look, Question};
pub use session::{Memory, Tables, session};
pub use table::{GamesExec, GamesTable, Scan, schema, work_of, work_table};
pub use translate::{Part, translate, years};
pub use work::{ALL_YEARS, Conditions, Games, Needs, Open, Selection, Shelf, Work, deal, version};
