//! Numbers and names that must be true: sums of openings, editions of tournaments, titles, comparisons, addresses.

use crate::chromium::browser;
use crate::common::{Server, archive, index};
use scoresheet_serve::Config;
use serde_json::json;

fn game(event: &str, date: &str, white: &str, black: &str) -> String {
    format!(
        "[Event \"{event}\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
    )
}

/// The games of an opening are counted over all of its codes, and the rows add up to all games.
#[test]
fn openings_are_counted_over_all_codes() {
    let Some(mut browser) = browser() else { return };
    // 60 codes of the Sicilian, each rarer than each of the French.
    let sicilian = (20..80).map(|code| format!("[ECO \"B{code}\"]\n\n1. e4 *\n\n"));
    let french = (0..20).flat_map(|code| vec![format!("[ECO \"C{code:02}\"]\n\n1. e4 *\n\n"); 2]);
    let server = Server::of(&sicilian.chain(french).collect::<String>());
    for (language, first) in [("en-US,en", "Sicilian Defense"), ("de-DE,de", "Sizilianische Verteidigung")] {
        browser.speak(language);
        browser.open(&format!("http://{}/statistics", server.address));
        browser.until("document.querySelector('.unfold')");
        let table = "document.querySelector('.unfold').closest('table')";
        let rows = format!(
            "[...{table}.querySelectorAll('tbody tr')].filter((row) => !row.querySelector('.member')).map((row) => [row.children[0].textContent, Number(row.children[1].textContent)])"
        );
        let rows = browser.eval(&rows);
        assert_eq!(rows[0], json!([first, 60]));
        let all: u64 = rows.as_array().unwrap().iter().map(|row| row[1].as_u64().unwrap()).sum();
        assert_eq!(all, 100, "{rows}");
    }
    // A code has the translated name as well.
    let member = browser.text("document.querySelector('.member').textContent");
    assert!(member.contains("Sizilianische"), "{member}");
}

/// The start page lists editions, each with its own standings. Single games of servers are no tournament.
#[test]
fn tournaments_are_editions() {
    let Some(mut browser) = browser() else { return };
    let games = [
        game("London", "1851.05.27", "Ann", "Bob"),
        game("London", "1851.07.01", "Bob", "Cid"),
        game("London", "1862.06.16", "Dan", "Eva"),
        game("Rated Blitz game", "2013.01.01", "Fay", "Gus"),
    ];
    let server = Server::of(&games.concat());
    browser.dark(false);
    browser.size(1280, 900, false);
    browser.open(&format!("http://{}/start", server.address));
    browser.until("document.querySelector('table.events')");
    let rows = "[...document.querySelectorAll('table.events tbody tr')].map((row) => [row.querySelector('a').textContent, row.children[2].textContent, row.children[3].textContent].join('|'))";
    assert_eq!(browser.eval(rows), json!(["London|1|2", "London|2|3"]));
    browser.eval("document.querySelectorAll('table.events a')[1].click()");
    browser.until(
        "location.search === '?name=London&year=1851' && document.querySelectorAll('.standings tbody tr').length === 3",
    );
    assert_eq!(browser.text("document.querySelector('h1').textContent"), "London 1851");
    assert_eq!(browser.text("document.title"), "London 1851 – Scoresheet");
    // The number of games leads to these games.
    browser.click("p.total a");
    browser.until("location.pathname === '/games' && document.querySelector('.total')?.textContent === '2 games'");
    // Without a year the page lists the editions, and has no common standings.
    browser.open(&format!("http://{}/event?name=London", server.address));
    browser
        .until("document.querySelectorAll('.editions tbody tr').length === 2 && !document.querySelector('.standings')");
    browser.click(".editions tbody tr:first-child a");
    browser
        .until("document.querySelector('h1')?.textContent === 'London 1862' && document.querySelector('.standings')");
    // From a game, the link leads to the edition in which it was played.
    browser.open(&format!("http://{}/game?n=2", server.address));
    browser.until("document.querySelector('a.person[href*=event]')");
    browser.eval("document.querySelector('a.person[href*=event]').click()");
    browser
        .until("document.querySelector('h1')?.textContent === 'London 1851' && document.querySelector('.standings')");
    browser.open(&format!("http://{}/event?name=Rated+Blitz+game", server.address));
    browser.until("document.querySelector('main .notice')");
    assert_eq!(browser.eval("document.querySelector('.standings')"), json!(null));
    assert_eq!(browser.complaints(), [""; 0]);
}

/// WebKit rejects more than 100 changes of an entry in 30 seconds. The page writes few, and goes on without them.
#[test]
fn a_rejected_address_stops_no_page() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until("document.querySelector('.tree tbody button') && !document.querySelector('[data-stale]')");
    browser.eval(
        "(() => { const write = history.replaceState.bind(history); window.written = 0; window.rejects = false; \
         history.replaceState = (...all) => { window.written += 1; if (window.rejects) throw new DOMException('too many', 'SecurityError'); return write(...all); }; })()",
    );
    for _ in 0..6 {
        browser.key("1");
    }
    browser.until("location.search.split(',').length === 6");
    let written = browser.eval("window.written").as_i64().unwrap();
    assert!(written <= 6, "{written} changes for six moves");
    browser.eval("window.rejects = true");
    for _ in 0..4 {
        browser.key("ArrowLeft");
    }
    browser.until("document.querySelector('.line [aria-current]') === document.querySelectorAll('.line button')[1] && !document.querySelector('[data-stale]')");
    browser.until("window.written > 0");
    std::thread::sleep(std::time::Duration::from_millis(400));
    assert_eq!(browser.complaints(), [""; 0]);
    // Links and copies have the state that is not yet written.
    let play = browser.text("new URL(document.getElementById('n-games').href).searchParams.get('play')");
    assert_eq!(play.split(',').count(), 2, "{play}");
    // A later change is written.
    browser.eval("window.rejects = false");
    browser.key("ArrowLeft");
    browser.until("location.search.startsWith('?play=') && !location.search.includes(',')");
}

/// Tabs and bookmarks of the browser name the content.
#[test]
fn titles_name_the_content() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("[White \"Ann\"]\n[Black \"Bob\"]\n[Result \"1-0\"]\n\n1. e4 c5 1-0\n");
    browser.dark(false);
    for (path, title) in [
        ("game?n=1", "Ann – Bob 1-0 – Scoresheet"),
        ("explorer?play=e2e4,c7c5", "Sicilian Defense – Scoresheet"),
        ("explorer", "Explorer – Scoresheet"),
        ("games", "Games – Scoresheet"),
        ("event?name=Hastings&year=1895", "Hastings 1895 – Scoresheet"),
        ("event?name=Hastings+1895&year=1895", "Hastings 1895 – Scoresheet"),
    ] {
        browser.open(&format!("http://{}/{path}", server.address));
        browser.until(&format!("document.title === '{title}'"));
    }
    // The starting position has a name of its own; other positions without a name have none.
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until("document.querySelector('.opening')?.textContent === 'Starting position'");
    browser.open(&format!("http://{}/explorer?fen=4k3/4p3/8/8/8/8/4P3/4K3+w+-+-+0+1", server.address));
    browser.until("document.querySelectorAll('.board .pieces g').length === 4");
    assert_eq!(browser.text("document.querySelector('.opening').textContent"), "");
    // The footer names the archive, without terms of its format.
    assert_eq!(browser.text("document.getElementById('shown').textContent"), "games.bga: 1 game");
}

/// Side B of a comparison can have another archive.
#[test]
fn two_archives_are_compared() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let paths = vec![
            archive(folder, "first.bga", "[Result \"1-0\"]\n[WhiteElo \"2100\"]\n\n1. e4 1-0\n"),
            archive(folder, "second.bga", "[Result \"0-1\"]\n\n1. e4 0-1\n\n[Result \"0-1\"]\n\n1. d4 0-1\n"),
        ];
        paths.iter().for_each(|path| index(path));
        Config { archives: paths, ..Config::default() }
    });
    browser.dark(false);
    browser.open(&format!("http://{}/explorer?view=compare&archive=1", server.address));
    browser.until("document.querySelector('[data-control=archive2]')");
    browser.eval("document.querySelector('[data-control=archive2]').focus()");
    for value in ["all", "1", "2"] {
        browser.key("ArrowDown");
        browser.until(&format!("new URLSearchParams(location.search).get('archive2') === '{value}' && document.activeElement.dataset.control === 'archive2'"));
    }
    browser.until("document.querySelectorAll('.panel .total').length === 2 && !document.querySelector('[data-stale]')");
    let sides = "[...document.querySelectorAll('.panel .total')].map((side) => side.textContent)";
    assert_eq!(browser.eval(sides), json!(["A first.bga: 1 game", "B second.bga: 2 games"]));
    // The games of a side are those of its archive.
    browser.eval("document.querySelectorAll('.panel .total a')[1].click()");
    browser.until("location.pathname === '/games' && location.search.includes('archive=2') && document.querySelector('.total')?.textContent === '2 games'");
    // A filter with a sign other than "at least" is also shown in words.
    browser.open(&format!("http://{}/games?where=elo+%3C+2200", server.address));
    browser.until("document.querySelector('.chip')?.firstChild.textContent === 'Rating to 2199'");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// German has no short form of thousands, and a number keeps its share beside it.
#[test]
fn short_numbers_are_short_in_german() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    for (language, shown) in [
        ("en-US,en", ["9,999", "45.8K", "174.2K", "1.2M"]),
        ("de-DE,de", ["9.999", "45,8 Tsd.", "174 Tsd.", "1,2 Mio."]),
    ] {
        browser.speak(language);
        browser.open(&format!("http://{}/explorer", server.address));
        let short = browser.eval("import(document.scripts[0].src.replace('app.js', 'i18n.js')).then(({ short }) => [9999, 45_800, 174_174, 1_234_567].map((n) => short(n).replace(/\\s/g, ' ')))");
        assert_eq!(short, json!(shown), "{language}");
    }
}

/// Texts with a count have the form for it.
/// The heading of a game leaves out values that only say that something is unknown; errors are sentences.
#[test]
fn unknown_values_are_left_out() {
    let Some(mut browser) = browser() else { return };
    let tags = |event: &str, site: &str, round: &str| {
        format!(
            "[Event \"{event}\"]\n[Site \"{site}\"]\n[Date \"????.??.??\"]\n[Round \"{round}\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n\n1. a3 *\n\n"
        )
    };
    let server = Server::of(&(tags("-", "?", "-") + &tags("Hastings", "Hastings ENG", "3")));
    browser.dark(false);
    for (game, heading) in
        [(1, "A00 Anderssen's Opening"), (2, "Hastings · Hastings ENG · round 3 · A00 Anderssen's Opening")]
    {
        browser.open(&format!("http://{}/game?n={game}", server.address));
        browser.until("document.querySelector('h1 + .soft')");
        assert_eq!(browser.text("document.querySelector('h1 + .soft').textContent"), heading);
    }
    browser.open(&format!("http://{}/game?n=3", server.address));
    browser.until("document.querySelector('.notice')");
    assert_eq!(
        browser.text("document.querySelector('.notice p').textContent"),
        "Not found. There is no game 3; the last is 2"
    );
}

/// A game of Chess960 says so, and a game that begins alone does not count games before its first move.
#[test]
fn a_starting_position_of_its_own_is_named() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(
        "1. e4 *\n\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1\"]\n\n1. e4 *\n\n\
         [Variant \"Crazyhouse\"]\n\n1. e4 *\n",
    );
    browser.dark(false);
    for (game, variant) in [(2, "Chess960"), (3, "Crazyhouse")] {
        browser.open(&format!("http://{}/game?n={game}", server.address));
        browser
            .until("document.querySelector('.left-archive')?.textContent === 'No other game begins in this position.'");
        assert_eq!(browser.text("document.querySelector('h1 + .soft').textContent"), variant);
    }
}

#[test]
fn one_game_is_not_several() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    for (language, shown) in [
        ("en-US,en", ["(0 games have no value)", "(1 game has no value)", "(2,000 games have no value)"]),
        ("de-DE,de", ["(0 Partien ohne Angabe)", "(1 Partie ohne Angabe)", "(2.000 Partien ohne Angabe)"]),
    ] {
        browser.speak(language);
        browser.open(&format!("http://{}/explorer", server.address));
        let texts = browser.eval("import(document.scripts[0].src.replace('app.js', 'i18n.js')).then(({ counted }) => [0, 1, 2000].map((n) => counted('without_value', n)))");
        assert_eq!(texts, json!(shown), "{language}");
    }
}

/// The rows of all statistics lead to their games.
#[test]
fn speeds_lead_to_their_games() {
    let Some(mut browser) = browser() else { return };
    let games = ["300+0", "180+2", "60+0"]
        .map(|control| format!("[TimeControl \"{control}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"));
    let server = Server::of(&games.concat());
    browser.dark(false);
    browser.open(&format!("http://{}/statistics", server.address));
    browser.until("document.querySelector('a[href*=speed]')");
    browser
        .eval("[...document.querySelectorAll('a[href*=speed]')].find((link) => link.textContent === 'Blitz').click()");
    browser.until("document.querySelector('.chip')?.firstChild.textContent === 'Blitz' && document.querySelector('.total')?.textContent === '2 games'");
    // An empty list names the conditions to drop in words.
    browser.open(&format!("http://{}/games?where=elo+%3E%3D+3900", server.address));
    browser.until("document.querySelector('.notice button')?.textContent === 'Drop Rating from 3900'");
}
