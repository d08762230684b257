#!/usr/bin/env python3
"""Writes the licences of all crates that a program links as one text, and a list in CycloneDX format (an SBOM).

    packaging/linked.py --manifest Cargo.toml --package scoresheet-cli [--features F] [--no-default-features] \\
        --target x86_64-unknown-linux-musl [--licences FILE] [--sbom FILE.cdx.json] [--file PROGRAM]

`cargo tree` lists the crates that the target links, without crates that only run during the build. `cargo metadata`
gives the folder of each. The output contains no times or random numbers, so equal lock files give equal output. Needs
only Python's standard library.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APACHE = "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION"
MIT = """Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""


def cargo(*arguments: str) -> str:
    done = subprocess.run([os.environ.get("CARGO", "cargo"), *arguments], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout


def linked(options: argparse.Namespace) -> list[dict]:
    """Returns the packages that the program links, the program's crate first, the rest by name and version."""
    features = [*(["--features", options.features] if options.features else []), *(["--no-default-features"] if options.no_default_features else [])]
    common = ["--manifest-path", options.manifest, "--locked"]
    tree = cargo("tree", *common, "--package", options.package, "--target", options.target, *features,
                 "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")  # fmt: skip
    names = {tuple(line.split(" ")[:2]) for line in tree.splitlines() if line}
    # All features: the resolution of the default ones lacks the packages of the others.
    packages = json.loads(cargo("metadata", *common, "--format-version", "1", "--filter-platform", options.target, "--all-features"))
    nodes = {node["id"]: node for node in packages["resolve"]["nodes"]}
    chosen = [package for package in packages["packages"] if (package["name"], f"v{package['version']}") in names]
    if len(chosen) != len(names):
        sys.exit(f"{len(names)} packages are linked, and the places of {len(chosen)} are known")
    ids = {package["id"] for package in chosen}
    for package in chosen:
        package["links_to"] = sorted(
            dependency["pkg"]
            for dependency in nodes[package["id"]]["deps"]
            if dependency["pkg"] in ids and any(kind["kind"] is None for kind in dependency["dep_kinds"])
        )
    return sorted(chosen, key=lambda package: (package["name"] != options.package, package["name"], package["version"]))


def texts(package: dict) -> list[str]:
    """Returns the texts of a package's licences, including those of bundled C code. Omits the Apache licence, and the
    GPL, which is only an alternative licence."""
    folder, found = Path(package["manifest_path"]).parent, []
    for path in sorted([*folder.glob("*"), *folder.glob("*/*")]):
        if re.match(r"(LICEN[SC]E|COPYING|COPYRIGHT|UNLICENSE|NOTICE)", path.name.upper()) and path.is_file():
            text = "\n".join(line.rstrip() for line in path.read_text(encoding="utf-8", errors="replace").strip().splitlines())
            if APACHE not in text and "GNU GENERAL PUBLIC LICENSE" not in text and text not in found:
                found.append(text)
    return found


def licences(packages: list[dict], options: argparse.Namespace) -> str:
    members = [package for package in packages if package["source"] is None]
    others = [package for package in packages if package["source"] is not None]
    lines = [f"{options.package} {packages[0]['version']} and all that it links", ""]
    lines += [f"Scoresheet ({', '.join(package['name'] for package in members)}): MIT OR Apache-2.0", ""]
    lines += [f"  {package['name']} {package['version']}: {package['license']}" for package in others]
    lines += ["  Rust's standard library: MIT OR Apache-2.0, copyright The Rust Project Developers"]
    if "musl" in options.target:
        lines += ["  musl, the C library: MIT, copyright 2005-2020 Rich Felker, et al."]
    lines += ["  The names of openings, those of Lichess: CC0-1.0"]
    lines += ["", "", "MIT, of Scoresheet", "", (ROOT / "LICENSE-MIT").read_text().strip()]
    groups: dict[str, list[str]] = {}
    for package in others:
        for text in texts(package):
            groups.setdefault(text, []).append(f"{package['name']} {package['version']}")
    for text, names in groups.items():
        lines += ["", "", "=" * 80, "Of " + ", ".join(names), "", text]
    bare = [f"{package['name']} {package['version']}" for package in others if not texts(package)]
    lines += ["", "", "=" * 80, "MIT, of Rust's standard library, of musl and of packages that ship no text of their own", ""]
    lines += [", ".join(bare), "", MIT]
    lines += ["", "", "=" * 80, "Apache-2.0, of all that name it", "", (ROOT / "LICENSE-APACHE").read_text().strip(), ""]
    return "\n".join(lines)


def sbom(packages: list[dict], options: argparse.Namespace) -> str:
    """Returns a CycloneDX 1.5 document; its serial number is a hash of the rest."""

    def reference(package: dict) -> str:
        return f"pkg:cargo/{package['name']}@{package['version']}"

    by_id = {package["id"]: package for package in packages}
    checksums = dict(
        ((name, version), checksum)
        for name, version, checksum in re.findall(
            r'name = "([^"]+)"\nversion = "([^"]+)"\nsource = [^\n]+\nchecksum = "([0-9a-f]+)"',
            (ROOT / options.manifest).with_name("Cargo.lock").read_text(),
        )
    )

    def component(package: dict, kind: str) -> dict:
        checksum = checksums.get((package["name"], package["version"]))
        described = {
            "type": kind,
            "bom-ref": reference(package),
            "name": package["name"],
            "version": package["version"],
            "scope": "required",
            "purl": reference(package),
            # The old form with a slash has the same meaning.
            "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
        }
        if checksum:
            described["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package["repository"]:
            described["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return described

    head = component(packages[0], "application")
    del head["scope"]
    if options.file:
        content = hashlib.sha256(Path(options.file).read_bytes()).hexdigest()
        head["hashes"] = [{"alg": "SHA-256", "content": content}]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": head, "properties": [{"name": "cdx:rustc:target", "value": options.target}]},
        "components": [component(package, "library") for package in packages[1:]],
        "dependencies": [
            {"ref": reference(package), "dependsOn": sorted({reference(by_id[other]) for other in package["links_to"]})}
            for package in packages
        ],
    }
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document))}"
    return json.dumps(document, indent=1) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manifest", default="Cargo.toml")
    parser.add_argument("--package", required=True)
    parser.add_argument("--features")
    parser.add_argument("--no-default-features", action="store_true")
    parser.add_argument("--target", required=True)
    parser.add_argument("--licences")
    parser.add_argument("--sbom")
    parser.add_argument("--file")
    options = parser.parse_args()
    packages = linked(options)
    for package in packages:
        words = set(re.findall(r"[A-Za-z0-9.+-]+", package["license"] or ""))
        if not words or all("GPL" in word for word in words - {"OR", "AND", "WITH"}):
            sys.exit(f"{package['name']} {package['version']}: {package['license']}")
    if options.licences:
        Path(options.licences).write_text(licences(packages, options), encoding="utf-8")
    if options.sbom:
        Path(options.sbom).write_text(sbom(packages, options), encoding="utf-8")


main()
