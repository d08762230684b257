//! Appearance: every page in light and dark, wide and on a phone, in English and German. Every page follows the rules
//! of accessibility.

use crate::chromium::{Browser, browser};
use crate::common::Server;
use serde_json::json;

const PAGES: [(&str, &str); 18] = [
    ("start", "start"),
    ("one-archive", "start?archive=1"),
    ("beginning", "explorer"),
    ("explorer", "explorer?play=e2e4,c7c5,g1f3"),
    ("compare", "explorer?view=compare&where=elo+%3E%3D+1800&where2=elo+%3C+1500"),
    ("game", "game?n=1&ply=3"),
    ("games", "games?where=elo+%3E%3D+1500"),
    ("event", "event?name=Test"),
    ("standings", "event?name=Rated+Blitz+game"),
    ("player", "player?name=cheesedout"),
    ("search", "search"),
    ("pattern", "search?tab=pattern"),
    ("material", "search?tab=material&material=KRkr&run=1"),
    ("moves", "search?tab=moves"),
    ("statistics", "statistics"),
    ("empty", "games?where=elo+%3E%3D+3900"),
    ("own", "own"),
    ("own-game", "own"),
];

/// Returns a server with the sample, preceded by a game with every kind of data.
fn server() -> Server {
    Server::with(|folder| {
        let rich = crate::common::archive(
            folder,
            "rich.bga",
            "[Event \"Test\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"2100\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 0:03:00][%eval 0.3] Good} \
             (1. d4 {Queen} d5) e5 {[%clk 0:02:50][%eval 0.2]} 2. Nf3 $1 {[%clk 0:02:45][%eval 0.4]} Nc6 $14 {[%clk 0:02:40][%eval 0.1]} 1-0\n",
        );
        let sample = folder.join("sample.bga");
        scoresheet::Import::new(&sample).run([crate::common::sample()]).unwrap();
        let metadata = [
            ("title", "Caissa Hamburg 1924–2024"),
            ("description", "Round robin and knock-out since 1924, with the players' own comments."),
            ("license", "CC0-1.0"),
            ("origin", "https://example.org/chess/of/the/club"),
            ("creator", "Ann and Bob"),
        ];
        scoresheet::Archive::describe(&rich, metadata).unwrap();
        let others = crate::common::archive(folder, "others.bga", OTHERS);
        for path in [&rich, &sample, &others] {
            crate::common::index(path);
        }
        scoresheet_serve::Config { archives: vec![rich, sample, others], ..scoresheet_serve::Config::default() }
    })
}

/// Games 3002 to 3005 of the server: nested variations with long comments, Chess960, Crazyhouse, and a move that is not
/// legal.
const OTHERS: &str = "[Event \"Candidates Tournament of the Western Hemisphere\"]\n[Site \"Curaçao\"]\n[Date \"2020.05.01\"]\n[Round \"3\"]\n[White \"Praggnanandhaa, Rameshbabu\"]\n[Black \"Vachier-Lagrave, Maxime\"]\n[WhiteElo \"2767\"]\n[BlackElo \"2751\"]\n[Result \"1/2-1/2\"]\n\n\
1. e4 {A long story about the first move, which is the most popular one. It has been played in every tournament since 1851.} e5 \
(1... c5 {Sicilian} 2. Nf3 (2. c3 d5 (2... Nf6 3. e5 Nd5) 3. exd5) 2... d6 $6) 2. Nf3! Nc6?! 3. Bb5 a6?? 4. Ba4 Nf6 $10 5. O-O Be7 1/2-1/2\n\n\
[White \"Ann\"]\n[Black \"Bob\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n[Result \"*\"]\n\n1. e4 e5 2. Ng3 Ng6 3. O-O O-O *\n\n\
[White \"Ann\"]\n[Black \"Bob\"]\n[Variant \"Crazyhouse\"]\n[Result \"0-1\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @e4 Qd8 0-1\n\n\
[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 e5 2. Ke7 Nf6 *\n";

/// Saves a screenshot if a folder is set.
fn keep(browser: &mut Browser, name: &str) {
    let Some(folder) = std::env::var_os("SCORESHEET_PICTURES") else { return };
    let picture = browser.picture();
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), base64(&picture)).unwrap();
}

/// Waits for the page's answers. Its progress message appears only after a pause.
fn settled(browser: &mut Browser) {
    std::thread::sleep(std::time::Duration::from_millis(250));
    browser.until("!document.querySelector('[aria-busy]')");
}

fn base64(text: &str) -> Vec<u8> {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |byte: u8| SIGNS.iter().position(|sign| *sign == byte).map(|digit| digit as u32);
    let values: Vec<u32> = text.bytes().filter_map(bits).collect();
    let of = |four: &[u32]| {
        let bits = four.iter().fold(0, |all, bits| all << 6 | bits) << (6 * (4 - four.len()));
        bits.to_be_bytes()[1..four.len()].to_vec()
    };
    values.chunks(4).flat_map(of).collect()
}

/// Window sizes: a phone, a tablet, small and large screens, and two widths next to a change of layout.
const SIZES: [(u32, u32); 8] =
    [(390, 844), (768, 1024), (1280, 800), (1920, 1080), (2560, 1300), (3840, 2000), (800, 1000), (960, 700)];

#[test]
fn every_page_fits_small_screens_and_keeps_the_rules() {
    every_page_fits(|width| width < 1280);
}

#[test]
fn every_page_fits_large_screens_and_keeps_the_rules() {
    every_page_fits(|width| width >= 1280);
}

/// Every page fits every size of these widths. Screenshots, if enabled, cover both themes and languages. Otherwise the
/// test checks German in three sizes, and dark pages only for accessibility.
fn every_page_fits(is_chosen: impl Fn(u32) -> bool) {
    let Some(mut browser) = browser() else { return };
    let server = server();
    let axe = std::env::var("SCORESHEET_AXE").ok().map(|path| std::fs::read_to_string(path).unwrap());
    if axe.is_none() {
        eprintln!("skipped: SCORESHEET_AXE names no axe.min.js, so the rules of accessibility are not checked");
    }
    let has_pictures = std::env::var_os("SCORESHEET_PICTURES").is_some();
    let mut faults = Vec::new();
    for (language, accepts) in [("en", "en-US,en"), ("de", "de-DE,de")] {
        browser.speak(accepts);
        for (width, height) in SIZES.into_iter().filter(|(width, _)| is_chosen(*width)) {
            let is_between = matches!(width, 800 | 960);
            let has_rules = matches!(width, 390 | 1280) && language == "en";
            if language == "de" && (is_between || width >= 1920 && !(has_pictures && width == 1920)) {
                continue;
            }
            browser.size(width, height, width == 390);
            for dark in [false, true] {
                if dark && !has_rules && (is_between || !has_pictures) {
                    continue;
                }
                browser.dark(dark);
                for (name, path) in PAGES {
                    browser.open(&format!("http://{}/{path}", server.address));
                    settled(&mut browser);
                    if name == "own-game" {
                        browser.eval(&crate::own_game::dropped(crate::own_game::OWN));
                        browser.until("document.querySelector('.repertoire')");
                        settled(&mut browser);
                    }
                    let theme = if dark { "dark" } else { "light" };
                    let what = format!("{name}-{width}-{theme}-{language}");
                    let over = browser.too_wide();
                    if over > 0 {
                        faults.push(format!("{what}: {over} pixels too wide"));
                    }
                    let scrolled = browser.eval("[...document.querySelectorAll('.stat .scroll')].filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.ariaLabel)");
                    if scrolled != json!([]) {
                        faults.push(format!("{what}: tables {scrolled} are too wide"));
                    }
                    if !is_between {
                        keep(&mut browser, &what);
                    }
                    let Some(axe) = axe.as_ref().filter(|_| has_rules) else { continue };
                    faults.extend(violations(&mut browser, axe).iter().map(|fault| format!("{what}: {fault}")));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Returns the errors that axe-core finds on the current page.
fn violations(browser: &mut Browser, axe: &str) -> Vec<String> {
    // The protocol injects the script, because the page's policy forbids it.
    browser.eval(&format!("{axe}; 1"));
    let found = browser.eval(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map((own) => \
         `${own.id}: ${own.nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join(' | ').slice(0, 400)}`))",
    );
    found.as_array().unwrap().iter().map(|fault| fault.as_str().unwrap().to_owned()).collect()
}

/// Special states of a page: errors, open forms and menus, kinds of games, an embedded game. Screenshots, if enabled,
/// cover all sizes and both themes.
#[test]
fn other_states_keep_the_rules() {
    let (Some(mut browser), Ok(axe)) = (browser(), std::env::var("SCORESHEET_AXE")) else { return };
    let axe = std::fs::read_to_string(axe).unwrap();
    let server = server();
    let damaged = Server::with(|folder| {
        let path = folder.join("damaged.bga");
        scoresheet::Import::new(&path).run([crate::common::sample()]).unwrap();
        crate::spoiled::spoil(&path);
        scoresheet_serve::Config { archives: vec![path], ..scoresheet_serve::Config::default() }
    });
    let nameless = Server::of("1. e4 e5 *\n");
    let (filter, settings, share) = ("details.filter summary", ".settings summary", ".left details summary");
    let click = |selector: &str| format!("document.querySelector('{selector}').click()");
    let states = [
        ("no game", &server, "game?n=999999", String::new()),
        ("no page", &server, "nonsense", String::new()),
        ("wrong filter", &server, "games?where=foo+%3D+1", String::new()),
        ("wrong moves", &server, "explorer?play=e2e5", String::new()),
        ("wrong FEN", &server, "explorer?fen=rnbqkbnx/8/8/8/8/8/8/8+w+-+-+0+1", String::new()),
        ("impossible FEN", &server, "explorer?fen=8/8/8/8/8/8/8/4K3+w+-+-+0+1", String::new()),
        ("entered FEN", &server, "explorer?fen=4k3/4p3/8/8/8/8/4P3/4K3+w+-+-+0+1", String::new()),
        ("deep line", &server, "explorer?play=e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6,c1e3,e7e5,d4b3,c8e6,f2f3,f8e7,d1d2,e8g8,e1c1,b8d7,g2g4,b7b5", String::new()),
        ("filtered", &server, "explorer?where=elo+%3E%3D+1800+and+result+%3D+1-0", String::new()),
        ("filtered out", &server, "explorer?where=elo+%3E%3D+3900", String::new()),
        ("Crazyhouse tree", &server, "explorer?variant=Crazyhouse&play=e2e4,d7d5,e4d5,d8d5", String::new()),
        ("two archives", &server, "explorer?view=compare&archive=1&archive2=2", String::new()),
        ("player, White", &server, "explorer?view=white&player=cheesedout", String::new()),
        ("variations", &server, "game?n=3002&ply=2", String::new()),
        ("Chess960", &server, "game?n=3003&ply=6", String::new()),
        ("Crazyhouse", &server, "game?n=3004&ply=4", String::new()),
        ("faulty source", &server, "game?n=3005", String::new()),
        ("damaged game", &damaged, "game?n=20", String::new()),
        ("damaged list", &damaged, "games", String::new()),
        ("no tournaments", &nameless, "event", String::new()),
        ("first page without names", &nameless, "start", String::new()),
        ("no player", &server, "player?name=Tahl,+Mikhail", String::new()),
        ("wrong search", &server, "search?tab=material&material=hello&run=1", String::new()),
        ("embedded", &server, "embed/1?ply=3", String::new()),
        ("embedded position", &server, "embed?play=e2e4,c7c5&draw=Gg1f3,Rd4", String::new()),
        ("filter open", &server, "games?where=elo+%3E%3D+1500", click(filter)),
        ("settings open", &server, "explorer", click(settings)),
        ("share open", &server, "game?n=1", click(share)),
        ("explorer shared", &server, "explorer", click(share)),
        ("own", &server, "own?fresh", String::new()),
        ("own game", &server, "own", "own".to_owned()),
        ("my games", &server, "explorer?view=mine&me=Me&color=white", String::new()),
        ("editions", &server, "event?name=Test&year=2020", String::new()),
        ("search box", &server, "start", "(() => { const box = document.querySelector(innerWidth > 860 ? '.wide-box input' : '.narrow-box input'); const menu = box.closest('details'); if (menu) menu.open = true; box.focus(); box.value = 'Sic'; box.dispatchEvent(new Event('input')); })()".to_owned()),
        ("promotion", &server, "explorer?fen=4k3/P7/8/8/8/8/8/4K3+w+-+-+0+1", String::new()),
        ("keys", &server, "explorer", "document.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))".to_owned()),
    ];
    let mut views = vec![(1200, 844, false), (390, 844, true)];
    if std::env::var_os("SCORESHEET_PICTURES").is_some() {
        let sizes = SIZES.into_iter().filter(|(width, _)| !matches!(width, 800 | 960));
        views = sizes.flat_map(|(width, height)| [(width, height, false), (width, height, true)]).collect();
    }
    let mut faults = Vec::new();
    for (width, height, dark) in views {
        browser.size(width, height, width == 390);
        browser.dark(dark);
        for (name, server, path, work) in &states {
            let name = *name;
            browser.open(&format!("http://{}/{path}", server.address));
            settled(&mut browser);
            if work == "own" {
                // The browser has kept the games of an earlier state, which must not count as the new ones.
                browser.eval("document.querySelector('main').replaceChildren()");
                browser.eval(&crate::own_game::dropped(crate::own_game::OWN));
                browser.until("document.querySelector('.repertoire .games-table a')");
                // The comparison with the archive may still move the rows.
                browser.eval("document.querySelector('.repertoire .games-table a').click()");
                browser.until("document.querySelector('.movetext')");
            } else if !work.is_empty() {
                browser.eval(&format!("{work}; 1"));
                browser.until("document.querySelector('details[open] .sheet, dialog[open], .seek-list li')");
            }
            if name == "search box" {
                browser.until("document.querySelector('.seek-list li')");
            }
            if name == "promotion" {
                browser.drag(".board rect[data-square=a7]", ".board rect[data-square=a8]");
                browser.until("document.querySelector('.promotion-dialog-button')");
            }
            let over = browser.too_wide();
            if over > 0 {
                faults.push(format!("{name} at {width}: {over} pixels too wide"));
            }
            let theme = if dark { "dark" } else { "light" };
            keep(&mut browser, &format!("state-{}-{width}-{theme}", name.replace([' ', ','], "-")));
            if matches!(width, 390 | 1200) {
                faults.extend(violations(&mut browser, &axe).iter().map(|fault| format!("{name} {width}: {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_pages_speak_german() {
    let Some(mut browser) = browser() else { return };
    let server = server();
    browser.dark(false);
    browser.speak("de-DE,de");
    let texts = server.fine("/assets/lang/en.json").json();
    for (name, path) in PAGES {
        browser.open(&format!("http://{}/{path}", server.address));
        settled(&mut browser);
        assert_eq!(browser.text("document.documentElement.lang"), "de");
        assert_eq!(
            browser.text("[...document.querySelectorAll('nav a')].map((link) => link.textContent).join()"),
            "Explorer,Partien,Suche,Statistik"
        );
        // No text is a bare key, and no common English word remains. Names of tags and filters stay in English.
        let text = browser.text(
            "(() => { const copy = document.body.cloneNode(true); \
             copy.querySelectorAll('details .data, code').forEach((node) => node.replaceWith(' ')); \
             return [...copy.querySelectorAll('*')].map((node) => [...node.childNodes].filter((own) => own.nodeType === 3)\
             .map((own) => own.data).join(' ')).join(' '); })()",
        );
        let key = text.split_whitespace().find(|word| word.contains('_') && texts.get(*word).is_some());
        assert_eq!(key, None, "{name}: {text}");
        for word in ["games", "Moves", "White", "Black", "Search", "Draws"] {
            assert!(!text.split(|c: char| !c.is_alphabetic()).any(|part| part == word), "{name}: {word} in {text}");
        }
    }
    // Numbers have German separators.
    browser.open(&format!("http://{}/games", server.address));
    browser.until("document.querySelector('.total')?.textContent === '3.005 Partien'");
}

/// The page translates messages of the server by their codes.
#[test]
fn errors_are_shown_in_german() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[White \"Tal, Mikhail\"]\n\n1. e4 *\n");
    browser.dark(false);
    browser.speak("de-DE,de");
    for (path, message) in [
        ("explorer?play=e2e5", "Zug 1 ist nicht möglich"),
        (
            "explorer?fen=rnbqkbnx/8/8/8/8/8/8/8+w+-+-+0+1",
            "Spalte 8: FEN, Aufstellung: keine Figur hat diesen Buchstaben: x",
        ),
        ("explorer?fen=8/8/8/8/8/8/8/4K3+w+-+-+0+1", "Schwarz hat keinen König"),
        ("games?where=foo+%3D+1", "kein Feld heißt foo: ein Tag dieses Namens ist tag(\"foo\")"),
        ("games?where=whitelo+%3D+1", "kein Feld heißt whitelo: ist whiteelo gemeint?"),
        ("games?where=elo+%3E%3D+fast", "Spalte 8: eine Wertung wird erwartet"),
        ("games?sort=elo+date", "„,“ oder das Ende wird erwartet"),
        ("player?name=Tahl,+Mikhail", "Kein Spieler heißt „Tahl, Mikhail“: ist „Tal, Mikhail“ gemeint?"),
        ("game?n=9", "9"),
    ] {
        browser.open(&format!("http://{}/{path}", server.address));
        browser.until("document.querySelector('main .notice[role=alert]')");
        let said = browser.text("document.querySelector('main .notice[role=alert]').textContent");
        assert!(said.contains(message), "{path}: {said}");
    }
}

#[test]
fn a_theme_can_be_chosen() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/explorer", server.address));
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = browser.text(ground);
    browser.dark(true);
    let dark = browser.text(ground);
    assert_ne!(light, dark);
    browser.eval("localStorage.setItem('theme', 'light')");
    browser.open(&format!("http://{}/explorer?play=e2e4", server.address));
    browser.until("document.documentElement.dataset.theme === 'light'");
    assert_eq!(browser.text(ground), light);
    // One of the keys shows the list of keys.
    browser.key("?");
    browser.until("document.querySelector('dialog[open]')?.textContent.includes('Flip the board')");
    browser.key("Escape");
    browser.until("!document.querySelector('dialog')");
}

/// `scoresheet stats --report` writes a self-contained page with its data and without a server.
#[test]
fn the_report_of_the_command_keeps_the_rules() {
    let (Some(command), Some(axe)) = (std::env::var_os("SCORESHEET_BIN"), std::env::var_os("SCORESHEET_AXE")) else {
        eprintln!("skipped: SCORESHEET_BIN names no command scoresheet, or SCORESHEET_AXE no axe.min.js");
        return;
    };
    let Some(mut browser) = browser() else { return };
    let axe = std::fs::read_to_string(axe).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (archive, page) = (folder.path().join("sample.bga"), folder.path().join("report.html"));
    scoresheet::Import::new(&archive).run([crate::common::sample()]).unwrap();
    let made = std::process::Command::new(command).arg("stats").arg(&archive).arg("--report").arg(&page).output();
    let made = made.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let mut faults = Vec::new();
    for (width, phone) in [(1200, false), (390, true)] {
        browser.size(width, 900, phone);
        for dark in [false, true] {
            browser.dark(dark);
            browser.open(&format!("file://{}", page.display()));
            let over = browser.too_wide();
            assert!(over <= 0, "at {width}: {over} pixels too wide");
            faults.extend(violations(&mut browser, &axe).iter().map(|fault| format!("{width} dark {dark}: {fault}")));
            keep(&mut browser, &format!("report-{width}-{}", if dark { "dark" } else { "light" }));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
