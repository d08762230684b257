//! `scoresheet dedupe`: games that are there twice.

use crate::args::Threads;
use crate::copying;
use crate::failure::{Code, Failure};
use crate::json::Object;
use crate::output::{self, count, note, printable};
use clap::ValueEnum;
use scoresheet::archive::copy::Part;
use scoresheet::archive::{self, Archive};
use scoresheet::query::Headers;
use scoresheet::query::duplicates::{self, Double, Keep, Likeness, Options};
use scoresheet::query::headers::Key;
use std::io::Write;
use std::path::PathBuf;

/// Find games that are there twice, and list them, delete them or leave them out of a copy
///
/// Two games are one if their main lines are the same, or one is the beginning of the other, and nothing in their headers speaks against it:
/// players ("Carlsen, M" is "Carlsen, Magnus"), date, round and result must agree as far as both say something. Games of fewer than 16
/// half-moves must have all seven roster tags in common. One of the longest stays. Without --delete or -o the pairs are only listed: the
/// game that can go, the one that stays, how they are alike, players and date.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet dedupe games.bga                    lists the pairs
  scoresheet dedupe games.bga --delete           deletes what is there twice
  scoresheet merge a.bga b.bga -o both.bga && scoresheet dedupe both.bga -o one.bga")]
pub struct Args {
    /// The archive
    archive: PathBuf,
    /// Only list the pairs, which is what is done without --delete or -o anyway
    #[arg(long, conflicts_with_all = ["delete", "output"])]
    dry_run: bool,
    /// Delete the games that can go
    #[arg(long, conflicts_with = "output")]
    delete: bool,
    /// Write an archive without them
    #[arg(short, long, value_name = "FILE.bga")]
    output: Option<PathBuf>,
    /// Replace that archive if it exists already
    #[arg(long, requires = "output")]
    force: bool,
    /// Which of the longest stays
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    keep: Which,
    /// Leave games alone that are only the beginning of another
    #[arg(long)]
    whole_only: bool,
    /// List the pairs as JSON objects
    #[arg(long)]
    json: bool,
    /// Say nothing but errors, and show no progress
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    threads: Threads,
}

/// Which game stays.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
enum Which {
    /// That with the most comments, variations and glyphs, then with the most tags
    #[default]
    Best,
    /// The first
    First,
    /// The last
    Last,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    args.threads.install(|| dedupe(args))
}

fn dedupe(args: &Args) -> Result<Code, Failure> {
    let archive = output::open(&args.archive)?;
    let keep = match args.keep {
        Which::Best => Keep::Best,
        Which::First => Keep::First,
        Which::Last => Keep::Last,
    };
    let headers = Headers::of(&archive);
    let options = Options { prefixes: !args.whole_only, keep };
    let doubles = duplicates::find(&headers, options).map_err(Failure::of_archive(&args.archive))?;
    let number = count(doubles.len() as u64, "game", "games");
    if let Some(path) = &args.output {
        let mut games = archive.live();
        for double in &doubles {
            games.remove(double.game);
        }
        if !args.quiet {
            note(&format!("{number} left out"));
        }
        return copying::write(path, args.force, args.quiet, &[Part { archive: &archive, games }]);
    }
    if args.delete {
        drop(headers);
        drop(archive);
        let games = doubles.iter().map(|double| double.game);
        archive::delete(&args.archive, games).map_err(Failure::of_archive(&args.archive))?;
        if !args.quiet {
            note(&format!("{}: {number} deleted", args.archive.display()));
        }
        return Ok(Code::Fine);
    }
    list(args, &archive, &headers, &doubles)?;
    if !args.quiet {
        note(&format!("{number} of {} could go", output::thousands(archive.live().len())));
    }
    Ok(Code::Fine)
}

fn list(args: &Args, archive: &Archive, headers: &Headers, doubles: &[Double]) -> Result<(), Failure> {
    let keys = ["White", "Black", "Date"].map(|name| Key::Tag(name.to_owned()));
    let columns = headers.columns(&keys).map_err(Failure::of_archive(archive.path()))?;
    let text = |column: usize, game: u64| {
        let text = columns.get(column).and_then(|column| column.text(game)).unwrap_or(b"?");
        String::from_utf8_lossy(text).into_owned()
    };
    let mut out = output::stdout();
    for Double { game, kept, likeness } in doubles {
        let likeness = match likeness {
            Likeness::Same => "same",
            Likeness::Prefix => "prefix",
        };
        let (white, black, date) = (text(0, *game), text(1, *game), text(2, *game));
        if args.json {
            let pair = Object::new().with("game", *game).with("kept", *kept).with("likeness", likeness);
            writeln!(out, "{}", pair.with("white", white).with("black", black).with("date", date))?;
        } else {
            let line = [game.to_string(), kept.to_string(), likeness.to_owned(), white, black, date];
            writeln!(out, "{}", line.map(|part: String| printable(&part)).join("\t"))?;
        }
    }
    Ok(out.flush()?)
}
