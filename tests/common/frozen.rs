//! Files of released versions, which never change (`testdata/FROZEN.sha256`), and what this version writes.

use super::root;
use super::sample::testdata;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

/// The list of 1.0, in the form of `sha256sum`, with paths from the root of the repository.
pub const LIST: &str = include_str!("../../testdata/FROZEN.sha256");

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns names and hashes of a list.
pub fn entries(list: &str) -> BTreeMap<String, String> {
    list.lines()
        .map(|line| line.split_once("  ").expect("a hash and a name"))
        .map(|(hash, name)| (name.into(), hash.into()))
        .collect()
}

pub fn is_blessing() -> bool {
    std::env::var_os("SCORESHEET_BLESS").is_some()
}

/// Writes an expected result if `SCORESHEET_BLESS` is set. Frozen files are never written.
pub fn bless(path: &Path, bytes: &[u8]) {
    let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
    if is_blessing() && !entries(LIST).contains_key(&name) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Compares a file that this version wrote with its hash in `testdata/golden/current.sha256`, or sets this hash if
/// `SCORESHEET_BLESS` is set.
pub fn is_current(name: &str, bytes: &[u8]) {
    static LIST: Mutex<()> = Mutex::new(());
    let _one_at_a_time = LIST.lock();
    let path = testdata("golden/current.sha256");
    let mut known = entries(&fs::read_to_string(&path).unwrap());
    if is_blessing() {
        known.insert(name.to_owned(), sha256(bytes));
        bless(&path, known.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect::<String>().as_bytes());
    }
    assert_eq!(known.get(name), Some(&sha256(bytes)), "the bytes of {name} have changed");
}
