//! Shows progress bars on standard error if standard error is a terminal.

use crate::session::Session;
use crate::text::{clock, count};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Returns a bar up to `total`, or a spinner if `total` is unknown. The bar is hidden if it is not enabled or if
/// standard error is not a terminal.
pub fn bar(session: &Session, total: Option<u64>, enabled: bool) -> ProgressBar {
    if !enabled || !session.shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = if total.is_some() { "{bar:30} {percent:>3} %  {msg}" } else { "{spinner} {msg}" };
    // The templates are constants, so this succeeds; otherwise the bar keeps the default style.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// Runs `work` while `look` updates the bar ten times a second; clears the bar at the end.
pub fn watched<T>(bar: &ProgressBar, look: impl Fn(&ProgressBar, Duration) + Send, work: impl FnOnce() -> T) -> T {
    if bar.is_hidden() {
        return work();
    }
    let result = std::thread::scope(|scope| {
        // Dropping this value stops the other thread, even if the work panics.
        let _done = show(scope, bar, Box::new(look));
        work()
    });
    bar.finish_and_clear();
    result
}

/// A function that updates a bar after a time since its start.
type Look<'a> = dyn Fn(&ProgressBar, Duration) + Send + 'a;

/// Starts a thread that updates the bar until the returned value is dropped.
fn show<'scope>(scope: &'scope Scope<'scope, '_>, bar: &'scope ProgressBar, look: Box<Look<'scope>>) -> Sender<()> {
    let (start, (done, ended)) = (Instant::now(), channel::<()>());
    let show = move || {
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(Duration::from_millis(100)) {
            look(bar, start.elapsed());
        }
    };
    // If the system refuses a thread, no progress is shown.
    let _ = std::thread::Builder::new().spawn_scoped(scope, show);
    done
}

/// Runs `work`, which reports its progress towards `total`, with a bar that shows the time left.
pub fn counted<T>(session: &Session, total: u64, enabled: bool, work: impl FnOnce(&(dyn Fn(u64) + Sync)) -> T) -> T {
    let bar = bar(session, Some(total), enabled);
    let look = |bar: &ProgressBar, elapsed: Duration| {
        bar.set_message(left(elapsed, bar.position(), total).unwrap_or_default());
    };
    watched(&bar, look, || work(&|done| bar.inc(done)))
}

/// Runs a search, and shows its duration and the number of games searched so far, if it takes more than a second.
pub fn searching<T>(session: &Session, enabled: bool, searched: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let bar = bar(session, None, enabled);
    let look = |bar: &ProgressBar, elapsed: Duration| {
        if elapsed >= Duration::from_secs(1) {
            let games = match searched.load(Ordering::Relaxed) {
                0 => String::new(),
                games => format!(", {} searched", count(games, "game", "games")),
            };
            bar.set_message(format!("searching for {}{games}", duration(elapsed.as_secs_f64())));
            bar.tick();
        }
    };
    watched(&bar, look, work)
}

/// Runs a scan of games that does not count them, and shows its duration if it takes more than a second.
pub fn waiting<T>(session: &Session, work: impl FnOnce() -> T) -> T {
    searching(session, !session.is_silent(), &AtomicU64::new(0), work)
}

/// Returns the remaining time, estimated from the time of the finished part; `None` if it is too early for an estimate.
pub fn left(elapsed: Duration, done: u64, total: u64) -> Option<String> {
    if done == 0 || elapsed < Duration::from_secs(1) {
        return None;
    }
    let seconds = elapsed.as_secs_f64() * (total.saturating_sub(done)) as f64 / done as f64;
    Some(format!("{} left", duration(seconds)))
}

/// Returns seconds as `3 s`, `2:05 min` or `1:02:03 h`.
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", clock(seconds)),
        _ => format!("{} h", clock(seconds)),
    }
}
