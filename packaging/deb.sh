#!/usr/bin/env bash
# Builds a Debian package from the static binaries of packaging/binaries.sh, one for each Linux archive. It contains the
# programs, manual pages, completions, licences, and the file types for desktops and `file`.
source "$(dirname "$0")/common.sh"
cd "$root"
command -v dpkg-deb >/dev/null || skip "no dpkg-deb"

made=
for archive in "$release"/scoresheet-"$version"-*-linux-musl.tar.gz; do
  [ -f "$archive" ] || continue
  name=$(basename "$archive" .tar.gz)
  case $name in
  *-x86_64-*) architecture=amd64 ;;
  *-aarch64-*) architecture=arm64 ;;
  *) continue ;;
  esac
  say "scoresheet_${version}_$architecture.deb"
  room=$(mktemp -d)
  tar -xzf "$archive" -C "$room"
  from=$room/$name
  to=$room/deb
  mkdir -p "$to/DEBIAN"
  for program in scoresheet scoresheet-serve scoresheet-site; do
    install -D -m 755 "$from/$program" "$to/usr/bin/$program"
  done
  for page in "$from"/man/*.1; do
    install -D -m 644 "$page" "$to/usr/share/man/man1/$(basename "$page")"
    gzip --no-name --best "$to/usr/share/man/man1/$(basename "$page")"
  done
  install -D -m 644 "$from/completions/scoresheet.bash" "$to/usr/share/bash-completion/completions/scoresheet"
  install -D -m 644 "$from/completions/_scoresheet" "$to/usr/share/zsh/vendor-completions/_scoresheet"
  install -D -m 644 "$from/completions/scoresheet.fish" "$to/usr/share/fish/vendor_completions.d/scoresheet.fish"
  install -D -m 644 "$from/scoresheet.xml" "$to/usr/share/mime/packages/scoresheet.xml"
  install -D -m 644 "$from/scoresheet.magic" "$to/usr/share/doc/scoresheet/scoresheet.magic"
  install -D -m 644 "$from/README.md" "$to/usr/share/doc/scoresheet/README.md"
  install -D -m 644 "$from/CHANGELOG.md" "$to/usr/share/doc/scoresheet/changelog"
  gzip --no-name --best "$to/usr/share/doc/scoresheet/changelog"
  {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: Scoresheet\nSource: %s\n\n' "$address"
    printf 'Files: *\nCopyright: %s\nLicense: MIT or Apache-2.0\n' "$(sed -n 's/^Copyright (c) //p' LICENSE-MIT)"
    printf ' The licences of all that is linked follow; Debian has that of Apache in /usr/share/common-licenses/Apache-2.0.\n'
    for file in "$from"/LICENCES-*.txt; do
      sed 's/^/ /; s/^ $/ ./' "$file"
    done
  } >"$to/usr/share/doc/scoresheet/copyright"
  chmod 644 "$to/usr/share/doc/scoresheet/copyright"
  {
    cat <<END
Package: scoresheet
Version: ${version/-/\~}-1
Architecture: $architecture
Maintainer: The Scoresheet authors <noreply@github.com>
Installed-Size: $(du --apparent-size -sk "$to/usr" | cut -f1)
Section: games
Priority: optional
Homepage: $address
Description: compact chess game archive with random access to every position
 Scoresheet imports chess databases (PGN) into archives of an eighth of their
 size, gives every game back byte for byte, and finds games by position,
 player, rating or opening. It contains a server with an explorer for the
 browser and a maker of static sites.
END
  } >"$to/DEBIAN/control"
  (cd "$to" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$to/DEBIAN/md5sums"
  find "$to" -type d -exec chmod 755 {} +
  find "$to" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  package=$release/scoresheet_${version}_$architecture.deb
  dpkg-deb --root-owner-group -Zxz --build "$to" "$package" >/dev/null
  rm -rf "$room"
  sum "$package"
  dpkg-deb --field "$package" Package Version Architecture Installed-Size
  made=1
done
[ -n "$made" ] || skip "no static Linux archive (packaging/binaries.sh makes it)"
