//! No code: a dependency of tests alone (see `Cargo.toml`).
