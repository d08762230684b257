//! Runs every command of `docs/cookbook`, page after page in one folder, and compares the output with the page.
//!
//! `SCORESHEET_BLESS=1 cargo test --test cli cookbook::` writes the output into the pages.

use crate::common::cli::Room;
use crate::common::sample::lichess;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use unicode_width::UnicodeWidthStr;

/// The number of output lines shown; further lines are omitted.
const SHOWN: usize = 16;

fn docs() -> PathBuf {
    crate::common::root().join("docs")
}

/// The pages, in the order of the book.
fn pages() -> Vec<PathBuf> {
    let summary = fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.map(|link| docs().join(link)).collect()
}

/// Splits a page into parts: text, commands and output in turn.
fn parts(page: &str) -> Vec<(String, Option<(String, String)>)> {
    let mut parts = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("```sh\n") {
        let (commands, after) = after.split_once("```\n").expect("a block that ends");
        let after = after.strip_prefix("\n```text\n").unwrap_or_else(|| panic!("no output after {commands}"));
        let end = if after.starts_with("```") { 0 } else { after.find("\n```").unwrap() + 1 };
        parts.push((before.to_owned(), Some((commands.to_owned(), after[..end].to_owned()))));
        rest = after[end..].strip_prefix("```\n").unwrap();
    }
    parts.push((rest.to_owned(), None));
    parts
}

/// Returns whether the output matches; a line `...` stands for any lines.
fn matches(expected: &[&str], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => (0..=printed.len()).any(|skipped| matches(rest, &printed[skipped..])),
        (Some((line, rest)), Some((actual, others))) => {
            measureless(line) == measureless(actual) && matches(rest, others)
        }
        _ => false,
    }
}

/// Returns a line without its sizes in bytes, which change with the compression.
fn measureless(line: &str) -> String {
    let is_size = line.contains("byte") || ["Format ", "moves ", "all "].iter().any(|start| line.starts_with(start));
    if !is_size {
        return line.to_owned();
    }
    let words = line.split_whitespace().map(|word| match word.starts_with(|letter: char| letter.is_ascii_digit()) {
        true => "#",
        false => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the output without seconds, which always differ.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once("; ") {
        Some((before, time)) if time.ends_with(" s") && time.contains('.') => format!("{before}; 0.50 s"),
        _ => line.trim_end().to_owned(),
    };
    text.lines().map(|text_line| line(text_line) + "\n").collect()
}

#[test]
fn every_recipe_prints_what_it_says() {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !["sh", "zstd", "cmp"].into_iter().all(has) || cfg!(windows) {
        return eprintln!("skipped: the commands of the cookbook need sh, zstd and cmp");
    }
    let room = Room::new();
    fs::copy(lichess(), room.path("games.pgn.zst")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_scoresheet")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let bless = std::env::var_os("SCORESHEET_BLESS").is_some();
    let (mut recipes, mut wrong) = (0, Vec::new());
    for page in pages().into_iter().filter(|page| page.starts_with(docs().join("cookbook"))) {
        let mut blessed = String::new();
        for (text, recipe) in parts(&fs::read_to_string(&page).unwrap()) {
            blessed += &text;
            let Some((commands, expected)) = recipe else { continue };
            recipes += 1;
            let done = Command::new("sh")
                .args(["-c", &format!("exec 2>&1\n{commands}")])
                .current_dir(room.0.path())
                .env("PATH", &path)
                .env("LC_ALL", "C.UTF-8")
                .env("COLUMNS", "80")
                .output()
                .unwrap();
            let printed = timeless(&String::from_utf8(done.stdout).unwrap());
            let lines: Vec<&str> = printed.lines().collect();
            // Data for programs is tab-separated, JSON or CSV; paths have any length.
            let is_text = !["json", "csv", "--format uci", "--pgn", "cat "].iter().any(|word| commands.contains(word));
            let is_wide = |line: &&&str| is_text && !line.contains('\t') && line.width() > 80;
            wrong
                .extend(lines.iter().filter(is_wide).map(|line| format!("{commands}is wider than 80 columns: {line}")));
            if !matches(&expected.lines().collect::<Vec<_>>(), &lines) {
                wrong.push(format!("{}:\n{commands}prints\n{printed}", page.display()));
            }
            let shown = match lines.len() <= SHOWN {
                true => printed,
                false => lines[..SHOWN - 1].iter().map(|line| format!("{line}\n")).collect::<String>() + "...\n",
            };
            blessed += &format!("```sh\n{commands}```\n\n```text\n{shown}```\n");
        }
        if bless {
            fs::write(&page, blessed).unwrap();
        }
    }
    assert!(bless || wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(recipes >= 30, "{recipes} recipes");
}

/// Every page in the book's list exists, and every link has a target. `packaging/book.sh` builds the book.
#[test]
fn the_book_is_whole() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
            assert!(page.parent().unwrap().join(link).exists(), "{}: {link}", page.display());
        }
    }
}
