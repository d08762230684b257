#!/usr/bin/env bash
# Writes the files for DuckDB's community repository: `description.yml`, which is handed in as
# extensions/scoresheet/description.yml, and `repository/`, which builds the extension from this repository as a
# submodule. SCORESHEET_DUCKDB_COMMIT is the commit of that repository that is handed in.
source "$(dirname "$0")/common.sh"
commit=${SCORESHEET_DUCKDB_COMMIT:-0000000000000000000000000000000000000000}
out=$release/duckdb
rm -rf "$out"
mkdir -p "$out"
cp -R "$root/packaging/duckdb/." "$out/"
for file in "$out/description.yml" "$out/repository/README.md"; do
  sed "s|@VERSION@|$version|g; s|@ADDRESS@|$address|g; s|@COMMIT@|$commit|g" "$file" >"$file.new"
  mv "$file.new" "$file"
done
if grep -rn '@[A-Z]*@' "$out"; then exit 1; fi

# The rules of schema/description.cue in the community repository, for the fields that this file uses.
python3 - "$out/description.yml" <<'END'
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
field = lambda name: re.search(rf"(?m)^  {name}: *(.+)$", text)
for name in ("name", "description", "version", "language", "build", "license", "github", "ref"):
    assert field(name), f"description.yml has no {name}"
assert re.search(r"(?m)^  maintainers:\n    - \S+$", text)
assert field("build")[1] in ("cmake", "cargo")
assert re.fullmatch(r"[a-zA-Z0-9_-]+/[a-zA-Z0-9_.-]+", field("github")[1])
assert re.fullmatch(r"[a-f0-9]{40}", field("ref")[1]), "the reference is no commit"
try:
    import yaml
except ImportError:
    print("skipped: no PyYAML, so only the fields are checked")
else:
    assert set(yaml.safe_load(text)) == {"extension", "repo", "docs"}
END
say "$out"
find "$out" -type f | sort
