//! The files beside an archive that make searches fast: used if they belong to it, reported if they are out of date or
//! damaged.

use crate::session::Session;
use crate::text::shown;
use scoresheet::archive::{Archive, FileKind, GameSet, SideState};
use scoresheet::query::{PositionIndex, Search, Signatures, TagColumns};
use std::path::Path;

/// Runs `work` with a search in these games, or all, that uses the side files there are.
pub fn with_search<T>(
    session: &Session,
    archive: &Archive,
    among: Option<&GameSet>,
    work: impl FnOnce(Search) -> T,
) -> T {
    let (index, index_state) = PositionIndex::open(archive);
    let (signatures, state) = Signatures::open(archive);
    report(session, archive, FileKind::Positions, index_state);
    report(session, archive, FileKind::Signatures, state);
    let mut search = Search::new(archive);
    if let Some(signatures) = &signatures {
        search = search.with_signatures(signatures);
    }
    if let Some(index) = &index {
        search = search.with_index(index);
    }
    if let Some(games) = among {
        search = search.among(games);
    }
    let done = work(search);
    if index.is_some_and(|index| index.fault().is_some()) {
        report(session, archive, FileKind::Positions, SideState::Damaged);
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
