//! Types generated from the API's description: a client compiles, the answers match its types, and the scripts of the
//! pages use no other members.
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

/// Returns the folder with the generator of types and the compiler, or prints the reason that there is none.
fn installed() -> Option<PathBuf> {
    let Some(installed) = std::env::var_os("SCORESHEET_CLIENT").map(PathBuf::from) else {
        eprintln!("skipped: SCORESHEET_CLIENT names no folder with the generator of clients (.ci/serve)");
        return None;
    };
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: there is no Node");
        return None;
    }
    Some(installed)
}

/// The scripts of the pages have no type errors, and use only members of answers that the description has.
#[test]
fn the_scripts_agree_with_the_description() {
    let Some(installed) = installed() else { return };
    let room = tempfile::tempdir_in(&installed).unwrap();
    fs::write(room.path().join("openapi.json"), scoresheet_answers::DESCRIPTION).unwrap();
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tool = |name: &str| installed.join("node_modules").join(name).to_string_lossy().into_owned();
    node(room.path(), &[&tool("openapi-typescript/bin/cli.js"), "openapi.json", "-o", "api.d.ts"]);
    let checked = |scripts: &Path| {
        let config = serde_json::json!({
            "extends": package.join("tests/client/pages.json"),
            "compilerOptions": {"paths": {"scoresheet-api": [room.path().join("api.d.ts")]}},
            "include": [package.join("tests/client/pages.d.ts"), scripts],
        });
        fs::write(room.path().join("tsconfig.json"), config.to_string()).unwrap();
        let run = Command::new("node").current_dir(room.path()).args([&tool("typescript/bin/tsc"), "-p", "."]).output();
        let said = String::from_utf8_lossy(&run.unwrap().stdout).into_owned();
        // The board is not ours.
        let errors = said.lines().filter(|line| line.contains("error TS") && !line.contains("/vendor/"));
        errors.map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(checked(&package.join("../pages/web/js/**/*.js")), [""; 0]);
    // A member that no answer has is an error.
    let wrong = room.path().join("wrong.js");
    let api = fs::canonicalize(package.join("../pages/web/js/api.js")).unwrap();
    fs::write(&wrong, format!("import {{ tree }} from {:?};\n(await tree({{}})).gamez;\n", api.display().to_string()))
        .unwrap();
    let errors = checked(&wrong);
    assert!(errors.len() == 1 && errors[0].contains("gamez"), "{errors:?}");
}

#[test]
fn a_generated_client_compiles_and_is_answered() {
    let Some(installed) = installed() else { return };
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
    assert_eq!(said.trim(), "3000 games, 1 edition");
}
