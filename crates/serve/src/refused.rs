//! Converts faults to answers: JSON, or plain text for the explorer's routes.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use scoresheet_answers::Fault;
use serde_json::Value;

/// A rejected request.
#[derive(Clone, Debug)]
pub struct Refused(pub Fault);

impl Refused {
    /// Returns the answer as plain text.
    pub fn plain(self) -> Response {
        let what = match self.0.status {
            StatusCode::BAD_REQUEST => format!("bad request: {}\n", self.0.message),
            _ => format!("{}\n", self.0.message),
        };
        self.finish((self.0.status, what).into_response())
    }

    fn finish(&self, mut response: Response) -> Response {
        if let Some(seconds) = self.0.more.get("retry_after").and_then(Value::as_u64) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let response = (self.0.status, Json(self.0.json())).into_response();
        self.finish(response)
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Refused {
        Refused(fault)
    }
}
