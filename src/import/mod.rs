//! Import: PGN in, archive out, on all cores.
//!
//! One thread at a time decompresses, splits and takes a job of whole games, which it parses and encodes while another
//! one reads; then, in the order of the source, strings get their numbers; then columns are compressed; then, in order
//! again, the chunk is written. Who comes to one of these stages early leaves the job there and does something else.
//! Jobs are cut by bytes of the source alone and everything that depends on order happens in order, so the archive is
//! the same for any number of threads. Memory holds two jobs a thread, whatever the size of the input; a job that is
//! much longer than a chunk, because of one game, is worked on alone.
//!
//! Every so many chunks a commit makes what was written durable and says how far the sources have been read. An import
//! that was cut off goes on from there, and the archive is the same in the end.

mod options;

mod chunk;
mod kept;
mod layout;
mod schedule;
mod source;
mod summary;

mod feed;
mod parsed;
mod resume;

mod output;

mod pipeline;

mod run;

mod archive_writer;
mod builder;
mod edit;

pub use archive_writer::{AddedPgn, ArchiveWriter, Written};
pub use builder::{Import, ImportProgress};
pub use edit::{Edited, original_game};
pub use options::ImportOptions;
pub use source::{from_reader, open, open_as_is, open_document};
pub use summary::{Acknowledged, FaultReport, Progress, Refused, SourceSummary, Summary};
