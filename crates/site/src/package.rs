//! Writes the reader as an npm package for Node, workers and bundlers.

use crate::pages::{APACHE, GLUE, MIT, MODULE, TYPES};
use scoresheet_answers::site::format::pack;
use serde_json::json;
use std::fs;
use std::io;
use std::path::Path;

/// Writes the package's folder, which `npm pack` packs.
pub fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let about = json!({
        "name": "scoresheet-wasm",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Chess archives (.bga) read in Node and in workers: games, PGN, positions, opening trees, searches",
        "license": "MIT OR Apache-2.0",
        "homepage": env!("CARGO_PKG_HOMEPAGE"),
        "repository": {"type": "git", "url": concat!("git+", env!("CARGO_PKG_REPOSITORY"), ".git")},
        "bugs": concat!(env!("CARGO_PKG_REPOSITORY"), "/issues"),
        "publishConfig": {"access": "public", "provenance": true},
        "type": "module",
        "types": "./index.d.ts",
        "exports": {
            ".": {"types": "./index.d.ts", "node": "./node.js", "default": "./index.js"},
            "./module.wasm": "./scoresheet_wasm_bg.wasm"
        },
        "files": ["*.js", "*.d.ts", "*.wasm", "model.bin", "openapi.json", "LICENSE-*"],
        "sideEffects": false,
        "keywords": ["chess", "pgn", "archive", "opening explorer"],
        "engines": {"node": ">=18"}
    });
    let files: [(&str, &[u8]); 12] = [
        ("package.json", &serde_json::to_vec_pretty(&about)?),
        ("openapi.json", scoresheet_answers::DESCRIPTION.as_bytes()),
        ("README.md", include_bytes!("../package/README.md")),
        ("archive.js", include_bytes!("../package/archive.js")),
        ("index.js", include_bytes!("../package/index.js")),
        ("node.js", include_bytes!("../package/node.js")),
        ("source.js", scoresheet_pages::text("js/static/source.js").as_bytes()),
        ("index.d.ts", include_bytes!("../package/index.d.ts")),
        ("scoresheet_wasm.js", GLUE.as_bytes()),
        ("scoresheet_wasm.d.ts", TYPES.as_bytes()),
        ("LICENSE-MIT", MIT.as_bytes()),
        ("LICENSE-APACHE", APACHE.as_bytes()),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes)?;
    }
    fs::write(folder.join("model.bin"), pack(scoresheet::packed::MODEL)?)?;
    fs::write(folder.join("scoresheet_wasm_bg.wasm"), MODULE)
}
