//! Adds link previews of games and positions (Open Graph) to the document of a page: a title, a line and a picture.

use crate::app::App;
use crate::assets;
use crate::picture;
use crate::refused::Refused;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use scoresheet_answers::{Answer, Cost, Fault, Params, Request, Snapshot, Stop};
use scoresheet_pages::escape;
use serde_json::Value;
use std::sync::Arc;

/// Returns the routes.
pub fn routes() -> Router<App> {
    Router::new()
        .route(
            "/game",
            get(async |app: State<App>, query: RawQuery, headers: HeaderMap| page(app, query, headers, "game").await),
        )
        .route(
            "/explorer",
            get(async |app: State<App>, query: RawQuery, headers: HeaderMap| {
                page(app, query, headers, "explorer").await
            }),
        )
        .route("/picture.png", get(png))
}

/// The game or position that a link shows.
struct Linked {
    title: String,
    line: String,
    fen: String,
    /// The last move in UCI notation.
    last: Option<String>,
}

/// Returns the document of a page, with a preview if the link names a game or contains moves.
async fn page(State(app): State<App>, RawQuery(query): RawQuery, headers: HeaderMap, name: &'static str) -> Response {
    let query_text = query.clone();
    let by = if name == "game" { "n" } else { "play" };
    let is_named = Params::read(query.as_deref()).is_ok_and(|params| params.get(by).is_some());
    let found = match is_named {
        true => {
            let snapshot = Arc::clone(&app.shelf.now().snapshot);
            app.work.run(Cost::Quick, move |stop| linked(&snapshot, query_text.as_deref(), stop)).await.ok()
        }
        false => None,
    };
    // The page reports a wrong link to the visitor.
    let Some(found) = found else { return assets::page(name, &headers) };
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_secure = text(header::HeaderName::from_static("x-forwarded-proto")) == "https";
    let host = format!("{}://{}", if is_secure { "https" } else { "http" }, text(header::HOST));
    let picture = format!("{host}/picture.png?{}", query.unwrap_or_default());
    let width = picture::WIDTH.to_string();
    let tags = [
        ("og:type", "article"),
        ("og:site_name", "Scoresheet"),
        ("og:title", &found.title),
        ("og:description", &found.line),
        ("og:image", &picture),
        ("og:image:width", &width),
        ("og:image:height", &width),
    ];
    let meta = |(name, value): &(&str, &str)| format!("<meta property=\"{name}\" content=\"{}\">\n", escape(value));
    let all: String = tags.iter().map(meta).collect();
    let body = assets::document(0, name, &all);
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    (kind, body).into_response()
}

/// Returns the picture of a link's board.
async fn png(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Response, Refused> {
    let snapshot = Arc::clone(&app.shelf.now().snapshot);
    let picture = move |stop: &Stop| {
        let found = linked(&snapshot, query.as_deref(), stop)?;
        let is_turned = Params::read(query.as_deref())?.get("side") == Some("black");
        picture::board(&found.fen, found.last.as_deref(), is_turned).ok_or_else(Fault::internal)
    };
    let picture = app.work.run(Cost::Quick, picture).await?;
    Ok(([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "max-age=3600")], picture).into_response())
}

/// Returns the game (`n`, `ply`, `via`) or the position (`fen`, `play`) of a link.
fn linked(snapshot: &Arc<Snapshot>, query: Option<&str>, stop: &Stop) -> Result<Linked, Fault> {
    let params = Params::read(query)?;
    let ask = |path: &str, query: Option<&str>| match Request::read(path, query, None)?.answer(snapshot, stop, 0)? {
        Answer::Json(json) => Ok(json),
        _ => Err(Fault::internal()),
    };
    match params.get("n") {
        Some(_) => of_game(&ask(&format!("games/{}", params.number("n", 0u64)?), Some("fens=1"))?, &params),
        None => Ok(of_position(&ask("position", query)?)),
    }
}

fn of_game(game: &Value, params: &Params) -> Result<Linked, Fault> {
    let tag = |name: &str| {
        let pair = game["tags"].as_array().into_iter().flatten().find(|pair| pair[0] == name);
        pair.and_then(|pair| pair[1].as_str()).filter(|text| !matches!(*text, "" | "?" | "-" | "????.??.??"))
    };
    let ply: usize = params.number("ply", 0)?;
    let (last, san) = match moved(game, ply, params.get("via").unwrap_or_default()) {
        Some(node) => (Some(node), node["san"].as_str()),
        None => (None, None),
    };
    let players = [tag("White"), tag("Black")].map(|name| name.unwrap_or("?"));
    let at = san.zip(last.and_then(number)).map(|(san, number)| format!("{number} {san}"));
    let opening = game["opening"]["name"].as_str().map(str::to_owned);
    let line = [tag("Event").map(str::to_owned), tag("Date").map(str::to_owned), opening, at];
    Ok(Linked {
        title: format!("{} – {}, {}", players[0], players[1], game["result"].as_str().unwrap_or("*")),
        line: line.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        fen: last.unwrap_or(game)[if last.is_some() { "fen" } else { "start" }].as_str().unwrap_or_default().to_owned(),
        last: last.and_then(|node| node["uci"].as_str()).map(str::to_owned),
    })
}

/// Returns the number of a move with its dots, from the FEN of the position after it.
fn number(node: &Value) -> Option<String> {
    let mut fields = node["fen"].as_str()?.split(' ').skip(1);
    let is_white = fields.next()? == "b";
    let next: u64 = fields.last()?.parse().ok()?;
    Some(if is_white { format!("{next}.") } else { format!("{}…", next.saturating_sub(1)) })
}

/// Returns the move at a ply, by the same rule as the game page. In `via`, `17.1` selects the first alternative at ply
/// 17.
fn moved<'a>(game: &'a Value, ply: usize, via: &str) -> Option<&'a Value> {
    let turn = |ply: usize| {
        let choice = via.split(',').filter_map(|text| text.split_once('.')).find(|(at, _)| at.parse() == Ok(ply));
        choice.and_then(|(_, number)| number.parse::<usize>().ok()).unwrap_or(0)
    };
    let (mut line, mut at, mut found) = (game["moves"].as_array()?, 0, None);
    for at_ply in 1..=ply {
        let Some(first) = line.get(at) else { break };
        match turn(at_ply).checked_sub(1) {
            None => (found, at) = (Some(first), at + 1),
            Some(index) => {
                let others = others(first);
                let Some(alternative) = others.get(index) else { break };
                (line, found, at) = (alternative, alternative.first(), 1);
            }
        }
    }
    found
}

/// Returns the alternatives to a move; nested variations follow their parents.
fn others<'a>(node: &'a Value) -> Vec<&'a Vec<Value>> {
    let lines = |node: &'a Value| {
        let variations = node["variations"].as_array().into_iter().flatten();
        variations.filter_map(|variation| variation["moves"].as_array()).filter(|line| !line.is_empty()).rev()
    };
    let (mut found, mut open) = (Vec::new(), lines(node).collect::<Vec<_>>());
    while let Some(line) = open.pop() {
        found.push(line);
        open.extend(lines(&line[0]));
    }
    found
}

fn of_position(position: &Value) -> Linked {
    let sans = position["moves"].as_array().into_iter().flatten();
    let numbered =
        sans.clone().enumerate().map(|(at, played)| match (at % 2, played["san"].as_str().unwrap_or_default()) {
            (0, san) => format!("{}. {san}", at / 2 + 1),
            (_, san) => san.to_owned(),
        });
    let opening = position["opening"]["name"].as_str();
    let line: Vec<String> = numbered.collect();
    let is_usual = position["start"].as_str().is_some_and(|start| start.contains(" w ") && start.ends_with(" 1"));
    Linked {
        title: opening.unwrap_or("Opening explorer").to_owned(),
        line: if is_usual { line.join(" ") } else { String::new() },
        fen: position["fen"].as_str().unwrap_or_default().to_owned(),
        last: sans.last().and_then(|played| played["uci"].as_str()).map(str::to_owned),
    }
}
