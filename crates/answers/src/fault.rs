//! The fault of a request, as the client receives it: a status, a code and a sentence, without any path on the server.
//!
//! This file converts the library's errors, but contains no routes. Input: errors; output: answers in JSON (`/api/v1`)
//! or in plain text (the explorer's routes).

use http::StatusCode;
use scoresheet::Error;
use scoresheet_query::{QueryFault, Reason, reason};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// The reason why a request cannot be answered.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The status.
    pub status: StatusCode,
    /// The kind of the fault, for programs.
    pub code: &'static str,
    /// The description, for people.
    pub message: String,
    /// More data for programs: the column and the range of a fault in a text, the damaged game, or advice.
    pub more: Map<String, Value>,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// Returns a fault with this status, code and message. A message with a code adds `reason` and `values`.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<Reason>) -> Fault {
        let reason = message.into();
        let fault = Fault { status, code, message: reason.to_string(), more: Map::new() };
        fault.with_reason(&reason)
    }

    /// Returns the fault with the code and the values of a message.
    fn with_reason(self, reason: &Reason) -> Fault {
        let Some(code) = reason.code() else { return self };
        let values: Map<String, Value> = reason.values().map(|(name, value)| (name.to_owned(), value.into())).collect();
        self.with("reason", code).with("values", values)
    }

    /// Returns the fault with one more member.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Fault {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the fault with its range in letters from 0, if there is one.
    pub fn with_range(self, letters: Option<Range<usize>>) -> Fault {
        match letters {
            Some(letters) => self.with("range", vec![letters.start, letters.end]),
            None => self,
        }
    }

    /// Returns the fault of a malformed request.
    pub fn bad(message: impl Into<Reason>) -> Fault {
        Fault::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// Returns the fault of an invalid filter or pattern, with its column and its range.
    pub fn query(parameter: &str, fault: &QueryFault) -> Fault {
        let message = format!("{parameter}: {}", fault.what());
        let found = Fault::new(StatusCode::BAD_REQUEST, "bad_query", message)
            .with_reason(fault.reason())
            .with("parameter", parameter)
            .with("column", fault.column())
            .with_range(fault.letters());
        match fault.member() {
            Some(member) => found.with("member", member),
            None => found,
        }
    }

    /// Returns the fault of an error in an archive, with game numbers that continue after `before` games of other archives.
    pub fn in_archive(before: u64) -> impl Fn(Error) -> Fault {
        move |error| match error {
            Error::Deleted { game } => Error::Deleted { game: game + before }.into(),
            Error::Damaged(mut damage) => {
                damage.game = damage.game.map(|game| game + before);
                Error::Damaged(damage).into()
            }
            error => error.into(),
        }
    }

    /// Returns the fault for a missing object.
    pub fn missing(message: impl Into<Reason>) -> Fault {
        Fault::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// Returns the fault for busy threads.
    pub fn busy() -> Fault {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, "busy", reason!("busy", "too many searches at once; try again"))
            .with("retry_after", 1)
    }

    /// Returns the fault of a request that exceeded the time limit.
    pub fn deadline(seconds: u64) -> Fault {
        Fault::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too_costly",
            reason!("deadline", "no answer within {n} s", n = seconds),
        )
        .with("retry_after", seconds)
        .with("advice", "scoresheet index ARCHIVE --positions --tag-columns --signatures")
    }

    /// Returns the fault of a request that was stopped because the client or the server has ended.
    pub fn stopped() -> Fault {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", reason!("stopped", "the work was stopped"))
            .with("retry_after", 1)
    }

    /// Returns the fault of a request that needs a complete archive, of which only parts are fetched.
    pub fn complete_archive(bytes: u64) -> Fault {
        Fault::new(StatusCode::CONFLICT, "whole", reason!("whole", "this needs the complete archive"))
            .with("bytes", bytes)
    }

    /// Returns the fault of a request for novelties without a position index.
    pub fn no_index() -> Fault {
        Fault::new(StatusCode::CONFLICT, "no_index", reason!("no_index", "novelties need a position index"))
            .with("advice", "scoresheet index ARCHIVE --positions")
    }

    /// Returns the fault for an internal error.
    pub fn internal() -> Fault {
        Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", reason!("internal", "internal error of the server"))
    }

    /// Returns the fault as JSON.
    pub fn json(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(error) = error.as_object_mut() {
            error.extend(self.more.clone());
        }
        json!({ "error": error })
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error {
            Error::NoSuchGame { game, games } => Fault::missing(reason!(
                "no_game",
                "there is no game {game}; the last is {last}",
                game = game,
                last = games
            )),
            Error::Deleted { game } => Fault::missing(reason!("deleted", "game {game} has been deleted", game = game)),
            Error::NoSuchPly { .. } => Fault::missing(error.to_string()),
            Error::Interrupted => Fault::stopped(),
            Error::Damaged(damage) => {
                let game = damage.game;
                let fault =
                    Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", Error::Damaged(damage).to_string());
                match game {
                    Some(game) => fault.with("game", game),
                    None => fault,
                }
            }
            Error::Limit { .. } | Error::Unknown { .. } => {
                Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "damaged", error.to_string())
            }
            // Messages of other errors contain names of files.
            _ => Fault::internal(),
        }
    }
}
