//! `download.pgn`: the games of a list as PGN, as they are read.

use super::games::wanted;
use crate::App;
use crate::fault::Fault;
use crate::params::Params;
use crate::shelf::Snapshot;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use scoresheet::pgn::PgnWriter;

/// Games that are written before the client gets them.
const PIECE: usize = 64;

pub async fn download(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Response, Fault> {
    let params = Params::read(query.as_deref())?;
    let at = wanted(&params)?;
    let (only, filter) = (params.archive()?, params.filter()?.to_owned());
    let sort = params.get("sort").unwrap_or_default().to_owned();
    let limit = params.number("limit", app.config.download)?.min(app.config.download);
    let snapshot = app.shelf.now();
    let cost = super::by_position(&snapshot);
    let own = std::sync::Arc::clone(&snapshot);
    let selected = app.work.run(cost, move |stop| own.select_at(only, &filter, &sort, at.as_ref(), stop)).await?;
    let pool = app.work.scan_pool();
    let pieces = app.work.stream(app.work.deadline * 360, move |_, push| {
        let mut offset = 0;
        while offset < limit {
            let size = PIECE.min((limit - offset) as usize);
            let numbers = selected.page(&snapshot, offset, size);
            if numbers.is_empty() {
                return;
            }
            offset += numbers.len() as u64;
            let text = pool.install(|| numbers.into_iter().flat_map(|number| pgn(&snapshot, number)).collect());
            if !push(text) {
                return;
            }
        }
    });
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"games.pgn\""),
    ];
    Ok((headers, Body::from_stream(pieces.await?)).into_response())
}

/// A game as PGN. One that cannot be read is named in a line that readers of PGN pass over.
fn pgn(snapshot: &Snapshot, number: u64) -> Vec<u8> {
    let mut writer = PgnWriter::new();
    let written = snapshot.locate(number).and_then(|(book, _, own)| {
        let game = book.archive().game(own)?;
        Ok(game.write_pgn(&mut writer)?)
    });
    match written {
        Ok(()) => writer.into_bytes(),
        Err(fault) => format!("% game {number}: {}\n\n", fault.message).into_bytes(),
    }
}
