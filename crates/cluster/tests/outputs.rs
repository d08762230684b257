//! `scoresheet-cluster manifest` never replaces a file that it reads.

#[path = "../../arrow/tests/common/outputs.rs"]
mod outputs;

use outputs::Room;

const PROGRAM: &str = env!("CARGO_BIN_EXE_scoresheet-cluster");

#[test]
fn no_output_is_an_input() {
    let room = Room::new();
    room.refuses(PROGRAM, &["manifest", "g.bga", "-o", "OUT", "--force"], &["g.bga"]);
    room.keeps_private(PROGRAM, &["manifest", "g.bga", "-o", "OUT", "--force"], "games.json");
}
