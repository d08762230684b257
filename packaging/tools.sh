#!/usr/bin/env bash
# Installs the tools that the scripts need beyond Rust and Python: Zig for Linux binaries, clang for the browser's
# reader.
source "$(dirname "$0")/common.sh"
rustup target add wasm32-unknown-unknown
case $(uname) in
Linux)
  python3 -m pip install --quiet cargo-zigbuild ziglang
  sudo apt-get update --quiet
  sudo apt-get install --quiet --yes --no-install-recommends clang llvm
  ;;
Darwin)
  # GNU tar writes reproducible archives. Apple's clang does not support WebAssembly.
  brew install --quiet gnu-tar llvm
  ;;
MINGW* | MSYS*)
  choco install llvm --yes --no-progress
  ;;
esac
