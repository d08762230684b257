//! What a site is made with, and who is told how far it is.

/// Is told how many more units of a step are done, from any thread.
pub type Done = dyn Fn(u64) + Send + Sync;
/// Begins a step of the work, with its name and how many units it has.
pub type Begin<'a> = dyn Fn(&'static str, u64) -> Box<Done> + 'a;

/// What is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the pages call themselves.
    pub title: String,
    /// The most bytes of a part.
    pub part: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { title: "Scoresheet".to_owned(), part: 8 << 20 }
    }
}
