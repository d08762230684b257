//! SQL over Scoresheet archives on several machines: Ballista divides a query into tasks, and executors run these
//! tasks.
//!
//! Data flow: query -> plan over the list of archives (`games.json`) -> tasks, each with a table of work (archive,
//! first game, end) -> executors, which open these archives -> record batches -> shuffles on disk -> rows. Plans
//! contain names, ranges, columns and filters, but no content of archives.
//!
//! | file | purpose |
//! |---|---|
//! | `manifest` | the list of archives, and its division into pieces of work |
//! | `store` | files on disks and in object stores |
//! | `copies` | copies of side files from an object store |
//! | `affinity` | assignment of tasks to executors |
//! | `shelf` | access to archives for the client, the scheduler and executors |
//! | `codec` | plans as bytes |
//! | `closed` | prevents plans from accessing files |
//! | `guard` | discards the results of a query that has lost an executor |
//! | `services` | scheduler and executor |
//! | `temporary` | manages the folder of an executor's files |
//! | `client` | sends queries to a scheduler |
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
