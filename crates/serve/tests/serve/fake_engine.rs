//! A script that speaks UCI and replaces an engine.
#![cfg(unix)]

use scoresheet_serve::EngineConfig;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Records all input, thinks for the requested time, and exits or stops answering at certain positions.
const FAKE: &str = r#"#!/bin/sh
log="$0.log"
echo "start $$" >> "$log"
while read -r line; do
  echo "$line" >> "$log"
  case "$line" in
    uci) echo "id name Fake 1.0"; echo "option name Hash type spin"; echo uciok ;;
    isready) echo readyok ;;
    "position fen 8/8/8/8/8/8/8/K1k4r w - - 0 1") exit 0 ;;
    position*) case "$line" in *" b "*) reply=e7e5 ;; *) reply=e2e4 ;; esac ;;
    go*)
      ms="${line##* }"
      sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
      echo "info string hello"
      echo "info depth 9 multipv 1 score cp 5 lowerbound pv a2a3"
      echo "info depth 12 seldepth 15 multipv 1 score cp 31 nodes 5000 pv $reply g1f3 zzzz"
      echo "info depth 11 multipv 2 score mate -3 nodes 4000 pv $reply"
      echo "bestmove $reply" ;;
  esac
done
"#;

/// Writes the script, and returns its path.
pub fn fake(folder: &Path) -> PathBuf {
    let path = folder.join("engine");
    std::fs::write(&path, FAKE).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

pub fn config(path: PathBuf) -> EngineConfig {
    EngineConfig { path, time: Duration::from_millis(400), threads: 3, hash: 17, requests: 2 }
}
