//! Ctrl-C: work that can stop in order does, and what is half done is not left lying about.

use crate::output::message;
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

/// The file or folder that Ctrl-C takes away.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Sees to it that Ctrl-C takes away this file, or this folder and all that is in it, before it ends the program; what was to be taken away
/// before no longer is.
pub fn remove_on_ctrl_c(path: PathBuf) {
    *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = Some(path);
    let _ = ctrlc::set_handler(|| {
        if let Some(path) = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        }
        message("interrupted: nothing is left behind");
        exit(INTERRUPTED);
    });
}
