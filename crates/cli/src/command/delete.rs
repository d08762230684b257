//! `scoresheet delete`: marks games as deleted.

use crate::failure::{self, Code, Failure};
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::new_archive;
use crate::select::filter::Where;
use crate::session::Session;
use crate::text::{count, shown};
use crate::threads::Threads;
use scoresheet::Archive;
use scoresheet_output::Outputs;
use std::path::PathBuf;

/// Delete games from an archive
///
/// Other games keep their numbers, and the number of a deleted game is not reused. The bytes of deleted games stay in
/// the file until `scoresheet compact` makes a new archive; until then `scoresheet undelete` restores them.
/// `export --original` also omits deleted games.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet delete games.bga --games 5,10-20
  scoresheet delete games.bga --where 'plies < 10 or fault'
  scoresheet delete games/*.bga --where 'plies = 0'
  scoresheet compact games.bga -o small.bga   copy without the deleted games")]
pub struct Args {
    /// The archives; several need --where
    ///
    /// Each archive is changed in its own commit.
    #[arg(required = true)]
    archives: Vec<PathBuf>,
    #[command(flatten)]
    filter: Where,
    /// Print the number of games without deleting them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    done: Done,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    if !args.filter.is_given() {
        return Err(Failure::Usage("no games given: use --games RANGES or --where EXPR".to_owned()));
    }
    // All archives are searched before any archive is changed.
    let (chosen, undecided) = {
        let archives = args.filter.open(session, &args.archives)?;
        args.threads.install(|| {
            let (mut chosen, mut undecided) = (Vec::new(), 0);
            for member in archives.members() {
                let (games, unread) = args.filter.chosen(session, member.columns())?;
                undecided += unread;
                chosen.push((PathBuf::from(member.archive().path()), games));
            }
            Ok::<_, Failure>((chosen, undecided))
        })?
    };
    if args.dry_run {
        let all = chosen.iter().map(|(_, games)| games.len()).sum();
        let line = format!("{} would be deleted", count(all, "game", "games"));
        let object = Object::new().with("games", all).with("dry_run", true);
        // The user requested this number, so --quiet does not suppress it.
        Done { quiet: false, ..args.done }.report(session, &line, &object)?;
        return failure::all_read(undecided);
    }
    chosen.iter().try_for_each(|(path, _)| Outputs::default().in_place(path))?;
    for (path, games) in chosen {
        let deleted = Archive::delete(&path, games.iter()).map_err(Failure::of_archive(&path))?;
        let line = format!("{}: {} deleted", shown(&path), count(games.len(), "game", "games"));
        let object = Object::new().with("archive", path.to_string_lossy().as_ref()).with("deleted", games.len());
        args.done.report(session, &line, &object)?;
        new_archive::warn_unindexed(session, &path, deleted.unindexed.as_ref());
    }
    failure::all_read(undecided)
}
