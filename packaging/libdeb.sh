#!/usr/bin/env bash
# Builds the Debian packages `libscoresheet1` (the shared library) and `libscoresheet-dev` (header, static library,
# pkg-config and CMake files) for this machine's architecture, and checks their contents. SCORESHEET_C_BUILT names a
# folder with a built library; by default, the script builds the profile `dist`.
source "$(dirname "$0")/common.sh"
cd "$root"
command -v dpkg-deb >/dev/null || skip "no dpkg-deb"
command -v dpkg-architecture >/dev/null && triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH) ||
  triplet=$(cc -print-multiarch 2>/dev/null || true)
[ -n "$triplet" ] || skip "no multiarch name of this machine"
architecture=$(dpkg --print-architecture)

built=${SCORESHEET_C_BUILT:-}
if [ -z "$built" ]; then
  say "libscoresheet"
  # No path to other libraries, relocations that are read-only, and symbols that are bound at once.
  RUSTFLAGS="${RUSTFLAGS:-} -C link-arg=-Wl,-z,relro,-z,now" cargo build --quiet --locked --profile dist -p scoresheet-c
  built=${CARGO_TARGET_DIR:-target}/dist
fi
built=$(cd "$built" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
DESTDIR=$room/all crates/c/install.sh "$built" /usr "lib/$triplet"

# Divides the files: the library and its SONAME belong to libscoresheet1, everything else to libscoresheet-dev.
major=${version%%.*}
run=$room/libscoresheet$major dev=$room/libscoresheet-dev lib=usr/lib/$triplet
mkdir -p "$run/$lib" "$run/DEBIAN" "$dev/DEBIAN"
mv "$room/all/$lib/libscoresheet.so.$version" "$room/all/$lib/libscoresheet.so.$major" "$run/$lib/"
cp -a "$room/all/usr" "$dev/"
needs=$(objdump -p "$run/$lib/libscoresheet.so.$version" | sed -n 's/.*NEEDED *//p' | tr '\n' ' ')
for name in $needs; do
  case $name in
  libc.so.* | libm.so.* | libgcc_s.so.* | libpthread.so.* | libdl.so.* | ld-linux*) ;;
  *) echo "libscoresheet needs $name, which no dependency of the package names"; exit 1 ;;
  esac
done
# The newest symbol of glibc that the library uses.
glibc=$(objdump -T "$run/$lib/libscoresheet.so.$version" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1 | cut -d_ -f2)
printf 'activate-noawait ldconfig\n' >"$run/DEBIAN/triggers"
printf 'libscoresheet %s libscoresheet%s\n' "$major" "$major" >"$run/DEBIAN/shlibs"
{
  printf 'libscoresheet.so.%s libscoresheet%s #MINVER#\n' "$major" "$major"
  while read -r symbol; do printf ' %s@Base %s\n' "$symbol" "$version"; done <crates/c/symbols.txt
} | sed "s/ #MINVER#/ (>= $version)/" >"$run/DEBIAN/symbols"

# package FOLDER SECTION DEPENDS DESCRIPTION TEXT
package() {
  local folder=$1 name
  name=$(basename "$folder")
  local documents=$folder/usr/share/doc/$name
  install -D -m 644 CHANGELOG.md "$documents/changelog"
  gzip --no-name --best "$documents/changelog"
  {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Source: %s\n\nFiles: *\nCopyright: The Scoresheet authors\nLicense: MIT or Apache-2.0\n\n' "$address"
    for license in MIT APACHE; do
      sed 's/^$/./; s/^/ /' "LICENSE-$license"
    done
  } >"$documents/copyright"
  cat >"$folder/DEBIAN/control" <<END
Package: $name
Source: scoresheet
Version: ${version/-/\~}-1
Architecture: $architecture
Multi-Arch: same
Maintainer: The Scoresheet authors <noreply@github.com>
Installed-Size: $(du --apparent-size -sk "$folder/usr" | cut -f1)
Depends: $3
Section: $2
Priority: optional
Homepage: $address
Description: $4
$5
END
  (cd "$folder" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$folder/DEBIAN/md5sums"
  chmod 644 "$folder"/DEBIAN/*
  find "$folder" -type d -exec chmod 755 {} +
  find "$folder" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  local file=$release/${name}_${version}_$architecture.deb
  dpkg-deb --root-owner-group -Zxz --build "$folder" "$file" >/dev/null
  sum "$file"
  dpkg-deb --field "$file" Package Version Architecture Installed-Size Depends
}
say "libscoresheet$major, libscoresheet-dev"
package "$run" libs "libc6 (>= $glibc), libgcc-s1" "chess game archives (shared library)" \
  " libscoresheet reads and writes chess game archives (.bga): every game with its
 tags, comments and variations, any position without reading the games before
 it, and searches by player, rating, opening or position."
package "$dev" libdevel "libscoresheet$major (= ${version/-/\~}-1), libc6-dev" \
  "chess game archives (development files)" \
  " Header, static library, pkg-config and CMake files of libscoresheet, which
 reads and writes chess game archives (.bga)."

say "a program, built from the packages alone"
mkdir "$room/system"
for name in "libscoresheet$major" libscoresheet-dev; do
  dpkg-deb --extract "$release/${name}_${version}_$architecture.deb" "$room/system"
done
export PKG_CONFIG_PATH=$room/system/$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$room/system
command -v pkg-config >/dev/null || skip "no pkg-config"
# pkg-config omits /usr/include and the system's folder of libraries, which are elsewhere here.
cc -I"$room/system/usr/include" -L"$room/system/$lib" crates/c/examples/moves.c $(pkg-config --libs-only-l scoresheet) \
  -o "$room/moves"
archive=$(ls testdata/conformance/good/*.bga | head -1)
LD_LIBRARY_PATH=$room/system/$lib "$room/moves" "$archive" | head -1 | grep -q '^1 '
echo "the example ran"
