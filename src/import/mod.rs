//! Imports PGN, or the games of a program, into an archive, on all cores.
//!
//! One thread at a time decompresses and splits a source, and takes a job that consists of complete games. The thread
//! then parses and encodes the job while another thread reads. Next, the strings of each job receive their numbers.
//! This step follows the order of the source. Columns are compressed in parallel, and chunks are written in order. A
//! thread whose job reaches an ordered stage early leaves the job there and takes another.
//!
//! Only the bytes of the source determine where jobs begin and end, and all order-dependent steps run in order. The
//! archive is therefore the same for any number of threads. Memory contains at most two jobs per thread, whatever the
//! size of the input. A job that is much longer than a chunk, because of a long game, is processed without other jobs.
//!
//! After a fixed number of chunks, a commit makes the written data durable and records the progress in the sources. An
//! interrupted import continues from the last commit and creates the same archive.

mod options;

mod chunk;
mod layout;
mod schedule;
mod summary;

mod parsed;

mod game_source;

mod kept;
mod source;

mod feed;
mod parsing;
mod resume;

mod output;

mod pipeline;

mod run;

mod archive_writer;
mod builder;
mod edit;
mod restore;

pub use archive_writer::{AddedPgn, ArchiveWriter, Written};
pub use builder::{Import, ImportProgress};
pub use edit::{Edited, original_game};
pub use game_source::{GameBatch, GameReceiver, GameSource, ImportSource};
pub use options::ImportOptions;
pub use restore::{Restored, restore};
pub use source::{from_reader, open, open_as_is, open_document};
pub use summary::{Acknowledged, FaultReport, Progress, Refused, SourceSummary, Summary};
