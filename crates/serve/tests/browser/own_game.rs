//! The reader's own games: dropped on a page, chosen or pasted. The pages show and compare them; only the browser keeps
//! them.

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

/// Games of a player: two with the Sicilian, of which one leaves the archive, and one with White.
fn repertoire() -> String {
    let game = |white: &str, black: &str, result: &str, moves: &str| {
        format!(
            "[Event \"Club\"]\n[Date \"2024.02.01\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
        )
    };
    [
        game("Ann", "Me", "1-0", "1. e4 c5 2. Nf3 h5 3. d4 h4"),
        game("Bob", "Me", "1-0", "1. e4 c5 2. Nf3 h5 3. d3"),
        game("Me", "Cid <b>", "1/2-1/2", "1. e4 e5"),
    ]
    .concat()
}

const ARCHIVE: &str = "[Result \"0-1\"]\n\n1. e4 c5 2. Nf3 d6 0-1\n\n[Result \"0-1\"]\n\n1. e4 c5 2. Nf3 Nc6 0-1\n\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";

#[test]
fn dropped_games_are_a_repertoire() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(ARCHIVE);
    browser.dark(false);
    browser.open(&format!("http://{}/games", server.address));
    browser.eval(&dropped(&repertoire()));
    browser.until("location.pathname === '/own' && document.querySelector('.deviations li')");
    // The player is the most frequent name. The results are the player's.
    assert_eq!(browser.text("document.querySelector('[data-control=me]').value"), "Me");
    let words = browser.text("document.querySelector('.repertoire .result-bar .bar').getAttribute('aria-label')");
    assert_eq!(words, "Won 0%, Drawn 33%, Lost 67%");
    let openings = browser.eval("[...document.querySelectorAll('.repertoire .tree tbody tr')].map((row) => [row.children[0].textContent, row.children[1].textContent, row.children[3].textContent])");
    assert_eq!(openings, serde_json::json!([["Sicilian Defense", "2", "0%"], ["King's Pawn Game", "1", "50%"]]));
    // The move that left the archive: the score, the archive's games and their score.
    let deviations = "[...document.querySelectorAll('.deviations li')].map((row) => row.textContent.trim())";
    let said = browser.eval(deviations);
    assert_eq!(said.as_array().unwrap().len(), 1, "{said}");
    let said = said[0].as_str().unwrap();
    assert!(said.starts_with("2… h5 – 2 games, 0% · 2 games had the position before, 100%, mostly"), "{said}");
    let games = browser.text("document.querySelector('.repertoire .games-table').textContent");
    assert!(
        games.contains("left the archive at 2… h5, 2 games had the position before") && games.contains("Cid <b>"),
        "{games}"
    );
    // By color.
    browser.eval("document.querySelector('[data-control=color-white]').click()");
    browser.until("location.search.includes('color=white') && document.querySelectorAll('.repertoire .games-table tr').length === 2");
    browser.eval("document.querySelector('[data-control=color-black]').click()");
    browser.until("location.search.includes('color=black') && document.querySelectorAll('.repertoire .games-table tr').length === 3");
    // The tree of the games beside the archive's, with the difference.
    browser.click("#own-tree");
    browser.until("location.search.includes('view=mine') && document.querySelector('.tree.compare') && !document.querySelector('[data-stale]')");
    for _ in 0..3 {
        browser.key("1");
    }
    browser.until("document.querySelectorAll('.line button').length === 3 && !document.querySelector('[data-stale]')");
    let rows = browser.eval("[...document.querySelectorAll('.tree.compare tbody tr')].map((row) => [row.querySelector('th').textContent.replace(/^\\d/, ''), row.children[1].textContent, row.children[4].textContent])");
    let mut rows: Vec<_> = rows.as_array().unwrap().iter().map(ToString::to_string).collect();
    rows.sort();
    assert_eq!(
        rows,
        ["[\"All\",\"2\",\"2\"]", "[\"Nc6\",\"0\",\"1\"]", "[\"d6\",\"0\",\"1\"]", "[\"h5\",\"2\",\"0\"]"]
    );
    // A reload keeps the games, in this browser alone.
    assert_eq!(browser.eval("sessionStorage.length + localStorage.length"), 0);
    browser.open(&format!("http://{}/own", server.address));
    browser.until("document.querySelector('.deviations li')");
    browser.open(&format!("http://{}/own?n=2", server.address));
    browser.until("document.querySelector('h1')?.textContent.includes('Bob') && document.querySelectorAll('.movetext button.move').length === 5");
    browser.click("section.right .notice button:last-child");
    browser.until("document.querySelector('#own-pgn')");
    browser.open(&format!("http://{}/own", server.address));
    browser.until("document.querySelector('#own-pgn')");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// A file longer than a request is read in pieces, without loss at their borders; also in the old encoding of PGN.
#[test]
fn long_files_are_read_in_pieces() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(ARCHIVE);
    browser.dark(false);
    browser.open(&format!("http://{}/own", server.address));
    let drop = "(() => { const game = (n) => `[Event \"M\u{fc}nchen\"]\\n[White \"Me\"]\\n[Black \"Player ${n}\"]\\n[Result \"1-0\"]\\n\\n{${'x'.repeat(n % 700)}} 1. e4 c5 1-0\\n\\n`; \
        const text = Array.from({ length: 2500 }, (_, n) => game(n + 1)).join(''); const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0)); \
        const files = new DataTransfer(); files.items.add(new File([bytes], 'long.pgn')); \
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true })); return bytes.length; })()";
    assert!(browser.eval(drop).as_u64() > Some(1_000_000));
    browser.until("document.querySelector('.repertoire')");
    assert_eq!(browser.text("document.querySelector('[data-control=me] option').textContent"), "Me (2,500)");
    browser.open(&format!("http://{}/own?n=1777", server.address));
    browser.until("document.querySelector('h1')?.textContent.includes('Player 1777')");
    assert!(browser.text("document.querySelector('main').textContent").contains("M\u{fc}nchen"));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_dropped_game_is_shown_and_compared() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 e5 2. Nf3 Nc6 *\n\n1. e4 c5 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/games", server.address));
    assert_eq!(browser.eval(&dropped(OWN)), true);
    browser.until("location.pathname === '/own' && document.querySelector('.repertoire .games-table a')");
    // The comparison with the archive may still move the rows.
    browser.eval("document.querySelector('.repertoire .games-table a').click()");
    browser.until("location.search === '?n=1' && document.querySelectorAll('.movetext button.move').length === 5");
    assert!(browser.text("document.querySelector('h1').textContent").contains("<i>You</i>"));
    browser.until("document.querySelector('#moves').textContent.includes('2… Nf6: 1 game had')");
    browser.key("End");
    browser.until("location.search === '?n=1&ply=4' && document.querySelectorAll('.board .pieces g').length === 32");
    assert!(browser.text("document.querySelector('#explore').href").contains("play=e2e4,e7e5,g1f3,g8f6"));
    // Go to the next game of the text and back.
    browser.key("n");
    browser.until("location.search === '?n=2' && document.querySelector('h1')?.textContent.includes('Second')");
    browser.key("p");
    browser.until("document.querySelector('h1')?.textContent.includes('Me')");
    // The text survives a visit to another page, and a reload.
    browser.eval("history.back()");
    browser.until("location.search === '?n=2'");
    browser.open(&format!("http://{}/own?n=1&ply=4", server.address));
    browser.until("document.querySelector('.movetext [aria-current]')?.textContent === 'Nf6'");
    browser.click("section.right .notice button:last-child");
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
