//! What builder and reader of tags blocks agree on.

use crate::format::budget;
use crate::format::columns::codec::Codec;

/// Tag names that have a number, from 1, in the order of this list.
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

/// In place of the width of a predicted column.
pub(super) const PREDICTED: u8 = 255;

/// What each value of a column is charged: the column's name, which comes with it, what all values begin with, and its
/// number where it takes no byte of its own.
pub(super) fn charge_of(name: &[u8], codec: &Codec, is_predicted: bool) -> u64 {
    let prefix = if let Codec::Base62(prefix) = codec { prefix.len() } else { 0 };
    (name.len() + prefix) as u64 + if is_predicted { budget::PREDICTED } else { 0 }
}
