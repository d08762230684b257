#!/bin/bash -eu
# Builds the fuzz targets for OSS-Fuzz, which sets SRC, OUT and the sanitizer's flags.
cd "$SRC/scoresheet"
cargo fuzz build --fuzz-dir fuzz -O any
# One table lists the names of the targets.
targets=$(sed -n '/^pub const TARGETS/,/^];/s/^ *("\([a-z_]*\)".*/\1/p' fuzz/src/lib.rs)
[ -n "$targets" ]
for target in $targets; do
  cp fuzz/target/x86_64-unknown-linux-gnu/release/any "$OUT/$target"
  printf '[libfuzzer]\nmax_len = 16384\n' >"$OUT/$target.options"
done
