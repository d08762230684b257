//! Runs the conformance suite on a reader, with `tools/conformance.py`.

use std::path::Path;
use std::process::Command;

/// Runs the suite with these arguments, the last of which is a program; skipped, with a message, without python3.
pub fn agrees(arguments: &[&str], program: &Path) {
    let mut runner = Command::new("python3");
    runner.arg(super::root().join("tools/conformance.py")).args(arguments).arg(program);
    let Ok(done) = runner.env("SCORESHEET_MODEL", super::root().join("data/model-1.bin")).output() else {
        eprintln!("skipped: no python3");
        return;
    };
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.stdout.ends_with(b"archives, 0 with differences\n"));
}
