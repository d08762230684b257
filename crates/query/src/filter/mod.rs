//! Tag filters, which are conditions on tags, players, ratings, dates, results and lengths (docs/QUERY.md).
//!
//! `lexer` and `parse` convert the text to `expr`, and `build` combines filters in a program. `eval` evaluates filters
//! on tag columns. Each condition is decided once for each distinct string (`verdicts`), so each game requires only a
//! lookup.

mod build;
mod conditions;
pub(crate) mod content;
pub(crate) mod eval;
pub(crate) mod expr;
pub(crate) mod field;
pub mod game_field;
mod lexer;
pub(crate) mod parse;
mod relative;
pub mod sort;
mod verdicts;

use crate::aliases::Aliases;
use crate::fault::QueryFault;
use crate::measure::field::{Measure, MeasureKind};
use crate::measure::values;
use crate::nearest::nearest;
use crate::position::novelties::Novelties;
use crate::position::novelty::missing_index;
use crate::tag_columns::{FiledMeasure, Key, TagColumns, Unread};
pub use build::Relation;
use eval::Measured;
use expr::{ContentTest, Expr, Test, TextTest};
use parse::Parsed;
use scoresheet::archive::{Archive, GameRef, GameSet, SideState};
use scoresheet::error::{Error, Result};
use scoresheet::format::tag_columns::COMMENTS;
use std::str::FromStr;
use std::sync::Arc;

/// A condition on games: a tree, which is parsed from a text, or built from conditions with `&`, `|` and `!`.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let target = folder.path().join("games.bga");
/// # let pgn = "[White \"Carlsen, M\"]\n[WhiteElo \"2850\"]\n\n1. e4 *\n\n[Black \"Carlsen, M\"]\n\n1. d4 *\n";
/// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
/// use scoresheet::Archive;
/// use scoresheet_query::{Filter, TagColumns, filter::Relation};
///
/// let archive = Archive::open(&target)?;
/// let carlsen: Filter = r#"player ~ "carlsen""#.parse()?;
/// assert_eq!(carlsen.numbers(&archive)?, [1, 2]);
/// let strong = carlsen & Filter::condition("elo", Relation::AtLeast, 2800)?;
/// let passed = strong.games(&TagColumns::open(&archive));
/// assert_eq!((passed.games.len(), passed.unread.len()), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter {
    text: String,
    /// The condition on a game: for a filter about a player, the condition for either side.
    expr: Expr,
    parsed: Parsed,
}

/// Filters are equal if their texts are equal.
impl PartialEq for Filter {
    fn eq(&self, other: &Filter) -> bool {
        self.text == other.text
    }
}

impl Eq for Filter {}

/// A field in a filter for which some games have no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The name of the field, as written.
    pub field: String,
    /// The number of games in which the field has no value. For these games, no comparison with the field is true, not
    /// even `!=`.
    pub games: u64,
}

impl Filter {
    /// Parses a filter, such as `white ~ "Carlsen" and elo >= 2700 and year in 2010..2020`.
    ///
    /// Errors contain the position in the text, and the expected text.
    pub fn parse(text: &str) -> Result<Filter, QueryFault> {
        Ok(Filter::new(text.to_owned(), parse::parse(text)?))
    }

    fn new(text: String, parsed: Parsed) -> Filter {
        let expr = match parsed.is_of_player {
            true => Expr::Or(parsed.sides.to_vec()),
            false => parsed.neutral.clone(),
        };
        Filter { text, expr, parsed }
    }

    /// Returns the filters for the games in which a known player has White, and Black. Returns `None` if the filter has
    /// no fields of a player, such as `color` or `score`.
    ///
    /// ```
    /// use scoresheet_query::Filter;
    ///
    /// let lost: Filter = "score = 0".parse()?;
    /// assert_eq!(lost.by_side().map(|sides| sides.len()), Some(2));
    /// assert!("result = 0-1".parse::<Filter>()?.by_side().is_none());
    /// # Ok::<(), scoresheet_query::QueryFault>(())
    /// ```
    pub fn by_side(&self) -> Option<[Filter; 2]> {
        let of_side = |expr: &Expr| {
            let sides = [expr.clone(), expr.clone()];
            let parsed = Parsed { neutral: expr.clone(), sides, is_of_player: false, questions: Vec::new() };
            Filter::new(self.text.clone(), parsed)
        };
        self.parsed.is_of_player.then(|| self.parsed.sides.each_ref().map(of_side))
    }

    /// Returns the filter in which a name of a player that is compared with `=`, `!=` or `in` stands for all names of this
    /// player. [`Aliases`] has an example.
    pub fn with_aliases(mut self, aliases: &Aliases) -> Filter {
        self.parsed.neutral.add_aliases(aliases);
        self.parsed.sides.iter_mut().for_each(|expr| expr.add_aliases(aliases));
        Filter::new(self.text, self.parsed)
    }

    /// Returns the text from which the filter was parsed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the filter has the field `variant`.
    pub fn is_of_variant(&self) -> bool {
        self.parsed.questions.iter().any(|(field, _)| field.eq_ignore_ascii_case("variant"))
    }

    /// Returns whether the filter has a condition on the result, but none on a player.
    pub fn is_of_result(&self) -> bool {
        fn has_result(expr: &Expr) -> bool {
            match expr {
                Expr::And(all) | Expr::Or(all) => all.iter().any(has_result),
                Expr::Not(expr) => has_result(expr),
                Expr::Test(test) => matches!(test, Test::Result(_)),
            }
        }
        !self.parsed.is_of_player && has_result(&self.expr)
    }

    /// Returns why games of an archive may be undecided: a condition on the novelty needs a position index. Games that
    /// other conditions decide are decided without it.
    pub fn missing_index(&self, archive: &Archive) -> Option<Error> {
        let mut measures = Vec::new();
        self.expr.measures(&mut measures);
        let is_novelty = |measure: &Measure| measure.kind == MeasureKind::Novelty;
        measures.iter().any(is_novelty).then(|| missing_index(archive)).flatten()
    }

    /// Returns the games that satisfy the filter. The search runs in parallel on rayon's current pool. Deleted games
    /// never pass. Games whose data cannot be read, but is needed by the filter, are not returned either. They are
    /// listed in `unread`.
    ///
    /// For a million games, this takes a few milliseconds if `headers` contains the required columns. Missing columns
    /// are computed first. Computing them takes as long as reading all tags, and also all moves if the filter needs
    /// them.
    pub fn games(&self, headers: &TagColumns) -> Passed {
        // Request all columns together, so the tags are read only once.
        let mut keys = self.keys();
        headers.readable(&keys);
        let (mut measures, mut contents) = (Vec::new(), Vec::new());
        self.expr.measures(&mut measures);
        self.expr.contents(&mut contents);
        let (mut games, lost, walked) = match measures.is_empty() && contents.is_empty() {
            true => (eval::games(&self.expr, headers, &Measured::default()), Vec::new(), 0),
            false => self.measured(headers, &measures, &contents),
        };
        // The result may have to be read from the movetext.
        keys.extend(keys.contains(&Key::Tag("Result".to_owned())).then_some(Key::Facts));
        let mut unread = headers.unread(&keys);
        unread.extend(lost);
        if headers.archive().deleted_count() > 0 {
            games.intersect(&headers.archive().live());
        }
        for game in unread.iter().flat_map(|unread| unread.games.clone()) {
            games.remove(game);
        }
        Passed { games, unread, walked }
    }

    /// Returns the games that satisfy both the conditions on columns and those on measures, the games that could not be
    /// read for measures, and the number of games read.
    fn measured(
        &self,
        headers: &TagColumns,
        measures: &[Measure],
        contents: &[ContentTest],
    ) -> (GameSet, Vec<Unread>, u64) {
        let (archive, none) = (headers.archive(), Measured::default());
        let mut games = eval::games(&self.expr.without_measures(), headers, &none);
        games.intersect(&archive.live());
        // For games that satisfy the filter whatever their measures are, such as games with the tag Opening, no
        // measures are computed.
        let mut undecided = games.clone();
        undecided.subtract(&eval::games(&self.expr.whatever_measures(), headers, &none));
        if undecided.is_empty() {
            return (games, Vec::new(), 0);
        }
        // Measures with a column need no reading, unless some games lack a value.
        let filed: Vec<Option<_>> = measures.iter().map(|measure| headers.measure(*measure)).collect();
        let mut walked = if contents.is_empty() { headers.lacking(measures, &undecided) } else { undecided.clone() };
        let to_compute: Vec<Measure> =
            measures.iter().filter(|measure| !headers.lacking(&[**measure], &undecided).is_empty()).copied().collect();
        // Clocks and evaluations are in comments: if a file states which games have comments or glyphs, the other games
        // are skipped.
        if headers.state() == SideState::File && to_compute.iter().all(|measure| measure.is_of_comments()) {
            let of_measures = if to_compute.is_empty() { 0 } else { COMMENTS };
            let facts = contents.iter().fold(of_measures, |facts, test| facts | test.fact());
            walked.intersect(&eval::games(&Expr::Test(Test::Facts(facts)), headers, &none));
        }
        let tests = |game: &GameRef<'_>, novelties: Option<&Novelties>| -> Result<Vec<i64>> {
            let mut fits = content::fits(contents, game)?;
            fits.extend(values::of_game(game, &to_compute, novelties)?);
            Ok(fits)
        };
        let count = contents.len() + to_compute.len();
        let (values, unread) = values::of_each(archive, &to_compute, count, &walked, &tests);
        let mut values = values.into_iter();
        let contents = contents.iter().cloned().zip(values.by_ref().map(Arc::from)).collect();
        let computed: Vec<(Measure, Vec<i64>)> = to_compute.into_iter().zip(values).collect();
        let of = |(measure, filed): (&Measure, Option<Arc<FiledMeasure>>)| {
            let computed = computed.iter().find(|(of, _)| of == measure).map(|(_, values)| values.clone());
            let values = match (filed, computed) {
                (Some(filed), Some(values)) => filed.with(values),
                (Some(filed), None) => Arc::clone(&filed.values),
                (None, values) => values.unwrap_or_default().into(),
            };
            (*measure, values)
        };
        let measured = Measured { contents, measures: measures.iter().zip(filed).map(of).collect() };
        undecided.subtract(&eval::games(&self.expr, headers, &measured));
        games.subtract(&undecided);
        (games, unread, walked.len())
    }

    /// Returns the numbers of the games in an archive that satisfy the filter, ascending.
    ///
    /// Errors: tags are damaged, or games are damaged whose moves the filter needs.
    pub fn numbers(&self, archive: &Archive) -> Result<Vec<u64>> {
        let Passed { games, unread, .. } = self.games(&TagColumns::open(archive));
        match unread.into_iter().next() {
            None => Ok(games.iter().collect()),
            Some(unread) => Err(unread.error),
        }
    }

    /// Returns the fields for which some games have no value in the columns, with the numbers of these games. Omits
    /// fields of a player who may have either side.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # let pgn = "[WhiteElo \"2700\"]\n\n1. e4 *\n\n1. d4 *\n";
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", pgn.as_bytes())?;
    /// use scoresheet::Archive;
    /// use scoresheet_query::{Filter, TagColumns};
    ///
    /// let archive = Archive::open(&target)?;
    /// let weak: Filter = "whiteelo != 2700".parse()?;
    /// assert!(weak.numbers(&archive)?.is_empty());
    /// let missing = weak.missing(&TagColumns::open(&archive));
    /// assert_eq!((missing[0].field.as_str(), missing[0].games), ("whiteelo", 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn missing(&self, headers: &TagColumns) -> Vec<Missing> {
        if self.parsed.is_of_player {
            return Vec::new();
        }
        let live = headers.archive().live();
        let of = |(field, known): &(String, Expr)| {
            // `*` is compared like other results.
            if matches!(known, Expr::Test(Test::Result(_) | Test::MovetextResult(_))) {
                return None;
            }
            let (mut measures, mut contents, mut games) = (Vec::new(), Vec::new(), live.clone());
            known.measures(&mut measures);
            known.contents(&mut contents);
            if !(measures.is_empty() && contents.is_empty()) {
                return None;
            }
            games.subtract(&eval::games(known, headers, &Measured::default()));
            (!games.is_empty()).then(|| Missing { field: field.clone(), games: games.len() })
        };
        self.parsed.questions.iter().filter_map(of).collect()
    }

    /// Returns the texts in the filter that do not occur in the corresponding tag of any game in the archive. Each is
    /// returned with a similar text that does occur, if there is one. Use this function to suggest corrections for
    /// misspelled names.
    ///
    /// Errors: damaged tags.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let target = folder.path().join("games.bga");
    /// # scoresheet::Import::new(&target).run_reader("games.pgn", &b"[White \"Kasparov, G\"]\n\n1. e4 *\n"[..])?;
    /// use scoresheet::Archive;
    /// use scoresheet_query::{Filter, TagColumns};
    ///
    /// let archive = Archive::open(&target)?;
    /// let misspelled: Filter = r#"white = "Kasparow, G""#.parse()?;
    /// let unknown = misspelled.unknown_texts(&TagColumns::open(&archive))?;
    /// assert_eq!(unknown, [("Kasparow, G".to_owned(), Some("Kasparov, G".to_owned()))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unknown_texts(&self, headers: &TagColumns) -> Result<Vec<(String, Option<String>)>> {
        let mut questions = Vec::new();
        self.expr.texts(&mut questions);
        let mut unknown: Vec<(String, Option<String>)> = Vec::new();
        for (text, _) in &questions {
            let tags =
                questions.iter().filter(|(question, _)| question == text).map(|(_, tag)| Key::Tag((*tag).to_owned()));
            let columns = headers.columns(&tags.collect::<Vec<_>>())?;
            let strings: Vec<_> = columns.iter().filter_map(|column| column.strings()).collect();
            if unknown.iter().any(|(known, _)| known == text) {
                continue;
            }
            let all = strings.iter().flat_map(|strings| strings.texts());
            let is = TextTest::Is(vec![(*text).to_owned()]);
            if strings.iter().any(|strings| strings.find(text.as_bytes()).is_some())
                || all.clone().any(|known| is.fits(known))
            {
                continue;
            }
            unknown.push(((*text).to_owned(), nearest(text, all).map(str::to_owned)));
        }
        Ok(unknown)
    }

    /// Returns the tag columns that the filter reads.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        self.expr.keys(&mut keys);
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// The result of applying a filter.
///
/// [`Filter`] has an example.
#[derive(Clone, Debug)]
pub struct Passed {
    /// The games.
    pub games: GameSet,
    /// The games that could not be decided.
    pub unread: Vec<Unread>,
    /// The number of games that were read for clocks, evaluations or last positions, or 0 if the columns were
    /// sufficient.
    pub walked: u64,
}

impl FromStr for Filter {
    type Err = QueryFault;

    fn from_str(text: &str) -> Result<Filter, QueryFault> {
        Filter::parse(text)
    }
}
