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
    browser.click(".panel .pages a:nth-child(2)");
    browser.until("location.pathname === '/games' && document.querySelector('h1')");
    assert_eq!(browser.complaints(), [""; 0]);
}
