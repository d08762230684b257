//! Writes the feed of a site: the latest games, in the Atom format.

use crate::options::Options;
use crate::pages::FEED;
use scoresheet::chess::Color;
use scoresheet::game::calendar::civil;
use scoresheet::{Archive, Result};
use scoresheet_pages::escape;
use scoresheet_query::GameSummary;

/// The number of games in the feed.
const LATEST: usize = 50;

/// Returns the feed of an archive's latest games, or `None` if the site has no base address. `name` is the name of the
/// archive, and `changed` is the time of its last change in RFC 3339 format.
///
/// Errors: a game cannot be read.
pub fn feed(archive: &Archive, name: &str, options: &Options, changed: &str) -> Result<Option<String>> {
    let Some(base) = &options.base else { return Ok(None) };
    let base = escape(&format!("{}/", base.trim_end_matches('/')));
    let live = archive.live();
    let numbers: Vec<u64> = live.iter().collect();
    let mut entries = String::new();
    for number in numbers.iter().rev().take(LATEST) {
        let game = GameSummary::from_game(&archive.game(*number)?)?;
        let names = Color::BOTH.map(|color| game.player(color));
        let title = escape(&format!("{} – {}, {}", names[0], names[1], game.result().token()));
        let said =
            [game.tag("Event"), game.date(), game.opening()].into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let link = format!("{base}?page=game&amp;n={number}");
        let summary = escape(&said);
        entries += &format!(
            "<entry><id>{link}</id><title>{title}</title><link href=\"{link}\"/><updated>{changed}</updated>\
             <summary>{summary}</summary></entry>\n"
        );
    }
    let title = escape(options.title());
    Ok(Some(format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>{base}</id>\n\
         <title>{title}</title>\n<subtitle>{}</subtitle>\n<link href=\"{base}\"/>\n\
         <link rel=\"self\" href=\"{base}{FEED}\"/>\n<updated>{changed}</updated>\n\
         <author><name>{title}</name></author>\n{entries}</feed>\n",
        escape(name)
    )))
}

/// Returns a time in seconds since 1970 in RFC 3339 format.
pub fn written(seconds: u64) -> String {
    let ((year, month, day), rest) = (civil((seconds / 86_400) as i64), seconds % 86_400);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_are_written() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(super::written(seconds), text);
        }
    }
}
