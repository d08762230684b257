#!/usr/bin/env bash
# Packs the `.crate` file of every published crate, checks its contents, and builds a new program from these files
# alone: README's example, run on real games. `packaging/crates.sh list` prints the crates in publishing order.
# `packaging/crates.sh publish` publishes them; a workflow runs it with a token from the registry.
source "$(dirname "$0")/common.sh"
cd "$root"

# In dependency order. The other crates of `crates/` are published elsewhere or not at all.
first=(scoresheet-chess scoresheet-pgn scoresheet-pcn scoresheet scoresheet-query scoresheet-scid scoresheet-train scoresheet-chessbase scoresheet-remote scoresheet-bench scoresheet-output scoresheet-pages scoresheet-cli)
second=(scoresheet-answers scoresheet-arrow scoresheet-serve scoresheet-site scoresheet-sql)

# Adds the files that a crate ships from outside its folder: the licences, and the browser's reader.
stage() {
  for name in "${first[@]}" "${second[@]}"; do
    [ "$name" = scoresheet ] || cp LICENSE-MIT LICENSE-APACHE "crates/${name#scoresheet-}/"
  done
  if SCORESHEET_SITE_MADE=$root/crates/site/made cargo build --quiet --locked --manifest-path crates/Cargo.toml \
    -p scoresheet-site; then
    return
  fi
  echo "skipped: scoresheet-site, which needs the target wasm32-unknown-unknown, clang and llvm"
  [ -z "${SCORESHEET_REQUIRED:-}" ] || exit 1
  second=("${second[@]/scoresheet-site/}")
}

case ${1:-} in
list)
  printf '%s\n' "${first[@]}" "${second[@]}"
  exit
  ;;
publish)
  packaging/version.py --check
  stage
  for name in "${first[@]}"; do
    cargo publish --locked -p "$name"
  done
  for name in "${second[@]}"; do
    cargo publish --locked --manifest-path crates/Cargo.toml -p "$name"
  done
  exit
  ;;
esac

say "the crates"
stage
out=$release/crates
rm -rf "$out"
mkdir -p "$out"
target=${CARGO_TARGET_DIR:-$root/target}/package-crates
rm -rf "$target/package"
# The packages include uncommitted changes.
cargo package --quiet --no-verify --allow-dirty --target-dir "$target" $(printf -- '-p %s ' "${first[@]}") 2>&1 |
  { grep -v '^warning: ignoring \(test\|benchmark\) ' || true; }
# Until a crate is on a registry, the second workspace finds it here. Its lock file would list the crate without a
# source, so these packages omit the lock file; `publish` includes it.
patches=()
for name in "${first[@]:0:${#first[@]}-1}" scoresheet-answers scoresheet-arrow; do
  folder=$root/crates/${name#scoresheet-}
  [ "$name" = scoresheet ] && folder=$root
  patches+=(--config "patch.crates-io.$name.path='$folder'")
done
for name in ${second[@]}; do
  cargo package --quiet --no-verify --allow-dirty --exclude-lockfile --target-dir "$target" --manifest-path crates/Cargo.toml \
    "${patches[@]}" -p "$name" 2>"$target/messages" || { cat "$target/messages"; exit 1; }
done
cp "$target"/package/*.crate "$out/"

say "what is in them"
vendor=$(mktemp -d)
trap 'rm -rf "$vendor"' EXIT
for file in "$out"/*.crate; do
  tar -xzf "$file" -C "$vendor"
  folder=$vendor/$(basename "$file" .crate)
  readme=$(sed -n 's/^readme = "\(.*\)"$/\1/p' "$folder/Cargo.toml")
  for wanted in LICENSE-MIT LICENSE-APACHE "${readme:-README.md}"; do
    [ -f "$folder/$wanted" ] || { echo "$(basename "$file"): no $wanted"; exit 1; }
  done
  if grep -nE 'shakmaty|pgn-reader' "$folder"/Cargo.* || grep -n oracle-rules "$folder"/Cargo.{toml,lock} 2>/dev/null; then
    echo "$(basename "$file") names a crate under the GPL"
    exit 1
  fi
  # The registry's size limit.
  [ "$(wc -c <"$file")" -lt 10000000 ] || { echo "$(basename "$file") is larger than 10 MB"; exit 1; }
  mv "$folder" "$vendor/$(basename "$folder" "-$version")"
done
ls -l "$out" | awk 'NR > 1 { printf "%-36s %9d\n", $9, $5 }'

say "a new program, from these files alone"
user=$vendor/user
mkdir -p "$user/src/bin"
sed -n '/^```rust,no_run$/,/^```$/p' README.md | sed '1d;$d' >"$user/src/main.rs"
echo 'fn main() -> std::process::ExitCode { scoresheet_cli::run() }' >"$user/src/bin/command.rs"
{
  printf '[package]\nname = "user"\nversion = "0.0.0"\nedition = "2024"\ndefault-run = "user"\n[dependencies]\n'
  # SQL takes an hour to build.
  for name in "${first[@]}" ${second[@]/scoresheet-sql/}; do echo "$name = \"=$version\""; done
  printf '[patch.crates-io]\n'
  for name in "${first[@]}" ${second[@]/scoresheet-sql/}; do echo "$name = { path = \"../$name\" }"; done
  printf '[profile.dev]\ndebug = false\n[profile.dev.package.scoresheet]\nopt-level = 2\n'
} >"$user/Cargo.toml"
cp crates/Cargo.lock "$user/Cargo.lock"
(
  cd "$user"
  cargo build --quiet --target-dir "$target/user"
  # Uses the file names of README. The import detects the file type from the contents.
  cp "$root/testdata/lichess-sample.pgn.zst" games.pgn
  lines=$("$target/user/debug/user" | wc -l)
  [ "$lines" = 3001 ] || { echo "README's example printed $lines lines, not 3001"; exit 1; }
  "$target/user/debug/command" show games.bga 17 --ply 40 | head -3
)
echo "README's example ran"
