//! Changes games of an archive in place, with progress, and updates the existing side files.

use crate::failure::Failure;
use crate::output::done::Done;
use crate::output::json::Object;
use crate::output::new_archive;
use crate::output::progress;
use crate::output::upkeep::Upkeep;
use crate::session::Session;
use crate::text::{count, shown};
use scoresheet::Game;
use scoresheet::archive::{Archive, GameRef, GameSet};
use scoresheet::error::Result;
use scoresheet_output::Outputs;
use scoresheet_query::games;

/// The options that all commands that change games in place share.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Changing {
    /// Print the changes without making them
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub done: Done,
    #[command(flatten)]
    upkeep: Upkeep,
}

impl Changing {
    /// Replaces games of an open archive with the content that `change` returns, and reports the number of changed
    /// games; with `--dry-run`, only prints the changes. Call this after the thread pool has been installed.
    pub fn change(
        self,
        session: &Session,
        archive: Archive,
        games: &GameSet,
        change: &(dyn Fn(&GameRef) -> Result<Option<Game>> + Sync),
    ) -> std::result::Result<(), Failure> {
        if self.dry_run {
            return preview(session, &archive, self.done, games, change);
        }
        let (path, before) = (archive.path().to_path_buf(), games::Before::new(&archive));
        new_archive::warn_left_out(session, &archive);
        drop(archive);
        let path = path.as_path();
        Outputs::default().in_place(path)?;
        let length = std::fs::metadata(path).map_or(0, |file| file.len());
        let edited =
            progress::counted(session, length, !self.done.quiet, |done| Archive::edit(path, games, change, done))
                .map_err(Failure::of_archive(path))?;
        new_archive::warn_unindexed(session, path, edited.unindexed.as_ref());
        if let Some(change) = &edited.change {
            self.upkeep.carry(session, path, &before, change);
        }
        let line = match edited.games {
            0 => format!("{}: nothing to change", shown(path)),
            games => format!("{}: {} changed", shown(path), count(games, "game", "games")),
        };
        let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
        let object = Object::new().with("archive", shown(path)).with("changed", edited.games).with("bytes", bytes);
        self.done.report(session, &line, &object)
    }
}

/// Returns the differences between two states of a game: a line for each tag, and a line for the moves and texts.
pub fn differences(old: &Game, new: &Game) -> Vec<String> {
    let quoted = |value: &str| format!("\"{}\"", crate::text::printable(value));
    let mut lines = Vec::new();
    // A game may have a tag several times, so the values of a name are compared in order.
    let values = |game: &'_ Game, name: &str| -> Vec<String> {
        game.tags.iter().filter(|(known, _)| known == name).map(|(_, value)| quoted(value)).collect()
    };
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in old.tags.iter().chain(&new.tags) {
        if names.contains(&name.as_str()) {
            continue;
        }
        names.push(name);
        let (old, new) = (values(old, name), values(new, name));
        for index in 0..old.len().max(new.len()) {
            match (old.get(index), new.get(index)) {
                (Some(old), Some(new)) if old != new => lines.push(format!("{name} {old} -> {new}")),
                (Some(old), None) => lines.push(format!("{name} {old} removed")),
                (None, Some(new)) => lines.push(format!("{name} {new} added")),
                _ => {}
            }
        }
    }
    if lines.is_empty() && old.tags != new.tags {
        lines.push("tags in another order".to_owned());
    }
    let moves = |game: &Game| game.main_line().collect::<Vec<_>>();
    if old.start != new.start || moves(old) != moves(new) {
        lines.push(format!("moves: {} -> {} half-moves", moves(old).len(), moves(new).len()));
    }
    if old.events != new.events && lines.last().is_none_or(|line| !line.starts_with("moves: ")) {
        let texts = |game: &Game| (game.comments().len(), game.variations().len());
        let ((comments, variations), (new_comments, new_variations)) = (texts(old), texts(new));
        lines.push(format!(
            "annotations: comments {comments} -> {new_comments}, variations {variations} -> {new_variations}"
        ));
    }
    if old.outcome != new.outcome {
        let token = |game: &Game| game.outcome.map_or("none", |outcome| outcome.token());
        lines.push(format!("result after the moves: {} -> {}", token(old), token(new)));
    }
    lines
}

/// Prints the number of games and their changes: all changes as JSON, but only the first changes as text.
fn preview(
    session: &Session,
    archive: &Archive,
    done: Done,
    games: &GameSet,
    change: &(dyn Fn(&GameRef) -> Result<Option<Game>> + Sync),
) -> std::result::Result<(), Failure> {
    use rayon::prelude::*;
    use std::io::Write;
    /// The number of games whose changes are shown.
    const FIRST: usize = 20;
    let numbers: Vec<u64> = games.iter().collect();
    let (mut changed, mut out) = (0usize, session.stdout());
    for numbers in numbers.chunks(1 << 14) {
        let texts: Vec<Option<(u64, Vec<String>)>> = numbers
            .par_iter()
            .map(|number| {
                let game = archive.game(*number)?;
                let (Some(new), old) = (change(&game)?, game.to_game()?) else { return Ok(None) };
                Ok((new != old).then(|| (*number, differences(&old, &new))))
            })
            .collect::<Result<_>>()
            .map_err(Failure::of_archive(archive.path()))?;
        for (number, lines) in texts.into_iter().flatten() {
            changed += 1;
            if done.json {
                let object = Object::new().with("archive", shown(archive.path())).with("game", number);
                writeln!(out, "{}", object.with("changes", lines))?;
            } else if changed <= FIRST {
                lines.iter().try_for_each(|line| writeln!(out, "game {number}: {line}"))?;
            } else if changed == FIRST + 1 {
                writeln!(out, "...")?;
            }
        }
    }
    out.flush()?;
    session.note(&format!("{} would be changed", count(changed as u64, "game", "games")));
    Ok(())
}
