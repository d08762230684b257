//! Lists, filters, searches and statistics: restored state, and error messages.

use crate::chromium::browser;
use crate::common::{Server, archive, sample};
use scoresheet_serve::Config;
use serde_json::json;

#[test]
fn back_from_a_game_leads_to_the_same_place_in_the_list() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    browser.open(&format!("http://{}/games", server.address));
    browser.until("document.querySelectorAll('.list .rows .row').length > 10");
    browser.eval("document.querySelector('.list').scrollTop = 60000");
    browser.until("document.querySelector('.list .rows')?.textContent.includes('1,510')");
    browser.until("document.querySelector('.list a[data-place=\"1509\"]')");
    browser.eval("document.querySelector('.list a[data-place=\"1509\"]').focus({ preventScroll: true })");
    browser.until("history.state?.chosen === 1509");
    browser.eval("document.querySelector('.list a[data-place=\"1509\"]').click()");
    browser.until("location.pathname === '/game' && document.querySelector('.movetext')");
    browser.eval("history.back()");
    browser.until("document.querySelector('.list .row.chosen a')?.dataset.place === '1509'");
    assert!(
        (59_000..61_000)
            .contains(&browser.eval("Math.round(document.querySelector('.list').scrollTop)").as_i64().unwrap())
    );
}

#[test]
fn an_empty_list_drops_whole_conditions() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[Event \"Foo\"]\n\n1. e4 *\n");
    browser.dark(false);
    let filter = "event = \"Foo and Bar\" and (elo >= 4000 or white = \"X\" and black = \"Y\")";
    browser.open(&format!(
        "http://{}/games?where={}",
        server.address,
        filter.replace(' ', "+").replace('"', "%22").replace('>', "%3E")
    ));
    browser.until("document.querySelectorAll('.notice button').length === 2");
    assert_eq!(browser.text("document.querySelector('.notice button').textContent"), "Drop Event: Foo and Bar");
    browser.click(".notice button");
    browser.until(
        "new URLSearchParams(location.search).get('where') === '(elo >= 4000 or white = \"X\" and black = \"Y\")'",
    );
    browser.until("document.querySelectorAll('.notice button').length === 1");
    browser.click(".notice button");
    browser.until("document.querySelector('.total')?.textContent === '1 game'");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_wrong_filter_in_the_address_is_shown_at_its_column() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    for (language, message) in [("en", "expected \"and\", \"or\" or the end"), ("de", "oder das Ende wird erwartet")] {
        browser.open(&format!("http://{}/explorer", server.address));
        browser.eval(&format!("localStorage.setItem('language', '{language}')"));
        browser.open(&format!("http://{}/explorer?where=elo+%3E%3D+1900+und+white", server.address));
        browser.until("document.querySelector('.notice[role=alert]')");
        let text = browser.text("document.querySelector('.notice[role=alert]').textContent");
        assert!(text.contains("13") && text.contains(message), "{text}");
        assert_eq!(browser.text("document.querySelector('.notice .at').textContent"), "und");
        // A retry would fail again, so the page offers none.
        assert!(!text.contains("Try again") && !text.contains("Noch einmal"), "{text}");
    }
    browser.click(".notice button.primary");
    browser.until(
        "document.activeElement.name === 'whole' && document.getElementById('where-fault').textContent.includes('13')",
    );
    let selected = "(() => { const { value, selectionStart, selectionEnd } = document.activeElement; \
                    return value.slice(selectionStart, selectionEnd); })()";
    assert_eq!(browser.text(selected), "und");
    // The range counts letters, of which some are two code units.
    browser.open(&format!("http://{}/explorer?where=white+%3D+%22%F0%9D%95%8F%22+und+1", server.address));
    browser.until("document.querySelector('.notice .at')");
    assert_eq!(browser.text("document.querySelector('.notice .at').textContent"), "und");
}

#[test]
fn what_a_search_finds_is_a_list_like_any_other() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    let base = format!("http://{}", server.address);
    browser.dark(false);
    let found = server.post("/api/v1/find", &json!({"white_move": "O-O", "limit": 100_000})).lines();
    let found = found.last().unwrap()["done"]["found"].as_u64().unwrap();
    assert!(found > 1000);
    browser.open(&format!("{base}/search?tab=moves&white_move=O-O&run=1"));
    browser.until("document.getElementById('as-list')");
    let message = format!("{},{:03} games found", found / 1000, found % 1000);
    assert!(browser.text("document.querySelector('.total').textContent").starts_with(&message));
    assert_eq!(browser.eval("document.querySelectorAll('.games-table tbody tr').length"), 200);
    // The results as a list with a filter and a sort order, as statistics, and as a download.
    browser.click("#as-list");
    let games = format!("{},{:03} games", found / 1000, found % 1000);
    browser.until(&format!(
        "location.pathname === '/games' && document.querySelector('.total')?.textContent === '{games}'"
    ));
    let address = browser.text("document.querySelector('.heading a.button').href");
    let download = server.fine(address.strip_prefix(&base).unwrap()).text();
    assert_eq!(download.matches("[Event ").count() as u64, found);
    browser.click("nav a:nth-child(4)");
    browser.until(&format!(
        "location.pathname === '/statistics' && document.querySelector('.total')?.textContent === '{games}'"
    ));
    browser.click("nav a:nth-child(1)");
    browser.until("document.getElementById('n-games')");
    let tree = server.fine("/api/v1/tree?find={\"white_move\":\"O-O\"}&where=elo >= 1800").json();
    let list = server.fine("/api/v1/games?find={\"white_move\":\"O-O\"}&where=elo >= 1800&limit=0").json();
    assert!(tree["games"] == list["total"] && list["total"].as_u64().unwrap() < found, "{}", list["total"]);
    // The chip of the search removes it.
    browser.click(".chip button");
    browser.until(
        "document.getElementById('n-games')?.textContent === '3,000 games' && !location.search.includes('find')",
    );
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_search_can_include_engine_lines() {
    let Some(mut browser) = browser() else { return };
    let comment = "{d=18, sd=20, mt=1000, tl=1200000, s=100, n=1000, pv=e5 Qh5 Nc6, wv=0.12,}";
    let server = Server::of(&format!("[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 {comment} 2. Nf3 *\n"));
    let base = format!("http://{}", server.address);
    browser.dark(false);
    for (tab, question) in
        [("moves", "white_move=Qh5"), ("position", "fen=rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2")]
    {
        browser.open(&format!("{base}/search?tab={tab}&{question}&run=1"));
        browser.until("document.querySelector('section.right .total')?.textContent.startsWith('no game') || document.querySelector('section.right .notice')");
        browser.click("[name=in_pv]");
        browser.eval("document.querySelector('.search-form').requestSubmit()");
        browser.until("location.search.includes('in_pv=1') && document.getElementById('as-list')");
        assert_eq!(browser.eval("document.querySelectorAll('.games-table tbody tr').length"), 1);
        browser.click("#as-list");
        browser.until("location.pathname === '/games' && document.querySelector('.total')?.textContent === '1 game'");
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_search_that_cannot_be_read_is_not_on_its_way() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/search?tab=material&material=KX&run=1", server.address));
    browser.until("document.getElementById('field-fault')");
    assert!(!browser.text("document.querySelector('section.right').textContent").contains("Searching"));
}

#[test]
fn plots_have_links_where_there_are_games() {
    let Some(mut browser) = browser() else { return };
    let games: String = [1900, 1990, 1991]
        .iter()
        .map(|year| format!("[Date \"{year}.??.??\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"))
        .collect();
    let server = Server::of(&games);
    browser.dark(false);
    browser.open(&format!("http://{}/statistics", server.address));
    browser.until("document.querySelector('.plot')");
    // 92 years, three of them with games.
    assert_eq!(browser.eval("document.querySelector('.plot').querySelectorAll('a').length"), 3);
    // The link of a low bar is as high as the plot.
    let high = "[...document.querySelectorAll('.plot a')].every((link) => link.getBoundingClientRect().height > 100)";
    assert_eq!(browser.eval(high), true);
    assert_eq!(
        browser.eval("[...document.querySelectorAll('.facts td')].some((cell) => /\\.\\d\\d/.test(cell.textContent))"),
        false
    );
}

#[test]
fn damage_is_shown_with_the_intact_games() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let path = folder.join("damaged.bga");
        scoresheet::Import::new(&path).run([sample()]).unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 64].iter_mut().for_each(|byte| *byte = !*byte);
        std::fs::write(&path, bytes).unwrap();
        Config {
            archives: vec![path, archive(folder, "intact.bga", "[Result \"1-0\"]\n\n1. e4 1-0\n")],
            ..Config::default()
        }
    });
    let stats = server.fine("/api/v1/stats").json();
    let (games, unread) = (stats["games"].as_u64().unwrap(), stats["unread"].as_u64().unwrap());
    assert!(unread > 0 && games > 0 && games + unread == 3001, "{games} {unread}");
    browser.dark(false);
    browser.open(&format!("http://{}/statistics", server.address));
    browser.until("document.querySelector('.total .fault')?.textContent.includes('could not be read')");
    browser.until("document.querySelector('.result-bar .bar')");
}

/// The row of a damaged game names the game, also on a phone, where its text is shortened.
#[test]
fn rows_of_damaged_games_name_them() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let path = folder.join("damaged.bga");
        scoresheet::Import::new(&path).run([sample()]).unwrap();
        crate::spoiled::spoil(&path);
        Config { archives: vec![path], ..Config::default() }
    });
    browser.dark(false);
    for (across, first, last) in
        [(1280, "Damaged game. The archive is damaged: ", ""), (390, "Game 1: the archive is ", " …")]
    {
        browser.size(across, 844, across == 390);
        browser.open(&format!("http://{}/games", server.address));
        browser.until("document.querySelector('.list .damaged')");
        let row = browser.text("document.querySelector('.list .damaged').textContent");
        assert!(row.starts_with(first) && row.ends_with(last), "{row}");
        let over = "document.querySelector('.list .damaged').scrollWidth - document.querySelector('.list .damaged').clientWidth";
        assert_eq!(browser.eval(over), 0, "{row}");
    }
}

#[test]
fn dates_are_those_of_the_readers_region() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[Date \"2022.11.02\"]\n\n1. e4 *\n");
    for (languages, shown) in [("en-GB,en", "2 Nov 2022"), ("en-US,en", "Nov 2, 2022"), ("de-AT,de", "02.11.2022")] {
        browser.speak(languages);
        browser.open(&format!("http://{}/games", server.address));
        browser.until(&format!("document.querySelector('.list .rows .date')?.textContent === '{shown}'"));
    }
}

#[test]
fn filters_are_set_by_presets_and_said_in_words() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(
        "[White \"Ann\"]\n[WhiteElo \"2700\"]\n[Date \"2001.01.01\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[White \"Bob\"]\n[WhiteElo \"1500\"]\n\n1. d4 *\n",
    );
    browser.dark(false);
    browser.open(&format!("http://{}/games", server.address));
    browser.until("document.querySelector('.total')?.textContent === '2 games'");
    let top = browser.eval("document.querySelector('.list').getBoundingClientRect().y");
    browser.click("details.filter summary");
    browser.until("document.querySelector('.presets button')");
    // The form is an overlay and moves nothing.
    assert_eq!(browser.eval("document.querySelector('.list').getBoundingClientRect().y"), top);
    browser.click(".presets button");
    browser.until("document.querySelector('.total')?.textContent === '1 game'");
    let chips = "[...document.querySelectorAll('.chip')].map((chip) => chip.firstChild.textContent).join('; ')";
    assert_eq!(browser.text(chips), "Rating from 2600");
    browser.click("details.filter summary");
    browser.until("document.querySelector('input[name=player]')");
    browser.eval("document.querySelector('input[name=player]').value = 'Ann'; document.querySelector('input[name=year_from]').value = 2000; document.querySelector('input[name=year_to]').value = 2005");
    browser.click(".filter-form button.primary");
    browser.until("document.querySelectorAll('.chip').length === 3");
    assert_eq!(browser.text(chips), "Rating from 2600; Ann; 2000–2005");
    browser.until("document.querySelector('.total')?.textContent === '1 game'");
    // Strict bounds are other years.
    for (filter, words, games) in [
        ("year > 2000", "From 2001", "1 game"),
        ("year >= 2002", "From 2002", "0 games"),
        ("year < 2002", "Until 2001", "1 game"),
        ("year = 2001", "In 2001", "1 game"),
        ("year != 2001", "year != 2001", "0 games"),
    ] {
        let filter = filter.replace(' ', "+").replace('>', "%3E").replace('<', "%3C").replace('=', "%3D");
        browser.open(&format!("http://{}/games?where={filter}", server.address));
        browser.until(&format!("document.querySelector('.total')?.textContent === '{games}'"));
        assert_eq!(browser.text(chips), words);
    }
    assert_eq!(browser.complaints(), [""; 0]);
}
