//! Rebuilds a chunk of a damaged archive for a new archive. Intact parts are copied unchanged, and damaged parts lose
//! only the damaged data.

use crate::archive::maintain::find_blocks::BlockFinder;
use crate::archive::maintain::loss::LostPart;
use crate::archive::read::game_ref::GameRef;
use crate::archive::write::record::push_record;
use crate::archive::write::writer::EncodedChunk;
use crate::brenner::decode::each_move;
use crate::brenner::{TEXT, element_length};
use crate::error::{Damage, DamageKind, Error};
use crate::format::block::BlockKind;
use crate::format::layout::Layout;
use crate::format::tags::TagsBuilder;
use crate::format::texts::{Texts, TextsBuilder};
use crate::game::Visitor;
use crate::pgn::Style;
use crate::sort;
use std::borrow::Cow;

/// The compression level of rewritten columns.
const LEVEL: i32 = 19;
/// The maximum size of a chunk's rewritten tags.
const MAX_TAGS: usize = 256 << 20;

/// A chunk rebuilt for the new archive.
#[derive(Default)]
pub struct Rebuilt {
    pub chunk: EncodedChunk,
    /// The numbers of its games in the damaged archive.
    pub kept: Vec<u64>,
    /// The games of the chunk that are lost or incomplete.
    pub losses: Vec<(u64, Option<LostPart>, Damage)>,
}

/// A game whose moves are complete.
struct CompleteGame<'a> {
    game: GameRef<'a>,
    index: usize,
    /// Whether the game's texts are lost. If they are, their markers must be removed from the moves.
    strip: bool,
}

/// Returns the readable part of a chunk, rebuilt. If the strings have lost their numbers (`numbered` is false), tags
/// are kept as texts.
pub fn rebuild(found: &BlockFinder, number: usize, numbered: bool) -> Rebuilt {
    let (archive, mut rebuilt) = (&found.archive, Rebuilt::default());
    let offset = archive.chunk_offset(number).unwrap_or(0);
    let chunk = match found.chunk(number) {
        Ok(chunk) => chunk,
        Err(error) => {
            let header = archive.chunk_block(number).map(|block| block.header);
            let games = header.map_or(0..0, |header| header.first..header.first + u64::from(header.count));
            let damage = damage_of(error, offset);
            let games = games.filter(|game| !archive.is_deleted(*game));
            rebuilt.losses.extend(games.map(|game| (game, None, damage.clone())));
            return rebuilt;
        }
    };
    let mut games = Vec::new();
    for (index, number) in chunk.numbers().enumerate() {
        if archive.is_deleted(number) {
            continue;
        }
        match chunk.game(number).and_then(|game| Ok((game.check_moves()?, game))) {
            Ok((plies, game)) => {
                rebuilt.chunk.plies += u64::from(plies);
                rebuilt.chunk.faulty += u64::from(game.has_fault());
                rebuilt.kept.push(game.number());
                games.push(CompleteGame { game, index, strip: false });
            }
            Err(error) => rebuilt.losses.push((number, None, damage_of(error, offset))),
        }
    }
    if games.is_empty() {
        return rebuilt;
    }
    let all = games.len() == chunk.len();
    let copy = |kind, is_complete: bool| {
        chunk.column_payload(kind).ok().flatten().filter(|_| all && is_complete).map(Cow::into_owned)
    };

    let texts = chunk.texts();
    let is_complete = check_texts(&mut games, &texts, found.hole(offset), &mut rebuilt.losses);
    rebuilt.chunk.texts = copy(BlockKind::Texts, is_complete).or_else(|| make_texts(&games, texts.ok().flatten()));

    let before = rebuilt.losses.len();
    for CompleteGame { game, .. } in &games {
        if let Err(error) = game.visit_tags(|_, _| {}) {
            rebuilt.losses.push((game.number(), Some(LostPart::Tags), damage_of(error, offset)));
        }
    }
    let is_complete = numbered && rebuilt.losses.len() == before;
    rebuilt.chunk.tags =
        copy(BlockKind::Tags, is_complete).unwrap_or_else(|| make_tags(&games, offset, &mut rebuilt.losses));

    let layout = chunk.layout();
    let (made, is_complete) = make_layout(&games, &layout, offset, &mut rebuilt.losses);
    rebuilt.chunk.layout = copy(BlockKind::Layout, is_complete).unwrap_or_else(|| made.encode(LEVEL));

    // If a game in a chunk is readable, the chunk's coding of moves is known.
    rebuilt.chunk.coding = chunk.coding().unwrap_or_default();
    let mut packed = Vec::new();
    for complete_game in &games {
        let record = complete_game.game.record();
        let mut record = Cow::Borrowed(record);
        if complete_game.strip {
            record.to_mut().stream = Cow::Owned(without_texts(&record.stream));
        }
        // The moves are packed again, which is slow, but repairs are rare.
        push_record(&record, rebuilt.chunk.coding, &mut packed, &mut rebuilt.chunk.records);
        rebuilt.chunk.ends.push(rebuilt.chunk.records.len() as u32);
    }
    // Group losses by part, so runs of games are reported together.
    sort::by_key(&mut rebuilt.losses, |(game, part, _)| (*part, *game));
    rebuilt
}

type Losses = Vec<(u64, Option<LostPart>, Damage)>;

/// Checks the games' texts and returns whether all texts are intact.
fn check_texts(
    games: &mut [CompleteGame],
    texts: &Result<Option<&Texts>, Damage>,
    hole: Option<Damage>,
    losses: &mut Losses,
) -> bool {
    let lost = match texts {
        Ok(Some(_)) => None,
        // Only damage at this offset shows that a texts block is missing.
        Ok(None) => hole,
        Err(damage) => Some(damage.clone()),
    };
    for complete_game in games.iter_mut() {
        let fault = lost.clone().or_else(|| match complete_game.game.visit_moves(&mut NullVisitor) {
            Ok(()) => None,
            Err(error) => Some(damage_of(error, 0)),
        });
        if let Some(damage) = fault {
            losses.push((complete_game.game.number(), Some(LostPart::Texts), damage));
            complete_game.strip = true;
        }
    }
    games.iter().all(|complete_game| !complete_game.strip)
}

fn make_texts(games: &[CompleteGame], texts: Option<&Texts>) -> Option<Vec<u8>> {
    let mut builder = TextsBuilder::default();
    for complete_game in games {
        let game = &complete_game.game;
        if texts.is_some() && !complete_game.strip {
            // `visit_texts` cannot fail here, because the texts have been read before.
            let _ = game.visit_texts(|kind, after, text| {
                builder.keep(kind, after.and_then(|moves| u32::try_from(moves).ok()), text);
            });
        }
        builder.end_game(|| Some((game.start().clone(), game.brenner().to_vec())));
    }
    (!builder.is_empty()).then(|| builder.encode(LEVEL, each_move))
}

/// Builds the tags of a chunk from its readable tags, all stored as texts.
fn make_tags(games: &[CompleteGame], offset: u64, losses: &mut Losses) -> Vec<u8> {
    let mut builder = TagsBuilder::default();
    for CompleteGame { game, .. } in games {
        let mut fits = true;
        // The losses for unreadable parts have been recorded.
        let _ = game.visit_tags(|name, value| {
            fits &= builder.text_len() + value.len() <= MAX_TAGS;
            if fits {
                builder.push(name, value);
            }
        });
        if !fits {
            let damage = Damage::new(offset, DamageKind::TagsTooLong);
            losses.push((game.number(), Some(LostPart::Tags), damage));
        }
        builder.end_game();
    }
    let mut draft = builder.analyse();
    draft.intern(|_, _| None);
    draft.encode(LEVEL)
}

/// Rewrites the layout. Games that have lost their layout receive a plain one. Returns whether no game has lost its
/// layout.
fn make_layout(
    games: &[CompleteGame],
    layout: &Result<&Layout, Damage>,
    offset: u64,
    losses: &mut Losses,
) -> (Layout, bool) {
    let plain = Style::default().encode();
    let mut made = Layout { styles: vec![plain], ..Layout::default() };
    let mut is_complete = true;
    for complete_game in games {
        let found = match layout {
            Ok(layout) => layout.of_game(complete_game.index).filter(|(style, _)| Style::decode(*style).is_some()),
            Err(_) => None,
        };
        let (style, edits) = match found {
            Some((style, edits)) if !complete_game.strip => (style, edits.to_vec()),
            // The layout edits of a game that has lost its texts no longer apply.
            Some((style, _)) => (style, Vec::new()),
            None => {
                let damage = layout.as_ref().err().cloned().unwrap_or(Damage::new(offset, DamageKind::LayoutBlock));
                losses.push((complete_game.game.number(), Some(LostPart::Layout), damage));
                (plain, Vec::new())
            }
        };
        is_complete &= found.is_some() && !complete_game.strip;
        let number = made.styles.iter().position(|known| *known == style).unwrap_or(made.styles.len());
        if number == made.styles.len() {
            made.styles.push(style);
        }
        made.games.push(number as u64);
        made.edits.push(edits);
    }
    (made, is_complete)
}

fn damage_of(error: Error, offset: u64) -> Damage {
    error.damage().map_or(Damage::new(offset, DamageKind::GameNotFound), |damage| Damage { game: None, ..damage })
}

/// Returns the stream of moves without its text markers.
fn without_texts(stream: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(stream.len());
    let mut rest = stream;
    while let Some(byte) = rest.first() {
        let (element, after) = rest.split_at(element_length(*byte).min(rest.len()));
        if *byte != TEXT {
            out.extend_from_slice(element);
        }
        rest = after;
    }
    out
}

/// A visitor that discards everything.
struct NullVisitor;

impl Visitor for NullVisitor {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brenner::{EXPLICIT, NAG};

    #[test]
    fn marks_differ_from_other_zeros() {
        let stream = [0x2C, 0, NAG, 0, 0x2C, EXPLICIT, 0, 0, 0, 2];
        assert_eq!(without_texts(&stream), [0x2C, NAG, 0, 0x2C, EXPLICIT, 0, 0, 2]);
        assert_eq!(without_texts(&[0, EXPLICIT, 0]), [EXPLICIT, 0]);
    }
}
