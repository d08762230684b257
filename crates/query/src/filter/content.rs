//! Reads what a game contains beside tags and moves, also in variations: comments and glyphs.

use super::expr::ContentTest;
use scoresheet::archive::GameRef;
use scoresheet::error::Result;
use scoresheet::game::{Event, TextKind};

/// The glyphs that suffixes of moves stand for, with the numbers of their NAGs.
const SUFFIXES: [(&str, u8); 6] = [("!", 1), ("?", 2), ("!!", 3), ("??", 4), ("!?", 5), ("?!", 6)];

/// Returns, for each condition, 1 if the game satisfies it, or 0.
pub fn fits(tests: &[ContentTest], game: &GameRef<'_>) -> Result<Vec<i64>> {
    let mut fits = vec![0; tests.len()];
    if tests.iter().any(|test| matches!(test, ContentTest::Comment(_))) {
        visit_comments(game, &mut |text| {
            for (test, fits) in tests.iter().zip(&mut fits) {
                *fits |= i64::from(matches!(test, ContentTest::Comment(test) if test.fits(text)));
            }
        })?;
    }
    if tests.iter().any(|test| matches!(test, ContentTest::Glyph { .. })) {
        let found = glyphs(game)?;
        for (test, fits) in tests.iter().zip(&mut fits) {
            if let ContentTest::Glyph { numbers, in_main_line } = test {
                let fits_glyph = |glyph: &Glyph| numbers.contains(&glyph.number) && (glyph.depth == 0 || !in_main_line);
                *fits |= i64::from(found.iter().any(fits_glyph));
            }
        }
    }
    Ok(fits)
}

/// Calls `read` with each comment of a game, including comments in variations.
pub fn visit_comments(game: &GameRef<'_>, read: &mut dyn FnMut(&str)) -> Result<()> {
    game.visit_texts(|kind, _, text| {
        if matches!(kind, TextKind::Brace | TextKind::Line) {
            read(&String::from_utf8_lossy(text));
        }
    })
}

/// A glyph of a game.
pub struct Glyph {
    /// The number of the NAG.
    pub number: u8,
    /// The number of variations around the glyph, 0 in the main line.
    pub depth: u32,
}

/// Returns the glyphs of a game in order, including those in variations. Marks after a move such as `!?` are one glyph;
/// longer combinations are none.
pub fn glyphs(game: &GameRef<'_>) -> Result<Vec<Glyph>> {
    let (mut found, mut marks, mut depth) = (Vec::new(), String::new(), 0u32);
    for event in game.to_game()?.events {
        if let Event::Suffix(good) = event {
            marks.push(if good { '!' } else { '?' });
            continue;
        }
        found.extend(number(&std::mem::take(&mut marks)).map(|number| Glyph { number, depth }));
        match event {
            Event::Nag(number) => found.push(Glyph { number, depth }),
            Event::Open => depth += 1,
            Event::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    found.extend(number(&marks).map(|number| Glyph { number, depth }));
    Ok(found)
}

/// Returns the number of a glyph: `!?`, `$5` or `5`.
pub fn number(text: &str) -> Option<u8> {
    let suffix = SUFFIXES.iter().find(|(known, _)| *known == text).map(|(_, number)| *number);
    suffix.or_else(|| {
        let digits = text.strip_prefix('$').unwrap_or(text);
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    })
}

/// Returns how a glyph is written: `!?`, or `$10` for a NAG that is no suffix.
pub fn name(glyph: u8) -> String {
    let suffix = SUFFIXES.iter().find(|(_, number)| *number == glyph);
    suffix.map_or_else(|| format!("${glyph}"), |(suffix, _)| (*suffix).to_owned())
}
