//! Files of version 1.0 never change. Nothing here knows SCORESHEET_BLESS.

use crate::common::format_document::DOCUMENT;
use crate::common::frozen::{LIST, entries, sha256};
use crate::common::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Adds the paths of a folder's files, from the root of the repository.
fn files(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.insert(path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn files_of_1_0_never_change() {
    let printed = sha256(LIST.as_bytes());
    assert!(DOCUMENT.contains(&format!("\n`{printed}`.")), "section 22 should print the list's SHA-256: {printed}");
    let listed = entries(LIST);
    for (name, hash) in &listed {
        assert_eq!(sha256(&fs::read(root().join(name)).unwrap()), *hash, "{name} has changed");
    }
    // All files are listed, except what this version writes, and lists of later versions.
    let mut found = BTreeSet::from(["data/model-1.bin".to_owned()]);
    for folder in ["golden", "vectors", "conformance", "readers-1.0"] {
        files(&root().join("testdata").join(folder), &mut found);
    }
    let is_later = |name: &str| name.ends_with(".md") || name.contains("golden/current") || name.contains("-1.1");
    found.retain(|name| !is_later(name));
    assert_eq!(found, listed.keys().cloned().collect());
}
