//! Writes report pages: each is one HTML file that contains its data as JSON, and the scripts and styles of the
//! server's pages.

use crate::failure::Failure;
use crate::output::json::Object;
use crate::output::new_file;
use crate::session::Session;
use crate::text::{count, shown};
use scoresheet::Existing;
use scoresheet_output::{Content, Outputs, Target};
use scoresheet_pages::{escape, text};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The output file of a report.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Write an HTML page with charts instead
    #[arg(help_heading = "Output")]
    #[arg(long, value_name = "FILE.html", conflicts_with = "json")]
    report: Option<PathBuf>,
    /// Replace an existing page at --report
    #[arg(hide_short_help = true, help_heading = "Output")]
    #[arg(long, requires = "report")]
    force: bool,
}

impl ReportArgs {
    /// Returns the requested report file, if it may be written.
    pub fn target(&self, outputs: &mut Outputs) -> Result<Option<Target>, Failure> {
        target(self.report.as_deref(), self.force, outputs)
    }
}

/// Returns the file for a page, if one is requested and may be written.
pub fn target(path: Option<&Path>, force: bool, outputs: &mut Outputs) -> Result<Option<Target>, Failure> {
    Ok(path.map(|path| outputs.file(path, Content::Html, Existing::from_force(force))).transpose()?)
}

/// Reports a page with its number of games, unless notes are silenced.
pub fn report(session: &Session, target: &Target, games: u64) {
    if !session.is_silent() {
        session.note(&format!("{}: {}", shown(target.path()), count(games, "game", "games")));
    }
}

/// A report on games.
pub struct Report<'a> {
    /// The function in `figures.js` that shows the report: `statistics`, `player` or `opening`.
    pub kind: &'static str,
    /// The subject.
    pub title: &'a str,
    /// The filter, if there is one.
    pub filter: Option<&'a str>,
    /// The number of games.
    pub games: u64,
    /// The output of `--json`.
    pub data: &'a Object,
}

/// The scripts; each script follows the scripts that it imports.
const SCRIPTS: [&str; 6] = [
    text("js/dom.js"),
    text("js/i18n.js"),
    text("js/picture.js"),
    text("js/chart.js"),
    text("js/figures.js"),
    text("js/report.js"),
];

const STYLE: &str = text("app.css");
const PIECES: &str = text("pieces.svg");
const ENGLISH: &str = text("lang/en.json");
const GERMAN: &str = text("lang/de.json");

impl Report<'_> {
    /// Writes the page and reports the path of the file.
    pub fn write(&self, session: &Session, target: &Target) -> Result<(), Failure> {
        new_file::write(target, |file| Ok(file.write_all(self.html().as_bytes())?))?;
        report(session, target, self.games);
        Ok(())
    }

    fn html(&self) -> String {
        let heading = match self.filter {
            Some(filter) => escape(&format!("{}: {filter}", self.title)),
            None => escape(self.title),
        };
        // The modules are joined into one module without imports, so exported names are in scope.
        let lines = SCRIPTS.iter().flat_map(|script| script.lines()).filter(|line| !line.starts_with("import "));
        let script: String = lines.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect();
        // In JSON, this character occurs only in strings, where an escape can replace it. No text can therefore end the
        // script element.
        let json = |text: &str| text.replace('<', "\\u003c");
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
             style-src 'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{heading}</title>\n<style>\n{style}</style>\n\
             </head>\n<body data-kind=\"{kind}\">\n<main>\n<h1>{heading}</h1>\n<div id=\"figures\" class=\"figures\"></div>\n\
             <noscript><p>This page shows its figures with JavaScript.</p></noscript>\n</main>\n\
             <div id=\"pieces\" hidden>{pieces}</div>\n\
             <script type=\"application/json\" id=\"texts\">{{\"en\":{en},\"de\":{de}}}</script>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script type=\"module\">\n{script}</script>\n</body>\n</html>\n",
            style = STYLE,
            kind = self.kind,
            pieces = PIECES.trim_end(),
            en = json(ENGLISH.trim_end()),
            de = json(GERMAN.trim_end()),
            data = json(&self.data.to_string()),
        )
    }
}
