//! Converts training data: `cargo run --release --example convert_training -- games.viriformat games.binpack`.

use scoresheet::import::ImportSource;
use scoresheet::{Archive, Import};
use scoresheet_train::{Exporter, Filter, TrainingFile, TrainingFormat};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = arguments.as_slice() else { return Err("usage: convert SOURCE TARGET.FORMAT".into()) };
    let (source, target) = (Path::new(source), Path::new(target));
    let format = TrainingFormat::of_file(source).ok_or("no training data")?;
    let wanted = target.extension().and_then(|ending| ending.to_str()).and_then(TrainingFormat::from_name);
    let wanted = wanted.ok_or("the target must end in .viriformat, .binpack, .plain, .bin, .marlin or .bullet")?;
    let archive = target.with_extension("bga");
    let file = TrainingFile::open(source, format)?;
    Import::new(&archive).run([ImportSource::games(source.to_string_lossy(), file)])?;
    let mut exporter = Exporter::new(wanted, Filter::default(), None, std::fs::File::create(target)?);
    for game in Archive::open(&archive)?.games() {
        exporter.push(&game?)?;
    }
    println!("{:?}", exporter.finish()?);
    Ok(())
}
