#!/usr/bin/env bash
# Builds the programs for each target and packs them as `scoresheet-VERSION-TARGET.tar.gz` (`.zip` for Windows) with
# manual pages, completions and licences. Writes a SHA-256 of each package, and a CycloneDX list (SBOM) for each
# program.
#
#   packaging/binaries.sh [--twice] [--sql] [TARGET...]
#
# TARGET is a Rust target. For glibc, `x86_64-unknown-linux-gnu.2.17` names the oldest supported version. The default is
# static Linux for this processor. `--twice` builds again in another folder and compares. `--sql` packs scoresheet-sql
# and scoresheet-parquet into a separate package instead, which takes an hour of processor time. Linux targets and
# cross-compilation need cargo-zigbuild and Zig (PyPI: cargo-zigbuild, ziglang).
source "$(dirname "$0")/common.sh"
cd "$root"
packaging/version.py --check

twice= sql= targets=()
for argument; do
  case $argument in
  --twice) twice=1 ;;
  --sql) sql=1 ;;
  *) targets+=("$argument") ;;
  esac
done
host=$(rustc -vV | sed -n 's/^host: //p')
if [ ${#targets[@]} = 0 ]; then
  targets=("${host/%-gnu/-musl}")
fi
folder=${CARGO_TARGET_DIR:-$root/target}

# build TARGET FOLDER MANIFEST PACKAGE [FLAG..]: builds one program that contains no path of this machine.
build() {
  local target=$1 into=$2 manifest=$3 package=$4 tool=build flags
  shift 4
  if [ "${target%%.*}" != "$host" ] || [ "$target" != "${target%%.*}" ]; then
    case $target in
    # The system's tools can build for the other processor.
    *-apple-darwin | *-windows-msvc) [[ $host == *-apple-darwin || $host == *-windows-msvc ]] || tool=zigbuild ;;
    *) tool=zigbuild ;;
    esac
  fi
  flags=("--remap-path-prefix=$into=/target" "--remap-path-prefix=$root=/scoresheet" "--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo")
  # Link the Visual C++ library statically, so users need not install it.
  [[ $target != *-windows-msvc ]] || flags+=(-Ctarget-feature=+crt-static)
  CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}") \
    cargo "$tool" --quiet --locked --profile dist --manifest-path "$manifest" --package "$package" --bins --target "$target" \
    --target-dir "$into" "$@"
}

# programs TARGET FOLDER: builds all programs of the archive.
programs() {
  if [ -n "$sql" ]; then
    build "$1" "$2" crates/Cargo.toml scoresheet-sql
    build "$1" "$2" crates/Cargo.toml scoresheet-arrow --features command
  else
    build "$1" "$2" Cargo.toml scoresheet-cli --features release
    build "$1" "$2" crates/Cargo.toml scoresheet-serve
    build "$1" "$2" crates/Cargo.toml scoresheet-site
  fi
}

# Returns the command for pages and completions on this machine: the one just built, or another one.
native() {
  local program=$1
  if "$program" --version >/dev/null 2>&1; then
    echo "$program"
    return
  fi
  for program in "$folder"/*/dist/scoresheet{,.exe} "$folder"/{release,debug}/scoresheet{,.exe}; do
    if [ -f "$program" ] && [ "$("$program" --version 2>/dev/null)" = "scoresheet $version" ]; then
      echo "$program"
      return
    fi
  done
  cargo build --quiet --locked --package scoresheet-cli --target-dir "$folder" >&2
  echo "$folder/debug/scoresheet"
}

for triple in "${targets[@]}"; do
  target=${triple%%.*}
  say "binaries for $triple"
  if ! rustup target list --installed 2>/dev/null | grep -qx "$target" && [ "$target" != "$host" ]; then
    rustup target add "$target" >/dev/null 2>&1 || skip "no Rust target $target"
  fi
  case $target in
  *-linux-* | *-windows-gnu) command -v cargo-zigbuild >/dev/null || [ "$triple" = "$host" ] ||
    skip "no cargo-zigbuild (pip install cargo-zigbuild ziglang)" ;;
  esac
  programs "$triple" "$folder"
  built=$folder/$target/dist
  if [ -n "$twice" ]; then
    say "the same again, in another folder"
    programs "$triple" "$folder/again"
    for program in "$built"/scoresheet "$built"/scoresheet-{serve,site,sql,parquet} "$built"/scoresheet{,-serve,-site}.exe; do
      if [ -f "$program" ] && [ -f "$folder/again/$target/dist/$(basename "$program")" ]; then
        cmp "$program" "$folder/again/$target/dist/$(basename "$program")"
        echo "$(basename "$program"): equal, byte for byte"
      fi
    done
  fi

  name=scoresheet${sql:+-sql}-$version-$target
  room=$(mktemp -d)
  mkdir -p "$room/$name"
  suffix=
  [[ $target != *-windows-* ]] || suffix=.exe
  if [ -n "$sql" ]; then
    list=("sql crates/Cargo.toml scoresheet-sql" "parquet crates/Cargo.toml scoresheet-arrow --features command")
  else
    list=("- Cargo.toml scoresheet-cli --features release" "serve crates/Cargo.toml" "site crates/Cargo.toml")
  fi
  for entry in "${list[@]}"; do
    read -r short manifest package features <<<"$entry"
    short=${short#-}
    program=scoresheet${short:+-$short}
    # Symbols would take a third of the program.
    if [[ $target == *-linux-* ]] && readelf -SW "$built/$program" | grep -q '\.symtab'; then
      echo "$program has symbols" >&2
      exit 1
    fi
    cp "$built/$program$suffix" "$room/$name/"
    # shellcheck disable=SC2086
    packaging/linked.py --manifest "${manifest:-Cargo.toml}" --package "${package:-scoresheet-${short:-cli}}" $features \
      --target "$target" --file "$built/$program$suffix" \
      --licences "$room/$name/LICENCES-$program.txt" --sbom "$release/$program-$version-$target.cdx.json"
  done
  cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE packaging/scoresheet.magic packaging/scoresheet.xml "$room/$name/"
  if [ -z "$sql" ]; then
    command=$(native "$built/scoresheet$suffix")
    mkdir "$room/$name/man" "$room/$name/completions"
    "$command" man --dir "$room/$name/man" >/dev/null 2>&1
    "$command" completions bash >"$room/$name/completions/scoresheet.bash"
    "$command" completions zsh >"$room/$name/completions/_scoresheet"
    "$command" completions fish >"$room/$name/completions/scoresheet.fish"
    "$command" completions powershell >"$room/$name/completions/_scoresheet.ps1"
  fi
  if [ -n "$suffix" ]; then
    archive=$release/$name.zip
    # Sorts the files and sets one time, like the tar files.
    python3 - "$room" "$name" "$archive" <<'END'
import os, pathlib, sys, time, zipfile
room, name, archive = sys.argv[1:]
when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
    for path in sorted(pathlib.Path(room, name).rglob("*")):
        if path.is_file():
            entry = zipfile.ZipInfo(path.relative_to(room).as_posix(), when)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(entry, path.read_bytes())
END
  else
    archive=$release/$name.tar.gz
    pack_tar "$archive" "$room" "$name"
  fi
  sum "$archive"
  rm -rf "$room"
  ls -l "$built"/scoresheet* | awk '$9 !~ /\.d$/ { printf "%s %d\n", $9, $5 }' | sed "s#$built/##"
  cat "$archive.sha256"
done
