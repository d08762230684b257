//! What is served, and what every route is given.

use crate::engine::{Engine, EngineConfig};
use crate::shelf::Shelf;
use crate::work::Work;
use scoresheet::archive::OpenOptions;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is served, to whom, and how much of it.
#[derive(Clone, Debug)]
pub struct Config {
    /// The archives, in this order.
    pub archives: Vec<PathBuf>,
    /// How they are opened.
    pub options: OpenOptions,
    /// Names under which the server may be asked, beside those of this machine for itself.
    pub hosts: Vec<String>,
    /// Whether pages of other sites may read the explorer's routes.
    pub cors: bool,
    /// How long a request may take; searches and downloads, which stream, may take longer.
    pub deadline: Duration,
    /// How long a client may take to send the body of a request.
    pub body: Duration,
    /// Scans at once.
    pub scans: usize,
    /// Requests of one address at once.
    pub per_client: usize,
    /// Games of a download at most.
    pub download: u64,
    /// The engine that analyses positions, if there is one.
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

/// What every route is given.
#[derive(Clone, Debug)]
pub struct App {
    pub(crate) config: Arc<Config>,
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) work: Arc<Work>,
    pub(crate) engine: Option<Arc<Engine>>,
}

impl App {
    /// Opens the archives. Errors: one of them cannot be opened, or threads cannot be started.
    pub fn open(config: Config) -> Result<App, Box<dyn std::error::Error>> {
        let shelf = Shelf::open(&config.archives, config.options)?;
        let work = Work::new(config.scans, config.deadline)?;
        let engine = config.engine.clone().map(|config| Arc::new(Engine::new(config)));
        Ok(App { engine, config: Arc::new(config), shelf: Arc::new(shelf), work: Arc::new(work) })
    }

    /// Moves on to what the archives' paths name now. Returns whether anything has changed.
    ///
    /// Errors: a file can no longer be opened as an archive, which is shown as it was.
    pub fn refresh(&self) -> scoresheet::Result<bool> {
        self.shelf.refresh()
    }

    /// Returns how many games there are.
    pub fn games(&self) -> u64 {
        self.shelf.now().games()
    }
}
