//! Import of the sample from a plain PGN file into a new archive, everything kept. A unit is a byte of PGN. Each run asserts games,
//! plies, and the digest of the content.

mod common;

use common::{DIGEST, PGN_BYTES, Sample, check, digest, import_file};
use criterion::{Criterion, Throughput};
use scoresheet::archive::Archive;
use std::time::{Duration, Instant};

fn main() {
    let sample = Sample::new();
    let target = sample.path("bench.bga");
    let mut criterion = Criterion::default().sample_size(15).warm_up_time(Duration::from_secs(1)).configure_from_args();
    let mut group = criterion.benchmark_group("import");
    group.measurement_time(Duration::from_secs(5)).throughput(Throughput::Bytes(PGN_BYTES));
    for (name, threads) in [("one thread", 1), ("a thread a core", 0)] {
        group.bench_function(name, |bench| {
            bench.iter_custom(|iterations| {
                let mut time = Duration::ZERO;
                for _ in 0..iterations {
                    let started = Instant::now();
                    let summary = import_file(&sample.pgn, &target, threads);
                    time += started.elapsed();
                    check(&summary);
                    let archive = Archive::open(&target).expect("the archive opens");
                    assert_eq!(digest(&archive).to_string(), DIGEST);
                }
                time
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
