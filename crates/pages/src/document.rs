//! The document of all pages. Its script shows the page that the address names.

use crate::{FILES, escape};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The HTML document of a page. `html` writes it.
///
/// ```
/// use scoresheet_pages::Document;
///
/// let document = Document { title: "Club & co", ..Document::new("../assets/") };
/// let html = document.html(&["js/app.js"]);
/// assert!(html.contains("<title>Club &amp; co</title>"));
/// assert!(html.contains("<link rel=\"modulepreload\" href=\"../assets/js/dom.js\">"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The address of the folder of the pages' files, relative to the document, with a final slash.
    pub assets: &'a str,
    /// The title, as text.
    pub title: &'a str,
    /// The content policy, for a document whose server sends none.
    pub policy: Option<&'a str>,
    /// Further elements of the head, as HTML. They follow the style sheets, so they can contain style sheets that take
    /// precedence.
    pub head: &'a str,
    /// The media type and the address of the icon. Default: the icon of the pages.
    pub icon: Option<(&'a str, &'a str)>,
    /// The message for browsers without JavaScript, as HTML.
    pub noscript: &'a str,
}

/// Returns the content policy of all pages: files of their own address, and no scripts or styles inside documents.
/// `scripts` are further sources of scripts, each after a blank, and `more` are further directives, each after `; `.
///
/// ```
/// let policy = scoresheet_pages::policy(" 'wasm-unsafe-eval'", "; worker-src 'self'");
/// assert!(policy.contains("script-src 'self' 'wasm-unsafe-eval';") && policy.ends_with("; worker-src 'self'"));
/// ```
pub fn policy(scripts: &str, more: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'self'{more}"
    )
}

/// The script of all pages.
const SCRIPT: &str = "js/app.js";

impl<'a> Document<'a> {
    /// Returns the document of a server, whose files are in the folder `assets`.
    pub fn new(assets: &'a str) -> Document<'a> {
        Document { assets, title: "Scoresheet", policy: None, head: "", icon: None, noscript: "" }
    }

    /// Returns the document as HTML. The browser fetches the scripts named in `preloaded` and all scripts that they
    /// import at once, instead of after one another.
    pub fn html(&self, preloaded: &[&str]) -> String {
        let Document { assets, title, head, noscript, .. } = self;
        let policy = match self.policy {
            Some(policy) => format!(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
                 <meta name=\"referrer\" content=\"no-referrer\">\n"
            ),
            None => String::new(),
        };
        let default_icon = format!("{assets}icon.svg");
        let (kind, icon) = self.icon.unwrap_or(("image/svg+xml", &default_icon));
        let preload = |name: &&str| format!("<link rel=\"modulepreload\" href=\"{assets}{name}\">\n");
        let preloads: String = modules(preloaded).iter().map(preload).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{policy}\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
             <link rel=\"icon\" type=\"{kind}\" href=\"{icon}\">\n\
             <link rel=\"stylesheet\" href=\"{assets}app.css\">\n\
             <link rel=\"stylesheet\" href=\"{assets}vendor/cm-chessboard/promotion-dialog.css\">\n\
             {head}{preloads}<script type=\"module\" src=\"{assets}{SCRIPT}\"></script>\n</head>\n<body>\n\
             <noscript><p>{noscript}</p></noscript>\n</body>\n</html>\n",
            title = escape(title),
        )
    }
}

/// The scripts, each with the scripts that it imports statically.
static IMPORTS: LazyLock<HashMap<&str, Vec<String>>> = LazyLock::new(|| {
    let scripts = FILES.iter().filter_map(|(name, data)| Some((*name, std::str::from_utf8(data).ok()?)));
    scripts.map(|(name, text)| (name, imports(name, text))).collect()
});

/// Returns the scripts that a script imports statically.
fn imports(name: &str, text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("import ") || line.starts_with("export {"));
    let paths = lines.filter_map(|line| line.split_once(" from \"")?.1.split('"').next());
    paths.map(|path| resolved(name, path)).collect()
}

/// Returns the given scripts and the scripts that they import statically, each once. Scripts that do not exist are left
/// out.
fn modules<'a>(entries: &[&'a str]) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = entries.iter().rev().copied().collect();
    while let Some(name) = open.pop() {
        let Some(imports) = IMPORTS.get(name) else { continue };
        if !found.contains(&name) {
            open.extend(imports.iter().map(String::as_str));
            found.push(name);
        }
    }
    found
}

/// Returns the name of the file at a path relative to another file.
fn resolved(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_through_imports() {
        assert_eq!(resolved("js/pages/game.js", "../../vendor/x.js"), "vendor/x.js");
        let all = modules(&["js/pages/explorer.js", "js/missing.js"]);
        for name in ["js/pages/explorer.js", "js/board.js", "js/fault.js", "vendor/cm-chessboard/lib/Svg.js"] {
            assert_eq!(all.iter().filter(|known| **known == name).count(), 1, "{name} in {all:?}");
        }
        // Scripts that are imported on demand are not fetched at once.
        assert!(!all.contains(&"js/diagram.js"), "{all:?}");
    }
}
