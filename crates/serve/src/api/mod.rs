//! Our own API, `/api/v1`: described in `openapi.json`, which is served with it, and of which a test calls every example.
//!
//! Each file has the routes of one noun. They read parameters, choose what the work costs, and make JSON; the work itself
//! is the library's.

mod archives;
mod complete;
mod download;
mod find;
mod game;
mod games;
mod position;
mod stats;
mod tree;

use crate::App;
use crate::fault::Fault;
use crate::params::Params;
use crate::shelf::Snapshot;
use crate::work::{Cost, Stop};
use axum::extract::RawQuery;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;
use std::sync::Arc;

const DESCRIPTION: &str = include_str!("openapi.json");

/// Returns the routes.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/api/v1/archives", get(archives::archives))
        .route("/api/v1/games", get(games::games))
        .route("/api/v1/games/{n}", get(game::game))
        .route("/api/v1/games/{n}/pgn", get(game::pgn))
        .route("/api/v1/games/{n}/original", get(game::original))
        .route("/api/v1/games/{n}/novelty", get(game::novelty))
        .route("/api/v1/position", get(position::position))
        .route("/api/v1/tree", get(tree::tree))
        .route("/api/v1/cost", get(find::cost))
        .route("/api/v1/find", get(find::position))
        .route("/api/v1/find", post(find::pattern))
        .route("/api/v1/stats", get(stats::stats))
        .route("/api/v1/complete", get(complete::complete))
        .route("/api/v1/download.pgn", get(download::download))
        .route("/api/v1/openapi.json", get(async || ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION)))
        .route("/api/v1/{*rest}", get(async || Fault::missing("there is no such route; see /api/v1/openapi.json")))
}

/// Answers a request with JSON that some work makes of its parameters.
async fn answer(
    app: App,
    query: RawQuery,
    cost: impl FnOnce(&Snapshot) -> Cost,
    work: impl FnOnce(&Arc<Snapshot>, &Params, &Stop) -> Result<Value, Fault> + Send + 'static,
) -> Result<Response, Fault> {
    let params = Params::read(query.0.as_deref())?;
    let snapshot = app.shelf.now();
    let cost = cost(&snapshot);
    let json = app.work.run(cost, move |stop| work(&snapshot, &params, stop)).await?;
    Ok(Json(json).into_response())
}

/// What it costs to filter.
fn by_tags(snapshot: &Snapshot) -> Cost {
    if snapshot.has_columns() { Cost::Quick } else { Cost::Scan }
}

/// What it costs to look a position up, and to filter.
fn by_position(snapshot: &Snapshot) -> Cost {
    if snapshot.is_indexed() && snapshot.has_columns() { Cost::Quick } else { Cost::Scan }
}
