//! The faults in a document, and their locations.

use std::fmt;

/// The kind of a fault in an element of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PcnFault {
    /// The text is not JSON. The values are the line and the column, counted from 1.
    Json(usize, usize),
    /// The element does not have the expected type, which the value names.
    Expected(&'static str),
    /// The object contains a member that is not part of PCN.
    UnknownMember,
    /// The text is not the name of a piece, such as `w:k`.
    NotAPiece,
    /// The style and the name of a piece differ in case, so the side of the piece is unknown.
    MixedCase,
    /// The piece, which the value names, has a style other than western chess.
    OtherStyle(String),
    /// The piece, which the value names, does not exist in western chess.
    NoSuchPiece(String),
    /// The board does not have 8 by 8 squares. The value contains the lengths of its dimensions.
    OtherBoard(Vec<usize>),
    /// The rows of the board have different lengths, or squares and rows are mixed.
    RaggedBoard,
    /// The board exceeds the size limit.
    TooLarge,
    /// The board has no such square.
    NoSuchSquare,
    /// The subject of the action names an empty square.
    EmptySquare,
    /// The named piece is on no square, or on more than one.
    NotUnique,
    /// The object of `shift` or `land` names an occupied square.
    Occupied,
    /// The square that the object of `capture`, `remove` or `stun` names contains no opposing piece.
    NothingToCapture,
    /// The verb is `drop`, but western chess has no pieces in hand.
    Drop,
    /// The verb is not part of PCN.
    UnknownVerb,
    /// The option is not part of PCN.
    UnknownOption,
    /// The promotion is not legal in western chess.
    BadPromotion,
    /// A piece has jumped but has not landed.
    NotLanded,
    /// The actions together do not form a legal move.
    IllegalMove,
    /// The result without `over?`.
    ResultWithoutOver,
    /// The case of a piece's abbreviation does not determine the side of the piece, which the value names.
    SideUnknown(String),
    /// The piece, which the value names, belongs to the side that is not to move.
    OtherSide(String),
    /// No piece of the side to move is above the square.
    NotAbove,
    /// The promotion names a piece of the other side, which is the value.
    PromotionChangesSide(String),
    /// Too many pieces are above squares at the same time.
    TooManyAbove,
    /// The object of `drop` is not the name of a piece.
    DropOfSquare,
}

/// The reason why a document is rejected: the fault, and the path of the faulty element as a JSON pointer (RFC 6901).
/// The path is empty for the entire document.
///
/// ```
/// let error = scoresheet_pcn::parse(br#"{"moves": []}"#).unwrap_err();
/// assert_eq!(error.fault, scoresheet_pcn::PcnFault::UnknownMember);
/// assert!(error.to_string().contains("moves"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PcnError {
    /// The path of the faulty element.
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

/// The path of an element, extended at each level of a document.
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
