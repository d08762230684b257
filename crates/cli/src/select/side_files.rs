//! The files beside an archive that make searches fast: used if they belong to it, reported if they are out of date or
//! damaged.

use crate::session::Session;
use crate::text::shown;
use scoresheet::archive::{Archive, FileKind, GameSet, SideState};
use scoresheet::query::{Search, SideFiles, TagColumns};
use std::path::Path;

/// Runs `work` with a search in these games, or all, that uses the side files there are.
pub fn with_search<T>(
    session: &Session,
    archive: &Archive,
    among: Option<&GameSet>,
    work: impl FnOnce(Search) -> T,
) -> T {
    let files = SideFiles::open(archive);
    let before = files.states();
    before.iter().for_each(|(file, state)| report(session, archive, *file, *state));
    let search = files.search(archive);
    let done = work(match among {
        Some(games) => search.among(games),
        None => search,
    });
    // What a search met in them.
    for ((file, state), (_, known)) in files.states().into_iter().zip(before) {
        if state != known {
            report(session, archive, file, state);
        }
    }
    done
}

/// Reports tag columns that were not used, or only in part. To be called after they have been queried.
pub fn report_columns(session: &Session, columns: &TagColumns) {
    report(session, columns.archive(), FileKind::TagColumns, columns.state());
}

fn report(session: &Session, archive: &Archive, file: FileKind, state: SideState) {
    if let Some(fault) = fault(archive.path(), file, state) {
        session.message(&fault);
    }
}

/// Returns what is wrong with a side file, and the command that rebuilds it.
pub fn fault(archive: &Path, file: FileKind, state: SideState) -> Option<String> {
    let what = match state {
        SideState::File | SideState::Missing => return None,
        SideState::Stale => "is out of date",
        SideState::Damaged => "is damaged",
    };
    let option = match file {
        FileKind::Archive | FileKind::Index => "",
        FileKind::Signatures => " --signatures",
        FileKind::Positions => " --positions",
        FileKind::TagColumns => " --tag-columns",
    };
    let (path, archive) = (file.beside(archive), shown(archive));
    Some(format!("{} {what} and is not used: rebuild it with `scoresheet index {archive}{option}`", shown(&path)))
}
