//! Definitions for both the builder and the reader of tags blocks.

use crate::format::budget;
use crate::format::coder::predicted::Prediction;
use crate::format::columns::codec::Codec;
use crate::format::limits::Limits;

/// The tag names with a fixed number. Numbers start at 1, in the order of this list.
pub const NAMES: [&str; 48] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "WhiteElo",
    "BlackElo",
    "ECO",
    "Opening",
    "Variation",
    "SubVariation",
    "TimeControl",
    "Termination",
    "UTCDate",
    "UTCTime",
    "WhiteRatingDiff",
    "BlackRatingDiff",
    "WhiteTitle",
    "BlackTitle",
    "FEN",
    "SetUp",
    "Variant",
    "EventDate",
    "Annotator",
    "PlyCount",
    "Time",
    "Mode",
    "WhiteFideId",
    "BlackFideId",
    "WhiteTeam",
    "BlackTeam",
    "WhiteUSCF",
    "BlackUSCF",
    "WhiteNA",
    "BlackNA",
    "WhiteType",
    "BlackType",
    "EventSponsor",
    "Section",
    "Stage",
    "Board",
    "NIC",
    "Source",
    "SourceDate",
    "WhiteClock",
    "BlackClock",
];

/// The value that marks a predicted column, stored in place of the column's width.
pub(super) const PREDICTED: u8 = 255;

/// Returns the charge of each value in a column, without the texts stored in the chunk. The charge covers the column's
/// name, the prefix of the values, and the longest dictionary string.
pub(super) fn charge_of(name: &[u8], codec: &Codec, column: usize, predictions: &[Prediction], limits: &Limits) -> u64 {
    let text = match codec {
        Codec::Base62(prefix) => prefix.len(),
        Codec::Dictionary => limits.string,
        _ => 0,
    };
    let is_key = predictions.iter().any(|prediction| prediction.key == Some(column));
    let is_predicted = predictions.iter().any(|prediction| prediction.column == column);
    let more = |is: bool, charge| if is { charge } else { 0 };
    let value = budget::VALUE + more(is_key, budget::KEY) + more(is_predicted, budget::PREDICTED);
    value.saturating_add((name.len() + text) as u64)
}
