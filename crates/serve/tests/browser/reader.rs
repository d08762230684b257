//! Interaction: drag, click, type, go back, view games, search.

use crate::chromium::{Browser, browser};
use crate::common::Server;

fn square(name: &str) -> String {
    format!(".board rect[data-square={name}]")
}

/// Returns the displayed moves of the line.
fn line(browser: &mut Browser) -> String {
    browser.text("[...document.querySelectorAll('.line button')].map((button) => button.textContent).join(' ')")
}

#[test]
fn moves_are_dragged_clicked_and_typed() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    let base = format!("http://{}", server.address);
    browser.dark(false);
    browser.open(&format!("{base}/games"));
    let began = std::time::Instant::now();
    browser.open(&format!("{base}/explorer"));
    browser.until("document.querySelectorAll('.tree tbody tr').length > 10 && document.querySelectorAll('.board .pieces g').length === 32");
    println!("the explorer is there after {:?}", began.elapsed());
    browser.drag(&square("e2"), &square("e4"));
    browser.until("location.search === '?play=e2e4'");
    browser.until("document.querySelector('.line button[aria-current]')?.textContent === 'e4'");
    browser.click(&square("c7"));
    browser.click(&square("c5"));
    browser.until("location.search === '?play=e2e4,c7c5'");
    browser.key("/");
    browser.until("document.activeElement.id === 'typed'");
    browser.typed("Nf3");
    browser.key("Enter");
    browser.until("location.search === '?play=e2e4,c7c5,g1f3'");
    browser.until("document.querySelector('.opening')?.textContent.includes('Sicilian')");
    // The table equals the API's answer.
    let tree = server.fine("/api/v1/tree?play=e2e4,c7c5,g1f3").json();
    let games = tree["games"].as_u64().unwrap();
    browser.until(&format!("document.getElementById('n-games')?.textContent === '{games} games'"));
    let first = tree["moves"][0]["san"].as_str().unwrap();
    browser.until(&format!("document.querySelector('.tree tbody button')?.textContent === '1{first}'"));
    // A piece returns after an illegal drag, and nothing changes.
    browser.drag(&square("a7"), &square("a4"));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(browser.text("location.search"), "?play=e2e4,c7c5,g1f3");
    browser.key("Escape");
    browser.eval("document.activeElement.blur()");
    browser.key("ArrowLeft");
    browser.until("location.search === '?play=e2e4,c7c5'");
    browser.key("Home");
    browser.until("location.search === ''");
    browser.key("End");
    browser.until("location.search === '?play=e2e4,c7c5,g1f3'");
    browser.until("!document.querySelector('[data-stale]')");
    browser.key("1");
    browser.until("location.search.split(',').length === 4");
    browser.until("document.querySelectorAll('.line button').length === 4");
    // The link opens the same position, and one step back leaves the page.
    let shown = line(&mut browser);
    let address = browser.text("location.href");
    browser.eval("history.back()");
    browser.until("location.pathname === '/games'");
    browser.open(&address);
    browser.until("document.querySelectorAll('.line button').length === 4");
    assert_eq!(line(&mut browser), shown);
    let text = browser.text("document.querySelector('.board-frame table').textContent");
    assert!(text.contains("White king") && text.contains("Black queen"), "{text}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn promotions_ask_for_the_piece() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=N *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/explorer?fen=4k3/P7/8/8/8/8/8/4K3+w+-+-+0+1", server.address));
    browser.until("document.querySelectorAll('.board .pieces g').length === 3");
    browser.drag(&square("a7"), &square("a8"));
    browser.until("document.querySelector('.promotion-dialog-button')");
    browser.click("[data-piece=wn].promotion-dialog-button, .promotion-dialog-button[data-piece=wn]");
    browser.until("location.search.includes('play=a7a8n')");
    browser.until("document.querySelector('.line button')?.textContent === 'a8=N'");
}

#[test]
fn what_is_no_games_number_shows_no_game() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    for (number, message) in [("abc", "number of a game"), ("-1", "number of a game"), ("2", "2")] {
        browser.open(&format!("http://{}/game?n={number}", server.address));
        browser.until(&format!("document.querySelector('main [role=alert]')?.textContent.includes('{message}')"));
        assert_eq!(browser.eval("document.querySelector('.board') === null"), true);
    }
}

#[test]
fn transpositions_and_few_games_are_marked() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 c5 2. Nf3 1-0\n\n1. Nf3 c5 2. g3 0-1\n\n1. e4 c5 2. Nf3 d6 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/explorer?play=g1f3,c7c5", server.address));
    browser.until("document.querySelector('tr.transposition')?.textContent.includes('by transposition')");
    assert_eq!(browser.eval("document.querySelectorAll('.share.few').length > 0"), true);
    browser.click("tr.transposition button");
    browser.until("location.search === '?play=g1f3,c7c5,e2e4'");
    // "n games" leads to those games.
    browser.until("document.getElementById('n-games')?.textContent === '2 games'");
    browser.click("#n-games");
    browser.until("location.pathname === '/games' && document.querySelectorAll('.list .rows .row').length === 2");
    assert!(
        browser.text("document.querySelector('.heading a.button').href").contains("play=g1f3"),
        "the download is of the list"
    );
}

const RICH: &str = "[Event \"Test\"]\n[Site \"https://example.org/game\"]\n[Date \"2020.05.01\"]\n[White \"<b>Ann</b>\"]\n[Black \"Bob\"]\n[WhiteElo \"2100\"]\n[Result \"1-0\"]\n\n\
    {Before} 1. e4 {[%clk 0:03:00][%eval 0.3][%csl Ge4][%cal Rg1f3] <img src=x onerror=alert(1)>} (1. d4 {Queen} d5 (1... Nf6 2. c4) 2. c4) \
    1... e5 {[%clk 0:02:50][%eval 0.2]} 2. Nf3 $1 {[%clk 0:02:45][%eval 0.4]} Nc6 {[%clk 0:02:40][%eval 0.1]} 3. Bb5 {[%clk 0:02:30][%eval -0.2]} a6 {[%clk 0:02:20][%eval #-3]} 1-0\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bc4 *\n";

#[test]
fn a_game_is_shown_whole() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(RICH);
    let base = format!("http://{}", server.address);
    browser.dark(false);
    browser.open(&format!("{base}/game?n=1"));
    browser.until("document.querySelectorAll('.movetext button.move').length === 11");
    // Hostile comments and names are shown as text.
    assert!(browser.text("document.querySelector('.movetext').textContent").contains("<img src=x onerror=alert(1)>"));
    assert_eq!(browser.eval("document.querySelectorAll('main img, main b').length"), 0);
    assert!(browser.text("document.querySelector('h1').textContent").contains("<b>Ann</b>"));
    assert_eq!(browser.text("document.querySelector('td a').rel"), "noopener noreferrer");
    // Forward; the comment's marks; the clocks.
    browser.key("ArrowRight");
    browser.until("location.search === '?n=1&ply=1' && document.querySelector('.marks .green') && document.querySelector('.marks line.red')");
    assert_eq!(browser.text("document.querySelectorAll('.side')[1].querySelector('.clock').textContent"), "3:00");
    // Down into the variation, and back up.
    browser.key("ArrowDown");
    browser.until("document.querySelector('.movetext [aria-current]')?.textContent === 'd4'");
    browser.key("ArrowUp");
    browser.until("document.querySelector('.movetext [aria-current]')?.textContent === 'e4'");
    // A click on the graph moves the board.
    browser.eval("(() => { const box = document.querySelector('.graph').getBoundingClientRect(); document.querySelector('.graph').dispatchEvent(new MouseEvent('click', { clientX: box.x + box.width * 5 / 6, clientY: box.y + 5, bubbles: true })); })()");
    browser.until("location.search === '?n=1&ply=5'");
    assert_eq!(browser.text("document.querySelector('.movetext [aria-current]').textContent"), "Bb5");
    // The ply at which the game leaves the other one.
    browser
        .until("document.querySelector('section.right > p.soft')?.textContent.includes('Left the archive at 3. Bb5')");
    browser.key("n");
    browser.until("location.search.startsWith('?n=2')");
    // An embedded page has no header and the same board.
    browser.open(&format!("{base}/embed/1?ply=3"));
    browser.until("document.querySelector('.movetext [aria-current]')?.textContent.startsWith('Nf3')");
    assert_eq!(browser.eval("document.querySelector('header')"), serde_json::Value::Null);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn lists_are_filtered_sorted_and_walked_by_keys() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    let base = format!("http://{}", server.address);
    browser.dark(false);
    browser.open(&format!("{base}/games"));
    browser.until("document.querySelectorAll('.list .rows .row').length > 10");
    assert!(
        browser.eval("document.querySelectorAll('.list .rows .row').length").as_u64().unwrap() < 80,
        "the list is not virtual"
    );
    browser.eval("document.querySelector('.list').scrollTop = 1e6");
    browser.until("document.querySelector('.list .rows')?.textContent.includes('3,000')");
    browser.eval("document.querySelector('.list').scrollTop = 0");
    browser.until("document.querySelector('a[data-place=\"0\"]')");
    browser.key("j");
    browser.key("j");
    browser.until("document.activeElement.dataset.place === '2'");
    browser.key("k");
    browser.until("document.activeElement.dataset.place === '1'");
    browser.key("Enter");
    browser.until("location.pathname === '/game' && location.search.startsWith('?n=2')");
    browser.eval("history.back()");
    browser.until("location.pathname === '/games' && document.querySelectorAll('.list .rows .row').length > 10");
    // Sort by length.
    browser.eval(
        "[...document.querySelectorAll('.head button')].find((button) => button.textContent === 'Moves').click()",
    );
    browser.until("location.search.includes('sort=-plies')");
    let first =
        server.fine("/api/v1/games?sort=-plies&limit=1").json()["games"][0]["plies"].as_u64().unwrap().div_ceil(2);
    browser.until(&format!("document.querySelector('.list .rows .row .plies')?.textContent === '{first}'"));
    // An invalid filter shows the location of its error. A valid one becomes a chip and stays active on other pages.
    browser.eval("document.querySelector('details.filter').open = true");
    browser.until("document.querySelector('textarea[name=whole]')");
    browser.eval("document.querySelector('textarea[name=whole]').value = 'elo >= 1900 und white'");
    browser.click(".filter-form button.primary");
    browser.until("document.querySelector('#where-fault')?.textContent.startsWith('Column 13')");
    browser.eval("document.querySelector('textarea[name=whole]').value = ''; document.querySelector('input[name=elo_from]').value = 1900");
    browser.click(".filter-form button.primary");
    browser.until("document.querySelector('.chip')?.textContent.startsWith('Rating from 1900')");
    let total = server.fine("/api/v1/games?where=elo >= 1900&limit=0").json()["total"].as_u64().unwrap();
    browser.until(&format!("document.querySelector('.total')?.textContent.startsWith('{total} games')"));
    browser.click("nav a:nth-child(4)");
    browser.until(&format!(
        "location.pathname === '/statistics' && document.querySelector('.total')?.textContent === '{total} games'"
    ));
    browser.click(".chip button");
    browser.until("document.querySelector('.total')?.textContent === '3,000 games'");
    assert_eq!(browser.complaints(), ["\"Failed to load resource: the server responded with a status of 400 (Bad Request)\" \"http://ADDRESS/api/v1/games?where=elo+%3E%3D+1900+und+white&limit=0\"".replace("ADDRESS", &server.address.to_string())]);
}

#[test]
fn a_position_is_set_up_by_keys_and_by_hand() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    let base = format!("http://{}", server.address);
    browser.dark(false);
    let expected =
        server.post("/api/v1/find", &serde_json::json!({"board": "8/8/8/8/8/3B1N2/8/8", "limit": 1000})).lines();
    let found = expected.last().unwrap()["done"]["found"].as_u64().unwrap();
    assert!(found > 100);
    let said = format!("{}{:03} games found", if found >= 1000 { "1," } else { "" }, found % 1000);
    // Set up a bishop on d3 and a knight on f3 with the keyboard.
    browser.open(&format!("{base}/search?tab=pattern"));
    browser.until("document.querySelectorAll('.setup-cell').length === 64");
    browser.eval("document.querySelector('[data-square=e4]').focus()");
    for key in ["b", "ArrowLeft", "ArrowDown", "Enter", "n", "ArrowRight", "ArrowRight", "Enter"] {
        browser.key(key);
    }
    browser.until("document.querySelector('input[name=board]').value === '8/8/8/8/8/3B1N2/8/8'");
    browser.click("button[type=submit].primary");
    browser
        .until(&format!("document.querySelector('.total')?.textContent.includes('{}')", said.trim_start_matches('0')));
    assert!(browser.text("location.search").contains("run=1"));
    // Do the same by dragging from the palette, then remove one of the pieces.
    browser.open(&format!("{base}/search?tab=pattern"));
    browser.until("document.querySelectorAll('.setup-cell').length === 64");
    browser.drag("[data-tool=B]", "[data-square=d3]");
    browser.drag("[data-tool=N]", "[data-square=g3]");
    browser.drag("[data-square=g3]", "[data-square=f3]");
    browser.until("document.querySelector('input[name=board]').value === '8/8/8/8/8/3B1N2/8/8'");
    // The page shows whether games can reach a position, and the estimated cost of the search.
    browser.open(&format!("{base}/search?fen=rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR+w+KQkq+-+0+2"));
    browser.until("document.querySelector('section.left > p.soft')?.textContent.length > 10");
    browser.click("button[type=submit].primary");
    let games = server.fine("/api/v1/games?play=e2e4,c7c5&limit=0").json()["total"].as_u64().unwrap();
    browser.until(&format!("document.querySelector('.total')?.textContent.startsWith('{games} games found')"));
    browser.eval("document.querySelector('[data-square=e1]').focus()");
    browser.key("Delete");
    browser.until("document.querySelector('p.fault')?.textContent.includes('king')");
}

/// The list is higher than the browser's limit for elements.
#[test]
fn a_long_list_is_listed_to_its_end() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let path = folder.join("long.bga");
        scoresheet::Import::new(&path).run(vec![crate::common::sample(); 70]).unwrap();
        scoresheet_serve::Config { archives: vec![path], ..scoresheet_serve::Config::default() }
    });
    browser.dark(false);
    browser.open(&format!("http://{}/games", server.address));
    browser.until("document.querySelector('.total')?.textContent === '210,000 games'");
    // Returns the numbers in the first and last visible row, or nothing while a visible row is missing or empty.
    let seen = "(() => { const view = document.querySelector('.list').getBoundingClientRect(); \
                const boxes = [...document.querySelectorAll('.rows .row')].map((row) => [row.getBoundingClientRect(), row]); \
                const rows = boxes.filter(([own]) => own.top >= view.top + 43 && own.bottom <= view.bottom + 1); \
                if (!rows.length || rows[0][0].top > view.top + 88 || rows.at(-1)[0].bottom < view.bottom - 44) return ''; \
                const numbers = [rows[0], rows.at(-1)].map(([, row]) => row.querySelector('.number')?.textContent); \
                return numbers.every(Boolean) ? numbers.join(' ') : ''; })()";
    let ends = |browser: &mut Browser| {
        browser.until(seen);
        let text = browser.text(seen);
        let (first, last) = text.split_once(' ').unwrap();
        let number = |text: &str| text.replace(',', "").parse::<u64>().unwrap();
        (number(first), number(last))
    };
    let (first, last) = ends(&mut browser);
    assert_eq!(first, 1);
    let rows = last - first;
    browser.key("End");
    browser.until(&format!("{seen}.endsWith('210,000')"));
    browser.until("document.activeElement?.dataset.place === '209999'");
    // Scroll back by rows and by a small turn of the wheel, then to the middle with the scroll bar.
    browser.key("k");
    browser.until("document.activeElement?.dataset.place === '209998'");
    let before = ends(&mut browser).0;
    browser.eval("document.querySelector('.list').scrollTop -= 400");
    assert_eq!(ends(&mut browser).0, before - 10);
    browser.eval("(() => { const list = document.querySelector('.list'); list.scrollTop = list.scrollHeight / 2; })()");
    let (first, last) = ends(&mut browser);
    assert!((104_900..105_100).contains(&first) && last - first <= rows + 1, "{first} {last}");
    browser.key("Home");
    browser.until("document.activeElement?.dataset.place === '0'");
    assert_eq!(ends(&mut browser).0, 1);
}

#[test]
fn a_search_can_be_cancelled() {
    let Some(mut browser) = browser() else { return };
    // Many games without side files make the search slow enough.
    let server = Server::with(|folder| {
        let path = folder.join("many.bga");
        scoresheet::Import::new(&path).run(vec![crate::common::sample(); 40]).unwrap();
        scoresheet_serve::Config { archives: vec![path], ..scoresheet_serve::Config::default() }
    });
    browser.dark(false);
    browser.open(&format!("http://{}/search?tab=moves", server.address));
    browser.eval("document.querySelector('textarea[name=query]').value = JSON.stringify({ sequence: [{ 'white-move': 'Qh1#' }, { 'black-move': 'Qa8#' }] })");
    browser.click("button[type=submit].primary");
    browser.until("!document.getElementById('cancel').disabled && document.querySelector('.total')?.textContent.includes('searched')");
    browser.click("#cancel");
    browser.until("document.querySelector('.total')?.textContent.startsWith('Canceled')");
    assert_eq!(browser.eval("document.getElementById('cancel').disabled"), true);
}

#[test]
fn a_server_that_has_gone_is_said_to_be() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until("document.querySelector('.tree')");
    drop(server);
    browser.click("nav a:nth-child(4)");
    browser.until("document.querySelector('[role=alert]')?.textContent.includes('does not answer')");
}
