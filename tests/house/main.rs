//! The house: the allowed imports between files. Rooms stand on floors and import only lower ones; no files form a
//! cycle.

/// Sentences of documents and comments.
mod english;
/// Examples of public types.
mod examples;
/// Follows names from file to file.
mod graph;
/// The names in a file.
mod source;

use graph::{Needs, circles, needs};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The floors of the packages from the ground, by their folders in `crates`; packages on one floor do not depend on each
/// other. `.` is the engine. `cargo` prevents cycles; this list also prevents new dependencies between floors.
const PACKAGES: [&[&str]; 11] = [
    &["chess", "pages"],
    &["pgn"],
    &["pcn"],
    &["."],
    &["bench", "query", "scid", "chessbase", "remote", "train"],
    &["output"],
    &["one-build"],
    &["cli", "answers", "arrow", "c", "duckdb"],
    &["py", "sql", "serve", "wasm"],
    &["site"],
    &["cluster"],
];

/// The floors of the engine's rooms from the ground; rooms on one floor do not import each other.
const FLOORS: [&[&str]; 7] = [
    &["error"],
    &["monitor", "parallel", "sort", "turned"],
    &["brenner", "format"],
    &["packed"],
    &["archive"],
    &["import"],
    &["cli"],
];

/// Remaining imports that go up or between rooms on one floor: file, room.
const KNOWN_ARROWS: &[(&str, &str)] = &[];

/// Remaining cycles; remove a cycle here when it is cut.
const KNOWN_CIRCLES: &[&[&str]] = &[];

/// The same for the folders of a room, and the files beside them.
const KNOWN_CIRCLES_OF_FOLDERS: &[&[&str]] = &[];

/// The same for the crates beside the library and the command: crate, cycle.
const KNOWN_CIRCLES_OF_CRATES: &[(&str, &[&str])] = &[];

/// Dependencies that no import shows: a value of any type, state of the process, and a module of Python that imports
/// itself. Each entry is a file and a part of the line; all others hand values down as arguments.
const KNOWN_DISGUISES: &[(&str, &str)] = &[
    // Names of temporary files, which a handler of signals must find.
    ("src/archive/write/temporary.rs", "static LIVE"),
    // The folder of side files (decision 28), and the model of a browser, which has no files.
    ("src/archive/file_kind.rs", "static INDEX_FOLDER"),
    ("src/packed/model/standard.rs", "static LOADER"),
    // DuckDB passes its functions to the entry of an extension alone, and calls the others without a pointer to them.
    ("crates/duckdb/src/api.rs", "static LOADED"),
    ("crates/duckdb/src/opened.rs", "static OPENED"),
    // A constant table, parsed at its first use.
    ("crates/query/src/openings.rs", "static TABLE"),
    // A handler of signals can reach only a static.
    ("crates/arrow/src/command/files.rs", "static STOPPED"),
    // The threads of the process, which a fork must replace.
    ("crates/py/src/work.rs", "static POOL"),
    // Pickles name functions by their module.
    ("crates/py/src/positions.rs", "scoresheet._scoresheet"),
    ("crates/py/src/game.rs", "scoresheet._scoresheet"),
    // The payload of a panic.
    ("crates/serve/src/guard.rs", "dyn Any"),
    // DataFusion passes plans as trait objects.
    ("crates/cluster/src/codec.rs", "dyn Any"),
];

/// Returns the folder of the repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The packages whose folders also form no cycle.
const LAYERED: [&str; 5] = ["chess", "output", "pcn", "pgn", "query"];

/// Adds the files in a folder with their texts, by their names after a prefix.
fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns the files of the library below `src` with their texts, and the files of the command as the room `cli`.
fn files() -> BTreeMap<String, String> {
    let (root, mut files) = (root(), BTreeMap::new());
    collect(&root.join("src"), "", &mut files);
    collect(&root.join("crates/cli/src"), "cli/", &mut files);
    // The program alone, around the library target of the same crate.
    files.remove("cli/main.rs");
    files
}

fn room(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

fn floor(file: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room(file)))
}

/// Returns the forbidden imports, as (file, room) with their causes.
fn arrows_up(needs: &Needs) -> BTreeMap<(String, String), String> {
    let mut up: BTreeMap<(String, String), String> = BTreeMap::new();
    for (file, others) in needs.iter().filter(|(file, _)| *file != "lib.rs") {
        let from = floor(file).unwrap_or_else(|| panic!("{file}: a room that stands on no floor"));
        for (imported, names) in others.iter().filter(|(imported, _)| room(imported) != room(file)) {
            if floor(imported).is_none_or(|to| to >= from) {
                let ties = up.entry((file.clone(), room(imported).to_owned())).or_default();
                let _ = writeln!(ties, "    {file} -> {imported}: {}", joined(names));
            }
        }
    }
    up
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Returns the causes of a cycle, one per line.
fn ties(circle: &[String], needs: &Needs) -> String {
    let mut ties = String::new();
    for file in circle {
        for (imported, names) in needs[file].iter().filter(|(imported, _)| circle.contains(imported)) {
            let _ = writeln!(ties, "    {file} -> {imported}: {}", joined(names));
        }
    }
    ties
}

#[test]
fn rooms_need_only_what_is_below_them() {
    let up = arrows_up(&needs(&files()));
    let mut wrong = String::new();
    for ((file, room), ties) in &up {
        if !KNOWN_ARROWS.contains(&(file, room)) {
            let _ = write!(wrong, "{file} needs {room}:\n{ties}");
        }
    }
    for (file, room) in KNOWN_ARROWS {
        if !up.contains_key(&((*file).to_owned(), (*room).to_owned())) {
            let _ = writeln!(wrong, "{file} needs {room} no more: take it out of KNOWN_ARROWS");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Returns the floor of a package, by its folder.
fn package_floor(folder: &str) -> usize {
    let floor = PACKAGES.iter().position(|packages| packages.contains(&folder));
    floor.unwrap_or_else(|| panic!("{folder}: a package that stands on no floor"))
}

/// Returns the packages of this repository that a manifest names as dependencies of its package, by their folders.
fn dependencies(manifest: &str) -> Vec<String> {
    let sections = manifest.split("\n[").filter(|section| {
        let name = section.split(']').next().unwrap_or_default();
        name.ends_with("dependencies") && !name.ends_with("dev-dependencies") && !name.starts_with("workspace")
    });
    let names = sections.flat_map(str::lines).filter_map(|line| line.split([' ', '.', '=']).next());
    let ours = names.filter_map(|name| match name {
        "scoresheet" => Some("."),
        name => name.strip_prefix("scoresheet-"),
    });
    ours.map(str::to_owned).collect()
}

#[test]
fn packages_depend_only_on_what_is_below_them() {
    let root = root();
    let mut folders = vec![".".to_owned()];
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("src").is_dir() {
            folders.push(folder.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    let mut seen = 0;
    for folder in folders {
        let path = if folder == "." { root.to_owned() } else { root.join("crates").join(&folder) };
        for needed in dependencies(&std::fs::read_to_string(path.join("Cargo.toml")).unwrap()) {
            assert!(package_floor(&needed) < package_floor(&folder), "{folder} depends on {needed}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
    let manifest = "[package]\nscoresheet-cli = 1\n[dependencies]\nscoresheet.workspace = true\nscoresheet-pgn = \
        { path = \"x\" }\n[dev-dependencies]\nscoresheet-query = 1\n[target.'cfg(x)'.dependencies]\nscoresheet-answers = 1\n";
    assert_eq!(dependencies(manifest), [".", "pgn", "answers"]);
}

/// Crates under the GPL are oracles of the tests. Published manifests keep profiles, and must not name them.
#[test]
fn no_published_manifest_names_a_crate_under_the_gpl() {
    let root = root();
    let folders = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    let manifests = folders.map(|folder| folder.join("Cargo.toml")).filter(|path| path.exists());
    let manifests: Vec<_> = manifests.chain([root.join("Cargo.toml"), root.join("crates/Cargo.toml")]).collect();
    assert!(manifests.len() > 15);
    for path in manifests {
        let text = std::fs::read_to_string(&path).unwrap();
        for name in ["shakmaty", "pgn-reader", "sfbinpack"] {
            assert!(!text.contains(name), "{} names {name}", path.display());
        }
    }
}

#[test]
fn no_files_need_one_another_in_a_circle() {
    let needs = needs(&files());
    // An empty graph has no cycles: check that names are followed.
    assert!(needs.len() > 150 && needs.values().map(BTreeMap::len).sum::<usize>() > 700);
    let circles = circles(&needs);
    let mut wrong = String::new();
    for circle in &circles {
        if !KNOWN_CIRCLES.iter().any(|known| *known == circle.as_slice()) {
            let _ = write!(wrong, "a circle of {} files: {circle:?}\n{}", circle.len(), ties(circle, &needs));
        }
    }
    for known in KNOWN_CIRCLES {
        if !circles.iter().any(|circle| *known == circle.as_slice()) {
            let _ = writeln!(wrong, "no longer a circle as listed, take it out of KNOWN_CIRCLES: {known:?}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Returns the needs of folders of files, where `part` is the folder of a file, or the file itself if it is in none.
fn folder_needs<'a>(needs: &'a Needs, part: impl Fn(&'a str) -> &'a str) -> Needs {
    let mut folders: Needs = BTreeMap::new();
    for (file, imports) in needs {
        let from = part(file);
        for (imported, names) in imports {
            let to = part(imported);
            if from != to {
                folders.entry(from.to_owned()).or_default().entry(to.to_owned()).or_default().extend(names.clone());
                folders.entry(to.to_owned()).or_default();
            }
        }
    }
    folders
}

/// The folders of a room also stand on floors: a folder and the files beside it do not form a cycle.
#[test]
fn no_folders_of_a_room_need_one_another_in_a_circle() {
    let mut needs = needs(&files());
    for (file, imports) in &mut needs {
        imports.retain(|imported, _| room(imported) == room(file));
    }
    let folders = folder_needs(&needs, |file| file.match_indices('/').nth(1).map_or(file, |(end, _)| &file[..end]));
    assert!(folders.len() > 40, "{}", folders.len());
    let mut wrong = String::new();
    for circle in circles(&folders) {
        if !KNOWN_CIRCLES_OF_FOLDERS.iter().any(|known| *known == circle.as_slice()) {
            let _ = write!(wrong, "a circle of {} folders: {circle:?}\n{}", circle.len(), ties(&circle, &folders));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn no_files_of_other_crates_need_one_another_in_a_circle() {
    let crates = root().join("crates");
    let (mut wrong, mut seen) = (String::new(), 0);
    for entry in std::fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "cli" || !folder.join("src").is_dir() {
            continue;
        }
        let mut files = BTreeMap::new();
        collect(&folder.join("src"), "", &mut files);
        files
            .remove("main.rs")
            .filter(|_| !files.contains_key("lib.rs"))
            .map(|text| files.insert("lib.rs".into(), text));
        let mut needs = needs(&files);
        seen += needs.len();
        let mut check = |circles: Vec<Vec<String>>, what: &str, needs: &Needs| {
            for circle in circles {
                if !KNOWN_CIRCLES_OF_CRATES.iter().any(|(of, known)| *of == name && *known == circle.as_slice()) {
                    let _ = write!(wrong, "{name}, a circle of {what}: {circle:?}\n{}", ties(&circle, needs));
                }
            }
        };
        check(circles(&needs), "files", &needs);
        if LAYERED.contains(&name.as_str()) {
            // The root only re-exports names.
            needs.remove("lib.rs");
            needs.values_mut().for_each(|imports| drop(imports.remove("lib.rs")));
            let folders = folder_needs(&needs, |file| file.split('/').next().unwrap_or(file));
            check(circles(&folders), "folders", &folders);
        }
    }
    assert!(seen > 200, "{seen}");
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Returns whether a line of code hides a dependency.
fn is_disguise(line: &str) -> bool {
    let line = line.trim_start();
    let cells = ["Mutex<", "RwLock<", "OnceLock<", "OnceCell<", "Atomic"];
    let item = line.split_once("static ").filter(|(before, _)| matches!(before.trim(), "" | "pub" | "pub(crate)"));
    let is_state = item.is_some() && cells.iter().any(|cell| line.contains(cell));
    let is_hidden = is_state || line.contains("dyn Any") || line.contains("import(\"scoresheet._scoresheet\")");
    is_hidden && !line.starts_with("//")
}

#[test]
fn no_dependency_is_disguised() {
    let mut files = BTreeMap::new();
    collect(&root().join("src"), "src/", &mut files);
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.join("src").is_dir() {
            let name = folder.file_name().unwrap().to_str().unwrap();
            collect(&folder.join("src"), &format!("crates/{name}/src/"), &mut files);
        }
    }
    let mut known = BTreeSet::new();
    for (file, text) in &files {
        for line in text.lines().filter(|line| is_disguise(line)) {
            let entry = KNOWN_DISGUISES.iter().find(|(of, part)| of == file && line.contains(part));
            known.insert(entry.unwrap_or_else(|| panic!("{file}: {line}")));
        }
    }
    assert_eq!(known, KNOWN_DISGUISES.iter().collect(), "take the others out of the list");
    for line in [
        "pub static FOLDER: RwLock<Option<PathBuf>> = RwLock::new(None);",
        "    static TABLE: std::sync::OnceLock<u8> = OnceLock::new();",
        "struct Attached(Box<dyn Any + Send>);",
        "let module = py.import(\"scoresheet._scoresheet\")?;",
    ] {
        assert!(is_disguise(line), "{line}");
    }
    for line in
        ["/// static STOP: AtomicBool = x;", "fn f(stop: &'static str, lock: Mutex<u8>) {}", "static N: u8 = 1;"]
    {
        assert!(!is_disguise(line), "{line}");
    }
}

/// Returns the needs in a small crate.
fn of(files: &[(&str, &str)]) -> Needs {
    needs(&files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
}

/// Proves that the test can fail, and that it ignores allowed imports.
#[test]
fn arrows_up_are_found() {
    let packed = ("packed.rs", "pub struct Game; pub fn read() {}");
    for text in [
        "use crate::packed::Game;",
        "use crate::{packed::{self, Game as Other}};",
        "fn f() { crate::packed::read(); }",
        "use crate::packed; fn f() { packed::read() }",
        "use super::packed::*; fn f(_: &'static Game) {}",
        "use crate::Short; fn f(_: Short) {}",
        "fn f() { let _ = ('\\'', \"//\", r#\"\"\"#); crate::packed::read() } // {",
        "#[cfg(not(test))] use crate::packed::Game;",
    ] {
        let needs = of(&[
            packed,
            ("format/mod.rs", text),
            ("lib.rs", "mod format; mod packed; pub use packed::Game as Short;"),
        ]);
        assert!(arrows_up(&needs).contains_key(&("format/mod.rs".to_owned(), "packed".to_owned())), "{text}");
    }
    for text in [
        "// use crate::packed::Game;",
        "/* use crate::packed::Game; */ const TEXT: &str = \"crate::packed::read()\";",
        "#[cfg(test)] mod tests { use crate::packed::Game; }",
        "use std::packed::Game; mod packed_of { }",
        "use crate::error::Error;",
    ] {
        let needs = of(&[packed, ("format/mod.rs", text), ("error.rs", "pub struct Error;"), ("lib.rs", "")]);
        assert!(arrows_up(&needs).is_empty(), "{text}");
    }
    let beside =
        of(&[("brenner/mod.rs", "use crate::format::Kind;"), ("format/mod.rs", "pub enum Kind {}"), ("lib.rs", "")]);
    assert_eq!(arrows_up(&beside).len(), 1);
}

#[test]
fn circles_are_found() {
    let child = ("format/child.rs", "use super::LIMIT; pub struct Child; fn f() { LIMIT }");
    let circle = [vec!["format/child.rs".to_owned(), "format/mod.rs".to_owned()]];
    for hub in [
        "mod child; const LIMIT: u32 = 1; use child::Child; fn f(_: Child) {}",
        "mod child; const LIMIT: u32 = 1; pub use child::Child; fn f(_: Child) {}",
        "mod child; const LIMIT: u32 = 1; fn f(_: child::Child) {}",
    ] {
        assert_eq!(circles(&of(&[child, ("format/mod.rs", hub), ("lib.rs", "")])), circle, "{hub}");
    }
    // A module that only re-exports its children needs none of them.
    let hub = ("format/mod.rs", "mod child; mod other; pub use child::Child; pub use other::*; const LIMIT: u32 = 1;");
    let unrelated = ("format/other.rs", "use super::Child; pub struct Other(Child);");
    assert!(circles(&of(&[child, hub, unrelated, ("lib.rs", "")])).is_empty());
    // Over three files, in a program that uses the library.
    let files = [
        ("cli/a.rs", "use crate::b::B; pub struct A(B);"),
        ("cli/b.rs", "use scoresheet::Archive; use crate::c::*; pub struct B(C, Archive);"),
        ("cli/c.rs", "pub struct C; fn f() { crate::a::A }"),
        ("cli/main.rs", "mod a; mod b; mod c;"),
        ("lib.rs", "pub use archive::Archive;"),
        ("archive.rs", "pub struct Archive;"),
    ];
    let needs = of(&files);
    assert_eq!(circles(&needs), [["cli/a.rs", "cli/b.rs", "cli/c.rs"]]);
    assert!(needs["cli/b.rs"]["archive.rs"].contains("Archive"));
}
