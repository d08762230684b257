//! Builds the pattern to search for from the options of the command line.

use crate::failure::Failure;
use scoresheet::chess::Color;
use scoresheet_query::Query;
use scoresheet_query::QueryFault;
use scoresheet_query::pattern::json;
use scoresheet_query::pattern::{
    BoardPattern, Condition, Ending, Imbalance, Material, MoveNumbers, MoveRule, Pattern, Structure,
};

/// The headings of these options in help texts.
const PATTERN: &str = "Pattern";
const LAST_MOVE: &str = "Last move";

/// Conditions on a position and on the move that led to it. All conditions must hold at the same ply.
#[derive(Debug, clap::Args)]
#[group(id = "pattern", multiple = true, conflicts_with = "place")]
pub struct PatternArgs {
    /// Pieces on squares, like the first field of a FEN
    ///
    /// A letter stands for that piece, and a digit for that number of squares with any content. . is an empty square, *
    /// any piece, A any White piece, a any Black piece, [Qr] one of the listed pieces, and [^Pp] no listed piece.
    #[arg(long, value_name = "BOARD", help_heading = PATTERN)]
    board: Option<String>,
    /// Require exactly these pawns; ignore other pieces
    ///
    /// Write the pawns like the first field of a FEN.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "BOARD", help_heading = PATTERN)]
    pawns: Option<String>,
    /// Require exactly these pieces, e.g. KRPkr or KRP+kr
    ///
    /// Capital letters stand for White's pieces. After a piece, ? means none or one, * none or more, + one or more, and
    /// 2-4 a range: KQ?P2-4kr*.
    #[arg(long, value_name = "PIECES", help_heading = PATTERN)]
    material: Option<String>,
    /// Require this imbalance: White's surplus, v, Black's surplus, e.g. PPvN
    ///
    /// [BN] is one of these pieces. P* excludes pawns from the comparison, as does ", pawns free" at the end:
    /// "R v [BN], pawns free".
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "PIECES", help_heading = PATTERN)]
    imbalance: Option<String>,
    /// Require a structure by name, e.g. iqp, passed-pawn or opposite-bishops
    ///
    /// The structure belongs to White. Several names, separated by blanks, must all hold. FIND.md defines the names:
    /// passed-pawn, doubled-pawns, isolated-pawn, iqp, hanging-pawns, carlsbad, opposite-bishops, same-bishops,
    /// light-bishop, dark-bishop, bishop-pair, opposite-castling and king-walk.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "NAMES", help_heading = PATTERN)]
    structure: Option<String>,
    /// Require the pattern for at least N consecutive plies
    #[arg(hide_short_help = true)]
    #[arg(long, alias = "plies", value_name = "N", default_value_t = 1, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = PATTERN)]
    for_plies: u16,
    /// Search with a query in JSON, or with a query of Scoutfish
    ///
    /// `scoresheet help query` describes the members. --where, --sort and --limit add to the query.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "JSON", help_heading = PATTERN, conflicts_with_all = ["board", "pawns", "material", "imbalance", "structure", "white_move", "black_move", "at_move", "moved", "captured", "mate", "stalemate", "last"])]
    query: Option<String>,
    /// Require this move of White, e.g. Bxh7+ or O-O
    ///
    /// x requires a capture, + requires check and # requires mate; without these signs, any move is accepted. =N is a
    /// promotion to a knight on any square, =[NBR] any underpromotion, and e.p. any en passant capture.
    #[arg(long, value_name = "SAN", help_heading = LAST_MOVE)]
    white_move: Option<String>,
    /// Require this move of Black
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SAN", help_heading = LAST_MOVE)]
    black_move: Option<String>,
    /// Require a move with this number: 20, 20-30, 20- or -30
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "N-N", allow_hyphen_values = true, help_heading = LAST_MOVE)]
    at_move: Option<String>,
    /// Require a move by one of these pieces, e.g. KP
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "PIECES", help_heading = LAST_MOVE)]
    moved: Option<String>,
    /// Require a capture of one of these pieces; "" for no capture
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "PIECES", help_heading = LAST_MOVE)]
    captured: Option<String>,
    /// Require that the move ended the game by mate
    #[arg(long, help_heading = LAST_MOVE)]
    mate: bool,
    /// Require that the move ended the game by stalemate
    #[arg(hide_short_help = true)]
    #[arg(long, conflicts_with = "mate", help_heading = LAST_MOVE)]
    stalemate: bool,
    /// Require that the move is the last one of the game
    #[arg(hide_short_help = true)]
    #[arg(long, conflicts_with_all = ["mate", "stalemate"], help_heading = LAST_MOVE)]
    last: bool,
}

impl PatternArgs {
    /// Returns the query of `--query`, or all games. Error messages show the position of the fault.
    pub fn query(&self) -> Result<Query, Failure> {
        let Some(query) = &self.query else { return Ok(Query::new()) };
        query.parse().map_err(|fault| Failure::Query("--query", fault))
    }

    /// Returns the pattern, or `None` if no condition is given. Error messages show the position of the fault in the
    /// text.
    pub fn pattern(&self) -> Result<Option<Pattern>, Failure> {
        let mut condition = Condition::default();
        condition.boards.extend(read("--board", &self.board, BoardPattern::parse)?);
        condition.pawns.extend(read("--pawns", &self.pawns, BoardPattern::parse_pawns)?);
        condition.materials.extend(read("--material", &self.material, Material::parse)?);
        condition.imbalances.extend(read("--imbalance", &self.imbalance, Imbalance::parse)?);
        condition.structures.extend(read("--structure", &self.structure, Structure::parse)?);
        condition.move_numbers = read("--at-move", &self.at_move, MoveNumbers::parse)?;
        condition.moves.extend(read("--white-move", &self.white_move, |text| MoveRule::parse(text, Color::White))?);
        condition.moves.extend(read("--black-move", &self.black_move, |text| MoveRule::parse(text, Color::Black))?);
        condition.moved = read("--moved", &self.moved, json::parse_roles)?;
        condition.captured = read("--captured", &self.captured, json::parse_roles)?;
        let ends = [(self.mate, Ending::Mate), (self.stalemate, Ending::Stalemate), (self.last, Ending::Any)];
        condition.ending = ends.into_iter().find(|(is_set, _)| *is_set).map(|(_, ending)| ending);
        if condition == Condition::default() {
            return Ok(None);
        }
        Ok(Some(Pattern::lasting(condition, usize::from(self.for_plies))))
    }
}

fn read<T>(
    option: &'static str,
    text: &Option<String>,
    parse: impl Fn(&str) -> Result<T, QueryFault>,
) -> Result<Option<T>, Failure> {
    let Some(text) = text else { return Ok(None) };
    parse(text).map(Some).map_err(|fault| Failure::Query(option, fault))
}
