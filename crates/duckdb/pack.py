#!/usr/bin/env python3
"""Appends the footer that DuckDB reads before it loads an extension: `pack.py LIBRARY OUT [PLATFORM]`.

The platform is the answer of `PRAGMA platform` (default: linux_amd64). The file must be called
`scoresheet.duckdb_extension`, because DuckDB derives the name of the entry from it.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def footer(version, platform):
    """Returns the 534 bytes: the head of a section of WebAssembly, eight fields, and an empty signature."""
    fields = ["", "", "", "C_STRUCT", "v" + version, "v1.2.0", platform, "4"]
    head = b"\x00\x93\x04\x10duckdb_signature\x80\x04"
    return head + b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)


def main():
    library, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    manifest = (ROOT / "Cargo.toml").read_text()
    version = next(line.split('"')[1] for line in manifest.splitlines() if line.startswith('version = "'))
    platform = sys.argv[3] if len(sys.argv) > 3 else "linux_amd64"
    end = footer(version, platform)
    assert len(end) == 534
    out.write_bytes(library.read_bytes() + end)


if __name__ == "__main__":
    main()
