//! Reports the side files that could make searches fast but are out of date or damaged.

use crate::session::Session;
use crate::text::shown;
use scoresheet::archive::{Archive, FileKind, SideState};
use scoresheet_query::ArchiveSet;
use scoresheet_query::TagColumns;
use std::fs::File;
use std::path::Path;

/// Reports the side files of these archives that were needed but were not used, or were used only in part. Call this
/// after the search.
pub fn report_all(session: &Session, archives: &ArchiveSet) {
    for member in archives.members() {
        member.met().into_iter().for_each(|(file, state)| report(session, member.archive(), file, state));
    }
}

/// Reports signatures and position indexes like `report_all`, after a filter has reported the tag columns.
pub fn report_searches(session: &Session, archives: &ArchiveSet) {
    for member in archives.members() {
        let searched = member.met().into_iter().filter(|(file, _)| *file != FileKind::TagColumns);
        searched.for_each(|(file, state)| report(session, member.archive(), file, state));
    }
}

/// Reports tag columns that were not used, or were used only in part. Call this after the query.
pub fn report_columns(session: &Session, columns: &TagColumns) {
    report(session, columns.archive(), FileKind::TagColumns, columns.state());
}

fn report(session: &Session, archive: &Archive, file: FileKind, state: SideState) {
    if let Some(fault) = fault(archive.path(), file, state) {
        session.message(&fault);
    }
}

/// Returns the fault of a side file, and the command that rebuilds it.
pub fn fault(archive: &Path, file: FileKind, state: SideState) -> Option<String> {
    let what = match state {
        SideState::File | SideState::Missing => return None,
        SideState::Stale => "is out of date",
        SideState::Damaged if File::open(file.of_archive(archive)).is_err() => "cannot be read",
        SideState::Damaged => "is damaged",
    };
    let option = match file {
        FileKind::Archive | FileKind::Index => "",
        FileKind::Signatures => " --signatures",
        FileKind::Positions => " --positions",
        FileKind::TagColumns => " --tag-columns",
    };
    let (path, archive) = (file.of_archive(archive), shown(archive));
    Some(format!("{} {what} and ignored: rebuild it with `scoresheet index {archive}{option}`", shown(&path)))
}
