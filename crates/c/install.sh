#!/usr/bin/env bash
# Installs libscoresheet: `install.sh BUILT PREFIX [LIBDIR]`. BUILT is cargo's folder of `libscoresheet_c.so` and `.a`
# (target/dist), PREFIX the folder of `include` and `lib`, and LIBDIR the folder of the library below PREFIX (default:
# lib). With DESTDIR, all files go below that folder.
set -euo pipefail
built=$(cd "$1" && pwd) prefix=$2 libdir=${3:-lib}
cd "$(dirname "$0")"
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' ../../Cargo.toml | head -1)
to=${DESTDIR:-}$prefix
lib=$to/$libdir
# The system's libraries that the static library needs.
system="-lpthread -ldl -lm"

install -D -m 644 include/scoresheet.h "$to/include/scoresheet.h"
install -D -m 644 "$built/libscoresheet_c.so" "$lib/libscoresheet.so.$version"
ln -sf "libscoresheet.so.$version" "$lib/libscoresheet.so.${version%%.*}"
ln -sf "libscoresheet.so.${version%%.*}" "$lib/libscoresheet.so"
install -D -m 644 "$built/libscoresheet_c.a" "$lib/libscoresheet.a"

mkdir -p "$lib/pkgconfig" "$lib/cmake/scoresheet"
cat >"$lib/pkgconfig/scoresheet.pc" <<EOF
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/$libdir

Name: scoresheet
Description: Chess game archives with random access to every position
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lscoresheet
Libs.private: $system
EOF
up=$(sed 's#[^/][^/]*#..#g' <<<"$libdir/cmake/scoresheet")
cat >"$lib/cmake/scoresheet/scoresheet-config.cmake" <<EOF
# find_package(scoresheet) defines scoresheet::scoresheet (shared) and scoresheet::static.
get_filename_component(_scoresheet_prefix "\${CMAKE_CURRENT_LIST_DIR}/$up" ABSOLUTE)
if(NOT TARGET scoresheet::scoresheet)
  add_library(scoresheet::scoresheet SHARED IMPORTED)
  set_target_properties(scoresheet::scoresheet PROPERTIES
    IMPORTED_LOCATION "\${_scoresheet_prefix}/$libdir/libscoresheet.so.$version"
    IMPORTED_SONAME "libscoresheet.so.${version%%.*}"
    INTERFACE_INCLUDE_DIRECTORIES "\${_scoresheet_prefix}/include")
  add_library(scoresheet::static STATIC IMPORTED)
  set_target_properties(scoresheet::static PROPERTIES
    IMPORTED_LOCATION "\${_scoresheet_prefix}/$libdir/libscoresheet.a"
    INTERFACE_INCLUDE_DIRECTORIES "\${_scoresheet_prefix}/include"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
EOF
cat >"$lib/cmake/scoresheet/scoresheet-config-version.cmake" <<EOF
set(PACKAGE_VERSION "$version")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION OR NOT PACKAGE_FIND_VERSION_MAJOR EQUAL ${version%%.*})
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
EOF
