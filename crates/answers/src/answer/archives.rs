//! The resource `archives`: the served archives and their states.

use crate::fault::Fault;
use crate::snapshot::Snapshot;
use scoresheet::archive::SideState;
use serde_json::{Value, json};

pub fn archives(snapshot: &Snapshot) -> Result<Value, Fault> {
    let mut archives = Vec::new();
    for (index, before, book) in snapshot.books(None)? {
        let archive = book.archive();
        let [positions, signatures, columns] = book.indexed().states().map(|(_, state)| state_name(state));
        archives.push(json!({
            "archive": index + 1,
            "name": book.name,
            "metadata": book.metadata(),
            "id": archive.id().to_string(),
            "games": archive.len() - archive.deleted_count(),
            "first": before + 1,
            "last": before + archive.len(),
            "deleted": archive.deleted_count(),
            "bytes": archive.file_length(),
            "commit": archive.sequence(),
            "variants": book.variants().iter().map(|(variant, games)| json!({"name": variant.name(), "games": games})).collect::<Vec<_>>(),
            "outdated": snapshot.outdated(index),
            "is_incomplete": archive.incomplete().is_some(),
            "side_files": {"positions": positions, "signatures": signatures, "tag_columns": columns},
        }));
    }
    Ok(json!({"archives": archives, "version": format!("{:016x}", snapshot.version)}))
}

fn state_name(state: SideState) -> Value {
    match state {
        SideState::File => "used",
        SideState::Missing => "missing",
        SideState::Stale => "stale",
        _ => "damaged",
    }
    .into()
}
