//! The pattern to search for, from the options of the command line.

use crate::failure::Failure;
use scoresheet::Query;
use scoresheet::chess::Color;
use scoresheet::query::QueryFault;
use scoresheet::query::pattern::json;
use scoresheet::query::pattern::{BoardPattern, Condition, Ending, Imbalance, Material, MoveRule, Pattern};

/// What the position, and the move that led to it, must look like. All conditions must hold at the same ply.
#[derive(Debug, clap::Args)]
#[group(id = "pattern", multiple = true, conflicts_with = "place")]
pub struct PatternArgs {
    /// Pieces on squares, like the first field of a FEN: a letter is that piece, a digit that many squares with
    /// anything on them, . an empty square, * any piece, A any White piece, a any Black piece, [Qr] one of these, [^Pp]
    /// none of these
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Exactly these pawns, like the first field of a FEN; other pieces are ignored
    #[arg(long, value_name = "BOARD")]
    pawns: Option<String>,
    /// Exactly these pieces on the board, e.g. KRPkr, KQ?P2-4kr* or KRP+krp+ (+: one or more)
    #[arg(long, value_name = "PIECES")]
    material: Option<String>,
    /// The pieces that White has more of, v, and those that Black has more of, e.g. PPvN
    #[arg(long, value_name = "PIECES")]
    imbalance: Option<String>,
    /// The last move was this one by White, e.g. Nf3, Bxh7+, e8=Q or O-O: x demands a capture, + check, # mate
    #[arg(long, value_name = "SAN")]
    white_move: Option<String>,
    /// The last move was this one by Black
    #[arg(long, value_name = "SAN")]
    black_move: Option<String>,
    /// The last move was made by one of these pieces, e.g. KP
    #[arg(long, value_name = "PIECES")]
    moved: Option<String>,
    /// The last move captured one of these pieces, or nothing if empty ("")
    #[arg(long, value_name = "PIECES")]
    captured: Option<String>,
    /// For at least this many plies in a row
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    plies: u16,
    /// The game ends here by mate
    #[arg(long, conflicts_with = "stalemate")]
    mate: bool,
    /// The game ends here by stalemate
    #[arg(long)]
    stalemate: bool,
    /// A question as JSON (scoresheet help query), or a query of Scoutfish; --where, --sort and --limit add to it
    #[arg(long, value_name = "JSON", conflicts_with_all = ["board", "pawns", "material", "imbalance", "white_move", "black_move", "moved", "captured", "mate", "stalemate"])]
    query: Option<String>,
}

impl PatternArgs {
    /// Returns what `--query` asks, or all games. Errors point at their place.
    pub fn query(&self) -> Result<Query, Failure> {
        let Some(query) = &self.query else { return Ok(Query::new()) };
        query.parse().map_err(|fault| Failure::Query("--query", fault))
    }

    /// Returns the pattern, `None` if there is none. Errors point at their place.
    pub fn pattern(&self) -> Result<Option<Pattern>, Failure> {
        let mut condition = Condition::default();
        condition.boards.extend(read("--board", &self.board, BoardPattern::parse)?);
        condition.pawns.extend(read("--pawns", &self.pawns, BoardPattern::parse_pawns)?);
        condition.materials.extend(read("--material", &self.material, Material::parse)?);
        condition.imbalances.extend(read("--imbalance", &self.imbalance, Imbalance::parse)?);
        condition.moves.extend(read("--white-move", &self.white_move, |text| MoveRule::parse(text, Color::White))?);
        condition.moves.extend(read("--black-move", &self.black_move, |text| MoveRule::parse(text, Color::Black))?);
        condition.moved = read("--moved", &self.moved, json::parse_roles)?;
        condition.captured = read("--captured", &self.captured, json::parse_roles)?;
        condition.ending = match (self.mate, self.stalemate) {
            (true, _) => Some(Ending::Mate),
            (_, true) => Some(Ending::Stalemate),
            _ => None,
        };
        if condition == Condition::default() {
            return Ok(None);
        }
        Ok(Some(Pattern::lasting(condition, usize::from(self.plies))))
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
