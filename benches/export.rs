//! Export of the sample as PGN into memory, on one thread. The unit is a byte of written PGN. Each run asserts the
//! text, and that importing this text gives the same content.

mod common;

use common::{DIGEST, Sample, check, digest, fold, import_file};
use criterion::{Criterion, Throughput};
use scoresheet::archive::Archive;
use scoresheet::pgn::PgnWriter;
use std::time::Duration;

fn main() {
    let sample = Sample::new();
    let archive = sample.archive();
    let mut writer = PgnWriter::new();
    write_all(&archive, &mut writer);
    let (length, expected) = (writer.as_bytes().len(), fold(0, writer.as_bytes()));
    let (export, again) = (sample.path("export.pgn"), sample.path("again.bga"));
    std::fs::write(&export, writer.as_bytes()).expect("room for the export");
    check(&import_file(&export, &again, 0));
    assert_eq!(digest(&Archive::open(&again).expect("the archive opens")).to_string(), DIGEST);

    let mut criterion = Criterion::default().sample_size(20).warm_up_time(Duration::from_secs(1)).configure_from_args();
    let mut group = criterion.benchmark_group("export");
    group.measurement_time(Duration::from_secs(4)).throughput(Throughput::Bytes(length as u64));
    group.bench_function("one thread", |bench| {
        bench.iter(|| {
            writer.clear();
            write_all(&archive, &mut writer);
            assert_eq!((writer.as_bytes().len(), fold(0, writer.as_bytes())), (length, expected));
        });
    });
    group.finish();
    criterion.final_summary();
}

fn write_all(archive: &Archive, writer: &mut PgnWriter) {
    for game in archive.games() {
        game.and_then(|game| game.visit(writer)).expect("a sound archive");
        writer.finish();
    }
}
