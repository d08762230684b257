#!/usr/bin/env python3
"""Compiles tools/scoresheet.ksy, reads files with the result, and compares it with tools/reader.py.

    python3 tools/kaitai_check.py FILE ..

Needs the package `kaitaistruct` and a compiler: `kaitai-struct-compiler` in the PATH, or Node.js with the packages
kaitai-struct-compiler and js-yaml. The exit code is 3 if any of them is missing.
"""

import importlib
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import reader

COMPILE = """
const fs = require("fs"), yaml = require("js-yaml"), compiler = require("kaitai-struct-compiler");
const instance = typeof compiler === "function" ? new compiler() : compiler;
instance.compile("python", yaml.load(fs.readFileSync(process.argv[1], "utf8")), null, false).then(files => {
  for (const name in files) fs.writeFileSync(process.argv[2] + "/" + name, files[name]);
}).catch(error => { console.error(String(error)); process.exit(1); });
"""


def missing(what):
    print("missing: %s" % what, file=sys.stderr)
    sys.exit(3)


def compiled(folder):
    """Compiles the description into a folder, and returns the class."""
    description = os.path.join(HERE, "scoresheet.ksy")
    if shutil.which("kaitai-struct-compiler"):
        subprocess.run(["kaitai-struct-compiler", "-t", "python", "-d", folder, description], check=True)
    elif (
        not shutil.which("node")
        or subprocess.run(
            ["node", "-e", 'require("js-yaml"); require("kaitai-struct-compiler")'], stderr=subprocess.DEVNULL
        ).returncode
    ):
        missing("a compiler of Kaitai Struct")
    else:
        subprocess.run(["node", "-e", COMPILE, description, folder], check=True)
    sys.path.insert(0, folder)
    return importlib.import_module("scoresheet").Scoresheet


def check(parsed, path):
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".bga"):
        archive, at = reader.Archive(data), 8192
        read = parsed.archive.blocks
        assert len(read) == len(archive.blocks), "blocks"
        for found, block in zip(read, archive.blocks):
            kind = getattr(found.kind, "value", found.kind)
            assert (kind, found.first, found.count, found.length) == (
                block.kind,
                block.first,
                block.count,
                block.length,
            )
            if kind == 1:
                moves = reader.Moves(block)
                assert list(found.payload.lengths) == moves.lengths and found.payload.records == b"".join(moves.records)
            at += 40 + found.length
        assert at == len(data) and parsed.archive.pages[1].head.state.id == archive.id
        return "%d blocks" % len(read)
    kind = next(name for name in ("index", "signatures", "positions", "tag_columns") if getattr(parsed, name, None))
    found = getattr(parsed, kind)
    games, crc = found.head.state.games, len(data) - 4
    if kind == "index":
        entries = found.chunks + found.dictionaries + found.deletions
        assert 112 + 24 * len(entries) == crc and (
            games == 0 or (found.chunks[0].first, found.chunks[0].offset) == (1, 8192)
        )
    elif kind == "signatures":
        assert 80 + 8 * len(found.signatures) == crc and len(found.signatures) == games
    elif kind == "positions":
        covered = 8 * (games + (games + 63) // 64) + (3 + found.width) * found.entry_count + 8 * ((1 << found.bits) + 1)
        assert 128 + covered + 4 * ((covered + 4095) // 4096) == len(data) and found.buckets[-1] == found.entry_count
    else:
        parts = [4 * len(table.ends) + len(table.text) for table in found.tables]
        parts += [len(column) for column in found.columns]
        assert found.file_size == len(data) == 96 + found.directory_size + 4 + sum(parts)
    if kind in ("index", "signatures", "tag_columns"):
        covered = data[: 96 + found.directory_size] if kind == "tag_columns" else data[:crc]
        assert reader.crc(found.head.state.id, 0, covered) == found.crc
    return kind


def main(paths):
    try:
        from kaitaistruct import KaitaiStream
    except ImportError:
        missing("the package kaitaistruct")
    with tempfile.TemporaryDirectory() as folder:
        description = compiled(folder)
        for path in paths:
            with open(path, "rb") as file:
                print("%s: %s" % (os.path.basename(path), check(description(KaitaiStream(file)), path)))


if __name__ == "__main__":
    main(sys.argv[1:])
