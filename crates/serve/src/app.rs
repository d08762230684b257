//! The server's configuration, and the state that all routes share.

use crate::engine::{Engine, EngineConfig};
use crate::shelf::Shelf;
use crate::work::Work;
use scoresheet::archive::OpenOptions;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The server's archives, options and limits.
#[derive(Clone, Debug)]
pub struct Config {
    /// The archives, in the order in which the pages show them.
    pub archives: Vec<PathBuf>,
    /// The options for opening the archives.
    pub options: OpenOptions,
    /// The host names that the server accepts in addition to the names of this machine.
    pub hosts: Vec<String>,
    /// Whether pages of other sites may read the explorer's routes.
    pub cors: bool,
    /// The time limit of a request. Searches and downloads, which are streamed, have a longer limit.
    pub deadline: Duration,
    /// The time limit for receiving the body of a request.
    pub body: Duration,
    /// The maximum number of concurrent scans.
    pub scans: usize,
    /// The maximum number of concurrent requests from one address.
    pub per_client: usize,
    /// The maximum number of games in a download.
    pub download: u64,
    /// The engine that analyzes positions, if any.
    pub engine: Option<EngineConfig>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            archives: Vec::new(),
            options: OpenOptions::default(),
            hosts: Vec::new(),
            cors: false,
            deadline: Duration::from_secs(10),
            body: Duration::from_secs(10),
            scans: std::thread::available_parallelism().map_or(1, usize::from),
            per_client: 256,
            download: 1_000_000,
            engine: None,
        }
    }
}

/// The state that every route receives.
#[derive(Clone, Debug)]
pub struct App {
    pub(crate) config: Arc<Config>,
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) work: Arc<Work>,
    pub(crate) engine: Option<Arc<Engine>>,
}

impl App {
    /// Opens the archives. Errors: an archive cannot be opened, or threads cannot be started.
    pub fn open(config: Config) -> Result<App, Box<dyn std::error::Error>> {
        let shelf = Shelf::open(&config.archives, config.options)?;
        let work = Work::new(config.scans, config.deadline)?;
        let engine = config.engine.clone().map(|config| Arc::new(Engine::new(config)));
        Ok(App { engine, config: Arc::new(config), shelf: Arc::new(shelf), work: Arc::new(work) })
    }

    /// Reloads changed archives. Returns whether any archive has changed.
    ///
    /// Errors: a file can no longer be opened as an archive. The server then shows its last good state.
    pub fn refresh(&self) -> scoresheet::Result<bool> {
        self.shelf.refresh()
    }

    /// Returns the archives of which games may be missing, each with the reason.
    pub fn incomplete(&self) -> Vec<String> {
        let now = self.shelf.now();
        let reasons = now.all().iter().filter_map(|book| Some((&book.name, book.archive().incomplete()?)));
        reasons.map(|(name, reason)| format!("{name}: {reason}")).collect()
    }

    /// Returns the number of games in all archives.
    pub fn games(&self) -> u64 {
        self.shelf.now().games()
    }
}
