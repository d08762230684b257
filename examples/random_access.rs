//! Shows game N at ply K: `cargo run --release --example random_access -- games.bga 17 40`

use scoresheet::Archive;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, number, ply] = &arguments[..] else { return Err("usage: random_access ARCHIVE.bga GAME PLY".into()) };
    let archive = Archive::open(path)?;
    let (number, ply) = (number.parse()?, ply.parse()?);
    println!("{}", archive.position(number, ply)?.fen());

    let game = archive.game(number)?;
    for (name, value) in game.tags()? {
        println!("{name}: {value}");
    }
    let clocks = game.clocks()?;
    for (played, clock) in game.moves().zip(clocks).take(ply as usize) {
        let played = played?;
        let clock = clock.map_or(String::new(), |clock| format!("  {} s left", clock.as_secs()));
        println!("{:>3} {}{clock}", played.ply(), played.san());
    }
    for variation in game.variations()? {
        println!("instead of ply {}: {}", variation.ply, variation.sans().join(" "));
    }
    Ok(())
}
