//! Runs the target that the environment variable SCORESHEET_TARGET names.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scoresheet_fuzz::TARGETS;
use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("SCORESHEET_TARGET").unwrap_or_else(|_| "pgn_bytes".to_owned());
    TARGETS.into_iter().find(|target| target.0 == name).unwrap_or_else(|| panic!("no target {name}")).1
});

fuzz_target!(|bytes: &[u8]| (*TARGET)(bytes));
