//! The page of a game: the side at the bottom, addresses of variations, engine data, and an embedded game.

use crate::chromium::browser;
use crate::common::{Server, archive};
use scoresheet_serve::Config;
use serde_json::json;

const RICH: &str = "[Event \"Test\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"2100\"]\n[Result \"1-0\"]\n\n\
    1. e4 {[%clk 0:03:00]} (1. d4 {Queen} d5 (1... Nf6 2. c4) 2. c4) 1... e5 {[%clk 0:02:50]} 2. Nf3 $1 {[%clk 0:02:45]} Nc6 $4 {[%clk 0:02:40]} \
    3. Bb5 a6 4. Ba4 Nf6 1-0\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n";

#[test]
fn names_and_clocks_turn_with_the_board() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(RICH);
    // With animation, the board turns only after the moves have finished.
    browser.call(
        "Emulation.setEmulatedMedia",
        json!({"features": [{"name": "prefers-reduced-motion", "value": "no-preference"}]}),
    );
    browser.open(&format!("http://{}/game?n=1", server.address));
    browser.until("document.querySelectorAll('.board .pieces g').length === 32");
    let agrees = "(() => { const turned = document.querySelector('[data-square=a1]').getBoundingClientRect().y < document.querySelector('[data-square=a8]').getBoundingClientRect().y; \
                  const below = document.querySelectorAll('.side')[1].textContent; return below.includes(turned ? 'Bob' : 'Ann') ? (turned ? 'black' : 'white') : 'torn'; })()";
    for turns in [1, 2] {
        for _ in 0..5 {
            browser.key("ArrowRight");
        }
        for _ in 0..turns {
            browser.key("f");
        }
        std::thread::sleep(std::time::Duration::from_millis(900));
        // After one turn Black is at the bottom, and after two more turns as well.
        browser.until(&format!("{agrees} === 'black'"));
        assert_eq!(browser.text(agrees), "black", "{turns}");
        assert!(browser.text("location.search").contains("side=black"));
        browser.key("Home");
    }
    assert_eq!(browser.text("document.querySelectorAll('.side')[0].querySelector('.name').textContent"), "Ann");
    // The next game has the same side at the bottom.
    browser.key("n");
    browser.until("location.search.startsWith('?n=2') && location.search.includes('side=black')");
    browser.until("document.querySelectorAll('.board .pieces g').length === 32");
    browser.until("document.querySelector('[data-square=a1]').getBoundingClientRect().y < document.querySelector('[data-square=a8]').getBoundingClientRect().y");
}

#[test]
fn variations_have_addresses() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(RICH);
    let base = format!("http://{}/game", server.address);
    browser.dark(false);
    browser.open(&format!("{base}?n=1"));
    browser.until("document.querySelectorAll('.movetext button.move').length === 13");
    let now = "document.querySelector('.movetext [aria-current]')?.textContent";
    browser.eval(
        "[...document.querySelectorAll('.variation button')].find((button) => button.textContent === 'Nf6').click()",
    );
    browser.until(&format!("{now} === 'Nf6' && location.search === '?n=1&ply=2&via=1.1,2.1'"));
    browser.eval("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    browser.key("c");
    browser.until("window.copied === location.href");
    let copied = browser.text("window.copied");
    for (address, shown) in [
        (copied.as_str(), "Nf6"),
        (&format!("{base}?n=1&ply=3&via=1.1"), "c4"),
        (&format!("{base}?n=1&ply=4"), "Nc6??"),
    ] {
        browser.open(address);
        browser.until(&format!("{now} === '{shown}'"));
    }
    // The main line continues from the start of a variation.
    browser.open(&format!("{base}?n=1&ply=1&via=1.1"));
    browser.until(&format!("{now} === 'd4'"));
    browser.key("ArrowUp");
    browser.until("location.search === '?n=1&ply=1'");
}

#[test]
fn a_game_within_another_page_fits_its_frame() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(RICH);
    let base = format!("http://{}", server.address);
    browser.dark(false);
    browser.open(&format!("{base}/game?n=1&ply=3"));
    browser.until("document.querySelector('.movetext [aria-current]')");
    browser.eval("navigator.clipboard.writeText = async (text) => { window.copied = text; }");
    browser.eval("[...document.querySelectorAll('.sheet button')].find((button) => button.textContent === 'Copy code to embed').click()");
    browser.until("window.copied?.startsWith('<iframe')");
    let code = browser.text("window.copied");
    assert_eq!(code, format!("<iframe src=\"{base}/embed/1?ply=3\" width=\"600\" height=\"420\"></iframe>"));
    let outside = |selector: &str| {
        format!(
            "[...document.querySelectorAll('{selector}')].filter((node) => {{ const box = node.getBoundingClientRect(); \
             return box.width < 20 || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight; }}).length"
        )
    };
    for (width, height) in [(600, 420), (800, 500), (360, 640)] {
        browser.size(width, height, false);
        browser.open(&format!("{base}/embed/1?ply=3"));
        browser.until("document.querySelectorAll('.board .pieces g').length === 32");
        for selector in [".board", ".buttons.tight button", ".movetext", ".side", ".movetext [aria-current]"] {
            assert_eq!(browser.eval(&outside(selector)), 0, "{selector} at {width}");
        }
        assert_eq!(browser.eval("document.documentElement.scrollHeight <= innerHeight"), true, "at {width}");
    }
    // Part of a game without its moves, in the colors of the embedding page.
    browser.size(600, 420, false);
    browser.open(&format!("{base}/embed/1?from=3&to=5&theme=dark&moves=0"));
    browser.until("document.querySelectorAll('.board .pieces g').length === 32");
    assert_eq!(browser.text("document.documentElement.dataset.theme"), "dark");
    assert_eq!(browser.eval("getComputedStyle(document.querySelector('.movetext')).display === 'none' || !document.querySelector('.movetext').offsetParent"), true);
    let played = "[...document.querySelectorAll('.movetext button')].map((button) => button.textContent).join(' ')";
    assert_eq!(browser.text(played), "Nc6?? Bb5");
    for (key, shown) in [("End", "Bb5"), ("ArrowRight", "Bb5")] {
        browser.key(key);
        browser.until(&format!("document.querySelector('.movetext [aria-current]')?.textContent === '{shown}'"));
    }
    browser.key("Home");
    browser.until("!document.querySelector('.movetext [aria-current]')");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn engines_do_not_bury_the_moves() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(
        "[White \"A\"]\n[Black \"B\"]\n\n{WhiteEngineOptions: Threads=104; Hash=65536;} 1. e4 {book, mb=+0+0+0+0+0,} e5 {d=18, sd=55, mt=1000, tl=1200000, s=100, n=1000, pv=e5 Nf3 Nc6, wv=0.12,} \
         2. Nf3 $6 Nc6 *\n",
    );
    browser.dark(false);
    browser.open(&format!("http://{}/game?n=1&ply=2", server.address));
    browser.until("document.querySelector('.movetext [aria-current]')?.textContent === 'e5'");
    let text = browser.text("document.querySelector('.movetext').innerText");
    assert!(!text.contains("sd=") && !text.contains("mb="), "{text}");
    assert!(text.contains("0.12") && text.contains("20:00"), "{text}");
    // The engine's line opens beside the board, and its moves can be played.
    browser.eval("document.querySelector('.comment summary').click()");
    browser.until("document.querySelectorAll('.comment .variation button').length >= 2");
    browser.eval("document.querySelectorAll('.comment .variation button')[1].click()");
    browser.until("document.querySelector('.comment [aria-current]')?.textContent === 'Nf3'");
    // Judgements have their colors in the moves and on the graph.
    assert_eq!(browser.eval("document.querySelectorAll('.movetext .judged-dubious').length"), 1);
    assert_eq!(browser.eval("document.querySelectorAll('.graph .dot.judged-dubious').length"), 1);
}

/// Without a position index the page does not request the novelty, which would cause an error in the console.
#[test]
fn a_game_without_an_index_makes_no_noise() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| Config {
        archives: vec![archive(folder, "plain.bga", "1. e4 e5 *\n")],
        ..Config::default()
    });
    browser.dark(false);
    browser.open(&format!("http://{}/game?n=1", server.address));
    browser.until("document.querySelector('section.right > p.soft')?.textContent.includes('position index')");
    assert_eq!(browser.complaints(), [""; 0]);
}
