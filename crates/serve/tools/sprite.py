#!/usr/bin/env python3
"""Draws ../src/pieces.png, the pieces of the server's pictures. Chromium renders pieces.svg at 72 pixels per piece:
White's pieces above Black's, from king to pawn. Run this script after pieces.py.

    python3 tools/sprite.py ../pages/web/pieces.svg src/pieces.png
"""
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = 72

source, target = Path(sys.argv[1]).read_text(), Path(sys.argv[2]).resolve()
pieces = source[source.index("<defs>"):source.index("</svg>")]
uses = "".join(
    f'<g transform="translate({x * 40} {y * 40})"><use href="#{side}{piece}"/></g>'
    for y, side in enumerate("wb") for x, piece in enumerate("kqrbnp"))
page = ("<!doctype html><style>html,body{margin:0;background:transparent}</style>"
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{6 * SIZE}" height="{2 * SIZE}" viewBox="0 0 240 80">{pieces}{uses}</svg>')
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "page.html"
    path.write_text(page)
    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--default-background-color=00000000",
         "--force-device-scale-factor=1", f"--window-size={6 * SIZE},{2 * SIZE}", f"--screenshot={target}", path.as_uri()],
        check=True, capture_output=True)
target.with_suffix(".sha256").write_text(hashlib.sha256(source.encode()).hexdigest() + "\n")
