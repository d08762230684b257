//! Implements the opening explorer API of Lichess: `/masters`, `/lichess`, `/player` and `/masters/pgn/{id}`. Existing
//! clients of that API work with the served archives.
//!
//! `request` parses parameters with that API's names, forms and defaults. `answer` makes its JSON. `fide` contains the
//! table of performance ratings. docs/serve.md lists the differences.

mod answer;
mod fide;
pub mod id;
mod request;

use crate::app::App;
use crate::assets;
use crate::guard;
use crate::refused::Refused;
use axum::Router;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use request::Kind;
use request::Request;
use scoresheet::pgn::PgnWriter;
use scoresheet_answers::{Cost, Fault, Params};

/// Returns the routes.
pub fn routes() -> Router<App> {
    let masters = get(async |state: State<App>, query: RawQuery| answer(state, query, Kind::Masters, false).await);
    let lichess = get(async |state: State<App>, query: RawQuery| answer(state, query, Kind::Lichess, false).await);
    let personal = get(async |state: State<App>, query: RawQuery| answer(state, query, Kind::Player, false).await);
    let history = get(async |state: State<App>, query: RawQuery| answer(state, query, Kind::Lichess, true).await);
    Router::new()
        .route("/masters", masters.clone())
        .route("/master", masters)
        .route("/lichess", lichess)
        .route("/lichess/history", history)
        .route("/player", get(player))
        .route("/personal", personal)
        .route("/masters/pgn/{id}", get(pgn))
        .route("/master/pgn/{id}", get(pgn))
}

/// Answers a request for a player's games in a position, or for the page of a player.
async fn player(state: State<App>, query: RawQuery, headers: HeaderMap) -> Response {
    match guard::is_page_of_player(query.0.as_deref(), &headers) {
        true => assets::page("player", &headers),
        false => answer(state, query, Kind::Player, false).await,
    }
}

async fn answer(State(app): State<App>, RawQuery(query): RawQuery, kind: Kind, history_alone: bool) -> Response {
    let found = async {
        let mut request = Request::read(&Params::read(query.as_deref())?, kind)?;
        if history_alone {
            request.only_history();
        }
        let snapshot = app.shelf.now();
        let quick = snapshot.is_indexed() && !request.history;
        let cost = if quick { Cost::Quick } else { Cost::Scan };
        app.work.run(cost, move |stop| answer::of(&snapshot, &request, kind, stop)).await
    };
    match found.await {
        Ok(json) if kind == Kind::Player => {
            ([(header::CONTENT_TYPE, "application/x-ndjson")], format!("{json}\n")).into_response()
        }
        Ok(json) => ([(header::CONTENT_TYPE, "application/json")], json.to_string()).into_response(),
        Err(fault) => Refused(fault).plain(),
    }
}

async fn pgn(State(app): State<App>, Path(name): Path<String>) -> Response {
    let found = async {
        let number = id::number(&name).ok_or_else(|| Fault::missing("there is no such game"))?;
        let snapshot = app.shelf.now();
        let text = move || {
            let (book, _, number) = snapshot.locate(number)?;
            let mut writer = PgnWriter::new();
            book.archive().game(number)?.write_pgn(&mut writer)?;
            Ok(writer.into_bytes())
        };
        app.work.run(Cost::Quick, move |_| text()).await
    };
    match found.await {
        Ok(text) => ([(header::CONTENT_TYPE, "application/x-chess-pgn")], text).into_response(),
        Err(fault) => Refused(fault).plain(),
    }
}
