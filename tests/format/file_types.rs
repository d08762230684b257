//! Other programs recognize the files: `file` with `packaging/scoresheet.magic`, desktops with
//! `packaging/scoresheet.xml`. Skipped, with a message, without these programs.

use crate::common::import::try_import;
use crate::common::root;
use crate::common::sample::testdata;
use scoresheet::format::{VERSION, header, index, side};
use scoresheet::{Archive, ImportOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENT: &str = include_str!("../../FORMAT.md");

/// Suffix, media type and first bytes of each kind of file, as in FORMAT.md.
fn kinds() -> Vec<(&'static str, &'static str, [u8; 8])> {
    let section = DOCUMENT.split("### File names and media type\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `."));
    let kinds = rows.map(|row| {
        let cells: Vec<&str> = row.split('`').collect();
        let byte = |byte| u8::from_str_radix(byte, 16).unwrap();
        let first: Vec<u8> = cells[3].split(' ').map(byte).collect();
        (&cells[1][1..], cells[5], first.try_into().unwrap())
    });
    kinds.collect()
}

fn packaging(name: &str) -> PathBuf {
    root().join("packaging").join(name)
}

/// Makes an archive, its index and all side files in a folder.
fn files(folder: &Path) -> PathBuf {
    let path = folder.join("games.bga");
    try_import(&[testdata("golden/sample.pgn")], &path, &ImportOptions::default()).unwrap();
    let archive = Archive::open(&path).unwrap();
    scoresheet_query::tag_columns::write(&archive).unwrap();
    scoresheet_query::Signatures::build(&archive).write(&archive).unwrap();
    scoresheet_query::position::index::build(&archive, 64 << 20, |_| {}).unwrap();
    path
}

/// Returns the output of `file`, `None` if it is not installed.
fn said(path: &Path, more: &[&str]) -> Option<String> {
    let mut command = Command::new("file");
    command.arg("-m").arg(packaging("scoresheet.magic")).arg("--brief").args(more).arg(path);
    let Ok(output) = command.output() else {
        eprintln!("skipped: no program `file`");
        return None;
    };
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim_end().to_owned())
}

#[test]
fn the_document_has_the_first_bytes_of_the_code() {
    let magics = [header::MAGIC, index::MAGIC, side::SIGNATURES, side::POSITIONS, side::TAG_COLUMNS];
    let kinds = kinds();
    assert!(kinds.iter().map(|kind| kind.2).eq(magics), "{kinds:?}");
    let folder = crate::common::tempdir().unwrap();
    let path = files(folder.path());
    for (suffix, _, first) in kinds {
        assert!(fs::read(path.with_extension(suffix)).unwrap().starts_with(&first), "{suffix}");
    }
}

#[test]
fn file_knows_every_kind() {
    let folder = crate::common::tempdir().unwrap();
    let path = files(folder.path());
    let (archive, [side, packed]) = ([VERSION.0, VERSION.1], side::VERSIONS);
    for (suffix, media_type, _) in kinds() {
        let path = path.with_extension(suffix);
        let Some(text) = said(&path, &[]) else { return };
        let version = match suffix {
            "bga" | "bgi" => archive,
            "bgh" => [packed.0, packed.1],
            _ => [side.0, side.1],
        };
        assert!(text.starts_with("Scoresheet "), "{suffix}: {text}");
        assert!(text.ends_with(&format!(" {}.{}", version[0], version[1])), "{suffix}: {text}");
        assert_eq!(said(&path, &["--mime-type"]).as_deref(), Some(media_type));
        assert_eq!(said(&path, &["--extension"]).as_deref(), Some(suffix));
    }
    // An archive with a lost first page is still recognized.
    let mut torn = fs::read(&path).unwrap();
    torn[..8].fill(0);
    let lost = folder.path().join("lost.bga");
    fs::write(&lost, &torn).unwrap();
    assert!(said(&lost, &[]).unwrap().ends_with("first header page damaged"));
    assert_eq!(said(&lost, &["--mime-type"]).as_deref(), Some("application/vnd.scoresheet"));
    // Neither text nor another format is recognized as an archive.
    torn[4096..4104].fill(0);
    fs::write(&lost, &torn).unwrap();
    for foreign in [lost, testdata("golden/sample.pgn"), testdata("lichess-sample.pgn.zst")] {
        assert!(!said(&foreign, &[]).unwrap().contains("Scoresheet"), "{}", foreign.display());
    }
}

#[test]
fn desktops_know_every_kind() {
    let folder = crate::common::tempdir().unwrap();
    let mime = folder.path().join("mime");
    fs::create_dir_all(mime.join("packages")).unwrap();
    fs::copy(packaging("scoresheet.xml"), mime.join("packages/scoresheet.xml")).unwrap();
    let Ok(output) = Command::new("update-mime-database").arg(&mime).output() else {
        return eprintln!("skipped: no program `update-mime-database`");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = fs::read_to_string(mime.join("globs2")).unwrap();
    let contents = fs::read(mime.join("magic")).unwrap();
    for (suffix, media_type, first) in kinds() {
        assert!(names.contains(&format!(":{media_type}:*.{suffix}\n")), "{suffix}: {names}");
        // Of each type: `[priority:type]`, then `>offset=`, two bytes of length, and the value.
        let header = format!("[60:{media_type}]\n");
        let at = contents.windows(header.len()).position(|part| part == header.as_bytes()).expect(suffix);
        let rule = [&b">0=\0\x08"[..], &first].concat();
        let end = (at + header.len() + 64).min(contents.len());
        assert!(contents[at..end].windows(rule.len()).any(|part| part == rule), "{suffix}");
    }
}
