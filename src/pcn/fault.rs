//! The faults of a document, and their positions.

use std::fmt;

/// The fault of an element of a document.
///
/// [`PcnError`] has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PcnFault {
    /// The text is not JSON: line and column, from 1.
    Json(usize, usize),
    /// The element has another type than the expected one.
    Expected(&'static str),
    /// The member is not part of PCN.
    UnknownMember,
    /// The text is not the name of a piece, such as `w:k`.
    NotAPiece,
    /// Style and name of a piece differ in case, so its side is unknown.
    MixedCase,
    /// A piece of a style other than western chess, by name.
    OtherStyle(String),
    /// A piece, by name, that does not exist in western chess.
    NoSuchPiece(String),
    /// A board of another size or number of dimensions, by its sizes.
    OtherBoard(Vec<usize>),
    /// Rows of different lengths, or rows among squares.
    RaggedBoard,
    /// The board exceeds the size limit.
    TooLarge,
    /// The square does not exist.
    NoSuchSquare,
    /// No piece stands on the square.
    EmptySquare,
    /// The piece is on no square, or on several.
    NotUnique,
    /// The object of `shift` or `land` is occupied.
    Occupied,
    /// No opposing piece stands on the object of `capture`, `remove` or `stun`.
    NothingToCapture,
    /// `drop`: western chess has no pieces in hand.
    Drop,
    /// The verb is not part of PCN.
    UnknownVerb,
    /// The option is not part of PCN.
    UnknownOption,
    /// The promotion is not legal in western chess.
    BadPromotion,
    /// A piece has jumped and not landed.
    NotLanded,
    /// The actions together are not a legal move.
    IllegalMove,
    /// The result without `over?`.
    ResultWithoutOver,
    /// The case of a piece's abbreviation does not determine its side: its name.
    SideUnknown(String),
    /// The piece belongs to the side that is not to move: its name.
    OtherSide(String),
    /// No piece of the side to move is above the square.
    NotAbove,
    /// A promotion to a piece of the other side: its name.
    PromotionChangesSide(String),
    /// The number of pieces above squares exceeds the limit.
    TooManyAbove,
    /// The object of `drop` is not the name of a piece.
    DropOfSquare,
}

/// The reason that a document is rejected: the path of the faulty element as a JSON pointer (RFC 6901; empty for the
/// whole document), and the fault.
///
/// ```
/// let error = scoresheet::pcn::parse(br#"{"moves": []}"#).unwrap_err();
/// assert_eq!(error.fault, scoresheet::pcn::PcnFault::UnknownMember);
/// assert!(error.to_string().contains("moves"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PcnError {
    /// The path of the element.
    pub path: String,
    /// The fault.
    pub fault: PcnFault,
}

impl fmt::Display for PcnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bad PCN: ")?;
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        self.fault.fmt(f)
    }
}

impl fmt::Display for PcnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PcnFault::Json(line, column) => write!(f, "invalid JSON at line {line}, column {column}"),
            PcnFault::Expected(what) => write!(f, "expected {what}"),
            PcnFault::UnknownMember => f.write_str("PCN has no such member"),
            PcnFault::NotAPiece => f.write_str("not the name of a piece, such as w:k"),
            PcnFault::MixedCase => f.write_str("style and name differ in case: W:P is White's, w:p is Black's"),
            PcnFault::OtherStyle(name) => write!(f, "{name} is not a piece of western chess (style w)"),
            PcnFault::NoSuchPiece(name) => write!(f, "western chess has no piece {name}"),
            PcnFault::OtherBoard(shape) => {
                let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
                write!(f, "a board of {} squares; western chess has 8x8", sizes.join("x"))
            }
            PcnFault::RaggedBoard => f.write_str("the rows of the board differ in length"),
            PcnFault::TooLarge => f.write_str("the board is too large"),
            PcnFault::NoSuchSquare => f.write_str("there is no such square"),
            PcnFault::EmptySquare => f.write_str("no piece stands there"),
            PcnFault::NotUnique => f.write_str("the name is on no square, or on several"),
            PcnFault::Occupied => f.write_str("the square is occupied"),
            PcnFault::NothingToCapture => f.write_str("no piece of the other side stands there"),
            PcnFault::Drop => f.write_str("western chess has no pieces in hand to drop"),
            PcnFault::UnknownVerb => f.write_str("PCN has no such verb"),
            PcnFault::UnknownOption => f.write_str("PCN has no such option"),
            PcnFault::BadPromotion => f.write_str("not a promotion of western chess"),
            PcnFault::NotLanded => f.write_str("a piece that jumped has not landed"),
            PcnFault::IllegalMove => f.write_str("not a legal move"),
            PcnFault::ResultWithoutOver => f.write_str("a result without \"over?\""),
            PcnFault::SideUnknown(name) => write!(f, "the case of {name} does not say whose piece it is"),
            PcnFault::OtherSide(name) => write!(f, "{name} belongs to the side that is not to move"),
            PcnFault::NotAbove => f.write_str("no piece of the side to move is above that square"),
            PcnFault::PromotionChangesSide(name) => write!(f, "{name} is a piece of the other side"),
            PcnFault::TooManyAbove => f.write_str("too many pieces are above squares"),
            PcnFault::DropOfSquare => f.write_str("a drop names a piece, such as S:P"),
        }
    }
}

impl std::error::Error for PcnError {}

/// A path that grows on the way down a document.
#[derive(Clone, Copy)]
pub(super) struct Path<'a>(Option<&'a Path<'a>>, Step<'a>);

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

impl<'a> Path<'a> {
    pub const ROOT: Path<'static> = Path(None, Step::Root);

    pub fn member(&'a self, name: &'a str) -> Path<'a> {
        Path(Some(self), Step::Member(name))
    }

    pub fn item(&'a self, index: usize) -> Path<'a> {
        Path(Some(self), Step::Item(index))
    }

    pub fn error(&self, fault: PcnFault) -> PcnError {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(Path(above, step)) = at {
            match step {
                Step::Root => {}
                Step::Member(name) => steps.push(name.replace('~', "~0").replace('/', "~1")),
                Step::Item(index) => steps.push(index.to_string()),
            }
            at = *above;
        }
        let path = steps.iter().rev().flat_map(|step| ["/", step]).collect();
        PcnError { path, fault }
    }
}
