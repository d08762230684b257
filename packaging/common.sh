# What the scripts of this folder share; each sources it. Sets the paths, the version, and a fixed time for archives.
set -euo pipefail
export CARGO_TERM_COLOR=never LC_ALL=C TZ=UTC
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=$("$root/packaging/version.py")
address=$("$root/packaging/version.py" --address)
# Where the files of a release are collected.
release=${SCORESHEET_RELEASE:-$root/target/release-files}
mkdir -p "$release"
release=$(cd "$release" && pwd)
# The time of everything in an archive: that of the commit, so that two builds of it are equal.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1700000000)}
export SOURCE_DATE_EPOCH

# The reader for the browser is built once for all steps.
export SCORESHEET_WASM_TARGET=${SCORESHEET_WASM_TARGET:-${CARGO_TARGET_DIR:-$root/target}/reader}

say() { printf '\n== %s\n' "$*"; }
# Ends the script that calls it: what this machine lacks is no failure, unless a workflow requires it.
skip() {
  echo "skipped: $*"
  [ -z "${SCORESHEET_REQUIRED:-}" ] || exit 1
  exit 0
}

# pack_tar ARCHIVE.tar.gz FOLDER NAME: an archive of FOLDER/NAME with sorted names, one time, one owner and no time of the
# compression. (GNU tar; macOS has it as gtar.)
pack_tar() {
  local tar=tar
  command -v gtar >/dev/null && tar=gtar
  "$tar" --create --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode='u=rwX,go=rX' --directory "$2" "$3" | gzip --no-name --best >"$1"
}

# sum FILE: writes FILE.sha256, in the form that `sha256sum --check` reads in the same folder.
sum() {
  (cd "$(dirname "$1")" && if command -v sha256sum >/dev/null; then sha256sum "$(basename "$1")"; else shasum -a 256 "$(basename "$1")"; fi) >"$1.sha256"
}
