//! The routes, guarded.

use crate::app::App;
use crate::{api, assets, explorer, guard};
use axum::Router;

impl App {
    /// Returns the routes, guarded.
    pub fn router(&self) -> Router {
        let routes = Router::new().merge(api::routes()).merge(explorer::routes()).merge(assets::routes());
        guard::guarded(routes, self)
    }
}
