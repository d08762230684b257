//! Passes batches of an archive's positions to a function, as the data loaders of the trainer bullet do:
//! `cargo run --release --example bullet_loader -- games.bga`.
//!
//! bullet's trait `DataLoader<T>` asks for the paths of the files, perhaps the number of positions, and `map_batches`,
//! which calls a function with slices of `T` until it returns true. `T` is bulletformat's record of 32 bytes
//! (`ChessBoard`), which [`TrainingFormat::Bullet`] writes. [`ArchiveLoader`] has the methods of this trait, for records
//! as arrays of bytes: bullet itself is not a published crate, so an implementation belongs into a trainer's code, where
//! `bytemuck::cast_slice` turns these arrays into its records.

use scoresheet::Archive;
use scoresheet::error::Result;
use scoresheet_train::{Exporter, Filter, ScoredGame, TrainingFormat};

/// A position in bulletformat.
type Record = [u8; 32];

/// The number of records that are shuffled together: 32 MiB.
const SHUFFLED: usize = 1 << 20;

/// Reads an archive again and again.
#[derive(Clone)]
struct ArchiveLoader {
    paths: [String; 1],
    filter: Filter,
    seed: u64,
}

impl ArchiveLoader {
    fn data_file_paths(&self) -> &[String] {
        &self.paths
    }

    /// Calls `use_batch` with batches of `batch_size` records until it returns true. Begins with batch `start_batch`.
    /// Errors: the archive cannot be read, or has no position that passes the filter.
    fn map_batches(
        &self,
        start_batch: usize,
        batch_size: usize,
        mut use_batch: impl FnMut(&[Record]) -> bool,
    ) -> Result<()> {
        let archive = Archive::open(&self.data_file_paths()[0])?;
        let (mut batch, mut before, mut epoch) = (Vec::with_capacity(batch_size), start_batch * batch_size, 0);
        loop {
            let (mut games, mut plies, mut found) = (Vec::new(), 0, 0);
            let mut numbers = shuffled(archive.chunk_count() as u64, self.seed + epoch).into_iter();
            loop {
                // Chunks in random order, until there are enough positions to shuffle.
                let chunk = numbers.next();
                for game in chunk.iter().flat_map(|chunk| archive.games_of(*chunk as usize)) {
                    if !archive.is_deleted(game) {
                        let game = ScoredGame::from_archive(&archive.game(game)?)?;
                        plies += game.moves.len();
                        games.push(game);
                    }
                }
                if plies < SHUFFLED && chunk.is_some() {
                    continue;
                }
                let mut bytes = Vec::new();
                let filter = self.filter.clone();
                let mut exporter = Exporter::new(TrainingFormat::Bullet, filter, Some(self.seed + epoch), &mut bytes);
                exporter.push_games(&games)?;
                exporter.finish()?;
                (games, plies) = (Vec::new(), 0);
                for record in bytes.as_chunks::<32>().0 {
                    found += 1;
                    if before > 0 {
                        before -= 1;
                        continue;
                    }
                    batch.push(*record);
                    if batch.len() == batch_size {
                        if use_batch(&batch) {
                            return Ok(());
                        }
                        batch.clear();
                    }
                }
                if chunk.is_none() {
                    break;
                }
            }
            if found == 0 {
                return Err(scoresheet::Error::input(self.paths[0].clone(), "no scored position".to_owned()));
            }
            epoch += 1;
        }
    }
}

/// Returns the numbers below `count` in a random order.
fn shuffled(count: u64, seed: u64) -> Vec<u64> {
    let mut random = seed;
    let mut numbers: Vec<u64> = (0..count).collect();
    for end in (1..numbers.len()).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.swap(end, (random >> 33) as usize % (end + 1));
    }
    numbers
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: bullet_loader ARCHIVE")?;
    let filter = Filter { quiet: true, no_check: true, max_score: Some(3000), ..Filter::default() };
    let loader = ArchiveLoader { paths: [path], filter, seed: 1 };
    let (mut batches, mut score, mut result) = (0, 0i64, 0u64);
    loader.map_batches(0, 16_384, |batch| {
        for record in batch {
            score += i64::from(i16::from_le_bytes([record[24], record[25]]));
            result += u64::from(record[26]);
        }
        batches += 1;
        batches == 100
    })?;
    let positions = f64::from(batches) * 16_384.0;
    println!(
        "{batches} batches; mean score {:.1}, mean result {:.3}",
        score as f64 / positions,
        result as f64 / 2.0 / positions
    );
    Ok(())
}
