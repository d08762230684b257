//! Ctrl-C: work that can stop in order does, and what is half done is not left lying about.

use crate::output::message;
use std::path::PathBuf;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What shells expect of a program that an interrupt has ended.
const INTERRUPTED: i32 = 130;

/// Returns a flag that the first Ctrl-C sets; the second ends the program.
pub fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Where no handler can be set, Ctrl-C ends the program at once, which leaves the archive at its last commit too.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            exit(INTERRUPTED);
        }
        message("stopping once what has been read is stored; Ctrl-C again stops at once");
    });
    stop
}

/// Sees to it that Ctrl-C takes away this file, or this folder and all that is in it, before it ends the program.
pub fn remove_on_ctrl_c(path: PathBuf) {
    let _ = ctrlc::set_handler(move || {
        let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        message("interrupted: nothing is left behind");
        exit(INTERRUPTED);
    });
}
