//! Numbers of games that reach a position, compared with Scid, if installed: `cargo test --release --test oracle scid::
//! -- --ignored --nocapture`.
//!
//! Scid's script interpreter, `tkscid`, is searched in the PATH, in /usr/games, and under the name in SCORESHEET_SCID.
//! The corpus `otb` is exported from an archive and imported into a Scid database; then both search for the same
//! positions. Scid compares pieces and side to move, and so does this search.

#![allow(clippy::result_large_err)]

use crate::common::corpora;
use crate::common::import::try_import;
use crate::common::random::Random;
use scoresheet::ImportOptions;
use scoresheet::archive::{Archive, GameSet};
use scoresheet::pgn::PgnWriter;
use scoresheet_query::{Compare, PositionQuery, Search, SearchOptions, Signatures};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::process::{Command, Stdio};

/// Makes a database from a PGN file and prints its number of games; then for each line of a file of FENs, prints the
/// number of games with this position.
const SCRIPT: &str = r#"
proc progressCallBack {args} {}
lassign $argv base pgn fens
sc_base create $base
sc_base import [sc_base current] $pgn
puts [sc_base numGames [sc_base current]]
set file [open $fens]
while {[gets $file fen] >= 0} {
    sc_game startBoard $fen
    set time [clock microseconds]
    sc_search board 2 E false false
    puts "[sc_filter count] [expr {[clock microseconds] - $time}]"
}
exit
"#;

fn scid() -> Option<String> {
    let configured = std::env::var("SCORESHEET_SCID").ok();
    let names = configured.into_iter().chain(["tkscid".to_owned(), "/usr/games/tkscid".to_owned()]);
    let runs = |name: &String| {
        let mut command = Command::new(name);
        command.arg("/dev/null").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok_and(|mut child| {
            // Otherwise it would wait for events.
            let _ = child.kill();
            child.wait().is_ok()
        })
    };
    names.into_iter().find(runs)
}

#[test]
#[ignore = "needs Scid and the corpus otb"]
fn counts_are_those_of_scid() {
    let Some(scid) = scid() else {
        println!("skipped: tkscid is not there; Debian's package is scid");
        return;
    };
    let Some(sources) = corpora::sources("otb") else { return };
    let folder = crate::common::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let options = ImportOptions::default();
    try_import(&sources, &path("all.bga"), &options).unwrap();
    let archive = Archive::open(path("all.bga")).unwrap();
    // Excludes games that Scid is known to read differently.
    let (mut games, mut writer) = (Vec::new(), PgnWriter::new());
    let mut pgn = BufWriter::new(File::create(path("all.pgn")).unwrap());
    for game in archive.games() {
        let game = game.unwrap();
        if !game.is_set_up() && !game.has_fault() {
            writer.clear();
            game.visit(&mut writer).unwrap();
            writer.finish();
            pgn.write_all(writer.as_bytes()).unwrap();
            games.push(game.number());
        }
    }
    pgn.into_inner().unwrap();
    let mut random = Random::new(1);
    let (mut fens, mut queries, mut known) = (String::new(), Vec::new(), HashSet::new());
    while queries.len() < 300 {
        let game = archive.game(random.pick(&games)).unwrap();
        let position = game.position(random.below(game.plies().min(80) as usize + 1) as u32).unwrap();
        // Half of the positions are early in the game, where many games have them.
        let position = if queries.len() % 2 == 0 { position } else { game.position(game.plies().min(8)).unwrap() };
        if known.insert(position.fen()) {
            writeln!(fens, "{}", position.fen()).unwrap();
            queries.push(PositionQuery::new(
                &position,
                Compare { castling: false, en_passant: false, ..Compare::default() },
            ));
        }
    }
    std::fs::write(path("fens"), fens).unwrap();
    std::fs::write(path("script.tcl"), SCRIPT).unwrap();
    let mut command = Command::new(scid);
    command.arg(path("script.tcl")).arg(path("scid")).arg(path("all.pgn")).arg(path("fens"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let mut answers = answers.lines();
    assert_eq!(answers.next(), Some(games.len().to_string().as_str()), "{}", String::from_utf8_lossy(&output.stderr));
    let signatures = Signatures::build(&archive);
    let set = GameSet::from_numbers(archive.len(), games.iter().copied());
    let search = Search::new(&archive).with_signatures(&signatures).among(&set);
    let (mut times, mut search_times, mut found) = (Vec::new(), Vec::new(), 0);
    for query in &queries {
        let line = answers.next().expect("an answer to each question");
        let (count, time) = line.split_once(' ').unwrap();
        let start = std::time::Instant::now();
        let hits = search.position(query, SearchOptions::default()).hits;
        search_times.push(start.elapsed().as_micros() as u64);
        times.push(time.parse::<u64>().unwrap());
        assert_eq!(hits.len(), count.parse::<usize>().unwrap(), "{}", query.position().fen());
        found += hits.len();
    }
    times.sort_unstable();
    search_times.sort_unstable();
    let middle = |times: &[u64]| times[times.len() / 2];
    println!(
        "{} games, {} positions, {found} games found, as many by both; median {} us in Scid, {} us here",
        games.len(),
        queries.len(),
        middle(&times),
        middle(&search_times)
    );
}
