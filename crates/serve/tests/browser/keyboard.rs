//! The keyboard: selects, tables and moves keep the focus, and searches name their faults where they are.

use crate::chromium::browser;
use crate::common::{Server, archive, index};
use scoresheet_serve::Config;
use serde_json::json;

const DRAWN: &str = "document.querySelector('.tree tbody button') && !document.querySelector('[data-stale]')";

/// A select acts at each arrow key. It keeps the focus, so keys reach every option.
#[test]
fn keys_reach_every_option_of_a_select() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let paths = vec![archive(folder, "first.bga", "1. e4 *\n"), archive(folder, "second.bga", "1. d4 *\n")];
        paths.iter().for_each(|path| index(path));
        Config { archives: paths, ..Config::default() }
    });
    browser.dark(false);
    browser.size(1280, 900, false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until(DRAWN);
    browser.eval("document.querySelector('.top > .choice select').focus()");
    browser.key("ArrowDown");
    browser.until("location.search === '?archive=1' && document.activeElement.matches('.top > .choice select')");
    browser.key("ArrowDown");
    browser.until("location.search === '?archive=2' && document.activeElement.matches('.top > .choice select')");
    // The answer for this archive redraws the page, which must not happen between the next keys.
    browser.until("document.body.innerText.includes('d4')");
    // The language, in a menu that stays open.
    browser.eval("document.querySelector('.settings summary').click()");
    browser.until("document.querySelector('.settings').open");
    browser.eval("document.querySelector('[data-control=language]').focus()");
    for (value, shown) in [("en", "en"), ("de", "de")] {
        browser.key("ArrowDown");
        browser.until(&format!(
            "localStorage.getItem('language') === '{value}' && document.documentElement.lang === '{shown}' \
             && document.activeElement.dataset.control === 'language' && document.querySelector('.settings').open"
        ));
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Tabs and headings that show the page anew keep the focus, and the pieces of a search are one stop.
#[test]
fn tabs_and_headings_keep_the_focus() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[White \"Ann\"]\n[Date \"2001.01.01\"]\n\n1. e4 *\n\n[White \"Bob\"]\n\n1. d4 *\n");
    browser.dark(false);
    browser.size(1280, 900, false);
    for (path, control, found) in [
        ("explorer", "view-compare", "view=compare"),
        ("search", "tab-material", "tab=material"),
        ("games", "order-date", "sort=-date"),
    ] {
        browser.open(&format!("http://{}/{path}", server.address));
        browser.until(&format!("document.querySelector('[data-control={control}]')"));
        browser.eval(&format!("document.querySelector('[data-control={control}]').focus()"));
        browser.key("Enter");
        browser.until(&format!(
            "location.search.includes('{found}') && document.activeElement.dataset.control === '{control}'"
        ));
    }
    browser.open(&format!("http://{}/search", server.address));
    browser.until("document.querySelector('.palette button')");
    assert_eq!(browser.eval("document.querySelectorAll('.palette button[tabindex=\"0\"]').length"), 1);
    browser.eval("document.querySelector('.palette button').focus()");
    browser.key("ArrowRight");
    browser.until("document.activeElement.dataset.tool === 'Q'");
    browser.key("ArrowDown");
    browser.until("document.activeElement.dataset.tool === 'q'");
    browser.key("Enter");
    browser.until("document.activeElement.ariaPressed === 'true'");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// After a move was played with a key, the first move of the next table has the focus.
#[test]
fn moves_are_played_one_after_another() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    browser.size(1280, 900, false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until(DRAWN);
    // The link to the moves leads to the first one.
    browser.key("Tab");
    browser.key("Tab");
    browser.until("document.activeElement.matches('.skip-moves')");
    browser.key("Enter");
    browser.until("document.activeElement.dataset.uci");
    for plies in 1..=4 {
        browser.key("Enter");
        browser.until(&format!("document.querySelectorAll('.line button').length === {plies} && {DRAWN}"));
        browser.until("document.activeElement === document.querySelector('.tree tbody button')");
    }
    // The moves are one stop, and arrow keys lead to the next.
    browser.key("ArrowDown");
    browser.until("document.activeElement === document.querySelectorAll('.tree tbody button')[1]");
    assert_eq!(browser.eval("document.querySelectorAll('.tree tbody button[tabindex=\"0\"]').length"), 1);
    assert_eq!(browser.eval("document.querySelectorAll('.tree thead button[tabindex=\"0\"]').length"), 1);
    assert_eq!(browser.eval("document.querySelectorAll('.line button[tabindex=\"0\"]').length"), 1);
}

/// The moves of a game are one stop of the Tab key, and the focus follows the game.
#[test]
fn a_game_is_one_stop() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 e5 2. Nf3 Nc6 3. Bc4 (3. Bb5 a6) Bc5 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/game?n=1&ply=2", server.address));
    browser.until("document.querySelector('.movetext [aria-current]')");
    assert_eq!(browser.eval("document.querySelectorAll('.movetext button.move[tabindex=\"0\"]').length"), 1);
    browser.eval("document.querySelector('.movetext button[tabindex=\"0\"]').focus()");
    browser.key("ArrowRight");
    browser.until("document.activeElement.textContent === 'Nf3' && document.activeElement.ariaCurrent === 'step'");
    browser.key("ArrowRight");
    browser.until("document.activeElement.textContent === 'Nc6'");
}

/// A search reports a fault under its field, in the language of the page.
#[test]
fn faults_of_a_search_are_under_their_fields() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    for (language, path, field, message) in [
        ("en", "tab=material&material=hello", "material", "Not a piece: write one of PNBRQKpnbrqk"),
        ("de", "tab=material&material=hello", "material", "Keine Figur: möglich sind PNBRQKpnbrqk"),
        ("de", "tab=material&imbalance=zz", "imbalance", "Keine Figur: zum Beispiel PPvN"),
        ("en", "tab=moves&white_move=%3F%3F", "white_move", "Not a move: write for example Nf3"),
        ("de", "tab=moves&query=%7B", "query", "Das ist kein JSON"),
        ("en", "tab=position&fen=nothing", "fen", "Piece placement: no piece has this letter: o"),
    ] {
        browser.open(&format!("http://{}/search", server.address));
        browser.eval(&format!("localStorage.setItem('language', '{language}')"));
        browser.open(&format!("http://{}/search?{path}&run=1", server.address));
        browser.until("document.getElementById('field-fault')");
        let said = browser.text("document.getElementById('field-fault').textContent");
        assert!(said.starts_with(message), "{path}: {said}");
        assert!(!said.contains("olumn 1") && !said.contains("the question"), "{said}");
        let of = format!("document.querySelector('[name={field}]')");
        assert_eq!(browser.eval(&format!("{of}.getAttribute('aria-describedby')")), "field-fault");
        assert_eq!(browser.eval(&format!("document.activeElement === {of}")), true, "{path}");
        assert_eq!(browser.eval("document.querySelector('section.right [role=alert]')"), json!(null));
        if field == "material" {
            // The faulty letters are marked in the text of the field, on a line of its own.
            assert!(browser.eval("document.querySelector('#field-fault code').textContent === 'hello' && getComputedStyle(document.querySelector('#field-fault code')).display === 'block'") == true);
            assert_eq!(browser.text("document.querySelector('#field-fault .at').textContent"), "hello");
        }
    }
    // The mark is in the faulty text of a JSON query, and an impossible position is told once.
    for (path, marked) in [
        ("tab=moves&query=%7B%22sequence%22%3A%5B%7B%22result%22%3A%222-0%22%7D%5D%7D", "2-0"),
        ("tab=position&fen=8/8/8/8/8/8/8/8+white", "white"),
    ] {
        browser.open(&format!("http://{}/search?{path}&run=1", server.address));
        browser.until("document.getElementById('field-fault')");
        assert_eq!(browser.text("document.querySelector('#field-fault .at').textContent"), marked);
        std::thread::sleep(std::time::Duration::from_millis(600));
        assert_eq!(
            browser.eval("[...document.querySelectorAll('form .fault')].filter((fault) => fault.textContent).length"),
            1,
            "{path}"
        );
    }
    // A valid search removes the message.
    browser.open(&format!("http://{}/search?tab=material&material=hello&run=1", server.address));
    browser.until("document.getElementById('field-fault')");
    browser.eval("document.querySelector('[name=material]').value = 'KRkr'; document.querySelector('.search-form').requestSubmit()");
    browser.until("document.querySelector('section.right .total') && !document.getElementById('field-fault')");
}
