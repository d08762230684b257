//! Accepts connections up to a limit, closes idle connections, and lets running answers finish at shutdown.

use crate::app::App;
use crate::guard::Peer;
use axum::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use scoresheet_answers::{Request, Stop};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of open connections; further clients wait.
    pub connections: usize,
    /// The time limit for receiving the head of a request.
    pub head: Duration,
    /// The time limit for running answers at shutdown.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 512, head: Duration::from_secs(10), drain: Duration::from_secs(3) }
    }
}

/// The interval between checks of the archives' files.
const LOOK: Duration = Duration::from_secs(1);

/// Serves until `end` is ready. Then accepts no more connections, and lets running answers finish within their time
/// limit. `message` receives errors from the archives.
pub async fn serve(
    app: App,
    listener: TcpListener,
    limits: Limits,
    end: impl Future<Output = ()>,
    message: impl Fn(&str) + Send + 'static,
) {
    let router = app.router();
    let permits = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let watcher = tokio::spawn(watch(app, message));
    tokio::pin!(end);
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&permits).acquire_owned() => permit,
            () = &mut end => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut end => break,
        };
        let Ok((stream, peer)) = accepted else {
            // Accepting a connection can fail, for example because of too many open files. After a pause, other
            // connections may have ended.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone().layer(Extension(Peer(peer))));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .max_buf_size(64 << 10)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _permit = permit;
            // A fault that a client causes on its connection is not a server error.
            let _ = connection.await;
        });
    }
    drop(listener);
    watcher.abort();
    let _ = tokio::time::timeout(limits.drain, graceful.shutdown()).await;
}

/// Reloads archives when they change, and prepares answers about players.
async fn watch(app: App, message: impl Fn(&str) + Send + 'static) {
    prepare(&app);
    let mut ticks = tokio::time::interval(LOOK);
    let mut said = None;
    loop {
        ticks.tick().await;
        let refreshed = app.clone();
        let looked = tokio::task::spawn_blocking(move || refreshed.refresh()).await;
        let Ok(looked) = looked else { continue };
        if looked.as_ref().is_ok_and(|changed| *changed) {
            prepare(&app);
        }
        let what = looked.err().map(|error| format!("still showing the previous state: {error}"));
        // Report a persistent error only once.
        if let Some(what) = what.as_ref().filter(|_| what != said) {
            message(what);
        }
        said = what;
    }
}

/// Lists the events and reads the players' names in the background, so the first visits of the start page and of a
/// player need no scan. Without tag columns this would read the tags of all games, perhaps for nobody.
fn prepare(app: &App) {
    let snapshot = Arc::clone(&app.shelf.now().snapshot);
    if snapshot.has_columns() && !snapshot.knows_spellings() {
        let pool = app.work.scan_pool();
        let work = move || {
            // Requests report errors.
            let events = Request::read("events", None, None);
            let _ = events.and_then(|events| events.answer(&snapshot, &Stop::default(), 0));
            snapshot.spellings();
        };
        tokio::task::spawn_blocking(move || pool.install(work));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Config;
    use scoresheet::{Archive, Import};
    use std::time::Instant;

    /// Without a request, the server knows the events and the names soon after its start, and again after a change.
    #[test]
    fn events_and_names_are_read_when_the_server_starts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.bga");
        let pgn = "[White \"Tal, M\"]\n[Black \"Tal, Mikhail\"]\n\n1. e4 *\n";
        Import::new(&path).run_reader("games.pgn", pgn.as_bytes()).unwrap();
        scoresheet_query::tag_columns::write(&Archive::open(&path).unwrap()).unwrap();
        let app = App::open(Config { archives: vec![path.clone()], ..Config::default() }).unwrap();
        assert!(!app.shelf.now().knows_spellings());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let served = app.clone();
        runtime.spawn(async move { serve(served, listener, Limits::default(), std::future::pending(), |_| {}).await });
        let until_known = || {
            let began = Instant::now();
            while !app.shelf.now().knows_spellings() {
                assert!(began.elapsed() < Duration::from_secs(30), "the names are not read");
                std::thread::sleep(Duration::from_millis(20));
            }
            assert!(app.shelf.now().knows_first_events());
        };
        until_known();
        let before = app.shelf.now().version;
        Archive::describe(&path, [("title", "Games")]).unwrap();
        scoresheet_query::tag_columns::write(&Archive::open(&path).unwrap()).unwrap();
        let began = Instant::now();
        while app.shelf.now().version == before {
            assert!(began.elapsed() < Duration::from_secs(30), "the change is not seen");
            std::thread::sleep(Duration::from_millis(20));
        }
        until_known();
        runtime.shutdown_background();
    }
}
