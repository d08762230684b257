//! Builds the browser's reader. Cargo compiles `crates/wasm` for wasm32-unknown-unknown in a subfolder of this crate's
//! target folder, and the wasm-bindgen library creates its JavaScript. Then the script lists the linked crates and their
//! licences. The published crate ships these files in `made` and copies them, because it has no `crates/wasm` beside it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};

const TARGET: &str = "wasm32-unknown-unknown";

/// The files that `src/pages.rs` embeds from `OUT_DIR/wasm`, and that the published crate ships.
const MADE: [&str; 6] = [
    "scoresheet_wasm_bg.wasm",
    "scoresheet_wasm.js",
    "scoresheet_wasm.d.ts",
    "licences.json",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder"));
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo names the crate's folder"));
    if !folder.join("../wasm/Cargo.toml").is_file() {
        println!("cargo:rerun-if-changed=made");
        fs::create_dir_all(out.join("wasm")).expect("OUT_DIR can be written");
        for name in MADE {
            fs::copy(folder.join("made").join(name), out.join("wasm").join(name)).expect("the package has this file");
        }
        return;
    }
    // Use the current path: a cached target folder may come from another checkout.
    let workspace = folder.join("..");
    for watched in ["wasm", "answers", "Cargo.lock", "../src", "../data", "../Cargo.toml", "site/pages"] {
        println!("cargo:rerun-if-changed={}", workspace.join(watched).display());
    }
    for name in ["CC_wasm32_unknown_unknown", "AR_wasm32_unknown_unknown", "SCORESHEET_WASM_TARGET"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    // SCORESHEET_WASM_TARGET can name a folder that is kept between builds.
    let target = env::var_os("SCORESHEET_WASM_TARGET").map_or(out.join("wasm-target"), PathBuf::from);
    let mut build = command("cargo");
    build.args(["build", "--package", "scoresheet-wasm", "--profile", "wasm", "--target", TARGET, "--target-dir"]);
    build.arg(&target).args(["--message-format", "json-render-diagnostics"]).current_dir(&workspace);
    // Without paths of the build machine the module is reproducible and smaller.
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let root = workspace.join("..").canonicalize().ok();
    let remap = |path: Option<PathBuf>| path.map(|path| format!("--remap-path-prefix={}=", path.display()));
    let flags: Vec<String> = [remap(home), remap(root)].into_iter().flatten().collect();
    build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    if env::var_os("CC_wasm32_unknown_unknown").is_none()
        && let Some((clang, archiver)) = clang()
    {
        build.env("CC_wasm32_unknown_unknown", clang).env("AR_wasm32_unknown_unknown", archiver);
    }
    let built = match build.stderr(Stdio::inherit()).output() {
        Ok(built) if built.status.success() => String::from_utf8_lossy(&built.stdout).into_owned(),
        _ => refuse(),
    };
    let module = target.join(TARGET).join("wasm").join("scoresheet_wasm.wasm");
    let mut bindings = wasm_bindgen_cli_support::Bindgen::new();
    bindings.input_path(&module).typescript(true);
    let made = bindings.web(true).and_then(|bindings| bindings.generate(out.join("wasm")));
    if let Err(error) = made {
        eprintln!("the reader's JavaScript cannot be made: {error:#}");
        exit(1);
    }
    fs::write(out.join("wasm").join("licences.json"), licences(&workspace, &built)).expect("OUT_DIR can be written");
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        println!("cargo:rerun-if-changed={}", workspace.join("..").join(name).display());
        fs::copy(workspace.join("..").join(name), out.join("wasm").join(name)).expect("the root has the licences");
    }
    // `packaging/crates.sh` names the package's folder.
    println!("cargo:rerun-if-env-changed=SCORESHEET_SITE_MADE");
    if let Some(made) = env::var_os("SCORESHEET_SITE_MADE").map(PathBuf::from) {
        fs::create_dir_all(&made).expect("the folder can be made");
        for name in MADE {
            fs::copy(out.join("wasm").join(name), made.join(name)).expect("the folder can be written");
        }
    }
}

/// Returns a cargo command without the settings of this build.
fn command(name: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or(name.into()));
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CLIPPY_ARGS",
    ] {
        command.env_remove(name);
    }
    command
}

/// Returns a clang that compiles C for this target, and an archiver, from PATH or Homebrew.
fn clang() -> Option<(PathBuf, PathBuf)> {
    let mut folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    folders.splice(0..0, ["/opt/homebrew/opt/llvm/bin", "/usr/local/opt/llvm/bin"].map(PathBuf::from));
    let names = std::iter::once(String::new()).chain((14..30).rev().map(|version| format!("-{version}")));
    let found = |folder: &PathBuf, name: &str| {
        let tool = |tool: &str| {
            Some(folder.join(format!("{tool}{name}{}", env::consts::EXE_SUFFIX))).filter(|path| path.is_file())
        };
        Some((tool("clang")?, tool("llvm-ar")?))
    };
    names.flat_map(|name| folders.iter().filter_map(|folder| found(folder, &name)).collect::<Vec<_>>()).next()
}

fn refuse() -> ! {
    let installed = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let has_target = installed.is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_dir());
    println!("cargo:warning=the reader for the browser could not be built");
    if !has_target {
        println!("cargo:warning=it needs the Rust target {TARGET}: rustup target add {TARGET}");
    }
    if clang().is_none() {
        println!(
            "cargo:warning=it needs clang and llvm-ar, which compile the C of zstd: apt install clang llvm, brew install llvm, or choco install llvm"
        );
    }
    exit(1);
}

/// Returns the crates linked into the module with version, licence and path; `built` is cargo's output.
fn licences(workspace: &Path, built: &str) -> String {
    let mut ask = command("cargo");
    ask.args(["tree", "--package", "scoresheet-wasm", "--target", TARGET, "--edges", "normal,no-proc-macro"]);
    ask.args(["--prefix", "none", "--format", "{p}\t{l}\t{r}", "--offline"]).current_dir(workspace);
    let found = ask.output().expect("cargo runs");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    let mut rows: Vec<Vec<String>> = text
        .lines()
        .filter_map(|line| {
            let mut parts = line.trim_end_matches(" (*)").split('\t');
            let mut named = parts.next()?.split(' ');
            let (name, version) = (named.next()?, named.next()?.trim_start_matches('v'));
            let (licence, address) = (parts.next()?, parts.next().unwrap_or_default().trim_end_matches(" (*)"));
            Some([name, version, licence, address].map(str::to_owned).to_vec())
        })
        .collect();
    rows.sort();
    rows.dedup();
    let texts = texts(built, &rows);
    serde_json::json!({"linked": rows, "texts": texts}).to_string()
}

/// Returns the licence texts of these packages, each once, with the names of its packages. Omits the Apache licence,
/// which the page already contains.
///
/// Cargo's output gives the folder of each package. `cargo metadata` would need all packages of the workspace's lock
/// file, most of which may be missing.
fn texts(built: &str, rows: &[Vec<String>]) -> Vec<(String, Vec<String>)> {
    let mut folders: Vec<(String, PathBuf)> = Vec::new();
    for message in built.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        let member = |name: &str| message[name].as_str().unwrap_or_default();
        // `registry+URL#NAME@VERSION`
        let (id, manifest) = (member("package_id"), Path::new(member("manifest_path")));
        let Some((name, version)) = id.rsplit_once('#').and_then(|(_, named)| named.split_once('@')) else { continue };
        let is_linked = rows.iter().any(|row| row[0] == name && row[1] == version);
        if let Some(folder) = manifest.parent().filter(|_| is_linked && !id.starts_with("path+")) {
            folders.push((name.to_owned(), folder.to_owned()));
        }
    }
    folders.sort();
    folders.dedup();
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    for (name, folder) in folders {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.retain(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            ["LICENSE", "LICENCE", "COPYING", "UNLICENSE"].iter().any(|known| name.starts_with(known))
        });
        files.sort();
        for text in files.iter().filter_map(|file| fs::read_to_string(file).ok()) {
            if text.contains("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION") {
                continue;
            }
            let text = text.trim().replace("\r\n", "\n");
            match texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(name.clone()),
                None => texts.push((text, vec![name.clone()])),
            }
        }
    }
    texts
}
