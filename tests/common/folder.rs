//! Temporary folders of tests. The test programs of other packages include this file alone.

use std::sync::OnceLock;
use tempfile::TempDir;

/// Returns a new temporary folder. It is in memory if the system has such a folder for programs with enough space (as
/// Linux has), because tests would wait for disks most of the time. `TMPDIR` names another place.
pub fn tempdir() -> std::io::Result<TempDir> {
    static IN_MEMORY: OnceLock<bool> = OnceLock::new();
    const MEMORY: &str = "/dev/shm";
    match *IN_MEMORY.get_or_init(|| std::env::var_os("TMPDIR").is_none() && has_space(MEMORY)) {
        true => tempfile::tempdir_in(MEMORY),
        false => tempfile::tempdir(),
    }
}

/// Returns whether a folder permits programs and has two gigabytes, as far as `/proc` and `df` tell.
fn has_space(folder: &str) -> bool {
    const ENOUGH: u64 = 2 << 20;
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let of_folder = |line: &&str| line.split(' ').nth(1) == Some(folder);
    let mut mounted = mounts.lines().filter(of_folder).peekable();
    if mounted.peek().is_none() || mounted.any(|line| line.contains("noexec")) {
        return false;
    }
    let Ok(said) = std::process::Command::new("df").args(["-Pk", folder]).output() else { return false };
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let available = said.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
    available.is_some_and(|kilobytes: u64| kilobytes >= ENOUGH)
}
