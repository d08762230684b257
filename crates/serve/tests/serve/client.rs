//! A client generated from the API's description: it compiles, and the answers match its types.
//!
//! SCORESHEET_CLIENT names a folder in which `npm ci` has installed `tests/client/package.json`. Without it, or without
//! Node, the test reports this and passes. `.ci/serve` creates the folder.

use crate::common::{index, sample};
use crate::program::run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs Node and returns its output.
fn node(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("node").current_dir(folder).args(args).output().unwrap();
    let [said, faults] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "node {args:?}\n{said}{faults}");
    said.into_owned()
}

#[test]
fn a_generated_client_compiles_and_is_answered() {
    let Some(installed) = std::env::var_os("SCORESHEET_CLIENT").map(PathBuf::from) else {
        eprintln!("skipped: SCORESHEET_CLIENT names no folder with the generator of clients (.ci/serve)");
        return;
    };
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: there is no Node");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.bga");
    scoresheet::Import::new(&path).run([sample()]).unwrap();
    scoresheet::Archive::describe(&path, [("title", "Games of a month")]).unwrap();
    index(&path);
    let (_running, address) = run(&path);
    let description = crate::program::fetched(&address, "/api/v1/openapi.json");
    // The compiler looks for packages above the sources.
    let room = tempfile::tempdir_in(&installed).unwrap();
    let path_of = |name: &str| room.path().join(name);
    fs::write(path_of("openapi.json"), description).unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/client");
    for name in ["package.json", "tsconfig.json", "client.ts"] {
        let _ = fs::copy(sources.join(name), path_of(name)).unwrap();
    }
    let tool = |name: &str| installed.join("node_modules").join(name).to_string_lossy().into_owned();
    node(room.path(), &[&tool("openapi-typescript/bin/cli.js"), "openapi.json", "-o", "api.d.ts"]);
    node(room.path(), &[&tool("typescript/bin/tsc"), "-p", "."]);
    let said = node(room.path(), &["made/client.js", &format!("http://{address}")]);
    assert_eq!(said.trim(), "3000 games, 4 events");
}
