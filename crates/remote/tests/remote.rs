//! Archives at an address, against a server that counts bytes and fails on request.

/// Shared with the tests of the command.
#[path = "../../../tests/common/range_server.rs"]
mod range_server;

use range_server::{Fault, Server};
use scoresheet::archive::{FileKind, SideState};
use scoresheet::{Archive, Import, Position};
use scoresheet_query::{ArchiveSet, IndexedArchive, Visit};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Imports the 3,000 games of the sample ten times, and writes all side files.
fn sample(folder: &Path) -> Result<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lichess-sample.pgn.zst");
    let target = folder.join("games.bga");
    Import::new(&target).run(vec![source; 10])?;
    let archive = Archive::open(&target)?;
    scoresheet_query::position::index::build(&archive, 64 << 20, scoresheet::Monitor::new())?;
    scoresheet_query::tag_columns::write(&archive)?;
    Ok(target)
}

/// Answers of several kinds.
fn answers(set: &ArchiveSet) -> Result<Vec<String>> {
    let archive = set.members()[0].archive();
    let mut texts = vec![archive.len().to_string()];
    for number in [1, 2, 15_000, archive.len()] {
        let mut writer = scoresheet::pgn::PgnWriter::new();
        archive.game(number)?.write_pgn(&mut writer)?;
        texts.push(String::from_utf8(writer.into_bytes())?);
    }
    let query = scoresheet_query::Query::new().filter("whiteelo >= 1800".parse()?);
    texts.push(
        query
            .run(set)
            .map(|found| found.map(|found| found.number))
            .collect::<std::result::Result<Vec<_>, _>>()?
            .len()
            .to_string(),
    );
    let tree = set.tree(&Position::standard(), Visit::First, None, None).complete()?;
    texts
        .extend(tree.branches.iter().map(|branch| format!("{} {}", tree.position.san(branch.m), branch.tally.games())));
    Ok(texts)
}

fn open(address: &str) -> Result<ArchiveSet> {
    Ok(ArchiveSet::new(vec![IndexedArchive::open(scoresheet_remote::file(address)?)?]))
}

#[test]
fn answers_are_those_of_the_file_and_cost_few_bytes() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let target = sample(folder.path())?;
    let (server, host) = Server::start(folder.path(), true)?;
    let expected = answers(&ArchiveSet::open([&target])?)?;
    let remote = open(&format!("{host}/games.bga"))?;
    assert_eq!(remote.members()[0].archive().index_state(), SideState::File);
    assert_eq!(remote.members()[0].archive().path(), Path::new(&format!("{host}/games.bga")));
    assert_eq!(answers(&remote)?, expected);
    let read: std::collections::BTreeSet<_> = server.take().into_iter().map(|(name, ..)| name).collect();
    assert!(read.iter().eq(["games.bga", "games.bgh", "games.bgi", "games.bgp"]), "{read:?}");
    // With a key, and by a redirect.
    assert_eq!(answers(&open(&format!("{host}/games.bga?key=1"))?)?, expected);
    assert_eq!(answers(&open(&format!("{host}/moved/games.bga"))?)?, expected);
    // Without side files.
    for kind in [FileKind::Index, FileKind::TagColumns, FileKind::Positions, FileKind::Signatures] {
        fs::remove_file(kind.beside(&target)).ok();
    }
    assert_eq!(answers(&open(&format!("{host}/games.bga"))?)?, expected);
    Ok(())
}

#[test]
fn a_game_costs_few_bytes_and_a_neighbor_fewer() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let target = sample(folder.path())?;
    let (server, host) = Server::start(folder.path(), true)?;
    let archive = Archive::open(scoresheet_remote::file(&format!("{host}/games.bga"))?)?;
    let cost = |number: u64| -> Result<(usize, u64)> {
        let mut writer = scoresheet::pgn::PgnWriter::new();
        archive.game(number)?.write_pgn(&mut writer)?;
        let requests = server.take();
        Ok((requests.len(), requests.iter().map(|(_, _, length)| length).sum()))
    };
    let (requests, bytes) = cost(17_000)?;
    assert!(requests <= 12 && bytes < 150_000, "{requests} requests, {bytes} bytes");
    let (requests, bytes) = cost(17_001)?;
    assert!(requests <= 1 && bytes < 20_000, "{requests} requests, {bytes} bytes");
    // The header pages are not requested again, and no byte twice.
    for game in archive.games() {
        game?.tags()?;
    }
    let bytes: u64 = server.take().iter().map(|(_, _, length)| length).sum();
    assert!(bytes <= fs::metadata(&target)?.len(), "{bytes} bytes");
    Ok(())
}

#[test]
fn errors_say_the_reason() -> Result<()> {
    let folder = tempfile::tempdir()?;
    sample(folder.path())?;
    let (server, host) = Server::start(folder.path(), true)?;
    let address = format!("{host}/games.bga");
    let opened = Archive::open(scoresheet_remote::file(&address)?)?;
    for (number, (fault, reason)) in [
        (Fault::Status(404), "the server answered 404"),
        (Fault::Status(403), "the server answered 403"),
        (Fault::Status(500), "the server answered 500"),
        (Fault::NoRanges, "the server does not support ranges of bytes"),
        (Fault::Cut(99), "the connection ended after"),
        (Fault::OtherBytes, "the server sent other bytes"),
        (Fault::Silent(99), "the connection failed"),
    ]
    .into_iter()
    .enumerate()
    {
        server.set(fault);
        let message = scoresheet_remote::file(&address).unwrap_err().to_string();
        assert!(message.starts_with(&format!("cannot open {address}: {reason}")), "{fault:?}: {message}");
        // A chunk that no request has read.
        let game = 2_000 + number as u64 * 3_000;
        let message = opened.game(game).map(|_| ()).unwrap_err().to_string();
        assert!(
            message.contains("cannot read the archive at byte ") && message.contains(reason),
            "{fault:?}: {message}"
        );
        // No read makes a request for a second, and the next one reads again.
        server.take();
        assert!((0..30).all(|_| opened.game(game).is_err()), "{fault:?}");
        assert_eq!(server.take().len(), 0, "{fault:?}");
        server.set(Fault::None);
        std::thread::sleep(std::time::Duration::from_millis(1100));
        assert!(opened.game(game).is_ok(), "{fault:?}");
    }
    // Failures that pass are not seen.
    server.set(Fault::Cut(2));
    assert!(Archive::open(scoresheet_remote::file(&address)?)?.game(10_000)?.tags().is_ok());
    server.set(Fault::Silent(2));
    assert!(Archive::open(scoresheet_remote::file(&address)?)?.game(20_000)?.tags().is_ok());
    server.set(Fault::None);
    let message = scoresheet_remote::file(&format!("{host}/absent.bga")).unwrap_err().to_string();
    assert!(message.ends_with("absent.bga: the server answered 404 Not Found"), "{message}");
    fs::write(folder.path().join("empty.bga"), b"")?;
    let empty = Archive::open(scoresheet_remote::file(&format!("{host}/empty.bga"))?);
    assert!(matches!(empty, Err(scoresheet::Error::NotAnArchive { .. })));
    assert!(scoresheet_remote::file("http://127.0.0.1:1/games.bga").is_err());
    assert!(scoresheet_remote::file("http://").is_err());
    Ok(())
}

#[test]
fn a_changed_file_is_noticed() -> Result<()> {
    for has_etags in [true, false] {
        let folder = tempfile::tempdir()?;
        let target = sample(folder.path())?;
        let (_server, host) = Server::start(folder.path(), has_etags)?;
        let archive = Archive::open(scoresheet_remote::file(&format!("{host}/games.bga"))?)?;
        archive.game(1)?;
        let games: String = (0..20_000).map(|number| format!("[White \"{number}\"]\n\n1. e4 e5 *\n\n")).collect();
        let other = folder.path().join("other.bga");
        Import::new(&other).run_reader("games.pgn", games.as_bytes())?;
        fs::copy(&other, &target)?;
        let message = archive.game(29_000).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("has changed since it was opened"), "{message}");
    }
    Ok(())
}
