//! A site of a damaged archive has the intact games and reports the missing ones. A site of several archives, with a
//! custom look.

/// The damage of the server's tests.
#[path = "../../serve/tests/serve/spoiled.rs"]
mod spoiled;

use scoresheet::{Archive, Import};
use scoresheet_site::{Lost, Options, make};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Enough games for several checksum pages of moves.
const GAMES: u64 = 3000;

/// Creates an archive, and damages the moves of a game if requested.
fn archive(folder: &Path, is_damaged: bool) -> PathBuf {
    named(folder, "games.bga", is_damaged)
}

fn named(folder: &Path, name: &str, is_damaged: bool) -> PathBuf {
    let path = folder.join(name);
    let pgn: String = (0..GAMES)
        .map(|n| format!("[White \"Player {n}\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *\n\n"))
        .collect();
    Import::new(&path).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    if is_damaged {
        spoiled::spoil(&path);
    }
    path
}

fn manifest(site: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(site.join("site.json")).unwrap()).unwrap()
}

#[test]
fn intact_games_are_in_the_site() {
    let folder = tempfile::tempdir().unwrap();
    let path = archive(folder.path(), true);
    let before = std::fs::read(&path).unwrap();
    let site = folder.path().join("site");
    let made = make(&[&path], &site, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
    // Damage to a checksum page loses all of its moves.
    let repaired = folder.path().join("repaired.bga");
    let repair = Archive::repair(&path, &repaired, scoresheet::Existing::Refuse, |_| {}).unwrap();
    let Some(Lost { games, partial }) = made.lost else { panic!("{made:?}") };
    assert_eq!((games, partial), (repair.lost_games(), 0));
    assert!(games > 0 && games < GAMES && made.games == repair.kept_games(), "{made:?}");
    let manifest = manifest(&site);
    assert_eq!(
        (&manifest["lost"]["games"], &manifest["name"], &manifest["games"]),
        (&games.into(), &"games.bga".into(), &made.games.into())
    );
    assert_eq!(std::fs::read(&path).unwrap(), before, "the archive is read alone");
    // A new build from the intact archive misses nothing.
    let again = tempfile::tempdir().unwrap();
    let path = archive(again.path(), false);
    let made = make(&[&path], &site, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
    assert_eq!((made.lost, made.games), (None, GAMES));
    assert_eq!(self::manifest(&site)["lost"], Value::Null);
}

#[test]
fn the_program_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    for (is_damaged, code) in [(true, 4), (false, 0)] {
        let _ = std::fs::remove_file(folder.path().join("games.bga"));
        let _ = std::fs::remove_file(folder.path().join("games.bgi"));
        let path = archive(folder.path(), is_damaged);
        let output = Command::new(env!("CARGO_BIN_EXE_scoresheet-site"))
            .arg(&path)
            .arg("-o")
            .arg(folder.path().join("site"))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(said.contains("games.bga is damaged:") && said.contains("missing"), is_damaged, "{said}");
    }
}

#[test]
fn several_archives_make_one_site_with_a_look_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let first_archive = named(folder.path(), "one.bga", false);
    let second_archive = named(folder.path(), "two.bga", false);
    let spoilt = named(folder.path(), "spoilt.bga", true);
    let logo = folder.path().join("club.svg");
    std::fs::write(&logo, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").unwrap();
    let site = folder.path().join("site");
    let accent = Some(["#00529b", "#8ab8ff"].map(str::to_owned));
    let options =
        Options { title: Some("Club & co".to_owned()), accent, logo: Some(logo.clone()), ..Options::default() };
    let made = make(&[&first_archive, &second_archive], &site, &options, &|_, _| Box::new(|_| {})).unwrap();
    assert_eq!((made.games, made.lost), (2 * GAMES, None));
    let known = manifest(&site);
    assert_eq!(
        (&known["name"], &known["games"], &known["logo"]),
        (&"one.bga, two.bga".into(), &(2 * GAMES).into(), &"assets/logo.svg".into())
    );
    assert_eq!(std::fs::read(site.join("assets/logo.svg")).unwrap(), std::fs::read(&logo).unwrap());
    assert!(std::fs::read_to_string(site.join("assets/site.css")).unwrap().contains("light-dark(#00529b, #8ab8ff)"));
    let page = std::fs::read_to_string(site.join("index.html")).unwrap();
    let at = |part: &str| page.find(part).unwrap_or_else(|| panic!("{part} in {page}"));
    assert!(at("/app.css") < at("assets/site.css") && at("assets/site.css") < at("<script"));
    assert!(
        page.contains("<title>Club &amp; co</title>")
            && page.contains("type=\"image/svg+xml\" href=\"assets/logo.svg\"")
    );
    // The program's files are in a folder that is named by their hash. Files of other versions are removed.
    let folders = || {
        let entries = std::fs::read_dir(site.join("assets")).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    let [version] = &folders()[..] else { panic!("{:?}", folders()) };
    let version = version.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(version.len() == 20 && page.contains(&format!("src=\"assets/{version}/js/app.js\"")), "{page}");
    assert!(page.contains(&format!("<link rel=\"modulepreload\" href=\"assets/{version}/js/pages/start.js\">")));
    let headers = std::fs::read_to_string(site.join("_headers")).unwrap();
    assert!(headers.starts_with(&format!("/assets/{version}/*\n")) && headers.contains("immutable"), "{headers}");
    std::fs::create_dir(site.join("assets").join("0".repeat(20))).unwrap();
    // The service worker caches both.
    let worker = std::fs::read_to_string(site.join("sw.js")).unwrap();
    assert!(worker.contains("assets/site.css") && worker.contains("assets/logo.svg"));
    // A site with a base address has a feed of its latest games.
    assert!(!site.join("feed.xml").exists());
    for base in ["example.org/club", "httpx://example.org", "https://example.org/a?b=c", "https://example.org/#x"] {
        let options = Options { base: Some(base.to_owned()), ..Options::default() };
        let refused = make(&[&first_archive], &site, &options, &|_, _| Box::new(|_| {})).unwrap_err();
        assert!(refused.to_string().contains("is not an address"), "{base}: {refused}");
    }
    let options = Options { base: Some("https://example.org/club".to_owned()), ..options };
    make(&[&first_archive, &second_archive], &site, &options, &|_, _| Box::new(|_| {})).unwrap();
    assert_eq!(folders(), [site.join("assets").join(&version)]);
    let feed = std::fs::read_to_string(site.join("feed.xml")).unwrap();
    assert_eq!(feed.matches("<entry>").count(), 50);
    let entry = feed.split("<entry>").nth(1).unwrap();
    assert!(
        entry.contains("<id>https://example.org/club/?page=game&amp;n=6000</id><title>Player 2999 – ?, *</title>"),
        "{entry}"
    );
    assert!(
        feed.contains("<title>Club &amp; co</title>") && feed.contains("href=\"https://example.org/club/feed.xml\"")
    );
    assert!(
        std::fs::read_to_string(site.join("index.html"))
            .unwrap()
            .contains("type=\"application/atom+xml\" title=\"Club &amp; co\" href=\"feed.xml\"")
    );
    // If one of several archives is damaged, the others stay complete.
    let made = make(&[&first_archive, &spoilt], &site, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
    let lost = made.lost.unwrap().games;
    assert!(lost > 0 && made.games == 2 * GAMES - lost, "{made:?}");
    // By default a site has no custom style.
    assert!(!std::fs::read_to_string(site.join("index.html")).unwrap().contains("site.css"));
    assert!(!site.join("feed.xml").exists());
    assert!(
        make(
            &[&first_archive],
            &site,
            &Options { logo: Some("x.gif".into()), ..Options::default() },
            &|_, _| Box::new(|_| {})
        )
        .is_err()
    );
}

/// An archive without games, or with deleted games only, becomes a site with empty pages.
#[test]
fn an_archive_without_games_makes_a_site() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, deleted) = (folder.path().join("empty.bga"), folder.path().join("deleted.bga"));
    Import::new(&empty).run_reader("games.pgn", &b""[..]).unwrap();
    Import::new(&deleted).run_reader("games.pgn", &b"1. e4 *\n"[..]).unwrap();
    Archive::delete(&deleted, [1]).unwrap();
    for (number, archives) in [vec![&empty], vec![&deleted], vec![&empty, &deleted]].iter().enumerate() {
        let site = folder.path().join(format!("site-{number}"));
        let made = make(archives, &site, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
        assert_eq!((made.games, made.lost), (0, None), "{number}");
        assert_eq!(manifest(&site)["games"], 0, "{number}");
    }
}

#[test]
fn a_site_says_what_its_archive_says() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = |number: u32| format!("1. e4 *\n\n[Round \"{number}\"]\n\n1. d4 *\n");
    let [first, second] = [1, 2].map(|number| {
        let path = folder.path().join(format!("{number}.bga"));
        Import::new(&path).run_reader("games.pgn", pgn(number).as_bytes()).unwrap();
        let title = format!("Year {number}");
        Archive::describe(&path, [("title", title.as_str()), ("license", "CC0-1.0")]).unwrap();
        path
    });
    let site = folder.path().join("site");
    let made = |archives: &[&PathBuf], options: &Options| {
        make(archives, &site, options, &|_, _| Box::new(|_| {})).unwrap();
        let manifest = manifest(&site);
        let page = std::fs::read_to_string(site.join("index.html")).unwrap();
        assert!(page.contains(&format!("<title>{}</title>", manifest["title"].as_str().unwrap())), "{page}");
        (manifest["title"].clone(), manifest["metadata"]["title"].clone(), manifest["metadata"]["license"].clone())
    };
    let license = Value::from("CC0-1.0");
    assert_eq!(made(&[&first], &Options::default()), ("Year 1".into(), "Year 1".into(), license.clone()));
    let named = Options { title: Some("Club".to_owned()), ..Options::default() };
    assert_eq!(made(&[&first], &named), ("Club".into(), "Year 1".into(), license.clone()));
    // A joined site has only the metadata that its archives share.
    assert_eq!(made(&[&first, &second], &Options::default()), ("Scoresheet".into(), Value::Null, license));
}
