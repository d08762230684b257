//! Connections: accepted up to a limit, given up when they say nothing, and let end when the server is to.

use crate::app::App;
use crate::guard::Peer;
use axum::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// How connections are treated.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once; others wait.
    pub connections: usize,
    /// How long a client may take to send the head of a request.
    pub head: Duration,
    /// How long answers may take to end when the server is to.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 512, head: Duration::from_secs(10), drain: Duration::from_secs(3) }
    }
}

/// How often the archives' files are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Serves until `end` is ready; then no connection is accepted any more, and those that there are may finish what they
/// are answering, for as long as the limits allow. `message` is given what goes wrong with the archives meanwhile.
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
            // Out of files, say: others end meanwhile.
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
            // What a client does to its own connection is no fault of the server's.
            let _ = connection.await;
        });
    }
    drop(listener);
    watcher.abort();
    let _ = tokio::time::timeout(limits.drain, graceful.shutdown()).await;
}

/// Moves on to new commits as they come.
async fn watch(app: App, message: impl Fn(&str) + Send + 'static) {
    let mut ticks = tokio::time::interval(LOOK);
    let mut said = None;
    loop {
        ticks.tick().await;
        let own = app.clone();
        let looked = tokio::task::spawn_blocking(move || own.refresh()).await;
        let Ok(looked) = looked else { continue };
        let what = looked.err().map(|error| format!("shown as it was: {error}"));
        // What stays so is said once.
        if let Some(what) = what.as_ref().filter(|_| what != said) {
            message(what);
        }
        said = what;
    }
}
