#!/usr/bin/env python3
"""Manages the version and the address of the project. The originals are in Cargo.toml, `[workspace.package]`.

    packaging/version.py                    print the version
    packaging/version.py --address          print the address of the repository
    packaging/version.py --check            exit with 1 and list the copies that disagree
    packaging/version.py --set 1.2.3        write this version, and the release's date, everywhere
    packaging/version.py --set-address URL  write this address everywhere

The format has a separate version, which FORMAT.md defines and the code and the changelog repeat. `--check` also
compares these copies. Needs only Python's standard library.
"""

import datetime
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?"
# The project's crates in both lock files. The tools and the fuzz targets have no version.
OWN = r"scoresheet(?:-(?:answers|arrow|chess|cli|cluster|output|pages|pgn|py|query|serve|site|sql|wasm))?"
MANIFESTS = ["Cargo.toml", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("crates/*/Cargo.toml")), "crates/Cargo.toml"]

# Each file with a pattern, whose one group is the version. Each pattern must match at least once in its file.
VERSIONS = [
    ("Cargo.toml", rf'(?ms)^\[workspace\.package\]\nversion = "({VERSION})"'),
    ("crates/Cargo.toml", rf'(?ms)^\[workspace\.package\]\nversion = "({VERSION})"'),
    *(
        (name, rf'(?m)^{OWN} = \{{ path = "[^"]+", version = "=({VERSION})"')
        for name in ["Cargo.toml", "crates/Cargo.toml", "crates/answers/Cargo.toml"]
    ),
    *((name, rf'(?m)^name = "{OWN}"\nversion = "({VERSION})"') for name in ["Cargo.lock", "crates/Cargo.lock"]),
    ("CITATION.cff", rf"(?m)^version: ({VERSION})$"),
    ("CHANGELOG.md", rf"\A# Changelog\n(?:(?!## ).*\n)*## [^\n0-9]*({VERSION})"),
]
# The same for the address of the repository.
ADDRESSES = [
    ("Cargo.toml", r'(?m)^repository = "([^"]+)"'),
    ("crates/Cargo.toml", r'(?m)^repository = "([^"]+)"'),
    ("CITATION.cff", r'(?m)^repository-code: "([^"]+)"'),
    *((name, r'(?m)^Repository = "([^"]+)"') for name in ["crates/cli/pyproject.toml", "crates/py/pyproject.toml"]),
    (".github/ISSUE_TEMPLATE/config.yml", r"url: (\S+)/security/advisories/new"),
    ("docs/THREATS.md", r"\((\S+)/blob/main/SECURITY\.md\)"),
    ("docs/book.toml", r'(?m)^git-repository-url = "([^"]+)"'),
    ("packaging/oss-fuzz/project.yaml", r'(?m)^main_repo: "([^"]+)\.git"'),
    ("packaging/oss-fuzz/Dockerfile", r"git clone --depth 1 (\S+)\.git "),
]
# The site with the documents. GitHub derives its address from the repository's.
HOMES = [
    ("Cargo.toml", r'(?m)^homepage = "([^"]+)"'),
    ("crates/Cargo.toml", r'(?m)^homepage = "([^"]+)"'),
    ("CITATION.cff", r'(?m)^url: "([^"]+)"'),
    *((name, r'(?m)^Documentation = "([^"]+)"') for name in ["crates/cli/pyproject.toml", "crates/py/pyproject.toml"]),
    ("packaging/oss-fuzz/project.yaml", r'(?m)^homepage: "([^"]+)"'),
]
# Only owner and name.
SHORT = [
    ("docs/INSTALL.md", r"nix run github:([^` ]+)"),
    ("docs/INSTALL.md", r"--repo (\S+)"),
]
FORMATS = [
    ("FORMAT.md", r"\A# [^\n]+\n\nVersion (\d+\.\d+)\."),
    ("CHANGELOG.md", r"\A# Changelog\n(?:(?!## ).*\n)*## [^\n]*format (\d+\.\d+)"),
]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def found(name: str, pattern: str) -> list[str]:
    """Returns each match of a pattern in a file."""
    return [match[1] for match in re.finditer(pattern, read(name))]


def one(name: str, pattern: str) -> str:
    places = found(name, pattern)
    if not places:
        sys.exit(f"{name}: nothing matches {pattern}")
    return places[0]


def home(address: str) -> str:
    """Returns the address of a repository's pages on GitHub."""
    owner, name = short(address).split("/")
    return f"https://{owner}.github.io/{name}"


def short(address: str) -> str:
    """Returns the owner and the name of a repository."""
    return address.removeprefix("https://github.com/")


def write(places: list[tuple[str, str]], value: str) -> None:
    """Writes a value to every location."""
    for name, pattern in places:
        text = read(name)

        def replaced(match: re.Match) -> str:
            start, end = match.start(1) - match.start(), match.end(1) - match.start()
            return match[0][:start] + value + match[0][end:]

        changed, count = re.subn(pattern, replaced, text)
        if count == 0:
            sys.exit(f"{name}: nothing matches {pattern}")
        if changed != text:
            (ROOT / name).write_text(changed, encoding="utf-8", newline="\n")
            print(f"{name}: {value}")


def wrong() -> list[str]:
    """Returns a line for each copy that disagrees."""
    version, address = one(*VERSIONS[0]), one(*ADDRESSES[0])
    lines = []
    for places, value in [(VERSIONS, version), (ADDRESSES, address), (HOMES, home(address)), (SHORT, short(address)), (FORMATS, one(*FORMATS[0]))]:
        for name, pattern in places:
            here = found(name, pattern)
            if not here:
                lines.append(f"{name}: nothing matches {pattern}")
            lines += [f"{name}: {other}, not {value}" for other in here if other != value]
    code = re.search(r"pub const VERSION: \(u16, u16\) = \((\d+), (\d+)\)", read("src/format/identity.rs"))
    if not code or ".".join(code.groups()) != one(*FORMATS[0]):
        lines.append(f"src/format/identity.rs: {code and code.groups()}, not FORMAT.md's {one(*FORMATS[0])}")
    # Every other manifest inherits the version, or is never published and has none.
    for name in MANIFESTS:
        package = read(name).split("[package]\n")[-1] if "[package]\n" in read(name) else None
        if package is not None and not re.search(r"(?m)^version\.workspace = true$", package):
            lines.append(f"{name}: the version is not the workspace's")
    for name in ["crates/cli/pyproject.toml", "crates/py/pyproject.toml"]:
        if 'dynamic = ["version"]' not in read(name):
            lines.append(f"{name}: the version is not the crate's")
    if '"version": env!("CARGO_PKG_VERSION")' not in read("crates/site/src/package.rs"):
        lines.append("crates/site/src/package.rs: the version is not the crate's")
    # A workflow may build only a tag that names this version.
    tag = os.environ.get("GITHUB_REF", "")
    if tag.startswith("refs/tags/") and tag != f"refs/tags/v{version}":
        lines.append(f"the tag {tag.removeprefix('refs/tags/')} is not v{version}")
    return lines


def main(arguments: list[str]) -> None:
    match arguments:
        case []:
            print(one(*VERSIONS[0]))
        case ["--address"]:
            print(one(*ADDRESSES[0]))
        case ["--check"]:
            lines = wrong()
            print(*lines, sep="\n", end="\n" if lines else "")
            sys.exit(bool(lines))
        case ["--set", version] if re.fullmatch(VERSION, version):
            write(VERSIONS, version)
            write([("CITATION.cff", r'(?m)^date-released: "([^"]+)"')], datetime.date.today().isoformat())
        case ["--set-address", address] if re.fullmatch(r"https://github\.com/[^/]+/[^/]+", address):
            write(ADDRESSES, address)
            write(HOMES, home(address))
            write(SHORT, short(address))
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
