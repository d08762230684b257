//! Sharing: drawings in the address, diagrams, an embedded position; and the engine.

use crate::chromium::{Browser, browser};
use crate::common::{Server, archive, index};
#[cfg(unix)]
use crate::fake_engine::{config, fake};
use scoresheet_serve::{Config, EngineConfig};
use serde_json::json;
use std::time::Duration;

const GAMES: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 e5 2. Nf3 *\n\n1. e4 c5 *\n\n1. d4 *\n";

/// Draws with the right mouse button.
fn draw(browser: &mut Browser, from: &str, to: &str) {
    let middle = |browser: &mut Browser, square: &str| {
        let at = browser.eval(&format!(
            "(() => {{ const box = document.querySelector('.board rect[data-square={square}]').getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    };
    let (from, to) = (middle(browser, from), middle(browser, to));
    for (kind, (x, y), buttons) in [("mousePressed", from, 2), ("mouseMoved", to, 2), ("mouseReleased", to, 0)] {
        browser.call(
            "Input.dispatchMouseEvent",
            json!({"type": kind, "x": x, "y": y, "button": "right", "buttons": buttons, "clickCount": 1}),
        );
    }
}

#[test]
fn drawings_are_in_the_address() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(GAMES);
    browser.dark(false);
    for page in ["game?n=1&ply=2", "explorer?play=e2e4"] {
        browser.open(&format!("http://{}/{page}", server.address));
        browser
            .until("document.querySelectorAll('.board .pieces g').length === 32 && document.querySelector('.marks')");
        draw(&mut browser, "g1", "f3");
        draw(&mut browser, "e5", "e5");
        browser.until("location.search.endsWith('draw=Gg1f3,Ge5')");
        assert_eq!(browser.eval("document.querySelectorAll('.marks line.green, .marks rect.green').length"), 2);
        // The link shows the same drawings. Drawing again removes them, and the next move has none.
        let address = browser.text("location.href");
        browser.open(&address);
        browser.until("document.querySelectorAll('.marks line.green, .marks rect.green').length === 2");
        draw(&mut browser, "g1", "f3");
        browser.until("location.search.endsWith('draw=Ge5')");
        browser.key("ArrowLeft");
        browser.until("!location.search.includes('draw') && !document.querySelector('.marks .green')");
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn diagrams_are_files() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(GAMES);
    browser.dark(false);
    browser.open(&format!("http://{}/game?n=1&ply=2&side=black&draw=Re2e4", server.address));
    browser.until("document.querySelector('.marks line.red')");
    browser.click(".left details summary");
    // Captures the files that the buttons would save.
    browser.eval("window.saved = []; window.files = []; URL.createObjectURL = (blob) => `blob:${files.push(blob) - 1}`; HTMLAnchorElement.prototype.click = function () { if (this.download) saved.push([this.download, files[this.href.slice(5)]]); }; 1");
    browser.eval("[...document.querySelectorAll('.sheet button')].filter((button) => button.textContent.startsWith('Diagram')).forEach((button) => button.click())");
    browser.until("saved.length === 2");
    let text = browser.text("saved.find(([name]) => name === 'diagram.svg')[1].text()");
    assert!(text.starts_with("<svg") && text.contains("<title>rnbqkbnr/pppp1ppp/8/4p3/4P3/"), "{}", &text[..200]);
    assert_eq!(text.matches("translate(").count(), 32, "every piece is inside");
    assert!(!text.contains("href") && text.contains("stroke=\"#c62828\""), "nothing is left outside");
    // With Black at the bottom, the first square has h1's color and the first letter is h.
    assert!(text.contains(">h</text>") && text.find(">h</text>") < text.find(">a</text>"));
    let size = browser.text("createImageBitmap(saved.find(([name]) => name === 'diagram.png')[1]).then((image) => `${image.width}x${image.height}`)");
    assert_eq!(size, "1000x1000");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_position_is_shown_within_other_pages() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(GAMES);
    browser.dark(false);
    browser.size(600, 420, false);
    browser.open(&format!("http://{}/embed?play=e2e4&rows=1&side=black&theme=dark", server.address));
    browser.until("document.querySelectorAll('.tree tbody tr:not(.all):not(.ended)').length === 1 && document.querySelectorAll('.board .pieces g').length === 32");
    assert_eq!(browser.eval("document.querySelector('header, footer, .views, .filters, #typed') === null"), true);
    assert_eq!(browser.text("document.documentElement.dataset.theme"), "dark");
    // Board and table fit the frame.
    assert_eq!(
        browser.eval(
            "document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight"
        ),
        true
    );
    browser.until("document.querySelector('[data-square=a1]').getBoundingClientRect().y < document.querySelector('[data-square=a8]').getBoundingClientRect().y");
    browser.click(".tree tbody button");
    browser.until("document.querySelectorAll('.line button').length === 2");
    assert_eq!(browser.text("location.pathname + location.search"), "/embed?play=e2e4&rows=1&side=black&theme=dark");
    let link = browser.text(
        "[...document.querySelectorAll('main a')].find((link) => link.target && link.textContent === 'Open in the explorer').href",
    );
    assert!(link.contains("play=e2e4,") && !link.contains("theme"), "{link}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn an_engine_analyses_while_it_is_on() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let path = archive(folder, "games.bga", GAMES);
        index(&path);
        let engine = Some(EngineConfig { time: Duration::from_millis(100), ..config(fake(folder)) });
        Config { archives: vec![path], engine, ..Config::default() }
    });
    browser.dark(false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until("document.querySelector('.analysis:not([hidden]) button[aria-pressed=false]')");
    let log = || std::fs::read_to_string(server.folder.path().join("engine.log")).unwrap_or_default();
    std::thread::sleep(Duration::from_millis(500));
    assert!(log().is_empty(), "it is asked only while it is on");
    browser.click(".analysis button");
    browser.until("document.querySelector('.lines li')?.textContent.startsWith('+0.31 e4') && document.querySelector('.eval-bar .w').textContent === '+0.31'");
    assert!(browser.text("document.querySelector('.analysis [role=status]').textContent").contains("Fake 1.0"));
    // A click plays the engine's move; a mate fills the bar.
    browser.click(".lines button");
    browser.until("location.search === '?play=e2e4' && document.querySelector('.lines li')?.textContent.startsWith('−0.31 e5 Nf3')");
    assert!(browser.text("document.querySelectorAll('.lines li')[1].textContent").starts_with("#3"));
    // The page of a game also shows the engine, which can be switched off.
    browser.open(&format!("http://{}/game?n=1", server.address));
    browser.until("document.querySelectorAll('.lines li').length === 2");
    browser.click(".analysis button");
    browser.until("!document.querySelector('.lines li') && document.querySelector('.eval-bar').hidden");
    // Without an engine the page shows no trace of one.
    let none = Server::of(GAMES);
    browser.open(&format!("http://{}/explorer", none.address));
    browser.until("document.querySelector('.tree')");
    assert_eq!(browser.eval("document.querySelector('.analysis').hidden"), true);
}
