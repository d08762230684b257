# Defines the paths, the version and the fixed file time for all scripts of this folder, which source it.
set -euo pipefail
export CARGO_TERM_COLOR=never LC_ALL=C TZ=UTC
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=$("$root/packaging/version.py")
address=$("$root/packaging/version.py" --address)
# The folder for the files of a release.
release=${SCORESHEET_RELEASE:-$root/target/release-files}
mkdir -p "$release"
release=$(cd "$release" && pwd)
# All files in a package get the time of the commit, so two builds are equal.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 1700000000)}
export SOURCE_DATE_EPOCH

# Builds the browser's reader once for all steps.
export SCORESHEET_WASM_TARGET=${SCORESHEET_WASM_TARGET:-${CARGO_TARGET_DIR:-$root/target}/reader}

say() { printf '\n== %s\n' "$*"; }
# Ends the calling script because of a missing tool. This is an error only if a workflow requires the tool.
skip() {
  echo "skipped: $*"
  [ -z "${SCORESHEET_REQUIRED:-}" ] || exit 1
  exit 0
}

# pack_tar ARCHIVE.tar.gz FOLDER NAME: packs FOLDER/NAME with sorted names, one time, one owner and no compression time.
# (Needs GNU tar; on macOS: gtar.)
pack_tar() {
  local tar=tar
  command -v gtar >/dev/null && tar=gtar
  "$tar" --create --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode='u=rwX,go=rX' --directory "$2" "$3" | gzip --no-name --best >"$1"
}

# sum FILE: writes FILE.sha256, which `sha256sum --check` accepts in the same folder.
sum() {
  (cd "$(dirname "$1")" && if command -v sha256sum >/dev/null; then sha256sum "$(basename "$1")"; else shasum -a 256 "$(basename "$1")"; fi) >"$1.sha256"
}
