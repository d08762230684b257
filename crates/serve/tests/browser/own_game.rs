//! The reader's own game: dropped on a page, chosen or pasted. The page shows and compares it, and stores nothing.

use crate::chromium::browser;
use crate::common::Server;

/// Drops a file with a text on the page.
pub fn dropped(pgn: &str) -> String {
    let text = serde_json::to_string(pgn).unwrap();
    format!(
        "(() => {{ const files = new DataTransfer(); files.items.add(new File([{text}], 'mine.pgn')); \
         document.body.dispatchEvent(new DragEvent('dragover', {{ dataTransfer: files, bubbles: true, cancelable: true }})); \
         const isShown = document.body.classList.contains('dropping'); \
         document.body.dispatchEvent(new DragEvent('drop', {{ dataTransfer: files, bubbles: true, cancelable: true }})); return isShown; }})()"
    )
}

pub const OWN: &str = "[White \"Me\"]\n[Black \"<i>You</i>\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 {good} (2. f4) Nf6 1-0\n\n[White \"Second\"]\n\n1. d4 *\n";

#[test]
fn a_dropped_game_is_shown_and_compared() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 e5 2. Nf3 Nc6 *\n\n1. e4 c5 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/games", server.address));
    assert_eq!(browser.eval(&dropped(OWN)), true);
    browser.until("location.pathname === '/own' && document.querySelectorAll('.movetext button.move').length === 5");
    assert!(browser.text("document.querySelector('h1').textContent").contains("<i>You</i>"));
    browser.until("document.querySelector('#moves').textContent.includes('2… Nf6: 1 game had')");
    browser.key("End");
    browser.until("location.search === '?ply=4' && document.querySelectorAll('.board .pieces g').length === 32");
    assert!(browser.text("document.querySelector('#explore').href").contains("play=e2e4,e7e5,g1f3,g8f6"));
    // Go to the next game of the text and back.
    browser.key("n");
    browser.until("location.search === '?n=2' && document.querySelector('h1')?.textContent.includes('Second')");
    browser.key("p");
    browser.until("document.querySelector('h1')?.textContent.includes('Me')");
    assert_eq!(browser.eval("sessionStorage.length + localStorage.length"), 0, "nothing is stored");
    // The text survives a visit to another page, but not a reload.
    browser.eval("history.back()");
    browser.until("location.search === '?n=2'");
    browser.open(&format!("http://{}/own?ply=4", server.address));
    browser.until("document.querySelector('#own-pgn')");
    // Pasted.
    browser.click("#own-pgn");
    browser.typed("1. c4 c5 *");
    browser.click("form button[type=submit]");
    browser.until("document.querySelectorAll('.movetext button.move').length === 2");
    // A text without a game shows an error.
    browser.eval(&dropped("nothing"));
    browser.until("document.querySelector('main [role=alert]')?.textContent.includes('no game')");
}
