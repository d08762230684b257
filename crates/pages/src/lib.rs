//! The pages of Scoresheet: the files that `scoresheet serve` serves and `scoresheet site` writes, and the scripts and
//! styles of the command's reports. These files form one package, because each of these programs ships them.
//!
//! The package has no dependencies, and a program links only the files that it names.

mod document;

pub use document::{Document, policy};

/// Lists the files of `web/`, which a test compares with the folder.
macro_rules! files {
    ($($name:literal,)*) => {
        /// All files, sorted by name: the path within `web/`, separated by `/`, and the contents.
        pub const FILES: &[(&str, &[u8])] = &[$(($name, include_bytes!(concat!("../web/", $name)))),*];
    };
}

files! {
    "app.css",
    "icon.svg",
    "js/api.js",
    "js/app.js",
    "js/board.js",
    "js/chart.js",
    "js/diagram.js",
    "js/dom.js",
    "js/engine.js",
    "js/fault.js",
    "js/figures.js",
    "js/filter.js",
    "js/i18n.js",
    "js/own.js",
    "js/pages/event.js",
    "js/pages/explorer.js",
    "js/pages/game.js",
    "js/pages/games.js",
    "js/pages/missing.js",
    "js/pages/own.js",
    "js/pages/player.js",
    "js/pages/search.js",
    "js/pages/start.js",
    "js/pages/statistics.js",
    "js/parts.js",
    "js/picture.js",
    "js/repertoire.js",
    "js/report.js",
    "js/seek.js",
    "js/state.js",
    "js/static/reader.js",
    "js/static/source.js",
    "js/static/worker.js",
    "js/typed.js",
    "lang/de.json",
    "lang/en.json",
    "pieces.svg",
    "vendor/SHA256SUMS",
    "vendor/cm-chessboard/Chessboard.js",
    "vendor/cm-chessboard/LICENSE",
    "vendor/cm-chessboard/extensions/promotion-dialog/PromotionDialog.js",
    "vendor/cm-chessboard/lib/Svg.js",
    "vendor/cm-chessboard/lib/Utils.js",
    "vendor/cm-chessboard/model/ChessboardState.js",
    "vendor/cm-chessboard/model/Extension.js",
    "vendor/cm-chessboard/model/Position.js",
    "vendor/cm-chessboard/promotion-dialog.css",
    "vendor/cm-chessboard/view/ChessboardView.js",
    "vendor/cm-chessboard/view/PositionAnimationsQueue.js",
    "vendor/cm-chessboard/view/VisualMoveInput.js",
}

/// Returns the contents of a file, or `None` if there is no such file.
pub fn file(name: &str) -> Option<&'static [u8]> {
    let index = FILES.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(FILES[index].1)
}

/// Returns the text of a file. Call this function in a constant: a missing file then causes a compile error, and no
/// other file is linked.
///
/// # Panics
///
/// Panics if there is no such file, or if the file is not UTF-8.
pub const fn text(name: &str) -> &'static str {
    let mut index = 0;
    while index < FILES.len() {
        if is_same(FILES[index].0.as_bytes(), name.as_bytes()) {
            match std::str::from_utf8(FILES[index].1) {
                Ok(text) => return text,
                Err(_) => panic!("this page is not UTF-8"),
            }
        }
        index += 1;
    }
    panic!("there is no such page")
}

/// Compares bytes, because `==` is not available in constants.
const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Returns the text with the special characters of HTML and XML as entities, in elements and attributes alike. Control
/// characters other than line ends and tabs become blanks, because XML does not allow them.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            letter if letter.is_control() && !matches!(letter, '\n' | '\r' | '\t') => safe.push(' '),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => below(&path, found),
                false => found.push(path),
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut found = Vec::new();
        below(&folder, &mut found);
        let name = |path: &PathBuf| {
            let parts = path.strip_prefix(&folder).unwrap().components();
            parts.map(|part| part.as_os_str().to_str().unwrap()).collect::<Vec<_>>().join("/")
        };
        let found: BTreeSet<String> = found.iter().map(name).collect();
        let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(found, listed);
        assert!(FILES.is_sorted_by_key(|(name, _)| name) && listed.len() == FILES.len());
    }

    #[test]
    fn files_are_found_by_name() {
        assert!(FILES.iter().all(|(name, bytes)| file(name) == Some(bytes)));
        assert_eq!(file("missing.js"), None);
        const STYLE: &str = text("app.css");
        assert_eq!(file("app.css"), Some(STYLE.as_bytes()));
    }
}
