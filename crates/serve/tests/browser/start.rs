//! The first page: archives by title, tournaments, and links to their standings.

use crate::chromium::browser;
use crate::common::{Server, archive, index};
use scoresheet_serve::Config;
use serde_json::json;

fn game(event: &str, date: &str, white: &str, black: &str) -> String {
    format!(
        "[Event \"{event}\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
    )
}

/// Returns a server with a club's archive that has metadata, and another archive.
fn server() -> Server {
    Server::with(|folder| {
        let club = [
            game("Summer <b>cup</b>", "2023.07.01", "Ann", "Bob"),
            game("Summer <b>cup</b>", "2023.07.09", "Bob", "Cid"),
            game("League", "2022.10.01", "Ann", "Dora"),
        ];
        let club = archive(folder, "club.bga", &club.concat());
        let metadata = [
            ("title", "Chess club <i>games</i>"),
            ("description", "Since 1900"),
            ("license", "CC0-1.0"),
            ("origin", "javascript:alert(1)"),
        ];
        scoresheet::Archive::describe(&club, metadata).unwrap();
        let many: String =
            (1500..1700).map(|year| game(&format!("Year {year}"), &format!("{year}.??.??"), "Eva", "Fay")).collect();
        let many = archive(folder, "many.bga", &many);
        [&club, &many].into_iter().for_each(|path| index(path));
        Config { archives: vec![club, many], ..Config::default() }
    })
}

const ROWS: &str = "document.querySelectorAll('table.events tbody tr').length";

#[test]
fn the_first_page_leads_to_archives_and_tournaments() {
    let Some(mut browser) = browser() else { return };
    let server = server();
    browser.dark(false);
    browser.open(&format!("http://{}/", server.address));
    browser.until(&format!("location.pathname === '/start' && {ROWS} === 100"));
    assert_eq!(browser.text("document.querySelector('#n-events').textContent"), "202");
    let row = "[...document.querySelector('table.events tbody tr').children].map((cell) => cell.textContent).join('|')";
    // The days are also below the name, for narrow pages.
    assert_eq!(browser.text(row), "Summer <b>cup</b>Jul 1 – 9, 2023|Jul 1 – 9, 2023|2|3");
    for rows in [200, 202] {
        browser.click(".panel section.card > button");
        browser.until(&format!("{ROWS} === {rows}"));
    }
    assert_eq!(
        browser.eval("getComputedStyle(document.querySelector('.panel section.card > button')).display"),
        "none"
    );
    // An archive's page has its title, its metadata, and only its tournaments.
    browser.click(".archives a");
    browser.until(&format!("location.search === '?archive=1' && {ROWS} === 2"));
    assert_eq!(browser.text("document.querySelector('h1').textContent"), "Chess club <i>games</i>");
    let said = browser.text("document.querySelector('main').textContent");
    assert!(said.contains("Since 1900") && said.contains("3 games · CC0-1.0 · javascript:alert(1)"), "{said}");
    assert_eq!(browser.eval("document.querySelector('main a[href^=javascript]')"), json!(null));
    browser.until("document.querySelector('#shown').textContent.includes('Chess club <i>games</i>')");
    // A tournament shows its standings and a link back.
    browser.click("table.events tbody a");
    browser.until("location.pathname === '/event' && document.querySelectorAll('.standings tbody tr').length === 3");
    browser.click(".brand");
    browser.until(&format!("location.pathname === '/start' && location.search === '?archive=1' && {ROWS} === 2"));
    // The statistics show the archive's metadata.
    browser.click("nav a:last-child");
    browser.until("document.querySelector('.about')?.textContent.includes('CC0-1.0')");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_first_page_speaks_german_and_fits() {
    let Some(mut browser) = browser() else { return };
    let server = server();
    browser.dark(false);
    for (accepts, heading, days) in
        [("en-US,en", "Tournaments 202", "Jul 1 – 9, 2023"), ("de-DE,de", "Turniere 202", "01.–09.07.2023")]
    {
        browser.speak(accepts);
        for width in [390, 1280] {
            browser.size(width, 844, width == 390);
            browser.open(&format!("http://{}/start", server.address));
            browser.until(&format!("{ROWS} === 100"));
            assert_eq!(browser.text("document.querySelector('.panel h2').textContent"), heading);
            // Only one of the two is visible, depending on the width.
            let seen = browser.text("document.querySelector('table.events tbody tr').innerText");
            assert_eq!(seen.replace('\u{2009}', " ").matches(days).count(), 1, "{seen:?}");
            assert!(browser.too_wide() <= 0, "{width}");
        }
    }
    // A filter without results shows a message and a button to remove it.
    browser.open(&format!("http://{}/start?where=year+%3D+1400", server.address));
    browser.until("document.querySelector('.notice button')");
}

/// An archive without tournaments, such as one of single games of a server, leads on to the other pages.
#[test]
fn the_first_page_without_tournaments_is_not_empty() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[Event \"Rated Blitz game\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 e5 *\n");
    browser.dark(false);
    browser.open(&format!("http://{}/start", server.address));
    browser.until("document.querySelectorAll('.panel .pages a').length === 3");
    // Without a tournament and a decided game, the tree has the width of the page.
    browser.until("document.querySelector('.front.alone .opening-tree')?.offsetWidth === document.querySelector('.front').offsetWidth");
    // The page of tournaments also says what is missing.
    browser.open(&format!("http://{}/event", server.address));
    browser.until("document.querySelectorAll('.panel .pages a').length === 3");
    let said = browser.text("document.querySelector('.panel').innerText");
    assert!(said.starts_with("Tournaments") && said.contains("No game names a tournament."), "{said}");
    browser.click(".panel .pages a:nth-child(2)");
    browser.until("location.pathname === '/games' && document.querySelector('h1')");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Returns a tournament with ratings, and one older game with higher ratings.
fn rated() -> String {
    let game = |event: &str, day: u32, white: (&str, u32), black: (&str, u32), result: &str, moves: &str| {
        format!(
            "[Event \"{event}\"]\n[Date \"2024.05.{day:02}\"]\n[White \"{}\"]\n[WhiteElo \"{}\"]\n[Black \"{}\"]\n[BlackElo \"{}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n",
            white.0, white.1, black.0, black.1
        )
    };
    let long = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2 e5";
    let short = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O";
    let [ann, bob, cid] = [("Ann", 2500), ("Bob", 2450), ("Cid", 2300)];
    let mut all = game("Old", 1, ("Eva", 2700), ("Fay", 2690), "1-0", long);
    all += &game("Old", 1, ("Eva", 2800), ("Fay", 2790), "1/2-1/2", long);
    all += &game("Open", 20, ann, bob, "1-0", long);
    all += &game("Open", 21, cid, ann, "1-0", long);
    all += &game("Open", 22, bob, cid, "1-0", short);
    for day in 23..30 {
        all += &game("Open", day, ann, bob, "1/2-1/2", long);
    }
    // A later event with one game is no tournament to show.
    all + &game("Simul", 31, ann, cid, "1/2-1/2", short)
}

/// The opening tree on a board, the last tournament with its leaders, and games with the reasons why they are shown.
#[test]
fn the_first_page_shows_openings_a_tournament_and_games() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let path = archive(folder, "games.bga", &rated());
        index(&path);
        Config { archives: vec![path], ..Config::default() }
    });
    browser.dark(false);
    browser.speak("en-US,en");
    browser.open(&format!("http://{}/start", server.address));
    browser.until("document.querySelectorAll('.looks tbody tr').length === 3");
    let cells = "(rows) => [...document.querySelectorAll(rows)].map((row) => row.innerText.replace(/\\s+/g, ' ').trim()).join('|')";
    assert_eq!(
        browser.text(&format!("({cells})('.looks tbody tr')")),
        "The win with the highest ratings Eva 2700 – Fay 2690 Old · May 1, 2024 1-0|\
         Biggest upset of the last tournament: the winner was rated 200 points lower Cid 2300 – Ann 2500 Open · May 21, 2024 1-0|\
         Win with the highest ratings in the last tournament Ann 2500 – Bob 2450 Open · May 20, 2024 1-0"
    );
    assert_eq!(
        browser.text(&format!("({cells})('.last-event')")),
        "Last tournament of at least 10 games, 2 per player Open May 20 – 29, 2024 · 10 games · 3 players \
         Player Games Points Ann 9 4.5 Bob 9 4.5 Cid 2 1"
    );
    // The tree is the explorer's: its moves can be played, and the address of the first page stays.
    browser.until("document.querySelectorAll('.opening-tree tbody button[data-uci]').length === 2");
    assert_eq!(browser.eval("document.querySelectorAll('h1').length"), 1);
    browser.click(".opening-tree button[data-uci=e2e4]");
    browser.until("document.querySelector('.opening-tree button[data-uci=c7c5]')");
    assert_eq!(browser.text("location.pathname + location.search + document.title"), "/startStart – Scoresheet");
    assert_eq!(browser.eval("document.querySelectorAll('.looks tbody tr').length"), 3);
    browser.click(".opening-tree p:last-child a");
    browser.until("location.pathname === '/explorer' && location.search === '?play=e2e4'");
    browser.open(&format!("http://{}/start", server.address));
    browser.until("document.querySelectorAll('.looks tbody tr').length === 3");
    browser.click(".looks tbody tr:nth-child(2) a");
    browser.until("location.pathname === '/game' && location.search === '?n=4'");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// A first visit fetches each script once and without waiting for its importer; a second visit fetches none.
#[test]
fn a_second_visit_requests_no_scripts_or_styles() {
    let Some(mut browser) = browser() else { return };
    let server = server();
    browser.dark(false);
    let assets = "performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/assets/'))";
    let open = |browser: &mut crate::chromium::Browser, page: &str, until: &str| {
        browser.open(&format!("http://{}/{page}", server.address));
        browser.until(until);
    };
    open(&mut browser, "games", "document.querySelector('.list .row')");
    assert!(browser.eval(&format!("{assets}.length")).as_u64().unwrap() > 15);
    // The document names the page and all scripts that it imports.
    let links = "[...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.href)";
    let unnamed = format!(
        "{assets}.map((entry) => entry.name).filter((name) => name.endsWith('.js') && !{links}.includes(name))"
    );
    assert_eq!(browser.eval(&unnamed), json!([]));
    open(&mut browser, "start", &format!("{ROWS} === 100 && document.querySelector('.opening-tree tbody tr')"));
    open(&mut browser, "games", "document.querySelector('.list .row')");
    let fetched = format!("{assets}.filter((entry) => entry.transferSize > 0).map((entry) => entry.name)");
    assert_eq!(browser.eval(&fetched), json!([]));
    assert_eq!(browser.complaints(), [""; 0]);
}
