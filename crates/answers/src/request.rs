//! Requests: parses a path, a query and a body, and determines the cost of the answer.

use crate::answer::{
    Answer, archives, by_position, by_tags, complete, download, event, events, find, game, games, player, position,
    read, read_games, stats, tree,
};
use crate::fault::Fault;
use crate::params::Params;
use crate::snapshot::Snapshot;
use crate::stop::{Cost, Stop};
use scoresheet_query::reason;
use std::sync::Arc;

/// A parsed request.
#[derive(Clone, Debug)]
pub struct Request {
    noun: Noun,
    params: Params,
}

#[derive(Clone, Debug)]
enum Noun {
    Archives,
    Games,
    Game(u64),
    Pgn(u64),
    Original(u64),
    Novelty(u64),
    Position,
    Tree,
    Cost,
    Find(Arc<find::FindRequest>),
    Read(Arc<read::ReadRequest>),
    ReadGames(Arc<read_games::GamesRequest>),
    Stats,
    Player,
    Event,
    Events,
    Complete,
    Download,
    #[cfg(not(target_family = "wasm"))]
    Description,
}

impl Request {
    /// Parses a request: a path below `/api/v1/`, a query, and an optional body (a search by pattern, a game to read).
    ///
    /// Errors: the path does not exist; a parameter is invalid. Some parameters are read only with the answer.
    pub fn read(path: &str, query: Option<&str>, body: Option<&[u8]>) -> Result<Request, Fault> {
        let params = Params::read(query)?;
        let game = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| Fault::bad(reason!("game_number", "games/N: expected the number of a game")))
        };
        let parts: Vec<&str> = path.split('/').collect();
        let noun = match (parts.as_slice(), body) {
            (["find"], Some(body)) => Noun::Find(Arc::new(find::by_question(body)?)),
            (["read", "games"], Some(body)) => Noun::ReadGames(Arc::new(read_games::parse(body)?)),
            (["read"], Some(body)) => Noun::Read(Arc::new(read::parse(body)?)),
            (["find"], None) => Noun::Find(Arc::new(find::by_position(&params)?)),
            (_, Some(_)) => {
                return Err(Fault::missing(reason!("no_route", "there is no such route; see /api/v1/openapi.json")));
            }
            (["archives"], _) => Noun::Archives,
            (["games"], _) => Noun::Games,
            (["games", number], _) => Noun::Game(game(number)?),
            (["games", number, "pgn"], _) => Noun::Pgn(game(number)?),
            (["games", number, "original"], _) => Noun::Original(game(number)?),
            (["games", number, "novelty"], _) => Noun::Novelty(game(number)?),
            (["position"], _) => Noun::Position,
            (["tree"], _) => Noun::Tree,
            (["cost"], _) => Noun::Cost,
            (["stats"], _) => Noun::Stats,
            (["player"], _) => Noun::Player,
            (["event"], _) => Noun::Event,
            (["events"], _) => Noun::Events,
            (["complete"], _) => Noun::Complete,
            (["download.pgn"], _) => Noun::Download,
            #[cfg(not(target_family = "wasm"))]
            (["openapi.json"], _) => Noun::Description,
            _ => return Err(Fault::missing(reason!("no_route", "there is no such route; see /api/v1/openapi.json"))),
        };
        Ok(Request { noun, params })
    }

    /// Returns the cost of the answer, or of its beginning if the answer is streamed.
    pub fn cost(&self, snapshot: &Snapshot) -> Cost {
        let asks = |name: &str| self.params.get(name).is_some();
        let at = asks("fen") || asks("play");
        match &self.noun {
            Noun::Archives | Noun::Game(_) | Noun::Pgn(_) | Noun::Original(_) | Noun::Position => Cost::Quick,
            Noun::Find(_) | Noun::Read(_) => Cost::Quick,
            #[cfg(not(target_family = "wasm"))]
            Noun::Description => Cost::Quick,
            Noun::Games | Noun::Tree | Noun::Stats | Noun::Player | Noun::Event | Noun::Events | Noun::Download
                if asks("find") =>
            {
                Cost::Scan
            }
            Noun::Games if at => by_position(snapshot),
            Noun::Games if asks("sort") || asks("where") => by_tags(snapshot),
            Noun::Games => Cost::Quick,
            Noun::ReadGames(_) => Cost::Scan,
            Noun::Novelty(_) | Noun::Tree | Noun::Download => by_position(snapshot),
            // This answer needs the spellings of all names.
            Noun::Player if !snapshot.knows_spellings() => Cost::Scan,
            Noun::Cost | Noun::Stats | Noun::Player | Noun::Event | Noun::Events | Noun::Complete => by_tags(snapshot),
        }
    }

    /// Returns the answer. `most` is the maximum number of games in a download.
    ///
    /// Errors: invalid parameters; missing or damaged games; a stopped request; a request that needs a complete
    /// archive, if the archive is fetched in parts.
    pub fn answer(&self, snapshot: &Arc<Snapshot>, stop: &Stop, most: u64) -> Result<Answer, Fault> {
        let params = &self.params;
        Ok(Answer::Json(match &self.noun {
            Noun::Archives => archives::archives(snapshot)?,
            Noun::Games => games::page(snapshot, params, stop)?,
            Noun::Game(number) => game::game(snapshot, *number, params.switch("fens")?)?,
            Noun::Pgn(number) => return game::pgn(snapshot, *number),
            Noun::Original(number) => return game::original(snapshot, *number),
            Noun::Novelty(number) => game::novelty(snapshot, *number, stop)?,
            Noun::Position => position::position(params)?,
            Noun::Tree => tree::tree(snapshot, params, stop)?,
            Noun::Cost => find::cost(snapshot, params, stop)?,
            Noun::Find(request) => return find::find(snapshot, request),
            Noun::Read(request) => read::read(snapshot, request, stop)?,
            Noun::ReadGames(request) => read_games::read_games(snapshot, request, stop)?,
            Noun::Stats => stats::stats(snapshot, params, stop)?,
            Noun::Player => player::player(snapshot, params, stop)?,
            Noun::Event => event::event(snapshot, params, stop)?,
            Noun::Events => events::events(snapshot, params, stop)?,
            Noun::Complete => complete::complete(snapshot, params)?,
            Noun::Download => return download::download(snapshot, params, stop, most),
            #[cfg(not(target_family = "wasm"))]
            Noun::Description => serde_json::from_str(crate::DESCRIPTION).map_err(|_| Fault::internal())?,
        }))
    }
}
