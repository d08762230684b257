//! Sentences of documents, help texts and comments: `tools/english.py` counts those that match the patterns of sentences
//! to rewrite. `.ci/run` prints the counts that grew; no test fails for a sentence.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the script of a checkout. Returns `None`, with a message, if there is no python3.
fn english(root: &Path, option: &str) -> Option<Output> {
    let done = Command::new("python3").arg(root.join("tools/english.py")).arg(option).output();
    done.inspect_err(|_| eprintln!("skipped: no python3")).ok()
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

/// Proves that the check can fail, for each kind of text; and that it ignores code, questions and tests.
#[test]
fn sentences_to_rewrite_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |name: &str, text: &str| {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), text).unwrap();
    };
    write("tools/english.py", include_str!("../../tools/english.py"));
    write("src/room/file.rs", "/// Returns the size.\n// Plain.\nfn size() {}\n");
    write("docs/page.md", "# Page\n\nWhat does it do? It reads files.\n\n    What is code is not read.\n");
    write("tests/house/english.txt", "");
    let Some(done) = english(root, "--check") else { return };
    assert!(done.status.success(), "{}", said(&done));
    let long = "A sentence ".to_owned() + &"with words ".repeat(16) + "is long.";
    let faults = [
        ("src/room/file.rs", "/// What a size is.\nfn size() {}\n".to_owned(), "src/room/file.rs:1: What a size is."),
        ("src/room/file.rs", "\n// So it was told.\nfn size() {}\n".to_owned(), "src/room/file.rs:2: So it was told."),
        (
            "crates/x/src/lib.rs",
            "\n\nfn f() { g(\"those of the file\") }\n".to_owned(),
            "crates/x/src/lib.rs:3: those of",
        ),
        ("docs/page.md", "# Page\n\n| x | y of its own |\n".to_owned(), "docs/page.md:3: y of its own"),
        ("docs/page.md", format!("# Page\n\n- {long}\n"), "docs/page.md:3: A sentence with"),
    ];
    for (name, text, expected) in faults {
        let before = fs::read_to_string(root.join(name)).ok();
        write(name, &text);
        let done = english(root, "--check").unwrap();
        assert!(done.status.code() == Some(1) && said(&done).contains(expected), "{expected}: {}", said(&done));
        assert!(english(root, "--write").unwrap().status.success());
        assert!(english(root, "--check").unwrap().status.success(), "{expected}");
        match before {
            Some(before) => write(name, &before),
            None => fs::remove_file(root.join(name)).unwrap(),
        }
        let shrunk = said(&english(root, "--check").unwrap());
        assert!(shrunk.contains("1 fewer than stored") && shrunk.contains("--write"), "{shrunk}");
        assert!(english(root, "--write").unwrap().status.success());
    }
    let tested = "fn f() {}\n#[cfg(test)]\nmod tests {\n    // What a test needs.\n}\n";
    write("src/room/file.rs", tested);
    assert!(english(root, "--check").unwrap().status.success());
}
