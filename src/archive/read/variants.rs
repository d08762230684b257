//! Finds the games of variants: from the coding of their records, or from the tag Variant.

use crate::archive::game_set::GameSet;
use crate::archive::read::archive::{Archive, ChunkVariants};
use crate::archive::read::game_ref::GameRef;
use crate::chess::{Position, Variant};
use crate::error::{Error, Result};
use crate::format::block::BlockKind;
use crate::format::moves::Coding;
use crate::format::tags::Tags;
use crate::game::start_by_rules;
use crate::parallel;

const TAG: &str = "Variant";

impl Archive {
    /// Returns the games among these that are games of chess, including Chess960. Leaves out Three-check and the other
    /// variants that the tag Variant names. Games whose tags are damaged count as games of chess.
    ///
    /// Takes about 10 µs per chunk of 1,000 games, once, and much longer for chunks with tags Variant.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "1. e4 *\n\n[Variant \"Atomic\"]\n\n1. Nf3 *\n\n[Variant \"Three-check\"]\n\n1. e3 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet::GameSet;
    ///
    /// let archive = scoresheet::Archive::open(&target)?;
    /// let chess = archive.games_of_chess(&GameSet::all(3));
    /// assert_eq!(chess.iter().collect::<Vec<_>>(), [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn games_of_chess(&self, games: &GameSet) -> GameSet {
        self.games_by_variant(games, &|variant| variant == Variant::Chess)
    }

    /// Returns the games among these whose rules are chosen.
    pub fn games_by_variant(&self, games: &GameSet, is_chosen: &(dyn Fn(Variant) -> bool + Sync)) -> GameSet {
        let is_chess_chosen = is_chosen(Variant::Chess);
        let dropped = parallel::map(self.chunk_count(), |chunk| {
            let numbers = self.games_of(chunk);
            let any = games.has_any_of(numbers.clone());
            let variants = if any { self.chunk_variants(chunk) } else { None };
            // A chunk of chess drops none of its games if chess is chosen.
            let all = if !any || variants.is_none() && is_chess_chosen { 0..0 } else { numbers };
            let rules = |index: usize| variants.and_then(|all| all.get(index)).copied().unwrap_or_default();
            let is_dropped = |(index, number): &(usize, u64)| games.contains(*number) && !is_chosen(rules(*index));
            all.enumerate().filter(is_dropped).map(|(_, number)| number).collect::<Vec<_>>()
        });
        let mut kept = games.clone();
        for number in dropped.into_iter().flatten() {
            kept.remove(number);
        }
        kept
    }

    /// Notes the games whose tags Variant name Three-check or another variant that is stored as chess, in ascending
    /// order, which a side file of this state of the archive says. The tags of chunks then need not be read to know the
    /// rules of their games.
    #[doc(hidden)]
    pub fn note_variant_tags(&self, games: Vec<(u64, Variant)>) {
        _ = self.variant_tags.set(games.into());
    }

    /// Returns the rules of a game like [`GameRef::variant`], without a look at its record. Numbers without a game mean
    /// chess.
    #[doc(hidden)]
    pub fn variant_of(&self, game: u64) -> Variant {
        self.locate(game).map_or(Variant::Chess, |(chunk, index)| self.variant_at(chunk, index))
    }

    fn variant_at(&self, chunk: usize, index: usize) -> Variant {
        self.chunk_variants(chunk).and_then(|all| all.get(index)).copied().unwrap_or_default()
    }

    /// Returns the rules of a chunk's games, which are read at the first access.
    fn chunk_variants(&self, chunk: usize) -> Option<&[Variant]> {
        let known = self.variants.get(chunk)?;
        if let Some(variants) = known.get() {
            return variants.as_deref();
        }
        match self.read_variants(chunk) {
            // The next access reads again.
            Err(Error::Read { .. }) => None,
            variants => known.get_or_init(|| variants.ok().flatten()).as_deref(),
        }
    }

    fn read_variants(&self, chunk: usize) -> Result<ChunkVariants> {
        let noted = self.variant_tags.get().map(|noted| {
            let (numbers, index) = (self.games_of(chunk), |number| noted.partition_point(|(game, _)| *game < number));
            noted.get(index(numbers.start)..index(numbers.end)).unwrap_or_default()
        });
        if noted.is_some_and(<[_]>::is_empty) && self.has_pages(chunk) {
            return Ok(None);
        }
        let head = self.head(chunk)?;
        let games = head.block.header.count as usize;
        if head.coding == Coding::Variants {
            let of_record = |index| match self.stored_record(chunk, index) {
                Ok(record) => Ok(record.set_up.as_deref().map(Position::variant).unwrap_or_default()),
                Err(damage) if damage.is_of_system() => Err(damage),
                Err(_) => Ok(Variant::Chess),
            };
            return Ok(Some((0..games).map(of_record).collect::<std::result::Result<_, _>>()?));
        }
        if let Some(noted) = noted {
            let mut variants = vec![Variant::Chess; games];
            for (number, variant) in noted {
                let slot = variants.get_mut((number - head.block.header.first) as usize);
                slot.into_iter().for_each(|slot| *slot = *variant);
            }
            return Ok((!noted.is_empty()).then_some(variants.into()));
        }
        let columns = self.new_columns(chunk);
        let block = columns.block(&self.blocks.store, &self.blocks, &head.block, BlockKind::Tags)?;
        let Some(block) = block else { return Ok(None) };
        if let Ok(bytes) = self.blocks.store.bytes()
            && Tags::has_name(block.payload(bytes), games, TAG.as_bytes()) == Some(false)
        {
            return Ok(None);
        }
        let mut variants = Vec::with_capacity(games);
        self.chunk(chunk)?.visit_tag(TAG, |value| {
            let named = value.and_then(|value| Variant::early_end_from_tag(value.text));
            variants.push(named.unwrap_or_default());
        })?;
        Ok(variants.iter().any(|variant| *variant != Variant::Chess).then_some(variants.into()))
    }
}

impl Archive {
    /// Returns whether the index counts pages of a chunk's records, as it does for all but games of coding 2 (FORMAT.md,
    /// section 36). The chunk need not be read for this.
    fn has_pages(&self, chunk: usize) -> bool {
        let past = self.index.chunks.get(chunk + 1).map_or(self.index.pages, |next| next.pages);
        self.index.chunks.get(chunk).is_some_and(|entry| past > entry.pages)
    }
}

impl GameRef<'_> {
    /// Returns the rules of the game: those of its moves, or Three-check, King of the Hill or Racing Kings if the tag
    /// Variant names them. The games of these three are stored as games of chess.
    pub fn variant(&self) -> Variant {
        let (chunk, index) = self.place();
        self.archive().variant_at(chunk, index)
    }

    /// Returns the starting position with the rules of [`GameRef::variant`]. In Three-check, it states the checks that
    /// the tag FEN counts.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "[Variant \"Three-check\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Bxf7+ *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// let archive = scoresheet::Archive::open(&target)?;
    /// assert!(archive.game(1)?.start_by_rules()?.fen().contains(" 3+3 "));
    /// assert!(archive.position(1, 5)?.fen().contains(" 2+3 ")); // White needs two more checks
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start_by_rules(&self) -> Result<Position> {
        let variant = self.variant();
        let fen = if variant == Variant::ThreeCheck { self.tag("FEN")? } else { None };
        Ok(start_by_rules(self.start(), variant, fen.as_deref()))
    }

    /// Returns the position after ply `ply` of the main line with the rules of [`GameRef::variant`], which decide about
    /// legal moves and about the end of the game.
    #[doc(hidden)]
    pub fn position_by_rules(&self, ply: u32) -> Result<Position> {
        let (position, variant) = (self.position(ply)?, self.variant());
        Ok(if position.variant() == variant { position } else { position.with_variant(variant) })
    }
}
