//! The program `scoresheet`.

use std::hint::black_box;
use std::process::ExitCode;

/// The size of the stack that the system provides at the start, in bytes. Commands of a release build use less than 128
/// KiB.
const STACK: usize = 512 << 10;

fn main() -> ExitCode {
    grow_stack();
    scoresheet_cli::run()
}

/// Makes the system provide the stack now. If the stack could not grow later, a signal would end the program without a
/// message.
#[inline(never)]
fn grow_stack() {
    black_box(&mut [0u8; STACK]);
}
