//! Interaction: opens games, steps through the explorer, searches, goes offline. Measures the fetched data.

use crate::chromium::{Browser, browser};
use crate::server::Server;
use scoresheet_site::{Options, make};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The limits in bytes for a game and for a step of the explorer.
const GAME: u64 = 300_000;
const STEP: u64 = 60_000;

/// Returns the folder of a site: the one that SCORESHEET_SITE names, or a site built once from the sample.
fn site() -> &'static Path {
    static SITE: OnceLock<(PathBuf, Option<tempfile::TempDir>)> = OnceLock::new();
    let made = || {
        if let Some(named) = std::env::var_os("SCORESHEET_SITE") {
            return (PathBuf::from(named), None);
        }
        let folder = tempfile::tempdir().unwrap();
        let (archive, site) = (folder.path().join("sample.bga"), folder.path().join("site"));
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lichess-sample.pgn.zst");
        scoresheet::Import::new(&archive).run([sample]).unwrap();
        let options = Options { title: Some("Test & games".to_owned()), ..Options::default() };
        make(&[&archive], &site, &options, &|_, _| Box::new(|_| {})).unwrap();
        (site, Some(folder))
    };
    &SITE.get_or_init(made).0
}

/// Returns the manifest of the site.
fn manifest() -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(site().join("site.json")).unwrap()).unwrap()
}

/// Returns a copy of the site for damaging it.
fn copy(of: &Path) -> tempfile::TempDir {
    fn within(from: &Path, to: &Path) {
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().flatten() {
            let to = to.join(entry.file_name());
            if entry.path().is_dir() {
                within(&entry.path(), &to)
            } else {
                let _ = std::fs::copy(entry.path(), to).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    within(of, folder.path());
    folder
}

fn keep(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("SCORESHEET_PICTURES") else { return };
    let picture = browser.picture();
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |byte: u8| SIGNS.iter().position(|sign| *sign == byte).map(|digit| digit as u32);
    let values: Vec<u32> = picture.bytes().filter_map(bits).collect();
    let of = |four: &[u32]| {
        let bits = four.iter().fold(0, |all, bits| all << 6 | bits) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    let bytes: Vec<u8> = values.chunks(4).flat_map(of).collect();
    std::fs::write(Path::new(&folder).join(format!("site-{name}.png")), bytes).unwrap();
}

const ROWS: &str = "document.querySelectorAll('.tree tbody tr').length > 3 && !document.querySelector('[aria-busy]')";

/// After the service worker takes over, it receives the earlier requests.
const KEPT: &str = "'kept' in document.documentElement.dataset";

#[test]
fn a_reader_walks_through_a_site_below_a_path() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(site(), "/chess/games/");
    let root = format!("http://{}/chess/games/", server.address);
    browser.open(&format!("{root}?page=explorer"));
    browser.until(ROWS);
    assert_eq!(browser.text("document.querySelector('.brand').textContent"), manifest()["title"].as_str().unwrap());
    let opened = server.taken();
    println!("opened: {opened:?}");
    browser.until(KEPT);
    println!("asked again: {:?}", server.taken());
    // The service worker caches the files that the page has loaded, without loading them again.
    let mut files = server.state.files.lock().unwrap().clone();
    files.sort_unstable();
    let twice: Vec<&str> = files.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0].as_str()).collect();
    assert!(twice.len() <= 2 && !twice.iter().any(|path| path.contains("/assets/")), "{twice:?}");
    // Step through the explorer, each time by a click on the first move.
    let mut steps = Vec::new();
    for _ in 0..12 {
        let before = browser.text("location.href");
        if browser.eval("document.querySelector('.tree tbody tr button.move') !== null") != true {
            break;
        }
        browser.eval("document.querySelector('.tree tbody tr button.move').click()");
        browser.until(&format!("location.href !== {before:?}"));
        browser.until("!document.querySelector('[aria-busy]')");
        std::thread::sleep(std::time::Duration::from_millis(400));
        browser.until("!document.querySelector('[aria-busy]')");
        steps.push(server.taken());
    }
    println!("steps: {steps:?}");
    assert!(steps.len() > 5, "{steps:?}");
    assert!(steps.iter().all(|(_, bytes)| *bytes <= STEP), "{steps:?}");
    // Open games, each in a window that has loaded only the archive's beginning.
    let last = manifest()["games"].as_u64().unwrap();
    let mut games = Vec::new();
    for game in [1, last / 3, last / 2, last - 1] {
        server.taken();
        browser.open(&format!("{root}?page=game&n={game}"));
        browser.until("document.querySelectorAll('.movetext .pair').length > 1 || document.querySelector('.movetext')");
        std::thread::sleep(std::time::Duration::from_millis(400));
        games.push(server.taken());
    }
    println!("games: {games:?}");
    assert!(games.iter().all(|(_, bytes)| *bytes > 0 && *bytes <= GAME), "{games:?}");
    // The footer shows the bytes that the server has sent.
    let (_, bytes) = games[3];
    assert_eq!(browser.eval("Number(document.querySelector('.foot span').dataset.bytes)"), bytes);
    keep(&mut browser, "game");
    // The other pages.
    browser.open(&format!("{root}?page=games"));
    browser.until("document.querySelectorAll('.list .rows .row').length > 5");
    browser.open(&format!("{root}?page=statistics"));
    browser.until("document.querySelectorAll('.plot').length > 2");
    browser.open(&format!("{root}licences.html"));
    let licences = browser.text("document.body.innerText");
    for part in ["cm-chessboard", "pieces", "zstd", "serde_json", "wasm-bindgen", "MIT", "Apache-2.0", "BSD"] {
        assert!(licences.contains(part), "{part}");
    }
    assert_eq!(*server.state.missing.lock().unwrap(), [""; 0]);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn what_was_seen_is_there_without_a_network() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(site(), "/sub/");
    let root = format!("http://{}/sub/", server.address);
    browser.open(&format!("{root}?page=explorer"));
    browser.until(ROWS);
    browser.until(KEPT);
    browser.open(&format!("{root}?page=game&n=2"));
    browser.until("document.querySelector('.movetext') && !document.querySelector('[aria-busy]')");
    let players = browser.text("document.querySelector('h1')?.textContent ?? document.title");
    server.state.is_gone.store(true, Ordering::Relaxed);
    browser.open(&format!("{root}?page=game&n=2"));
    browser.until("document.querySelector('.movetext')");
    assert_eq!(browser.text("document.querySelector('h1')?.textContent ?? document.title"), players);
    assert_eq!(browser.eval("Number(document.querySelector('.foot span').dataset.bytes)"), 0);
    browser.open(&format!("{root}?page=explorer"));
    browser.until(ROWS);
    // The page reports that unvisited data is unavailable, and stays.
    browser.open(&format!("{root}?page=games"));
    browser.open(&format!("{root}?page=game&n=2900"));
    browser.until("document.querySelector('.notice')?.textContent.includes('no network')");
    server.state.is_gone.store(false, Ordering::Relaxed);
    browser.eval("document.querySelector('.notice button').click()");
    browser.until("document.querySelector('.movetext')");
}

/// A small archive is fetched without a question.
#[test]
fn a_small_archive_is_fetched_at_once() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(site(), "/");
    assert!(manifest()["archive"]["length"].as_u64().unwrap() < 3_000_000);
    browser.open(&format!("http://{}/?page=games&where=elo+%3E%3D+1500", server.address));
    browser.until("document.querySelectorAll('.list .rows .row').length > 5");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Returns a copy of the site whose scripts regard every archive as large.
fn cautious() -> tempfile::TempDir {
    let folder = copy(site());
    let mut versions = std::fs::read_dir(folder.path().join("assets")).unwrap().map(|entry| entry.unwrap().path());
    let script = versions.next().unwrap().join("js/parts.js");
    let text = std::fs::read_to_string(&script).unwrap();
    assert!(text.contains("const SMALL = 3_000_000;"));
    std::fs::write(script, text.replace("const SMALL = 3_000_000;", "const SMALL = 1_000;")).unwrap();
    folder
}

#[test]
fn what_needs_the_whole_archive_says_so_before() {
    let Some(mut browser) = browser() else { return };
    let folder = cautious();
    let server = Server::of(folder.path(), "/");
    let root = format!("http://{}/", server.address);
    browser.open(&format!("{root}?page=games&where=elo+%3E%3D+1500"));
    browser.until("document.querySelector('.notice button.primary')");
    keep(&mut browser, "whole");
    assert!(browser.text("document.querySelector('.notice').textContent").contains("needs the complete archive"));
    server.taken();
    browser.eval("document.querySelector('.notice button.primary').click()");
    browser.until("document.querySelectorAll('.list .rows .row').length > 5");
    let length = manifest()["archive"]["length"].as_u64().unwrap();
    assert!(server.taken().1 >= length);
    // The count includes the page's fetches.
    browser.until(&format!("Number(document.querySelector('.foot span').dataset.bytes) >= {length}"));
    // From now on the page searches patterns, and can cancel a search.
    browser.eval("[...document.querySelectorAll('nav a')].find((link) => link.href.includes('search')).click()");
    browser.until("document.querySelector('.tabs')");
    browser.eval("[...document.querySelectorAll('.tabs button')][2].click()");
    browser.until("document.querySelector('input[name=material]')");
    browser.eval("(() => { const input = document.querySelector('input[name=material]'); input.value = 'KRkr'; input.form.requestSubmit(); })()");
    browser.until("document.querySelectorAll('.games-table tbody tr').length > 0");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn without_ranges_a_message_offers_the_archive() {
    let Some(mut browser) = browser() else { return };
    let folder = cautious();
    let server = Server::of(folder.path(), "/");
    server.state.no_ranges.store(true, Ordering::Relaxed);
    browser.open(&format!("http://{}/?page=explorer", server.address));
    browser.until("document.querySelector('.notice')?.textContent.includes('does not support range requests')");
    keep(&mut browser, "no-ranges");
    browser.eval("document.querySelector('.notice button.primary').click()");
    browser.until(ROWS);
}

/// After an update of a site, visitors see the new version, because the old service worker is replaced.
#[test]
fn a_site_made_again_takes_over() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("site");
    let make_with = |games: usize| {
        let archive = folder.path().join(format!("{games}.bga"));
        scoresheet::Import::new(&archive).run_reader("games.pgn", "1. e4 *\n\n".repeat(games).as_bytes()).unwrap();
        make(&[&archive], &pages, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
    };
    make_with(7);
    let server = Server::of(&pages, "/");
    let games = format!("http://{}/?page=games", server.address);
    browser.open(&games);
    browser.until("document.querySelector('.total')?.textContent.startsWith('7 games')");
    browser.until(KEPT);
    make_with(5);
    browser.open(&games);
    browser.until("document.querySelector('.total')?.textContent.startsWith('5 games')");
}

#[test]
fn damage_is_named() {
    let Some(mut browser) = browser() else { return };
    let spoilt = copy(site());
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(spoilt.path().join("site.json")).unwrap()).unwrap();
    for name in ["archive", "site"] {
        for part in manifest[name]["parts"].as_array().unwrap() {
            let path = spoilt.path().join("data").join(part.as_str().unwrap());
            let mut bytes = std::fs::read(&path).unwrap();
            // The bytes that open the archive stay intact.
            bytes.iter_mut().skip(16384).for_each(|byte| *byte ^= 0x55);
            std::fs::write(path, bytes).unwrap();
        }
    }
    let server = Server::of(spoilt.path(), "/");
    browser.open(&format!("http://{}/?page=explorer", server.address));
    browser.until("document.querySelector('.notice')?.textContent.includes('damaged')");
    browser.open(&format!("http://{}/?page=game&n=2500", server.address));
    browser.until("/[Dd]amaged/.test(document.querySelector('.notice')?.textContent)");
    // A missing file.
    for part in manifest["site"]["parts"].as_array().unwrap() {
        std::fs::remove_file(spoilt.path().join("data").join(part.as_str().unwrap())).unwrap();
    }
    browser.eval("caches.delete('ranges')");
    browser.open(&format!("http://{}/?page=explorer", server.address));
    browser.until("document.querySelector('.notice')?.textContent.includes('missing')");
}

#[test]
fn every_page_keeps_the_rules() {
    let Some(mut browser) = browser() else { return };
    let Some(axe) = std::env::var("SCORESHEET_AXE").ok().map(|path| std::fs::read_to_string(path).unwrap()) else {
        eprintln!("skipped: SCORESHEET_AXE names no axe.min.js");
        return;
    };
    let server = Server::of(site(), "/");
    let root = format!("http://{}/", server.address);
    let pages = [
        ("start", ""),
        ("explorer", "?page=explorer&play=e2e4,c7c5"),
        ("game", "?page=game&n=1&ply=3"),
        ("games", "?page=games"),
        ("search", "?page=search"),
        ("statistics", "?page=statistics"),
        ("whole", "?page=games&where=elo+%3E%3D+1500"),
        ("licences", "licences.html"),
    ];
    let mut faults = Vec::new();
    for (width, height, phone) in [(1200, 900, false), (390, 844, true)] {
        browser.size(width, height, phone);
        for dark in [false, true] {
            browser.dark(dark);
            for (name, path) in pages {
                browser.open(&format!("{root}{path}"));
                std::thread::sleep(std::time::Duration::from_millis(300));
                browser.until("!document.querySelector('[aria-busy]')");
                let over = browser.too_wide();
                if over > 0 {
                    faults.push(format!("{name} at {width}: {over} pixels too wide"));
                }
                keep(&mut browser, &format!("{name}-{width}-{}", if dark { "dark" } else { "light" }));
                browser.eval(&format!("{axe}; 1"));
                let found = browser.eval("axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map((own) => `${own.id}: ${own.nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join(' | ').slice(0, 400)}`))");
                faults.extend(
                    found.as_array().unwrap().iter().map(|fault| format!("{name} {width} dark {dark}: {fault}")),
                );
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(browser.complaints(), [""; 0]);
}

/// The footer of every page reports the missing part of a damaged archive.
#[test]
fn a_site_of_a_damaged_archive_says_so() {
    let Some(mut browser) = browser() else { return };
    let spoilt = copy(site());
    let path = spoilt.path().join("site.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    manifest["lost"] = serde_json::json!({"games": 20, "partial": 1});
    std::fs::write(&path, manifest.to_string()).unwrap();
    let server = Server::of(spoilt.path(), "/");
    browser.open(&format!("http://{}/?page=explorer", server.address));
    browser.until(ROWS);
    let said = browser.text("document.querySelector('#lost').textContent");
    assert!(said.starts_with("sample.bga is damaged: 20 games could not be read"), "{said}");
}

/// A player needs all names, so the page first fetches the whole archive. The reader's own game needs no such fetch.
#[test]
fn players_and_own_games_are_shown_without_a_server() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(site(), "/");
    let root = format!("http://{}/", server.address);
    browser.open(&format!("{root}?page=player&name=cheesedout"));
    browser.until("document.querySelector('.total')?.textContent === '168 games'");
    browser.open(&format!("{root}?page=own"));
    browser.until("document.querySelector('#own-pgn')");
    browser.click("#own-pgn");
    browser.typed("1. e4 e5 2. Ke2 Ke7 3. Kd3 *");
    browser.click("main form button[type=submit]");
    browser.until("document.querySelectorAll('.movetext button.move').length === 5");
    browser.until("document.querySelector('#moves').textContent.includes('Left the archive at')");
    // Several games are a repertoire, also here, and one search box finds openings without the archive.
    browser.open(&format!("{root}?page=own"));
    browser.until("document.querySelector('section.right .notice button:last-child')");
    browser.click("section.right .notice button:last-child");
    browser.until("document.querySelector('#own-pgn')");
    browser.click("#own-pgn");
    browser.typed("[White \"Me\"]\n\n1. e4 e5 2. Ke2 1-0\n\n[White \"Me\"]\n\n1. e4 e5 2. Ke2 0-1\n");
    browser.click("main form button[type=submit]");
    browser.until("document.querySelectorAll('.repertoire .games-table tbody tr').length === 2");
    browser.eval("document.querySelector('[data-seek]').focus()");
    browser.typed("Caro-Kann Defense");
    browser.until("document.querySelector('.seek-list li')?.textContent === 'Opening Caro-Kann Defense (B10)'");
    keep(&mut browser, "own");
    assert_eq!(browser.complaints(), [""; 0]);
    // An embedded position.
    browser.open(&format!("{root}?page=embed&play=e2e4&rows=2"));
    browser.until("document.querySelectorAll('.tree tbody tr:not(.all):not(.ended):not(.transposition)').length === 2 && !document.querySelector('header')");
}

/// The first page shows the archive's title and its tournaments with their standings, for a few kilobytes.
#[test]
fn tournaments_are_on_the_first_page() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (archive, pages) = (folder.path().join("cups.bga"), folder.path().join("site"));
    let game = |year: u32, round: u32| {
        let names = ["Ann", "Bob", "Cid", "Dora"];
        let [white, black] = [round % 4, (round + 1 + round / 4 % 3) % 4].map(|name_index| names[name_index as usize]);
        format!(
            "[Event \"Cup {year}\"]\n[Date \"{year}.05.0{}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n",
            round % 9 + 1
        )
    };
    let pgn: String = (1400..2020).flat_map(|year| (0..12).map(move |round| game(year, round))).collect();
    scoresheet::Import::new(&archive).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let metadata = [("title", "Cups of the club"), ("license", "CC0-1.0"), ("origin", "https://example.org/cups")];
    scoresheet::Archive::describe(&archive, metadata).unwrap();
    make(&[&archive], &pages, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
    let server = Server::of(&pages, "/");
    let root = format!("http://{}/", server.address);
    browser.open(&root);
    browser.until("document.querySelectorAll('table.events tbody tr').length === 100");
    let length = std::fs::metadata(&archive).unwrap().len();
    let opened = server.taken().1;
    println!("the first page: {opened} bytes of {length}");
    assert_eq!(browser.text("document.querySelector('h1').textContent"), "Cups of the club");
    assert_eq!(browser.text("document.querySelector('#n-events').textContent"), "620");
    // The opening tree, the last tournament and games come from the site file.
    browser.until("document.querySelector('.looks tbody tr') && document.querySelector('.last-event tbody tr')");
    let said = browser.text("document.querySelector('.front').innerText");
    assert!(
        said.contains("Cup 2019") && said.contains("12 games · 4 players") && said.contains("The latest win"),
        "{said}"
    );
    browser.click(".opening-tree button[data-uci=e2e4]");
    browser.until("document.querySelector('.opening-tree button[data-uci=e7e5]')");
    assert!(server.taken().1 < length / 2);
    let first = browser.text(
        "[...document.querySelector('table.events tbody tr').children].map((cell) => cell.textContent).join('|')",
    );
    assert!(first.starts_with("Cup 2019May 1 – 9, 2019|May 1") && first.ends_with("2019|12|4"), "{first}");
    assert_eq!(browser.eval("document.querySelector('main a[href=\"https://example.org/cups\"]') !== null"), true);
    keep(&mut browser, "start");
    // The page of a tournament needs only its headings.
    browser.click("table.events tbody a");
    browser.until("document.querySelectorAll('.standings tbody tr').length === 4");
    assert!(
        !browser.text("location.href").contains("whole")
            && browser.text("document.querySelector('.total').textContent").starts_with("12 games")
    );
    println!("a tournament: {} bytes", server.taken().1);
    keep(&mut browser, "event");
    // Load more until the site file has no more events; then the page fetches the small archive.
    browser.open(&root);
    browser.until("document.querySelectorAll('table.events tbody tr').length === 100");
    for rows in [200, 300, 400, 500] {
        browser.click(".panel section.card > button");
        browser.until(&format!("document.querySelectorAll('table.events tbody tr').length === {rows}"));
    }
    browser.click(".panel section.card > button");
    browser.until("document.querySelectorAll('table.events tbody tr').length === 600");
    // The statistics show the archive's metadata.
    browser.open(&format!("{root}?page=statistics"));
    browser.until("document.querySelector('.about')?.textContent.includes('CC0-1.0')");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_site_without_games_has_empty_pages() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (archive, pages) = (folder.path().join("empty.bga"), folder.path().join("site"));
    scoresheet::Import::new(&archive).run_reader("games.pgn", &b""[..]).unwrap();
    make(&[&archive], &pages, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
    let server = Server::of(&pages, "/");
    let root = format!("http://{}/", server.address);
    for (page, said) in [
        ("start", "0 games"),
        ("explorer", "No game reaches this position"),
        ("games", "0 games"),
        ("statistics", "No game matches"),
    ] {
        browser.open(&format!("{root}?page={page}"));
        browser.until(&format!("document.querySelector('main').textContent.includes('{said}')"));
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

/// The owner of a site may add an engine as a module.
#[test]
fn a_module_of_the_owner_analyses_positions() {
    let Some(mut browser) = browser() else { return };
    let site_copy = copy(site());
    let path = site_copy.path().join("site.json");
    let mut manifest: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    manifest["engine"] = "engine/module.js".into();
    std::fs::write(&path, manifest.to_string()).unwrap();
    std::fs::create_dir(site_copy.path().join("engine")).unwrap();
    let module = "export const analyse = async ({ fen, time, lines }) => ({ engine: `Own ${lines}`, lines: fen.includes(' w ') && time > 0 ? [{ cp: 20, mate: null, depth: 3, uci: ['e2e4', 'e7e5', 'g1f3'] }] : [] });";
    std::fs::write(site_copy.path().join("engine/module.js"), module).unwrap();
    let server = Server::of(site_copy.path(), "/");
    browser.open(&format!("http://{}/?page=explorer", server.address));
    browser.until("document.querySelector('.analysis:not([hidden])')");
    browser.click(".analysis button");
    browser.until("document.querySelector('.lines li')?.textContent.startsWith('+0.20 e4 e5 Nf3')");
    assert!(browser.text("document.querySelector('.analysis [role=status]').textContent").starts_with("Own 3"));
    // A site without an engine shows no trace of one.
    let server = Server::of(site(), "/");
    browser.open(&format!("http://{}/?page=explorer", server.address));
    browser.until(ROWS);
    assert_eq!(browser.eval("document.querySelector('.analysis').hidden"), true);
}

/// The explorer of a site has the variants of its archive, which need the whole archive.
#[test]
fn a_site_has_trees_of_variants() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("games.bga");
    let pgn = "1. e4 *\n\n[Variant \"Crazyhouse\"]\n[WhiteElo \"2000\"]\n\n1. e4 d5 2. exd5 Qxd5 *\n";
    scoresheet::Import::new(&archive).run_reader("games.pgn", pgn.as_bytes()).unwrap();
    let made = folder.path().join("site");
    make(&[&archive], &made, &Options::default(), &|_, _| Box::new(|_| {})).unwrap();
    let server = Server::of(&made, "/");
    browser.open(&format!("http://{}/?page=explorer", server.address));
    browser.until("document.querySelector('[data-uci=e2e4]')");
    let panel = browser.text("document.querySelector('.panel').textContent");
    assert!(panel.contains("1 game of a variant is not counted"), "{panel}");
    browser.eval(
        "(() => { const choice = document.querySelector('[data-control=variant]'); choice.value = 'Crazyhouse'; \
         choice.dispatchEvent(new Event('change', { bubbles: true })); })()",
    );
    for uci in ["e2e4", "d7d5", "e4d5", "d8d5"] {
        browser.until(&format!("document.querySelector('[data-uci=\"{uci}\"]')"));
        browser.eval(&format!("document.querySelector('[data-uci=\"{uci}\"]').click()"));
    }
    browser.until("document.querySelector('.extra').textContent === 'Pocket: White ♟, Black ♟'");
    // A filter leaves out variants, as the tree of all games does.
    browser.open(&format!("http://{}/?page=statistics&where=elo+%3E+1000", server.address));
    browser.until("document.querySelector('main').textContent.includes('No game matches')");
    assert_eq!(browser.complaints(), [""; 0]);
}
