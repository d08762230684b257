//! The program `scoresheet`.

use std::process::ExitCode;

fn main() -> ExitCode {
    scoresheet_cli::run()
}
