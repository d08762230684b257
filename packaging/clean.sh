#!/usr/bin/env bash
# Tests the files of a release on a machine without Rust: a fresh Debian in a folder, without network. Installs the
# .deb, the wheels and the npm package, and runs README's example with each. Needs root and debootstrap
# (SCORESHEET_DEBIAN names a mirror).
source "$(dirname "$0")/common.sh"
cd "$root"
[ "$(id -u)" = 0 ] || skip "only root can change the root folder"
command -v debootstrap >/dev/null || skip "no debootstrap"
package=$release/scoresheet_${version}_$(dpkg --print-architecture).deb
[ -f "$package" ] || skip "no Debian package (packaging/deb.sh makes it)"

machine=$(mktemp -d)
trap 'rm -rf "$machine"' EXIT
say "a fresh Debian"
debootstrap --variant=minbase --include=python3-venv,nodejs,file bookworm "$machine/debian" ${SCORESHEET_DEBIAN:-} >"$machine/log" 2>&1 ||
  { tail -5 "$machine/log"; skip "debootstrap failed: no network?"; }
inside=$machine/debian/root
cp "$package" testdata/lichess-sample.pgn.zst "$inside/"
cp "$release"/python/*.whl "$inside/" 2>/dev/null || true
cp "$release/scoresheet-wasm-$version.tgz" "$inside/" 2>/dev/null || true
cp packaging/scoresheet.magic "$inside/"
cat >"$inside/try.sh" <<'END'
set -euo pipefail
cd /root
! command -v cargo && ! command -v rustc
for module in /root/*.deb; do dpkg --install "$module" >/dev/null; done
scoresheet import lichess-sample.pgn.zst -o sample.bga
scoresheet show sample.bga 1 --ply 20
scoresheet serve --help | head -1
scoresheet site --help | head -1
[ -f /usr/share/man/man1/scoresheet.1.gz ] && [ -f /usr/share/bash-completion/completions/scoresheet ]
file -m scoresheet.magic sample.bga
dpkg --remove scoresheet >/dev/null
! command -v scoresheet
echo "the Debian package works"
wheels=(scoresheet-*.whl)
if [ -f "${wheels[0]}" ]; then
  python3 -m venv wheel
  wheel/bin/pip install --quiet --no-index scoresheet-*.whl scoresheet_cli-*.whl
  wheel/bin/python -c 'import scoresheet; scoresheet.import_pgn("lichess-sample.pgn.zst", "wheel.bga"); print(scoresheet.open("wheel.bga")[16].fen(40))'
  wheel/bin/scoresheet find wheel.bga --moves "e4 c5" --count
  echo "the wheels work"
fi
packages=(scoresheet-wasm-*.tgz)
if [ -f "${packages[0]}" ]; then
  mkdir -p user/node_modules
  tar -xzf "${packages[0]}" -C user/node_modules
  mv user/node_modules/package user/node_modules/scoresheet-wasm
  cd user
  echo 'import { open } from "scoresheet-wasm"; const games = await open("../sample.bga"); console.log(games.pgn(1).split("\n")[0]); games.close();' >use.mjs
  node use.mjs
  echo "the npm package works"
fi
END
say "the files of the release on it"
# Without network, a missing dependency fails instead of being downloaded.
unshare --net chroot "$machine/debian" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash /root/try.sh
