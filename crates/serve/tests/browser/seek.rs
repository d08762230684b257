//! The search box of the header.

use crate::chromium::{Browser, browser};
use crate::common::{SPELLINGS, Server};
use serde_json::json;

/// Types a text into the box, and returns the suggestions.
fn suggested(browser: &mut Browser, text: &str) -> Vec<String> {
    browser.eval("(() => { const box = document.querySelector('.wide-box input'); box.focus(); box.value = ''; box.dispatchEvent(new Event('input')); })()");
    browser.typed(text);
    browser.until("document.querySelector('.wide-box li')");
    let found = browser.eval("[...document.querySelectorAll('.wide-box li')].map((item) => item.textContent)");
    found.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

#[test]
fn one_box_finds_everything() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(&format!("{SPELLINGS}\n[Event \"Sicilian Masters\"]\n[ECO \"B90\"]\n\n1. e4 c5 *\n"));
    browser.dark(false);
    browser.size(1280, 900, false);
    browser.open(&format!("http://{}/games?where=year+%3D+1900", server.address));
    for (text, first, path, params) in [
        ("Tal", "Player Tal, M", "/player", json!({"name": "Tal, M"})),
        (
            "Carlsen Anand",
            "Games Carlsen – Anand",
            "/games",
            json!({"where": "player ~ \"Carlsen\" and opponent ~ \"Anand\""}),
        ),
        ("B90", "Games ECO B90", "/games", json!({"where": "eco = B90"})),
        ("Caro-Kann Defense", "Opening Caro-Kann Defense (B10)", "/explorer", json!({"play": "e2e4,c7c6"})),
        ("1. e4 c5 2. Nf3", "Position 1. e4 c5 2. Nf3", "/explorer", json!({"play": "e2e4,c7c5,g1f3"})),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "Position 4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "/explorer",
            json!({"fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"}),
        ),
        ("Sicilian M", "Event Sicilian Masters", "/event", json!({"name": "Sicilian Masters"})),
        ("#2", "Game № 2", "/game", json!({"n": "2"})),
    ] {
        let found = suggested(&mut browser, text);
        assert_eq!(found[0], first, "{found:?}");
        browser.key("Enter");
        browser.until(&format!("location.pathname === '{path}' && document.querySelector('h1')"));
        // The filter of the page before does not hide what was found.
        assert_eq!(browser.eval("Object.fromEntries(new URLSearchParams(location.search))"), params, "{text}");
    }
    // Arrow keys choose, and the assistive technology is told.
    let found = suggested(&mut browser, "Carlsen");
    assert_eq!(found.len(), 2, "{found:?}");
    browser.key("ArrowDown");
    browser.key("ArrowDown");
    browser.until("document.querySelector('.wide-box input').getAttribute('aria-activedescendant') === document.querySelectorAll('.wide-box li')[1].id");
    browser.key("Escape");
    browser.until("document.querySelector('.wide-box ul').hidden");
    // A text that means nothing is answered at once.
    browser.eval("document.querySelector('.wide-box input').value = 'zzzz'");
    browser.key("Enter");
    browser.until("document.querySelector('.wide-box li')?.textContent === 'Nothing of this name'");
    // A phone has the box behind a button.
    browser.size(390, 844, true);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until("document.querySelector('.tree tbody button')");
    browser.click(".seek-menu summary");
    browser.until("document.activeElement.matches('.narrow-box input')");
    browser.typed("Tal");
    browser.until("document.querySelector('.narrow-box li')");
    browser.click(".narrow-box li");
    browser.until("location.pathname === '/player'");
    assert!(browser.too_wide() <= 0);
    assert_eq!(browser.complaints(), [""; 0]);
}
