//! The resource `download.pgn`: streams the games in a list as PGN.

use super::games::requested_position;
use super::{Answer, Flow};
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::{Choice, Snapshot};
use crate::stop::Stop;
use scoresheet::pgn::PgnWriter;
use std::sync::Arc;

/// The number of games in a piece of the stream.
const PIECE: usize = 64;
/// The time limit of a download, in multiples of a request's deadline.
const DEADLINES: u32 = 360;
/// The maximum number of games that are read one by one if the archive is fetched in parts.
const FEW: u64 = 100;

pub fn download(snapshot: &Arc<Snapshot>, params: &Params, stop: &Stop, most: u64) -> Result<Answer, Fault> {
    let at = requested_position(params)?;
    let asked = params.number("limit", u64::MAX)?;
    let limit = asked.min(most);
    let sort = params.get("sort").unwrap_or_default();
    let selected = snapshot.select(Choice { sort, at: at.as_ref(), ..params.choice_of_all_rules()? }, stop)?;
    if selected.games.min(limit) > FEW {
        snapshot.require_complete()?;
    }
    let snapshot = Arc::clone(snapshot);
    let pieces = move |flow: &mut Flow<'_>| {
        let mut offset = 0;
        while offset < limit.min(selected.games) {
            let size = PIECE.min((limit - offset) as usize);
            let numbers = selected.page(&snapshot, offset, size);
            if numbers.is_empty() {
                return;
            }
            offset += numbers.len() as u64;
            let text = flow.run(|| numbers.into_iter().flat_map(|number| pgn(&snapshot, number)).collect());
            if !text.is_some_and(|text| (flow.push)(text)) {
                return;
            }
        }
        // PGN readers ignore the line.
        if selected.games.min(asked) > limit {
            let all = selected.games;
            (flow.push)(format!("% The server sends at most {limit} games, and {all} match.\n").into_bytes());
        }
    };
    Ok(Answer::Pieces {
        kind: "application/x-chess-pgn",
        name: Some("games.pgn"),
        deadlines: DEADLINES,
        pieces: Box::new(pieces),
    })
}

/// Returns a game as PGN. An unreadable game becomes a line that PGN readers ignore.
fn pgn(snapshot: &Snapshot, number: u64) -> Vec<u8> {
    let mut writer = PgnWriter::new();
    let written = snapshot.locate(number).and_then(|(book, _, game)| {
        let game = book.archive().game(game)?;
        Ok(game.write_pgn(&mut writer)?)
    });
    match written {
        Ok(()) => writer.into_bytes(),
        Err(fault) => format!("% game {number}: {}\n\n", fault.message).into_bytes(),
    }
}
