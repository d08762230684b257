//! Appearance: every page in light and dark, wide and on a phone, in English and German. Every page follows the rules
//! of accessibility.

use crate::chromium::{Browser, browser};
use crate::common::Server;

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
        for path in [&rich, &sample] {
            crate::common::index(path);
        }
        scoresheet_serve::Config { archives: vec![rich, sample], ..scoresheet_serve::Config::default() }
    })
}

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

/// Window sizes: a phone, a tablet, a small and a large screen, and two widths next to a change of layout.
const SIZES: [(u32, u32); 6] = [(390, 844), (768, 1024), (1280, 800), (1920, 1080), (800, 1000), (960, 700)];

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
            if language == "de" && (is_between || width == 1920 && !has_pictures) {
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

/// Special states of a page: errors, open forms and menus, an embedded game.
#[test]
fn other_states_keep_the_rules() {
    let (Some(mut browser), Ok(axe)) = (browser(), std::env::var("SCORESHEET_AXE")) else { return };
    let axe = std::fs::read_to_string(axe).unwrap();
    let server = server();
    let states = [
        ("no game", "game?n=999999", ""),
        ("no page", "nonsense", ""),
        ("wrong filter", "games?where=foo+%3D+1", ""),
        ("wrong moves", "explorer?play=e2e5", ""),
        ("embedded", "embed/1?ply=3", ""),
        ("embedded position", "embed?play=e2e4,c7c5&draw=Gg1f3,Rd4", ""),
        ("filter open", "games?where=elo+%3E%3D+1500", "document.querySelector('details.filter summary').click()"),
        ("settings open", "explorer", "document.querySelector('.settings summary').click()"),
        ("share open", "game?n=1", "document.querySelector('.left details summary').click()"),
        ("own", "own?fresh", ""),
        ("own game", "own", "own"),
        ("my games", "explorer?view=mine&me=Me&color=white", ""),
        ("editions", "event?name=Test&year=2020", ""),
        (
            "search box",
            "start",
            "(() => { const box = document.querySelector(innerWidth > 860 ? '.wide-box input' : '.narrow-box input'); const menu = box.closest('details'); if (menu) menu.open = true; box.focus(); box.value = 'Sic'; box.dispatchEvent(new Event('input')); })()",
        ),
        ("promotion", "explorer?fen=4k3/P7/8/8/8/8/8/4K3+w+-+-+0+1", ""),
        ("keys", "explorer", "document.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))"),
    ];
    let mut faults = Vec::new();
    for (width, phone, dark) in [(1200, false, false), (390, true, true)] {
        browser.size(width, 844, phone);
        browser.dark(dark);
        for (name, path, work) in states {
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
            if name == "promotion" {
                browser.drag(".board rect[data-square=a7]", ".board rect[data-square=a8]");
                browser.until("document.querySelector('.promotion-dialog-button')");
            }
            let over = browser.too_wide();
            if over > 0 {
                faults.push(format!("{name} at {width}: {over} pixels too wide"));
            }
            keep(&mut browser, &format!("state-{}-{width}", name.replace(' ', "-")));
            faults.extend(violations(&mut browser, &axe).iter().map(|fault| format!("{name} {width}: {fault}")));
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
    browser.until("document.querySelector('.total')?.textContent === '3.001 Partien'");
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
