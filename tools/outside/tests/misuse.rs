//! Misuse and bad bytes give errors with kind and location, never a panic or a wrong game.

use outside::{game_of, totals};
use scoresheet::archive::{Incomplete, Level};
use scoresheet::chess::{IllegalMove, MoveKind, Square};
use scoresheet::error::{Damage, DamageKind};
use scoresheet::game::{Event, GameFault, GameFaultKind, Outcome};
use scoresheet::{Archive, ArchiveFile, ArchiveWriter, Error, Game, Import, Monitor, Move, Position};
use scoresheet_query::Filter;
use scoresheet_query::QueryFault;
use std::error::Error as StdError;
use std::path::Path;
use tempfile::TempDir;

type Outcomes<T = ()> = Result<T, Box<dyn StdError>>;

/// Twenty games in an archive, its bytes and those of its index.
fn small() -> Outcomes<(TempDir, Vec<u8>, Vec<u8>)> {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("small.bga");
    let writer = ArchiveWriter::create(&target)?;
    for n in 0..20 {
        writer.add(&game_of(&format!("Player {n}"), &["e4", "c5", "Nf3", "d6", "d4"], Outcome::Draw)?)?;
    }
    assert_eq!(writer.finish()?.games, 20);
    assert!(Archive::verify(&target, Level::Full, Monitor::new())?.is_intact());
    let (bytes, index) = (std::fs::read(&target)?, std::fs::read(target.with_extension("bgi"))?);
    Ok((folder, bytes, index))
}

#[test]
fn games_and_plies_that_there_are_not() -> Outcomes {
    let (_folder, bytes, index) = small()?;
    let archive = Archive::open(ArchiveFile::from_bytes(bytes).index(index.to_vec()))?;
    for number in [0, 21, u64::MAX] {
        for error in [archive.game(number).err(), archive.position(number, 0).err(), archive.replay(number, 0).err()] {
            assert!(matches!(error, Some(Error::NoSuchGame { game, games: 20 }) if game == number), "{error:?}");
        }
        assert!(!archive.is_deleted(number));
    }
    for ply in [6, u32::MAX] {
        for error in [
            archive.position(20, ply).err(),
            archive.game(20)?.position(ply).err(),
            archive.game(20)?.replay(ply).err(),
        ] {
            assert!(matches!(error, Some(Error::NoSuchPly { game: 20, ply: p, plies: 5 }) if p == ply), "{error:?}");
        }
    }
    assert_eq!(archive.position(20, 5)?.turn(), scoresheet::chess::Color::Black);
    for chunk in [archive.chunk_count(), usize::MAX] {
        assert!(archive.chunk(chunk).is_err());
    }
    Ok(())
}

#[test]
fn files_that_are_no_archive() -> Outcomes {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("games.bga");
    let missing = Archive::open(&file);
    assert!(
        matches!(&missing, Err(Error::Io { path, source, .. }) if *path == file && source.kind() == std::io::ErrorKind::NotFound)
    );
    assert!(missing.is_err_and(|error| error.source().is_some()));
    for bytes in [&b""[..], b"[Event \"PGN\"]\n\n1. e4 *\n", &[0; 10_000], &[0xFF; 10_000]] {
        std::fs::write(&file, bytes)?;
        let opened = Archive::open(&file);
        assert!(matches!(&opened, Err(Error::NotAnArchive { path }) if *path == file), "{opened:?}");
        let verified = Archive::verify(&file, Level::Quick, Monitor::new());
        assert!(matches!(verified, Err(Error::NotAnArchive { .. })), "{verified:?}");
        assert!(matches!(Archive::open(ArchiveFile::from_bytes(bytes.to_vec())), Err(Error::NotAnArchive { .. })));
        assert!(matches!(ArchiveWriter::append(&file), Err(Error::NotAnArchive { .. })));
    }
    // A folder is not an archive, and an import never overwrites by default.
    assert!(matches!(Archive::open(folder.path()), Err(Error::Io { .. })));
    assert!(matches!(Import::new(&file).run(["any.pgn"]), Err(Error::Exists { .. })));
    let missing = Import::new(folder.path().join("new.bga")).run(["no such file.pgn"]);
    assert!(matches!(&missing, Err(Error::Io { path, .. }) if path == Path::new("no such file.pgn")), "{missing:?}");
    assert!(!Path::new(&folder.path().join("new.bga")).exists());
    Ok(())
}

#[test]
fn a_cut_file_never_gives_a_wrong_game() -> Outcomes {
    let (_folder, bytes, _) = small()?;
    let intact = Archive::open(ArchiveFile::from_bytes(bytes.clone()))?;
    let (mut refused, mut shorter) = (0, 0);
    for length in 0..bytes.len() {
        match Archive::open(ArchiveFile::from_bytes(bytes[..length].to_vec())) {
            Err(Error::NotAnArchive { .. } | Error::Damaged(_)) => refused += 1,
            Err(error) => panic!("cut at {length}: {error:?}"),
            Ok(archive) => {
                shorter += 1;
                let Some(Incomplete::Cut(cut)) = archive.incomplete() else {
                    panic!("cut at {length}: {:?}", archive.incomplete())
                };
                // One of the first two pages has the last commit; if the second page is lost, the first has no games.
                let last = if length < 8_192 { (8_192, 0) } else { (bytes.len() as u64, 20) };
                assert_eq!((cut.length, cut.committed, cut.games), (length as u64, last.0, last.1));
                assert!(archive.len() < intact.len());
            }
        }
        let report = Archive::verify(ArchiveFile::from_bytes(bytes[..length].to_vec()), Level::Full, Monitor::new());
        assert!(!matches!(report, Ok(report) if report.is_intact()), "cut at {length}");
    }
    assert!(refused > 0 && shorter > 0, "{refused} refused, {shorter} opened");
    Ok(())
}

#[test]
fn a_flipped_byte_is_found_with_its_place() -> Outcomes {
    let (_folder, bytes, index) = small()?;
    let intact = Archive::open(ArchiveFile::from_bytes(bytes.clone()).index(index.to_vec()))?;
    let games: Vec<Game> = intact.games().map(|game| game?.to_game()).collect::<scoresheet::Result<_>>()?;
    let mut kinds = Vec::new();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x10;
        let check_damage = |damage: &Damage| {
            assert!(damage.offset <= bytes.len() as u64, "{damage:?}");
            assert!(damage.game.is_none_or(|game| game <= 20), "{damage:?}");
        };
        match Archive::open(ArchiveFile::from_bytes(flipped.clone()).index(index.to_vec())) {
            Err(Error::Damaged(damage)) => check_damage(&damage),
            Err(Error::NotAnArchive { .. } | Error::Newer { .. } | Error::Older { .. }) => {}
            Err(error) => panic!("byte {at}: {error:?}"),
            Ok(archive) => {
                for (number, right) in (1..).zip(&games) {
                    match archive.game(number).and_then(|game| game.to_game()) {
                        Ok(game) => assert_eq!(&game, right, "byte {at} makes another game {number}"),
                        Err(Error::Damaged(damage)) => check_damage(&damage),
                        Err(Error::NoSuchGame { .. }) => assert!(archive.incomplete().is_some(), "byte {at}"),
                        Err(error) => panic!("byte {at}: {error:?}"),
                    }
                }
                let _ = totals(&archive);
            }
        }
        match Archive::verify(ArchiveFile::from_bytes(flipped).index(index.to_vec()), Level::Quick, Monitor::new()) {
            Err(Error::NotAnArchive { .. } | Error::Newer { .. } | Error::Older { .. } | Error::Damaged(_)) => {}
            Err(error) => panic!("byte {at}: {error:?}"),
            Ok(report) => {
                assert!(!report.is_intact(), "byte {at} is not missed");
                report.damage.iter().for_each(check_damage);
                assert!(!report.spots.is_empty());
                kinds.extend(report.damage.iter().map(|damage| damage.kind.clone()));
            }
        }
    }
    assert!(kinds.iter().any(|kind| matches!(kind, DamageKind::Checksum { expected, found } if expected != found)));
    assert!(kinds.iter().all(|kind| (2..=33).contains(&kind.section())));
    Ok(())
}

#[test]
fn games_that_are_none_are_not_added() -> Outcomes {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("own.bga");
    let writer = ArchiveWriter::create(&target)?;
    let good = game_of("Good", &["e4"], Outcome::Unknown)?;
    let jump = Move { from: "e2".parse::<Square>()?, to: "e5".parse()?, kind: MoveKind::Plain };
    let mut illegal = good.clone();
    illegal.events[0] = Event::Move(jump);
    let fault = GameFault { event: 0, kind: GameFaultKind::Illegal(IllegalMove::NotPseudoLegal) };
    assert_eq!(illegal.check(), Err(fault));
    let wrong = |event: Event, event_index: usize, kind: GameFaultKind| {
        let mut game = good.clone();
        game.events.push(event);
        assert_eq!(game.check(), Err(GameFault { event: event_index, kind }));
        game
    };
    let not_open = wrong(Event::Close, 1, GameFaultKind::NotOpen);
    let not_closed = wrong(Event::Open, 2, GameFaultKind::NotClosed);
    let nul = wrong(outside::comment("a\0b"), 1, GameFaultKind::NulByte);
    for game in [&illegal, &not_open, &not_closed, &nul] {
        let added = writer.add(game);
        assert!(matches!(&added, Err(Error::Input { .. })), "{added:?}");
    }
    assert_eq!(writer.add(&good)?, 1, "what was refused takes no number");
    assert_eq!(writer.finish()?.games, 1);
    assert_eq!(Archive::open(&target)?.game(1)?.to_game()?, good);

    let mut position = Position::standard();
    assert_eq!(position.play(jump), Err(IllegalMove::NotPseudoLegal));
    assert_eq!(position, Position::standard());
    Ok(())
}

#[test]
fn filters_that_cannot_be_read() {
    let fault_of = |text: &str| -> (std::ops::Range<usize>, usize) {
        let fault: QueryFault = Filter::parse(text).expect_err(text);
        assert!(!fault.what().is_empty());
        assert_eq!(text.parse::<Filter>().err(), Some(fault.clone()));
        (fault.at(), fault.column())
    };
    assert_eq!(fault_of("whiteelo >="), (11..11, 12));
    assert_eq!(fault_of("whiteelo >= strong"), (12..18, 13));
    assert_eq!(fault_of("whiteelo >= 2000 and (eco = B01"), (31..31, 32));
}
