//! The explorer: comparison, keys, typed moves, the state in addresses, and a stable layout.

use crate::chromium::browser;
use crate::common::Server;
use serde_json::{Value, json};

const DRAWN: &str = "document.querySelector('.tree tbody button') && !document.querySelector('[data-stale]')";

fn share_of_white(row: &Value) -> Option<f64> {
    let [white, draws, black] = ["white", "draws", "black"].map(|name| row[name].as_f64().unwrap());
    let games = white + draws + black;
    (games > 0.0).then(|| 100.0 * (white + draws / 2.0) / games)
}

#[test]
fn two_filters_are_compared_in_one_table_that_sorts() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    for (width, phone) in [(1280, false), (390, true)] {
        browser.size(width, 900, phone);
        browser.open(&format!(
            "http://{}/explorer?view=compare&where=elo+%3E%3D+1900&where2=elo+%3C+1500",
            server.address
        ));
        browser.until(DRAWN);
        assert!(browser.too_wide() <= 0);
        // No two cells overlap.
        let over = "[...document.querySelectorAll('.tree tr')].flatMap((row) => [...row.children].map((cell) => cell.getBoundingClientRect()))\
                    .some((box, at, all) => at && all[at - 1].y === box.y && all[at - 1].right > box.x + 1)";
        assert_eq!(browser.eval(over), false, "at {width}");
    }
    browser.size(1280, 900, false);
    // The games and differences equal those of the trees.
    let trees = ["elo >= 1900", "elo < 1500"].map(|filter| server.fine(&format!("/api/v1/tree?where={filter}")).json());
    let moves = |tree: &Value| {
        let moves = tree["moves"].as_array().unwrap().iter();
        moves
            .map(|row| (row["uci"].as_str().unwrap().to_owned(), row.clone()))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let [a, b] = [moves(&trees[0]), moves(&trees[1])];
    let cells = "[...document.querySelectorAll('.tree tbody tr:not(.all)')].map((row) => [row.querySelector('button').dataset.uci, \
                 ...[1, 4].map((at) => row.cells[at].querySelector('[title]').title), row.cells[5].textContent])";
    let rows = browser.eval(cells);
    let rows = rows.as_array().unwrap();
    let all: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    assert_eq!(rows.len(), all.len());
    for row in rows {
        let uci = row[0].as_str().unwrap();
        let games = |tree: &std::collections::BTreeMap<String, Value>| {
            tree.get(uci).map_or(0, |row| row["games"].as_u64().unwrap())
        };
        assert_eq!(row[1].as_str().unwrap().replace(',', ""), games(&a).to_string(), "{uci}");
        assert_eq!(row[2].as_str().unwrap().replace(',', ""), games(&b).to_string(), "{uci}");
        let difference =
            a.get(uci).and_then(share_of_white).zip(b.get(uci).and_then(share_of_white)).map(|(a, b)| a - b);
        let shown = row[3].as_str().unwrap();
        match difference {
            None => assert_eq!(shown, "–"),
            Some(points) => {
                assert!((shown.replace('−', "-").parse::<f64>().unwrap() - points).abs() < 0.051, "{uci} {shown}")
            }
        }
    }
    // A heading sorts the table, which still compares both filters.
    browser.eval("document.querySelectorAll('.tree thead button')[5].click()");
    browser.until("document.querySelector('.tree th[aria-sort=descending]')");
    assert_eq!(browser.eval("document.querySelectorAll('.tree').length"), 1);
    let sorted = browser.eval(cells);
    assert_eq!(sorted.as_array().unwrap().len(), rows.len());
    let shown: Vec<f64> =
        sorted.as_array().unwrap().iter().filter_map(|row| row[3].as_str()?.replace('−', "-").parse().ok()).collect();
    assert!(shown.is_sorted_by(|left, right| left >= right) && shown.len() > 5, "{shown:?}");
}

#[test]
fn keys_pressed_early_are_played() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until(DRAWN);
    for _ in 0..6 {
        browser.key("1");
    }
    browser.until("location.search.split(',').length === 6 && document.querySelectorAll('.line button').length === 6");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn moves_are_typed_as_people_write_them() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O *\n");
    browser.dark(false);
    for language in ["", "de"] {
        browser.open(&format!("http://{}/explorer", server.address));
        browser.eval(&format!("localStorage.setItem('language', '{language}')"));
        browser.open(&format!("http://{}/explorer", server.address));
        browser.until(DRAWN);
        let typed: &[&str] = match language {
            "de" => &["e4", "e5", "Sf3", "sc6", "Lc4", "Nf6", "0-0"],
            _ => &["E4", "e7e5", "nf3", "N8c6", "Bc4+", "Ngf6", "o-o"],
        };
        for text in typed {
            browser.eval("document.getElementById('typed').focus()");
            browser.typed(text);
            browser.key("Enter");
            browser.until("document.getElementById('typed').value === ''");
        }
        browser.until("location.search === '?play=e2e4,e7e5,g1f3,b8c6,f1c4,g8f6,e1g1'");
        browser.until(DRAWN.split(" && ").last().unwrap());
        // The page reports an invalid move in its language, without a request to the server.
        browser.eval("document.getElementById('typed').focus()");
        browser.typed("Ke5");
        browser.key("Enter");
        browser.until("document.getElementById('typed-fault').textContent.endsWith(': Ke5')");
        let expected = if language == "de" { "Kein möglicher Zug" } else { "Not a legal move" };
        assert!(browser.text("document.getElementById('typed-fault').textContent").starts_with(expected));
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_line_ahead_and_the_side_below_outlive_a_reload() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 c5 2. Nf3 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/explorer?play=e2e4,c7c5,g1f3", server.address));
    browser.until("document.querySelectorAll('.line button').length === 3");
    browser.key("ArrowLeft");
    browser.key("ArrowLeft");
    browser.key("f");
    browser.until("location.search === '?play=e2e4&side=black'");
    browser.eval("window.isOld = true");
    browser.call("Page.reload", json!({}));
    browser.until("!window.isOld && document.querySelectorAll('.line button').length === 1");
    let is_turned = "document.querySelector('[data-square=a1]').getBoundingClientRect().x > document.querySelector('[data-square=h1]').getBoundingClientRect().x";
    browser.until(is_turned);
    browser.key("End");
    browser.until("location.search === '?play=e2e4,c7c5,g1f3&side=black'");
    // Another line has no such continuation.
    browser.open(&format!("http://{}/explorer?play=d2d4", server.address));
    browser.until("document.querySelectorAll('.line button').length === 1");
    browser.key("End");
    browser.until("location.search === '?play=d2d4'");
}

#[test]
fn the_table_stands_still_and_draws_its_moves() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    browser.size(1280, 900, false);
    let mut columns = Vec::new();
    for play in ["", "e2e4,c7c5", "d2d4,d7d5,c2c4"] {
        browser.open(&format!("http://{}/explorer?play={play}", server.address));
        browser.until(DRAWN);
        columns.push(browser.eval("[...document.querySelectorAll('.tree thead th')].map((cell) => Math.round(cell.getBoundingClientRect().x))"));
    }
    assert!(columns.windows(2).all(|two| two[0] == two[1]), "{columns:?}");
    // The board is the largest element of the page.
    assert!(browser.eval("document.querySelector('.board').getBoundingClientRect().width").as_f64().unwrap() >= 690.0);
    // The main moves have arrows, and the row under the pointer has another arrow.
    browser.until("document.querySelectorAll('.arrow.main').length === 3");
    browser.eval("document.querySelectorAll('.tree tbody tr')[3].dispatchEvent(new MouseEvent('mouseenter'))");
    browser.until("document.querySelector('.arrow.hover') && !document.querySelector('.arrow.main')");
    // No positive share is shown as zero.
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until(DRAWN);
    let shares = browser.text("[...document.querySelectorAll('.share')].map((share) => share.textContent).join(' ')");
    assert!(shares.contains("<1%") && !shares.split(' ').any(|share| share == "0%"), "{shares}");
}

#[test]
fn a_phone_scrolls_nothing_sideways() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 c5 2. Nf3 1-0\n\n1. Nf3 c5 2. g3 0-1\n\n1. e4 c5 2. Nf3 d6 *\n");
    browser.dark(false);
    browser.size(390, 844, true);
    for languages in ["en-GB,en", "de-DE,de"] {
        browser.speak(languages);
        browser.open(&format!("http://{}/explorer?play=g1f3,c7c5", server.address));
        browser.until("document.querySelector('tr.transposition')");
        assert_eq!(browser.too_wide(), 0, "{languages}");
        // The header is one row, and the step buttons are at the bottom.
        assert!(
            browser.eval("document.querySelector('header').getBoundingClientRect().height").as_f64().unwrap() <= 56.0
        );
        assert_eq!(
            browser.eval("Math.round(document.querySelector('.buttons.tight').getBoundingClientRect().bottom)"),
            844
        );
    }
}

/// Names of test versions of engines are long words.
#[test]
fn long_words_break() {
    let Some(mut browser) = browser() else { return };
    let name = "Base-9fb58328e363d84e3cf720b018e639b139ba95c2".repeat(3);
    let server = Server::of(&format!(
        "[White \"{name}\"]\n[Black \"New-{name}\"]\n[Event \"Cup{name}\"]\n[Site \"{name}\"]\n\n1. e4 c5 2. Nf3 1-0\n\n\
         [White \"Ann\"]\n[Black \"New-{name}\"]\n[Event \"Cup{name}\"]\n\n1. e4 c5 2. Nf3 1-0\n"
    ));
    browser.dark(false);
    let mut found = Vec::new();
    for (width, is_phone) in [(390, true), (1280, false)] {
        browser.size(width, 844, is_phone);
        for page in [
            "game?n=1".to_owned(),
            format!("player?name={name}"),
            format!("games?where=player%20%3D%20%22{name}%22"),
            "games".to_owned(),
            format!("event?name=Cup{name}"),
            "explorer".to_owned(),
            String::new(),
            "statistics".to_owned(),
        ] {
            browser.open(&format!("http://{}/{page}", server.address));
            browser.until("document.querySelector('main h1, main .board, main table, main .list')");
            std::thread::sleep(std::time::Duration::from_millis(300));
            // Names stay within their column.
            let beyond = browser.eval(
                "[...document.querySelectorAll('.standings th[scope=row]')].filter((of) => of.scrollWidth > of.clientWidth).length",
            );
            assert_eq!(beyond, 0, "{width} {page}");
            if browser.too_wide() > 0 {
                let wide = browser.text(
                    "[...document.querySelectorAll('body *')]
                        .filter((of) => of.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
                        .map((of) => `${of.parentElement.tagName}.${of.parentElement.className}>${of.tagName}.${of.className}`).slice(0, 8).join(' ')",
                );
                found.push(format!("{width} {}: {wide}", &page[..page.len().min(24)]));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Two keys lead to the moves without a mouse.
#[test]
fn a_link_skips_to_the_moves() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/explorer?play=e2e4", server.address));
    browser.until("document.querySelectorAll('.line button').length === 1");
    browser.key("Tab");
    browser.key("Tab");
    browser.until("document.activeElement.textContent === 'Skip to the moves'");
    browser.key("Enter");
    browser.until("document.activeElement.id === 'moves'");
    assert_eq!(browser.text("location.hash"), "");
}

#[test]
fn a_page_that_is_not_there_says_so_and_leads_on() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    for path in ["nonsense", "some/where/else"] {
        browser.open(&format!("http://{}/{path}", server.address));
        browser.until("document.querySelector('h1')?.textContent === 'There is no such page'");
    }
    browser.click("main a.button");
    browser.until("location.pathname === '/explorer' && document.querySelector('.tree')");
    // The page accepts positions in the notation that other programs use in addresses.
    browser.open(&format!("http://{}/explorer?fen=4k3/P7/8/8/8/8/8/4K3_w_-_-_0_1", server.address));
    browser.until("document.querySelectorAll('.board .pieces g').length === 3");
}

/// German pages have German names of openings, from a list, as compounds, and with declined adjectives.
#[test]
fn openings_have_german_names() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.eval("localStorage.setItem('language', 'de')");
    browser.open(&format!("http://{}/explorer?play=e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6", server.address));
    browser.until(
        "document.querySelector('.opening')?.textContent === 'B90 Sizilianische Verteidigung: Najdorf-Variante'",
    );
    let names = scoresheet_query::openings::Openings::table().names();
    let german =
        browser.eval(&format!("import(document.scripts[0].src.replace('app.js', 'i18n.js')).then(({{ openingName }}) => {names:?}.map(openingName))"));
    let german: Vec<&str> = german.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let of = |name: &str| german[names.binary_search(&name).unwrap()];
    assert_eq!(
        of("Italian Game: Classical Variation, Greco Gambit"),
        "Italienische Partie: Klassische Variante, Greco-Gambit"
    );
    assert_eq!(
        of("Danish Gambit Accepted: Svenonius Defense"),
        "Angenommenes Nordisches Gambit: Svenonius-Verteidigung"
    );
    // A few names that neither the list nor the rules cover stay in English.
    let english = names.iter().zip(&german).filter(|(name, german)| {
        name == german
            || ["Variation", "Defense", "Attack", "Opening", " Game"].iter().any(|word| german.contains(word))
    });
    let english: Vec<_> = english.collect();
    assert!(names.len() > 3_000 && english.len() * 100 < names.len(), "{english:?}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn variants_have_trees_of_their_own_with_pockets_and_drops() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(
        "1. e4 *\n\n[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @e4 Qd8 *\n\n[Variant \"Atomic\"]\n\n1. Nf3 *\n\n",
    );
    for (width, phone) in [(1280, false), (390, true)] {
        browser.size(width, 900, phone);
        browser.open(&format!("http://{}/explorer", server.address));
        browser.until(DRAWN);
        assert!(
            browser
                .text("document.querySelector('.panel').textContent")
                .contains("2 games of variants are not counted")
        );
        browser.eval(
            "(() => { const choice = document.querySelector('[data-control=variant]'); choice.value = 'Crazyhouse'; \
             choice.dispatchEvent(new Event('change', { bubbles: true })); })()",
        );
        browser.until("location.search.includes('variant=Crazyhouse')");
        for uci in ["e2e4", "d7d5", "e4d5", "d8d5", "P@e4"] {
            browser.until(&format!("{DRAWN} && document.querySelector('[data-uci=\"{uci}\"]')"));
            browser.eval(&format!("document.querySelector('[data-uci=\"{uci}\"]').click()"));
        }
        browser.until(&format!("{DRAWN} && document.querySelector('[data-uci=d5d8]')"));
        assert_eq!(browser.text("document.querySelector('.extra').textContent"), "Pocket: White –, Black ♟");
        browser.until("new URLSearchParams(location.search).get('play') === 'e2e4,d7d5,e4d5,d8d5,P@e4'");
        assert!(browser.too_wide() <= 0);
        // The list of games has the same rules.
        browser.click("#n-games");
        browser.until("document.querySelector('.list .cell')");
        assert_eq!(browser.text("document.querySelector('.total').textContent").trim(), "1 game");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

/// A piece of the pocket is dropped by dragging it or by two clicks.
#[test]
fn pieces_are_dropped_from_the_pocket() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @e4 Qd8 *\n");
    browser.size(1280, 900, false);
    let address = format!("http://{}/explorer?variant=Crazyhouse&play=e2e4,d7d5,e4d5,d8d5", server.address);
    for is_dragged in [true, false] {
        browser.open(&address);
        browser.until(&format!("{DRAWN} && document.querySelector('[data-drop=P]')"));
        if is_dragged {
            browser.drag("[data-drop=P]", "[data-square=e4]");
        } else {
            browser.click("[data-drop=P]");
            browser.click("[data-square=e4]");
        }
        browser.until("new URLSearchParams(location.search).get('play')?.endsWith('P@e4')");
        assert_eq!(browser.eval("document.querySelector('.ghost')"), json!(null));
        // It is Black's turn, whose pawn can be dropped now.
        browser.until("document.querySelector('[data-drop=P]')?.textContent === '♟'");
    }
    // The first click shows the squares, and a second click on the piece puts it back.
    let targets = "document.querySelectorAll('.marks .target').length";
    browser.eval("document.querySelector('[data-drop=P]').click()");
    assert!(browser.eval(targets).as_i64() > Some(20));
    assert_eq!(browser.text("document.querySelector('[data-drop=P]').getAttribute('aria-pressed')"), "true");
    browser.eval("document.querySelector('[data-drop=P]').click()");
    assert_eq!(browser.eval(targets), 0);
    assert_eq!(browser.complaints(), [""; 0]);
}
