//! The conformance suite, asked of a reader by `tools/conformance.py`.

use std::ffi::OsStr;
use std::process::Command;

/// Asks a reader with these arguments of the runner; skipped, with a message, where there is no python3.
pub fn agrees<const N: usize>(arguments: [&OsStr; N]) {
    let mut runner = Command::new("python3");
    runner.arg(super::root().join("tools/conformance.py")).args(arguments);
    let Ok(done) = runner.env("SCORESHEET_MODEL", super::root().join("data/model-1.bin")).output() else {
        eprintln!("skipped: no python3");
        return;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.stdout.ends_with(b"archives, 0 with differences\n"));
}
