//! The route of the engine: `/api/v1/engine`.

use crate::app::App;
use crate::refused::Refused;
use axum::extract::{RawQuery, State};
use axum::routing::get;
use axum::{Json, Router};
use scoresheet_answers::{Fault, Params};
use scoresheet_query::reason;
use serde_json::Value;
use std::time::Duration;

/// The default number of lines that the engine returns.
const LINES: u32 = 3;
/// The default thinking time of the engine, in milliseconds.
const TIME: u64 = 1000;

/// Returns the route.
pub fn routes() -> Router<App> {
    Router::new().route("/api/v1/engine", get(answer))
}

async fn answer(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Json<Value>, Refused> {
    let Some(engine) = &app.engine else {
        return Err(
            Fault::missing(reason!("no_engine", "the server has no engine; start it with --engine PROGRAM")).into()
        );
    };
    let params = Params::read(query.as_deref())?;
    let position = params.line()?.position;
    let time = Duration::from_millis(params.number("time", TIME)?);
    Ok(Json(engine.analyse(&position, time, params.number("lines", LINES)?).await?))
}
