//! Imports a base of Scid: `cargo run --release --example import_scid -- games.si4 games.bga`.

use scoresheet::Import;
use scoresheet::import::ImportSource;
use scoresheet_scid::Base;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [index, archive] = arguments.as_slice() else { return Err("usage: import BASE.si4 ARCHIVE.bga".into()) };
    let base = Base::open(index)?;
    let games = base.len();
    let summary = Import::new(archive)
        .on_fault(|fault| println!("game {}: {}", fault.game, fault.fault))
        .run([ImportSource::games(index, base)])?;
    println!("{} of {games} games stored, {} with faults", summary.stored, summary.faulty);
    summary.refused.iter().for_each(|refused| println!("{refused:?}"));
    Ok(())
}
