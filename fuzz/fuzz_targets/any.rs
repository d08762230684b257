//! Runs the target in the environment variable SCORESHEET_TARGET, or else the target with the name of the program.
//! OSS-Fuzz needs a program for each target, so it receives copies of this program.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scoresheet_fuzz::TARGETS;
use std::path::PathBuf;
use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let find = |name: &str| TARGETS.into_iter().find(|target| target.0 == name);
    if let Ok(name) = std::env::var("SCORESHEET_TARGET") {
        return find(&name).unwrap_or_else(|| panic!("no target {name}")).1;
    }
    let program = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    find(&name).or_else(|| find("pgn_bytes")).expect("this target is there").1
});

fuzz_target!(|bytes: &[u8]| (*TARGET)(bytes));
