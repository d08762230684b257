#!/usr/bin/env bash
# Builds the npm package `scoresheet-wasm`, installs it in a new project, and runs a query with it in Node.
# `packaging/npm.sh publish` publishes the built file. A workflow runs it as a trusted publisher.
source "$(dirname "$0")/common.sh"
cd "$root"
if [ "${1:-}" = publish ]; then
  npm publish "$release/scoresheet-wasm-$version.tgz"
  exit
fi
command -v npm >/dev/null || skip "no npm"
rustup target list --installed 2>/dev/null | grep -qx wasm32-unknown-unknown || skip "no Rust target wasm32-unknown-unknown"
compgen -c clang | grep -Exq 'clang(-[0-9]+)?' || skip "no clang, which compiles the C of zstd"

say "scoresheet-wasm"
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cargo run --quiet --locked --manifest-path crates/Cargo.toml -p scoresheet-site -- --package "$room/package"
find "$room/package" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
(cd "$room/package" && npm pack --silent --pack-destination "$release")
sum "$release/scoresheet-wasm-$version.tgz"

say "a new project with it"
mkdir "$room/user"
(
  cd "$room/user"
  npm init --yes >/dev/null
  npm install --silent --no-audit --no-fund "$release/scoresheet-wasm-$version.tgz"
  cp "$root/testdata/golden/v1.0.bga" games.bga
  node --input-type=module --eval '
    import { open } from "scoresheet-wasm";
    const archive = await open("games.bga");
    if (!(archive.games > 0) || !archive.pgn(1).includes("[White ")) throw new Error("no games");
    console.log(`${archive.games} games, ${archive.tree({}).moves.length} first moves`);
    archive.close();'
)
if npx --yes --quiet publint@0.3 --help >/dev/null 2>&1; then
  npx --yes --quiet publint@0.3 "$room/package" --strict
else
  echo "skipped: publint cannot be fetched"
fi
ls -l "$release/scoresheet-wasm-$version.tgz" | awk '{ print $5 " bytes" }'
