//! The page of a player: a click on a name opens it, and each figure links to its games.

use crate::chromium::browser;
use crate::common::{SPELLINGS, Server};

#[test]
fn a_name_leads_to_the_player() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(SPELLINGS);
    let base = format!("http://{}", server.address);
    browser.dark(false);
    // Any spelling in a game leads to the page.
    browser.open(&format!("{base}/game?n=2"));
    browser.click("h1 a.person[title*=Carlsen]");
    browser.until("location.pathname === '/player' && document.querySelector('.total')?.textContent === '3 games'");
    assert_eq!(browser.text("document.querySelector('h1').textContent"), "Carlsen, Magnus");
    assert_eq!(browser.text("document.title"), "Carlsen, Magnus – Scoresheet");
    // Select one spelling, then all again.
    browser.click(".panel > p.soft a");
    browser.until("document.querySelector('.total')?.textContent === '1 game'");
    browser.click(".panel > p.soft a");
    browser.until("document.querySelector('.total')?.textContent === '3 games'");
    // Each count leads to its games, for example the games against one opponent under both spellings.
    let games = browser.text("[...document.querySelectorAll('tr')].find((row) => row.textContent.startsWith('Anand, V')).querySelector('td a').href");
    browser.open(&games);
    browser.until("document.querySelector('.total')?.textContent === '2 games' && document.querySelectorAll('.list .rows .row').length === 2");
    assert!(browser.text("document.querySelector('.chips').textContent").contains("Carlsen, Magnus (2 spellings)"));
    // From the list with its filter, and on to a game.
    browser.eval("document.querySelector('.list .rows a.person[title*=Anand]').click()");
    browser.until("location.pathname === '/player' && document.querySelector('h1')?.textContent === 'Anand, V' && document.querySelector('.total')");
    browser.open(&format!("{base}/statistics"));
    browser.eval("[...document.querySelectorAll('.stat th a')].find((link) => link.textContent === 'Tal, M').click()");
    browser.until("location.pathname === '/player' && document.querySelector('.total')?.textContent === '2 games'");
    browser.click(".games-table a");
    browser.until("location.pathname === '/game'");
    // An address with an unknown name, and one without a name.
    browser.open(&format!("{base}/player?name="));
    browser.click("form.inline input");
    browser.typed("Carlson, Magnus");
    browser.key("Enter");
    browser.until("document.querySelector('main [role=alert]')?.textContent.includes('Carlsen, Magnus')");
}

#[test]
fn a_tournament_leads_to_its_games() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(
        "[Event \"Cup\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[Event \"Cup\"]\n[White \"Bob\"]\n[Black \"Cid\"]\n[Result \"1/2-1/2\"]\n\n1. d4 1/2-1/2\n",
    );
    browser.dark(false);
    browser.open(&format!("http://{}/game?n=1", server.address));
    browser.click("p.soft a.person");
    browser.until("location.pathname === '/event' && document.querySelectorAll('.standings tbody tr').length === 3");
    let rows = browser.text("[...document.querySelectorAll('.standings tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent).join(' ')).join('|')");
    assert_eq!(rows, "Ann 1 – ✕ 1  1 1 0.5|Bob 2 – 0 ✕ ½ 2 0.5 0.25|Cid 3 –  ½ ✕ 1 0.5 0.25");
    browser.click(".standings tbody tr:nth-child(3) a.cross");
    browser.until("location.pathname === '/game' && location.search === '?n=2'");
    // Without a name, the page lists the tournaments. An unknown name, game or position leads on, too.
    let base = format!("http://{}", server.address);
    browser.open(&format!("{base}/event"));
    browser.until("document.querySelector('.events a')?.textContent === 'Cup'");
    browser.open(&format!("{base}/event?name=Nowhere"));
    browser.until("document.querySelector('a.button[href$=\"/event\"]')");
    browser.open(&format!("{base}/game?n=99"));
    browser.until("document.querySelector('[role=alert] a.button[href$=\"/games\"]')");
    browser.open(&format!("{base}/explorer?fen=8/8/8/8/8/8/8/7x"));
    browser.until("document.querySelector('[role=alert] .at')?.textContent === 'x'");
    let said = browser.text("document.querySelector('.notice[role=alert]').innerText");
    assert_eq!(said.to_lowercase().matches("column").count(), 1, "{said}");
    browser.click("[role=alert] a.button");
    browser.until("location.pathname === '/explorer' && !location.search && document.querySelector('.tree tbody tr')");
}
