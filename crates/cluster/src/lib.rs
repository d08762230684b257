//! SQL over Scoresheet archives on several machines: Ballista cuts a query into tasks, and executors run them.
//!
//! The way of the data: query -> plan over the list of archives (`games.json`) -> tasks, each with a table of work
//! (archive, first game, past the last) -> executors, which open these archives -> record batches -> shuffles on disk
//! -> rows. Plans carry names, ranges, columns and filters, and nothing that an archive holds.
//!
//! | file | what it does |
//! |---|---|
//! | `manifest` | the list of archives, and how work is cut from it |
//! | `store` | files on disks and in object stores |
//! | `copies` | copies of side files from an object store |
//! | `affinity` | which executor is given which tasks |
//! | `shelf` | where archives are, for the client, the scheduler and executors |
//! | `codec` | plans as bytes |
//! | `closed` | plans reach no file |
//! | `guard` | no answer of a query that has lost an executor |
//! | `services` | scheduler and executor |
//! | `temporary` | the folder of an executor's files |
//! | `client` | queries sent to a scheduler |
//! | `views` | `tree('fen')` and `hits('fen')` as queries |

mod affinity;
pub mod client;
mod closed;
pub mod codec;
pub mod copies;
mod guard;
pub mod manifest;
pub mod services;
pub mod shelf;
pub mod store;
pub mod temporary;
mod views;
