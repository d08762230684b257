//! Compares games that come from a program with the same games as PGN, and passes on events that no game can have.

use crate::common::random::Random;
use crate::common::sample::{lichess_text, testdata};
use scoresheet::archive::Level;
use scoresheet::chess::{Move, Position, Square, Variant};
use scoresheet::game::{Event, Game, Outcome, TextKind, Visitor};
use scoresheet::import::{FaultReport, GameBatch, GameReceiver, GameSource, ImportSource, Progress, Summary};
use scoresheet::pgn::{PgnWriter, ReadOptions, Splitter, read_game};
use scoresheet::{Archive, Error, Import, ImportOptions, Monitor, Result};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Returns the games of a text.
fn games_of(text: &[u8]) -> Vec<Game> {
    let mut splitter = Splitter::new(text, 0, ReadOptions::default().limits);
    let mut games = Vec::new();
    while let Some(batch) = splitter.next_batch(1 << 20).unwrap() {
        for span in &batch.spans {
            let mut game = Game::default();
            read_game(batch.span(span), 0, &ReadOptions::default(), &mut game);
            games.push(game);
        }
    }
    games
}

/// Games with comments, variations, glyphs, set-up positions, faults and many tags.
fn diverse() -> Vec<Game> {
    let mut games = games_of(&lichess_text());
    games.truncate(500);
    games.extend(games_of(
        b"[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 $1 ( 1. e3 {slow} Kd7 (1... Kf7) ) 1... Kd7 1/2-1/2\n\n\
          [White \"A \\\"B\\\" C\"]\n\n{before} 1. d4! $14 d5?! ;to the end\n2. c4 (2. Bf4 -- 3. e3) *\n\n",
    ));
    games
}

fn pgn_of(games: &[Game]) -> Vec<u8> {
    let mut writer = PgnWriter::new();
    games.iter().for_each(|game| writer.write(game));
    writer.into_bytes()
}

/// Returns batches of different sizes.
fn batches(games: &[Game]) -> impl Iterator<Item = Vec<Game>> + Send + 'static {
    let mut random = Random::new(5);
    let mut rest = games.to_vec();
    std::iter::from_fn(move || {
        let count = (1 + random.below(300)).min(rest.len());
        (count > 0).then(|| rest.drain(..count).collect())
    })
}

fn import_events(games: &[Game], target: &Path, options: &ImportOptions) -> Summary {
    let source = ImportSource::games("games.pgn", batches(games));
    Import::new(target).options(options.clone()).replace().run([source]).unwrap()
}

fn verified(target: &Path) -> Archive {
    let report = Archive::verify(target, Level::Full, Monitor::new()).unwrap();
    assert!(report.is_intact(), "{report:?}");
    Archive::open(target).unwrap()
}

#[test]
fn events_and_their_pgn_make_the_same_archive() {
    let folder = tempfile::tempdir().unwrap();
    let [pgn, by_pgn, by_events] = ["games.pgn", "pgn.bga", "events.bga"].map(|name| folder.path().join(name));
    let games = diverse();
    for packed in [false, true] {
        let options = if packed { ImportOptions::packed() } else { ImportOptions::default() };
        // Packing is slow.
        let games = if packed { &games[460..] } else { &games[..] };
        std::fs::write(&pgn, pgn_of(games)).unwrap();
        let expected = Import::new(&by_pgn).options(options.clone()).replace().run([&pgn]).unwrap();
        let summary = import_events(games, &by_events, &options);
        let counts =
            |summary: &Summary| (summary.stored, summary.faulty, summary.rejected, summary.plies, summary.pgn_bytes);
        assert_eq!(counts(&summary), counts(&expected));
        let archives = [&by_pgn, &by_events].map(|path| verified(path));
        let [by_text, by_event] = archives.each_ref().map(|archive| archive.sources().unwrap().remove(0));
        assert!(by_text.exact && !by_event.exact && summary.sources[0].made);
        assert_eq!((by_text.sha256, by_text.bytes, by_text.seen), (by_event.sha256, by_event.bytes, by_event.seen));
        // The text is restored, but it is not claimed to be the original.
        let mut text = Vec::new();
        assert!(archives[1].write_original(&by_event, &mut text).unwrap());
        assert_eq!(text, std::fs::read(&pgn).unwrap());
        // All bytes are equal up to the block of the source, which states whether its bytes are stored.
        let [text, event] = [&by_pgn, &by_events].map(|path| std::fs::read(path).unwrap());
        let source = text.windows(9).rposition(|name| name == b"games.pgn").unwrap();
        let differs = (8192..text.len()).find(|at| text[*at] != event[*at]).unwrap();
        assert!(text.len() == event.len() && (source - 100..source + 100).contains(&differs), "{differs} of {source}");
    }
}

/// Games of all variants, which need chunks of their own, come from programs as they come from PGN. A program need not
/// pass a tag Variant if its positions state the rules, or a position if the tag states them.
#[test]
fn variants_of_a_source_are_stored_like_their_pgn() {
    let folder = tempfile::tempdir().unwrap();
    let [pgn, by_pgn, by_events, by_text] =
        ["games.pgn", "pgn.bga", "events.bga", "text.bga"].map(|name| folder.path().join(name));
    let mut games = games_of(&std::fs::read(testdata("golden/variants-1.1.pgn")).unwrap());
    games.extend(diverse().drain(..20));
    std::fs::write(&pgn, pgn_of(&games)).unwrap();
    let expected = Import::new(&by_pgn).run([&pgn]).unwrap();
    assert_eq!((expected.stored, expected.rejected), (games.len() as u64, 0));
    let summary = import_events(&games, &by_events, &ImportOptions::default());
    let counts = |summary: &Summary| (summary.stored, summary.rejected, summary.plies, summary.pgn_bytes);
    assert_eq!(counts(&summary), counts(&expected));
    let texts: Vec<Vec<u8>> = games.iter().map(|game| pgn_of(std::slice::from_ref(game))).collect();
    let source = script(games.len(), move |receiver| {
        for text in &texts {
            receiver.begin(0, 0);
            receiver.pgn(text);
            receiver.end();
        }
    });
    assert_eq!(counts(&Import::new(&by_text).run([source]).unwrap()), counts(&expected));
    let from_pgn = verified(&by_pgn);
    for archive in [&by_events, &by_text].map(|path| verified(path)) {
        assert_eq!(archive.digest().unwrap(), from_pgn.digest().unwrap());
        assert_eq!(archive.sources().unwrap()[0].sha256, from_pgn.sources().unwrap()[0].sha256);
        for (game, expected) in archive.games().zip(from_pgn.games()) {
            assert_eq!(game.unwrap().variant(), expected.unwrap().variant());
        }
    }

    for variant in Variant::ALL.into_iter().filter(|variant| *variant != Variant::Chess) {
        let target = folder.path().join(format!("{variant}.bga"));
        let m = variant.start().legal_moves().into_iter().next().unwrap();
        let source = script(5, move |games| {
            for (tag, start) in
                [(None, None), (None, Some(variant)), (Some(variant), None), (Some(variant), Some(variant))]
            {
                games.begin(0, 0);
                games.tag(b"White", b"A");
                tag.into_iter().for_each(|tag| games.tag(b"Variant", tag.name().as_bytes()));
                start.into_iter().for_each(|start| games.start(&start.start()));
                if tag.or(start).is_some() {
                    games.play_next(m);
                }
                games.end();
            }
            // The tag and the position contradict each other.
            games.begin(0, 0);
            games.tag(b"Variant", if variant == Variant::Horde { b"Atomic" } else { b"Horde" });
            games.start(&variant.start());
            games.end();
        });
        let summary = Import::new(&target).run([source]).unwrap();
        assert_eq!((summary.stored, summary.faulty, summary.rejected), (4, 0, 1), "{variant}");
        // The same games one by one.
        let writer = scoresheet::ArchiveWriter::append(&target).unwrap();
        let named = |tag: Variant| vec![("Variant".to_owned(), tag.name().to_owned())];
        for (tags, start) in
            [(vec![], variant.start()), (named(variant), Position::standard()), (named(variant), variant.start())]
        {
            let tags = [vec![("White".to_owned(), "A".to_owned())], tags].concat();
            writer.add(&Game { tags, start, events: vec![Event::Move(m)], ..Game::default() }).unwrap();
        }
        let other = if variant == Variant::Horde { Variant::Atomic } else { Variant::Horde };
        assert!(writer.add(&Game { tags: named(other), start: variant.start(), ..Game::default() }).is_err());
        writer.finish().unwrap();
        let archive = verified(&target);
        let rules: Vec<Variant> = archive.games().map(|game| game.unwrap().variant()).collect();
        assert_eq!(rules, [vec![Variant::Chess], vec![variant; 6]].concat());
        let texts = (2..=7).map(|number| pgn_of_stored(&archive, number)).collect::<Vec<_>>();
        assert!(
            texts.iter().all(|text| *text == texts[0] && text.contains(&format!("[Variant \"{variant}\"]"))),
            "{texts:?}"
        );
    }
}

/// Games that a source's reader writes as PGN have the moves, faults and ends of the same PGN.
#[test]
fn pgn_of_a_source_is_read_as_pgn_is() {
    let folder = tempfile::tempdir().unwrap();
    let [pgn, by_pgn, by_source] = ["games.pgn", "pgn.bga", "source.bga"].map(|name| folder.path().join(name));
    let mut games: Vec<String> =
        diverse().iter().map(|game| String::from_utf8(pgn_of(std::slice::from_ref(game))).unwrap()).collect();
    for text in [
        "[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 Nf6 0-1\n\n",
        "[Date \"yesterday\"]\n\n1. e4 (1. d4 d5 (1... Nf6) *\n\n",
        "[Variant \"Suicide\"]\n\n1. e4 *\n\n",
        "[White \"A\"]\n\n1. e4 {a comment without an end\n\n",
    ] {
        games.push(text.to_owned());
    }
    std::fs::write(&pgn, games.concat()).unwrap();
    let run = |target: &Path, source: ImportSource| {
        let mut faults = Vec::new();
        let import = Import::new(target).on_fault(|fault| faults.push((fault.game, fault.fault.kind, fault.fault.ply)));
        let summary = import.run([source]).unwrap();
        faults.sort_by_key(|(game, kind, ply)| (*game, *ply, format!("{kind:?}")));
        (summary.stored, summary.rejected, summary.faulty, summary.plies, faults)
    };
    let expected = run(&by_pgn, ImportSource::from(&pgn));
    let count = games.len();
    let source = script(count, move |receiver| {
        for text in &games {
            receiver.begin(0, 0);
            receiver.pgn(text.as_bytes());
            receiver.end();
        }
    });
    assert_eq!(run(&by_source, source), expected);
    assert_eq!(expected.1, 1);
    let [pgn, source] = [by_pgn, by_source].map(|path| verified(&path));
    assert_eq!(pgn.digest().unwrap(), source.digest().unwrap());
}

#[test]
fn archives_of_events_do_not_depend_on_threads_and_have_the_games_in_many_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let games = diverse();
    let mut seen = Vec::new();
    for threads in [1, 2, 7] {
        let options = ImportOptions { threads, chunk_bytes: 20_000, batch: 2, ..ImportOptions::default() };
        import_events(&games, &target, &options);
        seen.push(std::fs::read(&target).unwrap());
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    let archive = verified(&target);
    let stored: Vec<Game> = archive.games().map(|game| game.unwrap().to_game().unwrap()).collect();
    assert_eq!(stored, games);
}

/// A decoder of a batch, and the number of its games.
struct Script<F>(usize, F);

impl<F: Fn(&mut GameReceiver<'_>) + Send + Sync> GameBatch for Script<F> {
    fn games(&self) -> usize {
        self.0
    }

    fn decode(&self, games: &mut GameReceiver<'_>) {
        (self.1)(games);
    }
}

/// A source of batches, with a call before each.
struct Batches<F>(std::vec::IntoIter<Box<dyn GameBatch>>, F);

impl<F: FnMut() -> Result<()> + Send> GameSource for Batches<F> {
    fn next_batch(&mut self) -> Result<Option<Box<dyn GameBatch>>> {
        (self.1)()?;
        Ok(self.0.next())
    }
}

fn script(games: usize, decode: impl Fn(&mut GameReceiver<'_>) + Send + Sync + 'static) -> ImportSource {
    let batches: Vec<Box<dyn GameBatch>> = vec![Box::new(Script(games, decode))];
    ImportSource::games("games", Batches(batches.into_iter(), || Ok(())))
}

fn plain(from: &str, to: &str) -> Move {
    let square = |text: &str| text.parse::<Square>().unwrap();
    Move::plain(square(from), square(to))
}

#[test]
fn faults_are_reported_by_game_and_keep_what_pgn_can_express() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let source = script(10, |games| {
        games.begin(100, 7);
        games.tag(b"White", b"Nobody");
        games.play_next(plain("e2", "e4"));
        games.open();
        games.play_next(plain("d2", "d4"));
        games.play_next(plain("d2", "d4"));
        games.nag(3);
        games.text(TextKind::Brace, b"lost");
        games.close();
        games.play_next(plain("e7", "e5"));
        games.end();

        games.begin(200, 8);
        games.open();
        games.play_next(plain("e2", "e4"));
        games.close();
        games.close();
        games.text(TextKind::Brace, b"a\0b\xFF");
        games.end();

        games.begin(300, 9);
        games.tag(b"Two words", b"x\"y");
        games.tag(b"Result", b"1-0");
        games.tag(b"Date", b"one day");
        games.play_next(plain("e2", "e4"));
        games.tag(b"Late", b"tag");
        games.open();
        games.outcome(Outcome::WhiteWins);
        games.outcome(Outcome::BlackWins);
        games.end();

        games.begin(400, 10);
        games.tag(b"Variant", b"Suicide");
        games.end();

        games.begin(500, 11);
        games.text(TextKind::Brace, "long ".repeat(1 << 19).as_bytes());
        games.end();

        games.begin(600, 12);
        games.play_next(plain("e2", "e4"));
        games.reject("the record ends early");

        games.begin(700, 13);
        games.play_next(plain("d2", "d4"));
        games.end_deleted();

        // A game that is not ended is dropped.
        games.begin(800, 14);
        games.play_next(plain("c2", "c4"));
        games.begin(900, 15);
        games.outcome(Outcome::WhiteWins);
        games.outcome(Outcome::Draw);
        games.end();
    });
    let mut faults = Vec::new();
    let summary = Import::new(&target)
        .on_fault(|FaultReport { offset, line, game, stored, fault, .. }| {
            faults.push(format!("{offset} {line} {game} {stored:?} {fault}"));
        })
        .run([source])
        .unwrap();
    let expected = [
        "100 7 1 Some(1) illegal move: d2d4 (after 1 plies)",
        "200 8 2 Some(2) unmatched parenthesis, or parenthesis without a move before it: (",
        "200 8 2 Some(2) unmatched parenthesis, or parenthesis without a move before it: )",
        "200 8 2 Some(2) byte that is not UTF-8: a\\0b\u{FFFD}",
        "200 8 2 Some(2) NUL byte",
        "300 9 3 Some(3) not a tag pair: Two words",
        "300 9 3 Some(3) tag value that cannot be read: one day",
        "300 9 3 Some(3) not a tag pair: Late (after 1 plies)",
        "300 9 3 Some(3) variation without closing parenthesis",
        "400 10 4 None a variant of chess that is not supported: Suicide",
        "500 11 5 None game too long",
        "600 12 6 None refused by the reader: the record ends early (after 1 plies)",
    ];
    assert_eq!(faults, expected);
    assert_eq!((summary.seen, summary.stored, summary.faulty, summary.rejected), (8, 5, 3, 3));
    let archive = verified(&target);
    assert_eq!((archive.len(), archive.deleted_count()), (5, 1));
    assert!(archive.is_deleted(4));
    let pgn = |number| pgn_of_stored(&archive, number);
    assert_eq!(pgn(1), "[White \"Nobody\"]\n\n1. e4 (1. d4 d2d4 $3 {lost}) 1... e5 *\n\n");
    assert_eq!(pgn(2), "( e2e4 ) ) {ab\u{FFFD}} *\n\n");
    let third = "[Result \"1-0\"]\n[Date \"one day\"]\n[Two words \"x\\\"y\"]\n\n1. e4 [Late \"tag\"]\n(1-0 0-1) *\n\n";
    assert_eq!(pgn(3), third);
    assert_eq!(pgn(5), "1/2-1/2\n\n");
    // A strict import stores none of the faulty games.
    let strict = folder.path().join("strict.bga");
    let read = ReadOptions { strict: true, ..ReadOptions::default() };
    let source = script(1, |games| {
        games.begin(0, 0);
        games.tag(b"Date", b"one day");
        games.end();
        games.begin(0, 0);
        games.end();
    });
    let summary = Import::new(&strict).read_options(read).run([source]).unwrap();
    assert_eq!((summary.stored, summary.rejected), (1, 1));
}

fn pgn_of_stored(archive: &Archive, number: u64) -> String {
    let mut writer = PgnWriter::new();
    archive.game(number).unwrap().write_pgn(&mut writer).unwrap();
    String::from_utf8(writer.into_bytes()).unwrap()
}

/// Passes on any events in any order.
fn nonsense(games: &mut GameReceiver<'_>, random: &mut Random) {
    for _ in 0..random.below(60) {
        let square = |random: &mut Random| Square::new(random.below(64) as u8).unwrap();
        let words: [&[u8]; 6] = [b"", b"FEN", b"a }{ b", b"[x \"", b"; %\n%", b"\0\xC3("];
        match random.below(16) {
            0..=7 => match games.position().legal_moves() {
                moves if !moves.is_empty() && !random.one_in(30) => games.play_next(random.pick(&moves)),
                _ => games.play_next(Move::plain(square(random), square(random))),
            },
            8 => games.open(),
            9 => games.close(),
            10 => games.nag(random.next() as u8),
            11 => games.suffix(random.one_in(2)),
            12 => games.text(TextKind::from_number(random.below(5) as u8).unwrap(), random.pick(&words)),
            13 => games.tag(random.pick(&words), random.pick(&words)),
            14 => games.outcome(Outcome::from_number(random.next() % 4).unwrap()),
            _ if random.one_in(20) => games.start(&Position::standard()),
            _ => games.begin(0, 0),
        }
    }
}

#[test]
fn any_events_make_an_intact_archive() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("games.bga");
    let source = script(400, |games| {
        let mut random = Random::new(77);
        for _ in 0..400 {
            nonsense(games, &mut random);
            match random.below(8) {
                0 => games.reject("by chance"),
                1 => games.end_deleted(),
                _ => games.end(),
            }
            games.begin(0, 0);
        }
    });
    let options = ImportOptions { chunk_bytes: 3000, ..ImportOptions::default() };
    let summary = Import::new(&target).options(options).run([source]).unwrap();
    assert_eq!(summary.seen, 400);
    let archive = verified(&target);
    // The games as PGN are the text that the source has in the archive.
    let (mut text, mut original) = (String::new(), Vec::new());
    let deleted: Vec<u64> = (1..=summary.stored).filter(|game| archive.is_deleted(*game)).collect();
    assert!(deleted.len() > 10);
    drop(archive);
    Archive::undelete(&target, deleted).unwrap();
    let archive = Archive::open(&target).unwrap();
    assert!(archive.write_original(&summary.sources[0].record, &mut original).unwrap());
    for number in 1..=archive.len() {
        text += &pgn_of_stored(&archive, number);
    }
    assert!(text.as_bytes() == original && text.len() as u64 == summary.pgn_bytes);
}

#[test]
fn an_interrupted_import_of_events_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let [target, whole] = ["games.bga", "whole.bga"].map(|name| folder.path().join(name));
    let games = diverse();
    let options = ImportOptions { chunk_bytes: 20_000, batch: 1, threads: 2, ..ImportOptions::default() };
    import_events(&games, &whole, &options);
    let expected: Vec<Game> =
        Archive::open(&whole).unwrap().games().map(|game| game.unwrap().to_game().unwrap()).collect();
    let source = |left: usize, stop: &Arc<AtomicBool>, first: Game| {
        let (mut left, stop) = (left, Arc::clone(stop));
        let mut games = games.clone();
        games[0] = first;
        let all: Vec<Box<dyn GameBatch>> = batches(&games).map(|batch| Box::new(batch) as Box<dyn GameBatch>).collect();
        ImportSource::games(
            "games.pgn",
            Batches(all.into_iter(), move || {
                stop.store(left == 0, Ordering::Relaxed);
                left = left.saturating_sub(1);
                Ok(())
            }),
        )
    };
    let stop = Arc::new(AtomicBool::new(false));
    let import = || Import::new(&target).options(options.clone()).stop(&stop);
    let first = import().run([source(2, &stop, games[0].clone())]).unwrap();
    assert!(matches!(first.stopped, Some(Error::Interrupted)) && first.stored > 0 && first.stored < 500);
    // Another source is refused.
    stop.store(false, Ordering::Relaxed);
    let error = import().resume().run([source(usize::MAX, &stop, Game::default())]).unwrap_err();
    assert!(error.to_string().contains("has changed"), "{error}");
    let commits = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&commits);
    let progress = Progress::with_acknowledge(move |commit| seen.lock().unwrap().push(commit.games));
    let rest = import().resume().progress(&progress).run([source(usize::MAX, &stop, games[0].clone())]).unwrap();
    assert_eq!((first.stored + rest.stored, rest.stopped.is_none()), (games.len() as u64, true));
    assert!(rest.passed_over > 0 && commits.lock().unwrap().len() > 1);
    let archive = verified(&target);
    let stored: Vec<Game> = archive.games().map(|game| game.unwrap().to_game().unwrap()).collect();
    assert!(stored == expected);
    let (record, of_whole) = (archive.sources().unwrap(), Archive::open(&whole).unwrap().sources().unwrap());
    assert_eq!(record, of_whole);
    // A resumed import that has finished already compares the source and changes nothing.
    let bytes = std::fs::read(&target).unwrap();
    import().resume().run([source(usize::MAX, &stop, games[0].clone())]).unwrap();
    assert!(std::fs::read(&target).unwrap() == bytes);
}

#[test]
fn a_source_that_fails_keeps_its_games_and_lets_the_next_one_follow() {
    let folder = tempfile::tempdir().unwrap();
    let [target, pgn] = ["games.bga", "more.pgn"].map(|name| folder.path().join(name));
    std::fs::write(&pgn, "1. d4 d5 *\n").unwrap();
    let failing = || {
        let game = Game { events: vec![Event::Nag(1)], ..Game::default() };
        let all: Vec<Box<dyn GameBatch>> = vec![Box::new(vec![game.clone(), game])];
        let mut calls = 0;
        ImportSource::games(
            "broken",
            Batches(all.into_iter(), move || {
                calls += 1;
                if calls > 1 { Err(Error::input("broken", "ends early")) } else { Ok(()) }
            }),
        )
    };
    let summary = Import::new(&target).run([failing(), ImportSource::from(&pgn)]).unwrap();
    assert_eq!((summary.stored, summary.refused[0].source, summary.sources[0].is_complete), (3, 0, false));
    let archive = verified(&target);
    let sources = archive.sources().unwrap();
    assert_eq!((sources[0].exact, sources[1].exact, sources[1].first_game), (false, true, 3));
    assert_eq!(archive.game(3).unwrap().to_game().unwrap().main_line().count(), 2);
    // Alone, too, it keeps its games.
    let summary = Import::new(&target).replace().run([failing()]).unwrap();
    assert_eq!((summary.stored, summary.refused.len(), verified(&target).len()), (2, 1, 2));
    // A source that fails at once leaves nothing to write, unless another source has games.
    let at_once = || {
        let none: Vec<Box<dyn GameBatch>> = Vec::new();
        ImportSource::games("broken", Batches(none.into_iter(), || Err(Error::input("broken", "is empty"))))
    };
    let summary = Import::new(&target).replace().run([at_once(), ImportSource::from(&pgn)]).unwrap();
    assert_eq!((summary.stored, summary.refused[0].source), (1, 0));
    std::fs::remove_file(&target).unwrap();
    let error = Import::new(&target).run([at_once()]).unwrap_err();
    assert!(error.to_string().contains("is empty") && !target.exists(), "{error}");
    // With the option for it, the failure ends the import.
    let summary = Import::new(&target).replace().stop_at_refused().run([failing(), ImportSource::from(&pgn)]).unwrap();
    assert!(summary.stored == 2 && summary.stopped.is_some());
}
