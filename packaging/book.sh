#!/usr/bin/env bash
# Writes all documents as a book to target/book, which docs.yml publishes. Fails on missing chapters and broken links.
source "$(dirname "$0")/common.sh"
cd "$root"
mdbook=$(command -v mdbook || echo "${CARGO_HOME:-$HOME/.cargo}/bin/mdbook")
if [ ! -x "$mdbook" ]; then
  [ -n "${SCORESHEET_REQUIRED:-}" ] || skip "no mdbook (cargo install mdbook --locked)"
  cargo install mdbook --locked --quiet --version '^0.4'
fi
# Chapters have the same paths as in the repository, so links between them work. Benchmark runs are chapters below the
# measurements.
source=target/book-source
rm -rf "$source" target/book
mkdir -p "$source/benches" "$source/packaging" "$source/tools/trainer"
cp -r docs ./*.md LICENSE-* "$source"
cp -r benches/runs "$source/benches"
cp packaging/README.md "$source/packaging"
cp tools/trainer/MODEL.md "$source/tools/trainer"
mv "$source/docs/book.toml" "$source"
python3 - "$source" <<'END'
import pathlib, re, sys
source = pathlib.Path(sys.argv[1])
summary = (source / "docs/SUMMARY.md").read_text()
summary = re.sub(r"\]\((?!\.\./)", "](docs/", summary).replace("](../", "](")
runs = ""
for run in sorted(source.glob("benches/runs/*.md"), reverse=True):
    title = run.read_text().split("\n", 1)[0].lstrip("# ")
    runs += f"  - [{title}]({run.relative_to(source)})\n"
measurements = re.search(r"- .*MEASUREMENTS.md\)\n", summary)
(source / "SUMMARY.md").write_text(summary[: measurements.end()] + runs + summary[measurements.end() :])
(source / "docs/SUMMARY.md").unlink()
END
"$mdbook" build "$source"
python3 - target/book "$source" <<'END'
import pathlib, re, sys
book, source = map(pathlib.Path, sys.argv[1:])
chapters = re.findall(r"\]\(([^)]+)\.md\)", (source / "SUMMARY.md").read_text())
faults = [f"no page of {name}.md" for name in chapters if not (book / f"{name}.html").is_file()]
for page in book.rglob("*.html"):
    for link in re.findall(r'href="([^"#?:]+)', page.read_text(encoding="utf-8")):
        # Links to other files point to the repository, which has no pages of them.
        if link.endswith(".html") and not (page.parent / link).resolve().is_file():
            faults.append(f"{page.relative_to(book)}: {link}")
print(*sorted(set(faults)), sep="\n", end="\n" if faults else "")
sys.exit(bool(faults))
END
echo "target/book: $(find target/book -name '*.html' | wc -l) pages"
