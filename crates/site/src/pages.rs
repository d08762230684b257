//! Writes the pages of `scoresheet serve`, marked as a site without a server. Also writes the service worker and the
//! page of licenses.

use crate::options::Options;
use crate::parts::{DIGITS, MANIFEST, hash};
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use scoresheet::packed::MODEL;
use scoresheet_answers::site::format::pack;
use scoresheet_pages::{Document, FILES, escape, policy};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::LazyLock;

/// The reader for browsers, which the build script creates.
pub const MODULE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/wasm/scoresheet_wasm_bg.wasm"));
/// The reader's JavaScript.
pub const GLUE: &str = include_str!(concat!(env!("OUT_DIR"), "/wasm/scoresheet_wasm.js"));
/// The TypeScript types of the reader for browsers and the reader for Node.
pub const TYPES: &str = include_str!(concat!(env!("OUT_DIR"), "/wasm/scoresheet_wasm.d.ts"));
/// The crates linked into the reader, with their licenses.
const LICENCES: &str = include_str!(concat!(env!("OUT_DIR"), "/wasm/licences.json"));

/// The service worker, in which the site inserts the list of files.
const SERVICE: &str = include_str!("../pages/sw.js");
/// The MIT license of Scoresheet.
pub const MIT: &str = include_str!(concat!(env!("OUT_DIR"), "/wasm/LICENSE-MIT"));
/// The Apache license of Scoresheet.
pub const APACHE: &str = include_str!(concat!(env!("OUT_DIR"), "/wasm/LICENSE-APACHE"));

/// The content policy: that of all pages, plus the permission to run WebAssembly in a worker.
static POLICY: LazyLock<String> =
    LazyLock::new(|| policy(" 'wasm-unsafe-eval'", "; worker-src 'self'; manifest-src 'self'"));

/// The folder of the files that only a new version of the program changes. Its name is their hash, so browsers can keep
/// them.
static ASSETS: LazyLock<String> = LazyLock::new(|| {
    let files = FILES.iter().copied().chain([("js", GLUE.as_bytes()), ("wasm", MODULE), ("model", MODEL)]);
    let all: Vec<&[u8]> = files.flat_map(|(name, bytes)| [name.as_bytes(), bytes]).collect();
    format!("assets/{}/", hash(&all.concat()))
});

/// Writes the pages and the service worker. Returns the size in bytes of the files that the first visit loads.
pub fn write(folder: &Path, manifest: &Value, options: &Options) -> io::Result<u64> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (name, bytes) in FILES {
        files.insert(format!("{}{name}", *ASSETS), bytes.to_vec());
    }
    files.insert(format!("{}wasm/scoresheet_wasm.js", *ASSETS), GLUE.as_bytes().to_vec());
    files.insert(format!("{}wasm/scoresheet_wasm_bg.wasm", *ASSETS), MODULE.to_vec());
    files.insert(format!("{}wasm/model.bin", *ASSETS), pack(MODEL)?);
    files.insert("index.html".to_owned(), index(options).into_bytes());
    if let Some(logo) = &options.logo {
        files.insert(logo_path(options), fs::read(logo)?);
    }
    if !options.style().is_empty() {
        files.insert(STYLE.to_owned(), options.style().into_bytes());
    }
    files.insert("licences.html".to_owned(), licences().into_bytes());
    remove_old_assets(folder)?;
    for (name, bytes) in &files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)?;
    }
    // Netlify and Cloudflare Pages read headers from this file.
    fs::write(folder.join("_headers"), format!("/{}*\n  Cache-Control: {KEPT}\n", *ASSETS))?;
    // Without this file, GitHub Pages runs Jekyll, which omits some files.
    fs::write(folder.join(".nojekyll"), "")?;
    // Visits do not load the vendored board's checksums and similar files. Visits load the model of packed moves only
    // if the archive contains packed moves.
    let loaded =
        |name: &&String| !name.ends_with("SHA256SUMS") && !name.ends_with("LICENSE") && !name.ends_with("model.bin");
    let names: Vec<&String> = files.keys().filter(loaded).collect();
    let all: Vec<u8> = files.values().flatten().copied().chain(manifest.to_string().into_bytes()).collect();
    let written = format!("{manifest:#}\n");
    let listed =
        names.iter().map(|name| (name.as_str(), files[*name].as_slice())).chain([(MANIFEST, written.as_bytes())]);
    let hashes: BTreeMap<&str, String> = listed.map(|(name, bytes)| (name, integrity(bytes))).collect();
    let list = json!({"version": hash(&all), "files": hashes});
    fs::write(folder.join("sw.js"), SERVICE.replace("/*LIST*/{}", &list.to_string()))?;
    Ok(names.iter().map(|name| files[*name].len() as u64).sum())
}

/// The header of files that never change.
const KEPT: &str = "public, max-age=31536000, immutable";

/// Removes the files of other versions of the program.
fn remove_old_assets(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder.join("assets")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_version = name.len() == DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_version && !ASSETS.contains(&*name) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// A site with a base address has a feed.
pub const FEED: &str = "feed.xml";
/// The style sheet with the colors of the site.
const STYLE: &str = "assets/site.css";

/// Returns the path of the logo in the folder.
pub fn logo_path(options: &Options) -> String {
    format!("assets/logo.{}", options.logo_kind())
}

/// Returns the hash of a file in the form that browsers compare.
fn integrity(bytes: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(bytes)))
}

/// Returns the document, marked as the document of a site.
fn index(options: &Options) -> String {
    let mut head = format!("<link rel=\"scoresheet-site\" href=\"{MANIFEST}\">\n");
    if !options.style().is_empty() {
        head += &format!("<link rel=\"stylesheet\" href=\"{STYLE}\">\n");
    }
    if options.base.is_some() {
        let title = escape(options.title());
        head += &format!("<link rel=\"alternate\" type=\"application/atom+xml\" title=\"{title}\" href=\"{FEED}\">\n");
    }
    let logo = match options.logo_kind() {
        "" => None,
        kind => Some((format!("image/{}", if kind == "svg" { "svg+xml" } else { kind }), logo_path(options))),
    };
    let icon = logo.as_ref().map(|(kind, path)| (kind.as_str(), path.as_str()));
    let noscript = "This page shows a chess archive with JavaScript.";
    let document = Document::new(&ASSETS);
    Document { title: options.title(), policy: Some(&POLICY), head: &head, icon, noscript, ..document }
        .html(&["js/app.js", "js/pages/start.js"])
}

/// Returns the page with the licenses of all shipped code.
fn licences() -> String {
    let all: Value = serde_json::from_str(LICENCES).unwrap_or_default();
    let linked: Vec<Vec<String>> = serde_json::from_value(all["linked"].clone()).unwrap_or_default();
    let texts: Vec<(String, Vec<String>)> = serde_json::from_value(all["texts"].clone()).unwrap_or_default();
    let row = |cells: &Vec<String>| {
        let [name, version, licence, address] = [0, 1, 2, 3].map(|at| cells.get(at).map_or("", String::as_str));
        let name = match address.starts_with("https://") {
            true => format!("<a href=\"{}\" rel=\"noopener\">{}</a>", escape(address), escape(name)),
            false => escape(name),
        };
        format!("<tr><th scope=\"row\">{name}</th><td>{}</td><td>{}</td></tr>\n", escape(version), escape(licence))
    };
    let rows: String = linked.iter().map(row).collect();
    const BOARD: &str = scoresheet_pages::text("vendor/cm-chessboard/LICENSE");
    let text = |name: &str, text: &str| {
        format!("<h2>{name}</h2>\n<pre class=\"licence\" tabindex=\"0\">{}</pre>\n", escape(text))
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Licenses</title>\n\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"{assets}icon.svg\">\n\
         <link rel=\"stylesheet\" href=\"{assets}app.css\">\n</head>\n<body>\n<main>\n\
         <p><a href=\"./\">Back to the games</a></p>\n<h1>Licenses</h1>\n\
         <p>The games are those of whoever published this site. What shows them:</p>\n<table>\n\
         <tr><th scope=\"row\">Scoresheet: pages, pieces, reader, archive</th><td>{version}</td><td>MIT OR Apache-2.0</td></tr>\n\
         <tr><th scope=\"row\"><a href=\"https://github.com/shaack/cm-chessboard\" rel=\"noopener\">cm-chessboard</a>, changed in two places</th><td></td><td>MIT</td></tr>\n\
         <tr><th scope=\"row\">Names of openings: Lichess's table</th><td></td><td>CC0-1.0</td></tr>\n</table>\n\
         <h2>Linked into the reader</h2>\n<table>\n\
         <tr><th scope=\"row\">zstd (its C library)</th><td></td><td>BSD-3-Clause</td></tr>\n{rows}</table>\n{}{}{}{}{others}</main>\n</body>\n</html>\n",
        text("cm-chessboard", BOARD),
        text("zstd", include_str!("../pages/zstd-licence.txt")),
        text("Scoresheet: MIT", MIT),
        text("Apache-2.0: Scoresheet and the packages with this license above", APACHE),
        others = texts
            .iter()
            .map(|(licence_text, names)| text(&escape(&names.join(", ")), licence_text))
            .collect::<String>(),
        version = env!("CARGO_PKG_VERSION"),
        policy = *POLICY,
        assets = *ASSETS,
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn hashes_are_those_of_browsers() {
        assert_eq!(super::integrity(b""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
