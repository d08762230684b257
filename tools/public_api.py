#!/usr/bin/env python3
"""Lists the library's public interface, one item per line: the items that `cargo doc` shows, without hidden ones.

    cargo doc --no-deps --lib
    tools/public_api.py             prints the list
    tools/public_api.py --check     compares it with docs/api.txt; the exit code is 1 if they differ
    tools/public_api.py --write     writes docs/api.txt

From version 1.0 on, a removed or changed line is a breaking change. The list contains signatures in rustdoc's format.
If rustdoc's version differs from the version in the list's first line, the script compares nothing.
"""

import html
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc" / "scoresheet"
LIST = ROOT / "docs" / "api.txt"
DERIVED = re.compile(r"impl(<.*>)? (Clone|Copy|Debug|Default|Eq|Hash|Ord|PartialEq|PartialOrd|StructuralPartialEq) for ")
KINDS = ("struct", "enum", "trait", "fn", "constant", "static", "type", "macro")


def text(markup: str) -> str:
    """Returns the text of HTML, with each run of blanks as one blank."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def items(page: Path) -> list[str]:
    """Returns the lines of one page: the item, its variants and fields, its methods and traits."""
    kind, name = page.name.removesuffix(".html").split(".", 1)
    path = "::".join(("scoresheet", *page.parent.relative_to(DOCS).parts, name))
    source = page.read_text(encoding="utf-8")
    if 'http-equiv="refresh"' in source:
        return []
    lines = [f"{kind} {path}"]
    if kind in ("fn", "constant", "type", "static"):
        declared = re.search(r'<pre class="rust item-decl"><code>(.*?)</code></pre>', source, re.S)
        lines = [f"{kind} {path}: {text(declared.group(1)) if declared else ''}"]
    for what in re.findall(r'id="variant\.(\w+)" class="variant', source):
        lines.append(f"variant {path}::{what}")
    for what in re.findall(r'id="structfield\.(\w+)"', source):
        lines.append(f"field {path}::{what}")
    # Derived traits and blanket implementations say nothing about this type.
    body = re.split(r'<h2 id="(?:synthetic|blanket)-implementations"', source)[0]
    body, _, traits = body.partition('<h2 id="trait-implementations"')
    method = r'<section id="((?:ty)?method\.\w+(?:-\d+)?)".*?<h4 class="code-header">(.*?)</h4>'
    for what, header in re.findall(method, body, re.S):
        lines.append(f"method {path}::{what.split('.')[1].split('-')[0]}: {text(header)}")
    for header in re.findall(r'<section id="impl-[^"]*" class="impl">.*?<h3 class="code-header">(.*?)</h3>', traits, re.S):
        if not DERIVED.search(text(header)):
            lines.append(f"impl {path}: {text(header)}")
    return lines


def main() -> int:
    if not DOCS.is_dir():
        sys.exit("public_api.py: no documentation; run cargo doc --no-deps --lib")
    pages = [page for page in DOCS.rglob("*.html") if page.name.split(".")[0] in KINDS and page.name.count(".") == 2]
    version = subprocess.run(["rustdoc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    lines = sorted(line for page in pages for line in items(page))
    text = "".join(f"{line}\n" for line in [f"# {version}", *lines])
    if "--write" in sys.argv:
        LIST.write_text(text, encoding="utf-8")
    elif "--check" in sys.argv:
        listed = LIST.read_text(encoding="utf-8").splitlines()
        if listed[0] != f"# {version}":
            print(f"skipped: the list was made by {listed[0].removeprefix('# ')}, this is {version}")
            return 0
        gone, new = sorted(set(listed) - set(text.splitlines())), sorted(set(text.splitlines()) - set(listed))
        for sign, lines in (("-", gone), ("+", new)):
            print("\n".join(f"{sign} {line}" for line in lines[:50]), end="\n" if lines else "")
        if gone or new:
            print(f"docs/api.txt: {len(gone)} lines are gone, {len(new)} are new")
            print("where that is meant: tools/public_api.py --write")
            return 1
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
