#!/usr/bin/env bash
# Builds the Python package `scoresheet` as a wheel (one for all versions from 3.11 on) and as a source distribution,
# and the command as the separate wheel `scoresheet-cli`. Checks them, and installs each in a new environment.
#
#   packaging/wheels.sh [package|sdist|command]... [--target TARGET]    all three by default, for this machine
#
# On Linux, with Zig (PyPI: ziglang), wheels run on glibc 2.17 and newer.
source "$(dirname "$0")/common.sh"
cd "$root"
python=${SCORESHEET_PYTHON_BUILD:-python3}
command -v "$python" >/dev/null || skip "no python3"
"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip "python3 is older than 3.11, or has no venv"
target=$(rustc -vV | sed -n 's/^host: //p')
parts=()
while [ $# -gt 0 ]; do
  case $1 in
  --target) target=$2 && shift ;;
  *) parts+=("$1") ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || parts=(package sdist command)
# Only a wheel for this machine can run here.
runs=
[ "$target" != "$(rustc -vV | sed -n 's/^host: //p')" ] || runs=1

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
"$python" -m venv "$room/tools"
tools=$room/tools/bin
[ -d "$tools" ] || tools=$room/tools/Scripts
"$tools/pip" install --quiet 'maturin>=1.16,<2' twine check-wheel-contents abi3audit || skip "maturin cannot be installed: no network?"
args=(--locked)
if [ "$(uname)" = Linux ]; then
  "$tools/pip" install --quiet ziglang
  args+=(--zig --compatibility manylinux2014)
fi
if [ -z "$runs" ] || [ "$(uname)" = Linux ]; then
  rustup target add "$target" >/dev/null 2>&1 || skip "no Rust target $target"
  args+=(--target "$target")
fi
PATH=$tools:$PATH
out=$release/python
mkdir -p "$out"

# licences FOLDER MANIFEST PACKAGE: copies the licence files for the wheel.
licences() {
  cp LICENSE-MIT LICENSE-APACHE "$1/"
  packaging/linked.py --manifest "$2" --package "$3" --target "$target" --licences "$1/LICENSE-THIRD-PARTY.txt"
}

# fresh NAME ARGUMENTS..: creates an environment with these packages, and prints the folder of its programs.
fresh() {
  "$python" -m venv "$room/$1"
  local programs=$room/$1/bin
  [ -d "$programs" ] || programs=$room/$1/Scripts
  "$programs/pip" install --quiet "${@:2}" >&2 || exit 1
  echo "$programs"
}

# README's first example.
example='import scoresheet
scoresheet.import_pgn("games.pgn.zst", "games.bga")
archive = scoresheet.open("games.bga")
assert len(archive) == 3000
print(archive[16]["White"], archive[16].fen(40), len(archive.where("elo >= 2000")))'
cp testdata/lichess-sample.pgn.zst "$room/games.pgn.zst"

for part in "${parts[@]}"; do
  case $part in
  package)
    say "the wheel of scoresheet"
    licences crates/py crates/Cargo.toml scoresheet-py
    rm -f "$out"/scoresheet-"$version"-*.whl
    (cd crates/py && maturin build --quiet --profile wheel --compression-level 9 "${args[@]}" --out "$out")
    abi3audit --strict "$out"/scoresheet-"$version"-*.whl
    [ -n "$runs" ] || continue
    programs=$(fresh package --no-index "$out"/scoresheet-"$version"-*.whl)
    (cd "$room" && rm -f games.bga games.bgi && "$programs/python" -c "$example")
    ;;
  sdist)
    say "the source distribution of scoresheet"
    licences crates/py crates/Cargo.toml scoresheet-py
    # The library's licences come with its crate.
    rm -f crates/py/LICENSE-MIT crates/py/LICENSE-APACHE
    rm -f "$out"/scoresheet-"$version".tar.gz
    (cd crates/py && maturin sdist --out "$out")
    programs=$(fresh sdist "$out/scoresheet-$version.tar.gz")
    (cd "$room" && rm -f games.bga games.bgi && "$programs/python" -c "$example")
    ;;
  command)
    say "the command as a wheel: scoresheet-cli"
    licences crates/cli Cargo.toml scoresheet-cli
    rm -f "$out"/scoresheet_cli-"$version"-*.whl
    (cd crates/cli && maturin build --quiet --profile dist "${args[@]}" --out "$out")
    [ -n "$runs" ] || continue
    programs=$(fresh command --no-index "$out"/scoresheet_cli-"$version"-*.whl)
    (cd "$room" && "$programs/scoresheet" import games.pgn.zst -o command.bga --quiet && "$programs/scoresheet" show command.bga 17 | head -3)
    ;;
  esac
done
say "what is in them"
twine check --strict "$out"/*
for file in "$out"/scoresheet-"$version"-*.whl; do
  [ ! -f "$file" ] || check-wheel-contents "$file"
done
for file in "$out"/*; do
  ls -l "$file" | awk '{ printf "%d ", $5 }'
  basename "$file"
done
# Wheels should be small for slow connections. A larger wheel is reported, but does not stop a release.
for file in "$out"/scoresheet-"$version"-*.whl; do
  [ ! -f "$file" ] || [ "$(wc -c <"$file")" -le 3000000 ] || echo "$(basename "$file") is larger than the goal of 3.0 MB"
done
