#!/usr/bin/env bash
# Writes all documents as a book to target/book, which docs.yml publishes. Fails on missing chapters and broken links.
source "$(dirname "$0")/common.sh"
cd "$root"
mdbook=$(command -v mdbook || echo "${CARGO_HOME:-$HOME/.cargo}/bin/mdbook")
if [ ! -x "$mdbook" ]; then
  [ -n "${SCORESHEET_REQUIRED:-}" ] || skip "no mdbook (cargo install mdbook --locked)"
  cargo install mdbook --locked --quiet --version '^0.4'
fi
"$mdbook" build docs
python3 - target/book <<'END'
import pathlib, re, sys
book = pathlib.Path(sys.argv[1])
chapters = re.findall(r"\]\(([^)]+)\.md\)", pathlib.Path("docs/SUMMARY.md").read_text())
missing = [name for name in chapters if not (book / f"{name}.html").is_file()]
broken = []
for page in book.rglob("*.html"):
    for link in re.findall(r'href="([^"#?:]+)', page.read_text(encoding="utf-8")):
        # Links to files outside the book point to the repository.
        if link.endswith(".html") and not (page.parent / link).resolve().is_file():
            broken.append(f"{page.relative_to(book)}: {link}")
print(*missing, *sorted(set(broken)), sep="\n", end="\n" if missing or broken else "")
sys.exit(bool(missing))
END
echo "target/book: $(find target/book -name '*.html' | wc -l) pages"
