//! Scoresheet's API, `/api/v1`. `scoresheet-answers` parses the requests and creates the answers; this module adds
//! HTTP.

use crate::app::App;
use crate::refused::Refused;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use scoresheet_answers::{Answer, Flow, Request};
use std::sync::Arc;

/// Returns the routes.
pub fn routes() -> Router<App> {
    Router::new().route("/api/v1/{*rest}", get(answer).post(answer))
}

/// Answers a request on the thread pool for its cost.
async fn answer(
    State(app): State<App>,
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
    method: Method,
    body: Bytes,
) -> Result<Response, Refused> {
    let body = (method == Method::POST).then_some(&*body);
    let request = Request::read(&path, query.as_deref(), body)?;
    let snapshot = Arc::clone(&app.shelf.now().snapshot);
    let (cost, most) = (request.cost(&snapshot), app.config.download);
    let answer = app.work.run(cost, move |stop| request.answer(&snapshot, stop, most)).await?;
    Ok(match answer {
        Answer::Json(mut json) if path == "archives" => {
            json["engine"] = app.engine.is_some().into();
            Json(json).into_response()
        }
        Answer::Json(json) => Json(json).into_response(),
        Answer::Bytes { kind, name, bytes } => {
            let name = format!("inline; filename=\"{name}\"");
            ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, name)], bytes).into_response()
        }
        Answer::Pieces { kind, name, deadlines, pieces } => {
            let pool = app.work.scan_pool();
            let longest = app.work.deadline * deadlines;
            let stream = app.work.stream(longest, move |stop, push| {
                let run = |work: &mut (dyn FnMut() + Send)| pool.install(work);
                pieces(&mut Flow { stop, push, run: &run });
            });
            let kind = [(header::CONTENT_TYPE, kind)];
            let body = Body::from_stream(stream.await?);
            match name {
                Some(name) => {
                    let name = [(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))];
                    (kind, name, body).into_response()
                }
                None => (kind, [(header::CACHE_CONTROL, "no-store")], body).into_response(),
            }
        }
    })
}
