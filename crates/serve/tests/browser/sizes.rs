//! Sizes: from a phone to 4K, embedded in other pages, and on paper. Nothing is cut, broken or out of sight.

use crate::chromium::{Browser, browser};
use crate::common::{Server, archive, index};
use scoresheet_serve::Config;
use serde_json::json;

const DRAWN: &str = "document.querySelector('.tree tbody button') && !document.querySelector('[data-stale]')";

/// A game whose first move has a long comment, with evaluations and clocks.
fn commented() -> String {
    let comment = "A long story about this move. ".repeat(60);
    format!(
        "[White \"Nepomniachtchi,Ian\"]\n[Black \"Mamedyarov,Shakhriyar\"]\n[WhiteElo \"2771\"]\n[BlackElo \"2764\"]\n\
         [Event \"A tournament with a long name\"]\n[Date \"2021.05.03\"]\n[Result \"1-0\"]\n\n\
         1. e4 {{[%clk 0:03:00][%eval 0.3] {comment}}} e5 {{[%clk 0:02:50][%eval 0.2]}} 2. Nf3 {{[%clk 0:02:45][%eval 0.4]}} Nc6 {{[%clk 0:02:40][%eval 0.1]}} 1-0\n\n"
    )
}

fn width(browser: &mut Browser, selector: &str) -> f64 {
    browser.eval(&format!("document.querySelector('{selector}').getBoundingClientRect().width")).as_f64().unwrap()
}

/// The taller the window, the larger the board; the moves beside it always keep their room.
#[test]
fn the_moves_keep_their_room_beside_the_board() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let paths = vec![archive(folder, "game.bga", &commented()), folder.join("sample.bga")];
        scoresheet::Import::new(&paths[1]).run([crate::common::sample()]).unwrap();
        paths.iter().for_each(|path| index(path));
        Config { archives: paths, ..Config::default() }
    });
    browser.dark(false);
    for (across, down) in [(1280, 720), (1920, 1080), (2560, 1300), (3840, 2000)] {
        browser.size(across, down, false);
        for (path, ready) in [("explorer?play=e2e4,c7c5", DRAWN), ("game?n=1", "document.querySelector('.movetext')")] {
            browser.open(&format!("http://{}/{path}", server.address));
            browser.until(ready);
            let right = width(&mut browser, "section.right");
            assert!(right >= 480.0, "{path} at {across}: {right}");
            let board = width(&mut browser, ".board");
            assert!(board >= f64::from(down) * 0.6 || board >= 0.4 * f64::from(across), "{path} at {across}: {board}");
            assert!(browser.too_wide() <= 0);
        }
    }
    // An upright tablet has one column.
    browser.size(768, 1024, false);
    browser.open(&format!("http://{}/explorer?view=compare", server.address));
    browser.until(DRAWN);
    assert!(width(&mut browser, "section.right") > 700.0);
    let rows =
        "new Set([...document.querySelectorAll('.tabs button')].map((tab) => tab.getBoundingClientRect().y)).size";
    assert_eq!(browser.eval(rows), 1, "the tabs are one row");
    // The buttons below the board are one row on a low screen.
    browser.size(1280, 720, false);
    browser.open(&format!("http://{}/explorer", server.address));
    browser.until(DRAWN);
    assert!(
        browser.eval("document.querySelector('.left .buttons.tight').getBoundingClientRect().height").as_f64()
            < Some(50.0)
    );
}

/// Text grows in windows of 4K, and an overlay that would end below the window opens above its button.
#[test]
fn large_windows_have_large_text_and_overlays_stay_in_the_window() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of(&commented());
    browser.dark(false);
    for (across, down, least, most) in
        [(390, 844, 14.0, 16.0), (1920, 1080, 14.0, 16.0), (2560, 1300, 14.0, 16.0), (3840, 2000, 18.0, 20.0)]
    {
        browser.size(across, down, across == 390);
        for path in ["explorer?play=e2e4", "game?n=1"] {
            browser.open(&format!("http://{}/{path}", server.address));
            browser.until("document.querySelector('.left details.popover summary')");
            let size = browser.eval("parseFloat(getComputedStyle(document.body).fontSize)").as_f64().unwrap();
            assert!((least..=most).contains(&size), "{size} at {across}");
            // The figures in bars are not cut.
            let cut = "[...document.querySelectorAll('.bar')].some((bar) => bar.scrollHeight > bar.clientHeight)";
            assert_eq!(browser.eval(cut), false, "{path} at {across}");
            browser.eval("scrollTo(0, 0); document.querySelector('.left details.popover summary').click()");
            browser.until("document.querySelector('.left details[open] .sheet')");
            browser.until("(() => { const { top, bottom } = document.querySelector('.left details[open] .sheet').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; })()");
        }
    }
}

/// Larger text needs wider columns: a table leaves out columns by its width in letters, and not in pixels.
#[test]
fn tables_of_large_windows_leave_out_columns() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    browser.size(3840, 2000, false);
    browser.open(&format!("http://{}/player?name=cheesedout", server.address));
    browser.until("document.querySelector('.points th:nth-child(6)')");
    let [column, size] = [
        "getComputedStyle(document.querySelector('.points th:nth-child(6)')).display",
        "document.querySelector('.points').clientWidth / parseFloat(getComputedStyle(document.documentElement).fontSize)",
    ];
    let size = browser.eval(size).as_f64().unwrap();
    assert!((28.0..35.0).contains(&size), "{size}");
    assert_eq!(browser.text(column), "none");
    assert_eq!(browser.eval("[...document.querySelectorAll('.figures .scroll')].filter((table) => table.scrollWidth > table.clientWidth).length"), 0);
}

/// A phone and an upright tablet show moves right below a large board.
#[test]
fn narrow_windows_show_moves_below_the_board() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    // The buttons of a phone cover the bottom of the window.
    let seen = "(() => { const { top } = document.querySelector('.buttons.tight').getBoundingClientRect(); const table = document.querySelector('.tree'); \
                const bottom = top > table.getBoundingClientRect().top ? top : innerHeight; \
                return [...table.querySelectorAll('tbody tr')].filter((row) => row.getBoundingClientRect().bottom <= bottom).length; })()";
    for (across, down, path, least) in [
        (768, 1024, "explorer?play=e2e4,c7c5", 520.0),
        (768, 1024, "explorer?view=compare", 520.0),
        (744, 1133, "explorer?play=e2e4,c7c5", 600.0),
        (390, 844, "explorer?play=e2e4,c7c5", 390.0),
    ] {
        browser.size(across, down, true);
        browser.open(&format!("http://{}/{path}", server.address));
        browser.until(DRAWN);
        assert!(browser.eval(seen).as_i64() >= Some(5), "{path} at {across}: {}", browser.eval(seen));
        let board = width(&mut browser, ".board");
        assert!(board >= least, "{path} at {across}: {board}");
        // The buttons are one row.
        let buttons = "document.querySelector('.left .buttons.tight').getBoundingClientRect().height";
        assert!(browser.eval(buttons).as_f64() < Some(60.0), "{path} at {across}: {}", browser.eval(buttons));
    }
    // The moves of a game are in sight, too.
    browser.size(768, 1024, true);
    browser.open(&format!("http://{}/game?n=1&ply=3", server.address));
    browser.until("document.querySelector('.movetext [aria-current]')");
    let moves = "[...document.querySelectorAll('.movetext .move-number')].filter((number) => number.getBoundingClientRect().bottom <= innerHeight).length";
    assert!(browser.eval(moves).as_i64() >= Some(5), "{}", browser.eval(moves));
    // The players stand at the edges of the board.
    let [board, side] = [".board", ".side"].map(|part| width(&mut browser, part));
    assert_eq!(board, side);
    // The coordinates take little of the board.
    browser.size(390, 844, true);
    browser.open(&format!("http://{}/explorer?play=e2e4,c7c5", server.address));
    browser.until(DRAWN);
    let height = browser.eval("document.querySelector('.coordinate').getBoundingClientRect().height").as_f64().unwrap();
    assert!(height < 390.0 / 8.0 / 3.0, "{height}");
}

/// The moves, not a comment or a notice, are beside the top of the board.
#[test]
fn long_comments_and_notices_push_nothing_away() {
    let Some(mut browser) = browser() else { return };
    // The second game has a fault of its source.
    let server = Server::of(&format!("{}[White \"A\"]\n\n1. e4 e5 2. Ke7 Nf6 *\n", commented()));
    browser.dark(false);
    for (across, phone) in [(1280, false), (390, true)] {
        browser.size(across, 900, phone);
        browser.open(&format!("http://{}/game?n=1&ply=1", server.address));
        browser.until("document.querySelector('.movetext [aria-current]')");
        let [section, list] = ["section.right", ".movetext"].map(|selector| {
            browser.eval(&format!("document.querySelector('{selector}').getBoundingClientRect().y")).as_f64().unwrap()
        });
        assert!(list - section < 160.0, "at {across} the moves begin {} pixels down", list - section);
        // The comment is shown once.
        let times = browser.text("document.querySelector('main').textContent").matches("A long story").count();
        assert_eq!(times, 60, "at {across}");
    }
    browser.size(1280, 900, false);
    browser.open(&format!("http://{}/game?n=2", server.address));
    browser.until("document.getElementById('source-fault')");
    let bottom = browser.eval("document.querySelector('.left .buttons.tight').getBoundingClientRect().bottom").as_f64();
    assert!(bottom.unwrap() <= 900.0, "{bottom:?}");
}

/// The clock lines of the graph are visible, and an empty clock beside the board is not.
#[test]
fn clocks_are_drawn() {
    let Some(mut browser) = browser() else { return };
    let timed = "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:50]} *\n";
    let server = Server::of(&(commented() + timed));
    browser.dark(false);
    // The caption names only what the graph shows.
    browser.open(&format!("http://{}/game?n=2", server.address));
    browser.until("document.querySelector('.graph-frame')?.innerText.startsWith('Clocks (')");
    browser.open(&format!("http://{}/game?n=1", server.address));
    browser.until("document.querySelector('.graph')");
    let seen = browser.eval(
        "[...document.querySelectorAll('.graph polyline.clock')].map((line) => getComputedStyle(line).visibility)",
    );
    assert_eq!(seen, json!(["visible", "visible"]));
    assert!(
        browser.text("document.querySelector('.graph-frame').innerText").starts_with("Evaluation (area) and clocks")
    );
    assert_eq!(browser.text("getComputedStyle(document.querySelector('span.clock:empty')).visibility"), "hidden");
}

/// An embedded position fits the size of its code, and figures of bars are shown only where they have room.
#[test]
fn bars_know_their_width() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    let cut = "[...document.querySelectorAll('.part > span')].filter((figure) => figure.offsetWidth > 0 && figure.getBoundingClientRect().width > figure.parentNode.getBoundingClientRect().width + 0.5).length";
    let shown = "[...document.querySelectorAll('.part > span')].filter((figure) => figure.offsetWidth > 0).length";
    for (across, down, path) in [
        (600, 420, "embed?play=e2e4,c7c5"),
        (500, 420, "embed?play=e2e4,c7c5"),
        (390, 844, "player?name=cheesedout"),
        (768, 1024, "explorer?view=compare"),
        (1280, 900, "explorer?view=compare"),
        (2560, 1300, "explorer"),
    ] {
        browser.size(across, down, across == 390);
        browser.open(&format!("http://{}/{path}", server.address));
        browser.until("document.querySelector('.bar') && !document.querySelector('[data-stale]')");
        assert_eq!(browser.eval(cut), 0, "{path} at {across}");
        if across > 700 {
            assert!(browser.eval(shown).as_i64() > Some(10), "{path} at {across}");
        }
        if path.starts_with("embed") {
            let outside = "[...document.querySelectorAll('.tree th, .tree td')].filter((cell) => cell.offsetWidth > 0 && cell.getBoundingClientRect().right > document.querySelector('.panel.card').getBoundingClientRect().right).length";
            assert_eq!(browser.eval(outside), 0, "at {across}");
        }
    }
}

/// Names and numbers of tables do not break inside, and lists of games show both players.
#[test]
fn names_and_numbers_are_whole() {
    let Some(mut browser) = browser() else { return };
    let server = Server::with(|folder| {
        let path = folder.join("sample.bga");
        scoresheet::Import::new(&path).run([crate::common::sample()]).unwrap();
        let paths = vec![path, archive(folder, "game.bga", &commented().repeat(3))];
        paths.iter().for_each(|path| index(path));
        Config { archives: paths, ..Config::default() }
    });
    browser.dark(false);
    // A text without blanks takes one line.
    let broken = "(() => { const broken = []; const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT); \
        while (walk.nextNode()) { const node = walk.currentNode; if (!node.parentElement.closest('table') || !node.parentElement.offsetWidth) continue; \
        for (const word of node.data.matchAll(/[^\\s,–-]+/g)) { const range = document.createRange(); range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length); \
        if (range.getClientRects().length > 1) broken.push(word[0]); } } return broken; })()";
    let cut = "[...document.querySelectorAll('.games-table .name')].filter((name) => { const box = name.getBoundingClientRect(); const row = name.closest('td').getBoundingClientRect(); return box.right > row.right + 1; }).length";
    for (across, phone) in [(1280, false), (390, true)] {
        browser.size(across, 900, phone);
        for (path, ready) in [
            ("player?name=Nepomniachtchi,Ian", "document.querySelector('.games-table')"),
            ("player?name=cheesedout", "document.querySelector('.games-table')"),
            ("statistics", "document.querySelector('.figures')"),
            ("explorer?play=e2e4", "document.querySelectorAll('.games-table tr').length > 6"),
        ] {
            browser.open(&format!("http://{}/{path}", server.address));
            browser.until(ready);
            assert_eq!(browser.eval(broken), json!([]), "{path} at {across}");
            assert_eq!(browser.eval(cut), 0, "{path} at {across}");
        }
    }
    // The list of a tablet or a phone has two lines a game, and can be sorted.
    for (across, phone) in [(768, false), (390, true)] {
        browser.size(across, 900, phone);
        browser.open(&format!("http://{}/games?sort=-date", server.address));
        browser.until("document.querySelector('.list .rows .row .when')?.textContent.includes('A tournament ')");
        let cut = "[...document.querySelectorAll('.list .rows .name')].filter((name) => name.closest('.cell').scrollWidth > name.closest('.cell').clientWidth).length";
        assert_eq!(browser.eval(cut), 0, "at {across}");
        assert_eq!(browser.text("getComputedStyle(document.querySelector('.list .when')).display"), "block");
    }
    let row = browser.text("document.querySelector('.list .rows .row').innerText");
    for part in ["Nepomniachtchi", "Mamedyarov", "2771", "2764", "1-0"] {
        assert!(row.contains(part), "{part} in {row}");
    }
    let inside = "[...document.querySelectorAll('.list .rows .row')][0].scrollHeight <= 56";
    assert_eq!(browser.eval(inside), true);
    browser.eval("(() => { const choice = document.querySelector('[data-control=sort]'); choice.value = 'white'; choice.dispatchEvent(new Event('change')); })()");
    browser.until("location.search === '?sort=white' && document.querySelector('.list .rows .row .white')");
    assert!(browser.too_wide() <= 0);
}

/// A name that is too long for a list of games ends after a word, or gets smaller letters.
#[test]
fn long_names_end_after_a_word() {
    let Some(mut browser) = browser() else { return };
    let game = |white: &str, black: &str| format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 *\n\n");
    let games = [
        game("Praggnanandhaa,Rameshbabu Vaishali", "Vachier Lagrave,Maxime"),
        game("Alexandra Konstantinovna Kosteniuk", "Theverylongnickname33"),
        game("So,W", "Nakamura,Hikaru"),
    ];
    let server = Server::of(&games.concat());
    browser.dark(false);
    browser.size(390, 844, true);
    browser.open(&format!("http://{}/games", server.address));
    browser.until("document.querySelectorAll('.list .rows .name').length === 6");
    let names = "[...document.querySelectorAll('.list .rows .name')].map((name) => name.textContent)";
    let [cut, small] = [
        "name.getBoundingClientRect().width > name.closest('.cell').clientWidth",
        "parseFloat(getComputedStyle(name).fontSize) < parseFloat(getComputedStyle(document.body).fontSize)",
    ]
    .map(|kind| format!("[...document.querySelectorAll('.list .rows .name')].filter((name) => {kind}).map((name) => name.textContent)"));
    let short =
        ["Praggnanandhaa", "Vachier Lagrave", "Alexandra …", "Theverylongnickname33", "So,W", "Nakamura,Hikaru"];
    assert_eq!(browser.eval(names), json!(short));
    assert_eq!(browser.eval(&cut), json!([]));
    assert_eq!(browser.eval(&small), json!(["Theverylongnickname33"]));
    // A turned tablet shows the list anew, in one line a game, with all names.
    browser.size(1280, 900, false);
    browser.until("document.querySelector('.list .rows .name')?.textContent === 'Praggnanandhaa,Rameshbabu Vaishali' || document.querySelector('.list .rows .name')?.textContent === 'Praggnanandhaa, R. V.'");
    assert_eq!(browser.eval(&cut), json!([]));
    let height = "document.querySelectorAll('.list .rows .row')[1].getBoundingClientRect().y - document.querySelector('.list .rows .row').getBoundingClientRect().y";
    assert_eq!(browser.eval(height), 40);
}

/// Events and openings in a list of games end after a word, and never hide the date.
#[test]
fn long_texts_of_lists_end_after_a_word() {
    let Some(mut browser) = browser() else { return };
    let event = "Interzonal Tournament of the Western Hemisphere";
    let server = Server::of(&format!(
        "[Event \"{event}\"]\n[Date \"1973.06.02\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 *\n"
    ));
    browser.dark(false);
    for (across, cell) in [(1280, ".event"), (1920, ".event"), (960, ".event"), (768, ".when"), (390, ".when")] {
        browser.size(across, 900, across == 390);
        browser.open(&format!("http://{}/games", server.address));
        browser.until("document.querySelector('.list .rows .name')");
        let text = browser.text(&format!("document.querySelector('.list .rows {cell} .text').textContent"));
        let shown = text.trim_end_matches(" …");
        let rest = event.strip_prefix(shown).unwrap_or_else(|| panic!("{text} at {across}"));
        assert!(rest.is_empty() || rest.starts_with(' ') && text.ends_with(" …"), "{text} at {across}");
        let over = format!(
            "(() => {{ const cell = document.querySelector('.list .rows {cell}'); return cell.scrollWidth - cell.clientWidth; }})()"
        );
        assert_eq!(browser.eval(&over), 0, "{text} at {across}");
        if cell == ".when" {
            let when = browser.text("document.querySelector('.list .rows .when').textContent");
            assert!(when.ends_with(" · Jun 2, 1973"), "{when}");
        }
    }
}

/// The columns of a comparison are named apart, also on a phone, and no heading is cut.
#[test]
fn columns_of_a_comparison_are_named_apart() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of_sample();
    browser.dark(false);
    for (language, names) in [
        ("en-US,en", ["Move", "Games A", "Res. A", "Res. B", "Games B", "A − B"]),
        ("de-DE,de", ["Zug", "Partien A", "Erg. A", "Erg. B", "Partien B", "A − B"]),
    ] {
        browser.speak(language);
        browser.size(390, 844, true);
        browser.open(&format!("http://{}/explorer?view=compare", server.address));
        browser.until(DRAWN);
        let heads = "[...document.querySelectorAll('.tree thead th')].map((head) => head.innerText.replace(/\\s+/g, ' ').trim())";
        assert_eq!(browser.eval(heads), json!(names));
        let cut = "[...document.querySelectorAll('.tree thead button')].filter((name) => name.getBoundingClientRect().width > name.parentNode.clientWidth || name.getBoundingClientRect().height > name.parentNode.clientHeight + 1).map((name) => name.textContent)";
        assert_eq!(browser.eval(cut), json!([]));
    }
}

/// Everything of a search's form is in sight, also its button.
#[test]
fn a_search_can_be_sent_without_scrolling() {
    let Some(mut browser) = browser() else { return };
    let server = Server::of("1. e4 *\n");
    browser.dark(false);
    browser.size(1280, 900, false);
    for tab in ["position", "pattern", "material", "moves"] {
        browser.open(&format!("http://{}/search?tab={tab}", server.address));
        browser.until("document.querySelector('.search-form button.primary')");
        let bottom =
            browser.eval("document.querySelector('.search-form button.primary').getBoundingClientRect().bottom");
        assert!(bottom.as_f64().unwrap() <= 900.0, "{tab}: {bottom}");
    }
    // The white pieces are a row, and the black pieces another.
    browser.open(&format!("http://{}/search", server.address));
    browser.until("document.querySelector('.palette')");
    let row = |letters: &str| {
        format!(
            "new Set([...'{letters}'].map((letter) => document.querySelector(`[data-tool=${{letter}}]`).getBoundingClientRect().y)).size"
        )
    };
    for (across, phone) in [(1280, false), (390, true)] {
        browser.size(across, 900, phone);
        assert_eq!((browser.eval(&row("KQRBNP")), browser.eval(&row("kqrbnp"))), (json!(1), json!(1)), "at {across}");
    }
}

/// Paper shows the board and all moves, without controls.
#[test]
fn a_printed_game_has_all_its_moves() {
    let Some(mut browser) = browser() else { return };
    let moves: String = (1..=60).map(|number| format!("{number}. Nf3 Nf6 {number}. Ng1 Ng8 ")).collect();
    let server = Server::of(&format!("[White \"Ann\"]\n[Black \"Bob\"]\n\n{moves}*\n"));
    browser.size(1280, 900, false);
    browser.open(&format!("http://{}/game?n=1", server.address));
    browser.until("document.querySelectorAll('.movetext button.move').length === 240");
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    for selector in [".top", ".foot", ".left .buttons", ".right .buttons"] {
        assert_eq!(browser.text(&format!("getComputedStyle(document.querySelector('{selector}')).display")), "none");
    }
    assert_eq!(
        browser.eval(
            "document.querySelector('.movetext').scrollHeight - document.querySelector('.movetext').clientHeight"
        ),
        0
    );
    browser.call("Emulation.setEmulatedMedia", json!({"media": ""}));
}

/// The second line of an opening's name begins where its first line begins.
#[test]
fn openings_in_two_lines_are_aligned() {
    let Some(mut browser) = browser() else { return };
    let games = ["D10", "D15"].map(|eco| format!("[ECO \"{eco}\"]\n[Result \"1-0\"]\n\n1. d4 1-0\n\n"));
    let server = Server::of(&games.concat());
    browser.dark(false);
    browser.size(390, 844, true);
    browser.open(&format!("http://{}/statistics", server.address));
    browser.until("document.querySelector('.unfold')");
    assert_eq!(browser.text("getComputedStyle(document.querySelector('.unfold')).textAlign"), "left");
}

/// The labels of plots have the same size in every width, and none is cut.
#[test]
fn labels_of_plots_can_be_read() {
    let Some(mut browser) = browser() else { return };
    let games: String = (1950..2027)
        .map(|year| {
            format!(
                "[Date \"{year}.01.01\"]\n[WhiteElo \"2500\"]\n[BlackElo \"2400\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n"
            )
        })
        .collect();
    let server = Server::of(&games);
    browser.dark(false);
    for (across, phone) in [(390, true), (768, false), (1280, false), (2560, false)] {
        browser.size(across, 1000, phone);
        browser.open(&format!("http://{}/statistics", server.address));
        browser.until("document.querySelectorAll('.plot .axis').length > 20");
        let heights = "Math.min(...[...document.querySelectorAll('.plot:not(.heat) .axis')].map((label) => label.getBoundingClientRect().height))";
        browser.until(&format!("{heights} >= 11"));
        let cut = "[...document.querySelectorAll('.plot:not(.heat) .axis')].filter((label) => label.getBoundingClientRect().right > label.closest('section').getBoundingClientRect().right).length";
        assert_eq!(browser.eval(cut), 0, "at {across}");
        let touching = "(() => { let found = 0; for (const plot of document.querySelectorAll('.plot:not(.heat)')) { const boxes = [...plot.querySelectorAll('.axis.middle')].map((label) => label.getBoundingClientRect()); boxes.forEach((box, at) => { if (at && box.left < boxes[at - 1].right) found += 1; }); } return found; })()";
        assert_eq!(browser.eval(touching), 0, "at {across}");
        assert!(browser.too_wide() <= 0);
    }
    // Ratings have no separators.
    browser.until("[...document.querySelectorAll('.plot .axis')].some((label) => label.textContent === '2400') && !document.querySelector('main').textContent.includes('2,400')");
}
