//! A simulated disk, imports that are recorded on it, and the states that a crash can leave.
#![allow(dead_code)]

pub mod disk;
#[path = "../support/random.rs"]
pub mod random;
pub mod workload;

/// Returns the seed of a state or kill: its number, and what the environment asks for.
pub fn seed(state: u64) -> u64 {
    state ^ (number("SCORESHEET_SEED", 0) << 40)
}

/// Returns a number from the environment: how long a test is to run, or where it begins.
pub fn number(name: &str, standard: u64) -> u64 {
    std::env::var(name).map_or(standard, |value| value.replace('_', "").parse().expect(name))
}
