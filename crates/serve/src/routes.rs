//! Combines the routes with their guards.

use crate::app::App;
use crate::{analysis, api, assets, explorer, guard, preview};
use axum::Router;

impl App {
    /// Creates the routes with their guards.
    pub fn router(&self) -> Router {
        let routes = Router::new()
            .merge(api::routes())
            .merge(explorer::routes())
            .merge(analysis::routes())
            .merge(assets::routes())
            .merge(preview::routes());
        guard::guarded(routes, self)
    }
}
