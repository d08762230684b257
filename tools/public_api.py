#!/usr/bin/env python3
"""Lists the public interface of each package, one item per line: the items that `cargo doc` shows, without hidden
ones and without methods of other types that a type can call.

    cargo doc --no-deps --lib
    tools/public_api.py             prints the lists
    tools/public_api.py --check     compares them with docs/api/PACKAGE.txt; the exit code is 1 if one differs
    tools/public_api.py --write     writes docs/api/PACKAGE.txt

From version 1.0 on, a removed or changed line is a breaking change. The lists contain signatures as rustdoc shows them.
"""

import html
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "doc"
PACKAGES = ("scoresheet", "scoresheet_chess", "scoresheet_pcn", "scoresheet_pgn", "scoresheet_query")
DERIVED = re.compile(r"impl(<.*>)? (Clone|Copy|Debug|Default|Eq|Hash|Ord|PartialEq|PartialOrd|StructuralPartialEq) for ")
KINDS = ("struct", "enum", "trait", "fn", "constant", "static", "type", "macro")


def text(markup: str) -> str:
    """Returns the text of HTML, with each run of blanks as one blank."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def items(page: Path) -> list[str]:
    """Returns the lines of one page: the item, its variants and fields, its methods and traits."""
    kind, name = page.name.removesuffix(".html").split(".", 1)
    path = "::".join((*page.parent.relative_to(DOCS).parts, name))
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
    body = re.split(r'<h2 id="(?:synthetic|blanket)-implementations"|<h2 id="deref-methods', source)[0]
    body, _, traits = body.partition('<h2 id="trait-implementations"')
    method = r'<section id="((?:ty)?method\.\w+(?:-\d+)?)".*?<h4 class="code-header">(.*?)</h4>'
    for what, header in re.findall(method, body, re.S):
        lines.append(f"method {path}::{what.split('.')[1].split('-')[0]}: {text(header)}")
    for header in re.findall(r'<section id="impl-[^"]*" class="impl">.*?<h3 class="code-header">(.*?)</h3>', traits, re.S):
        if not DERIVED.search(text(header)):
            lines.append(f"impl {path}: {text(header)}")
    return lines


def check(package: str, listed: Path, lines: list[str]) -> bool:
    """Compares a stored list with the lines, prints the differences, and returns whether there are none."""
    stored = set(listed.read_text(encoding="utf-8").splitlines()) if listed.exists() else set()
    gone, new = sorted(stored - set(lines)), sorted(set(lines) - stored)
    for sign, changed in (("-", gone), ("+", new)):
        print("\n".join(f"{sign} {line}" for line in changed[:50]), end="\n" if changed else "")
    if gone or new:
        print(f"{listed.relative_to(ROOT)}: {len(gone)} lines are gone, {len(new)} are new")
        print("where that is meant: tools/public_api.py --write")
    return not gone and not new


def main() -> int:
    is_equal = True
    for package in PACKAGES:
        if not (DOCS / package).is_dir():
            sys.exit(f"public_api.py: no documentation of {package}; run cargo doc --no-deps --lib")
        pages = (DOCS / package).rglob("*.html")
        pages = [page for page in pages if page.name.split(".")[0] in KINDS and page.name.count(".") == 2]
        lines = sorted({line for page in pages for line in items(page)})
        listed = ROOT / "docs" / "api" / f"{package.replace('_', '-')}.txt"
        if "--write" in sys.argv:
            listed.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        elif "--check" in sys.argv:
            is_equal &= check(package, listed, lines)
        else:
            print("\n".join(lines))
    return 0 if is_equal else 1


if __name__ == "__main__":
    sys.exit(main())
