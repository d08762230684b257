//! What crashes, kills, damage and any bytes do to archives: nothing that was acknowledged is lost, nothing is
//! falsified.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// Crashes and failing disks, on a simulated one.
mod crash;
/// Flips, cuts and lost sectors; repair.
mod damage;
/// The simulated disk.
mod disk;
/// The fuzz targets, over a corpus and seeded mutants.
mod fuzz;
/// Processes that are killed, writers that meet, readers during an import.
mod kill;
/// Archives to be damaged, and what is asked of what is left.
mod whole;
/// Imports recorded on the simulated disk.
mod workload;
