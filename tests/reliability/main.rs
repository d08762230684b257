//! Crashes, kills, damage and arbitrary bytes: archives lose no acknowledged data, and no reader returns wrong games.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// Crashes and failing disks, on a simulated disk.
mod crash;
/// Flips, truncations and lost sectors; repair.
mod damage;
/// The simulated disk.
mod disk;
/// The fuzz targets, over a corpus and seeded mutants.
mod fuzz;
/// Archives to damage, and checks of the remaining games.
mod intact;
/// Killed processes, concurrent writers, readers during an import.
mod kill;
/// Content that is wrong or of a later version under valid checksums; one limit on variations.
mod refused;
/// Imports recorded on the simulated disk.
mod workload;
