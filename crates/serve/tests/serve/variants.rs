//! Games of variants: left out and named, or chosen by `variant`.

use crate::common::Server;
use serde_json::json;

/// A game of chess, two of Crazyhouse that reach the same board with different pockets, and one of King of the Hill.
const PGN: &str = "[Event \"A\"]\n[White \"Ann\"]\n\n1. e4 e5 1-0\n\n\
    [Event \"B\"]\n[White \"Ann\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @e4 1-0\n\n\
    [Event \"C\"]\n[White \"Ann\"]\n[Variant \"Crazyhouse\"]\n\n1. e4 d5 2. exd5 Qxd5 3. @e4 Qd8 1-0\n\n\
    [Event \"D\"]\n[White \"Ann\"]\n[Variant \"King of the Hill\"]\n\n1. e4 e5 1-0\n\n";

#[test]
fn a_variant_is_chosen_and_others_are_counted() {
    let server = Server::of(PGN);
    let json = |path: &str| server.fine(&format!("/api/v1/{path}")).json();
    let variants = json("archives")["archives"][0]["variants"].clone();
    assert_eq!(variants, json!([{"name": "Crazyhouse", "games": 2}, {"name": "King of the Hill", "games": 1}]));
    for path in ["tree", "stats", "player?name=Ann"] {
        let found = json(path);
        assert_eq!((&found["left_out"], &found["games"]), (&json!(3), &json!(1)), "{path}");
    }
    let tree = json("tree?variant=crazyhouse&play=e2e4,d7d5,e4d5,d8d5");
    assert_eq!(tree["fen"], "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - 0 3");
    assert_eq!((&tree["left_out"], &tree["moves"][0]["uci"], &tree["games"]), (&json!(0), &json!("P@e4"), &json!(2)));
    let fen = "rnb1kbnr/ppp1pppp/8/3q4/8/8/PPPP1PPP/RNBQKBNR[]%20w%20KQkq%20-";
    assert_eq!(json(&format!("tree?variant=crazyhouse&fen={fen}"))["games"], 0);
    assert_eq!(json("tree?variant=koth&play=e2e4")["games"], 1);
    assert_eq!(json("stats?variant=crazyhouse")["games"], 2);
    let position = json("position?variant=crazyhouse&play=e2e4,d7d5,e4d5,d8d5&move=@a3");
    assert_eq!((&position["moves"][4]["uci"], &position["opening"]), (&json!("P@a3"), &json!(null)));

    let games = |query: &str| -> Vec<u64> {
        let games = json(&format!("games?{query}"))["games"].clone();
        games.as_array().unwrap().iter().map(|game| game["game"].as_u64().unwrap()).collect()
    };
    assert_eq!(games(""), [1, 2, 3, 4]);
    assert_eq!(games("play=e2e4"), [1]);
    assert_eq!(games("variant=crazyhouse"), [2, 3]);
    assert_eq!(games("variant=crazyhouse&play=e2e4,d7d5,e4d5,d8d5,P@e4,d5d8"), [3]);
    assert_eq!(games("variant=koth&play=e2e4"), [4]);
    let found = server.fine("/api/v1/find?variant=crazyhouse&play=e2e4").lines();
    assert_eq!(found.iter().filter(|line| line.get("hit").is_some()).count(), 2);
    let pgn = server.fine("/api/v1/download.pgn?variant=koth").text();
    assert!(pgn.contains("[Event \"D\"]") && !pgn.contains("[Event \"A\"]"), "{pgn}");

    // The field of a filter chooses like the parameter, and a query in JSON limits everything.
    assert_eq!(json("tree?play=e2e4&where=variant%20%3D%20crazyhouse")["games"], 2);
    assert_eq!(games("play=e2e4&variant=chess&where=variant%20%3D%20crazyhouse"), [0; 0]);
    for (find, expected) in [
        (r#"{"games":"3-4"}"#, &[3, 4][..]),
        (r#"{"games":"1-2","moves":"e4"}"#, &[1]),
        (r#"{"variant":"crazyhouse"}"#, &[2, 3]),
        (r#"{"where":"variant = \"King of the Hill\""}"#, &[4]),
    ] {
        let find = format!("find={}", find.replace('"', "%22").replace(' ', "%20").replace('\\', "%5C"));
        assert_eq!(games(&find), expected, "{find}");
        let chosen = expected.len() - usize::from(find.contains("3-4")) * 2;
        for path in ["stats", "tree"] {
            let found = json(&format!("{path}?{find}"));
            assert_eq!(found["games"], chosen, "{path}?{find}: {found}");
        }
    }
    assert_eq!(games("variant=crazyhouse&find=%7B%22moves%22:%22e4%22%7D"), [2, 3]);

    let lichess = |variant: &str| server.fine(&format!("/lichess?variant={variant}&play=e2e4")).json()["moves"].clone();
    assert_eq!(lichess("crazyhouse")[0]["uci"], "d7d5");
    assert_eq!(lichess("kingOfTheHill")[0]["uci"], "e7e5");
    for path in ["/api/v1/tree?variant=bughouse", "/api/v1/tree?variant=atomic&play=P@e4"] {
        assert_eq!(server.get(path).status, 400, "{path}");
    }
}
