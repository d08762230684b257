#!/usr/bin/env bash
# Checks the workflows and other files that GitHub reads. zizmor finds unsafe settings, schemas find misspelt keys. Each
# shell line of a workflow must only call a script, so it can run anywhere.
source "$(dirname "$0")/common.sh"
cd "$root"
python3 - <<'END'
import pathlib, re, sys
wrong = []
for path in sorted(pathlib.Path(".github/workflows").glob("*.yml")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        # Values of the matrix are defined in the workflow.
        line = re.sub(r"\$\{\{ matrix\.\w+ \}\}", "VALUE", line)
        if run := re.match(r"\s*(?:- )?run: *(.*)", line):
            script = run[1].split(" ")[0]
            if not (script.startswith((".ci/", "packaging/")) and pathlib.Path(script).is_file()) or re.search(r"[|;&>$`]", run[1]):
                wrong.append(f"{path}:{number}: {run[1]}")
        if uses := re.match(r"\s*(?:- )?uses: *(\S+)(.*)", line):
            if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", uses[1]) or not re.match(r" # v\d", uses[2]):
                wrong.append(f"{path}:{number}: {uses[1]} is not pinned by a hash with its version beside it")
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
END
if ! command -v zizmor >/dev/null || ! command -v check-jsonschema >/dev/null; then
  python3 -m venv "$root/target/workflow-tools" 2>/dev/null && "$root/target/workflow-tools/bin/pip" install --quiet zizmor check-jsonschema ||
    skip "zizmor and check-jsonschema cannot be installed: no network?"
  PATH=$root/target/workflow-tools/bin:$PATH
fi
zizmor --offline --quiet .github
check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff 2>/dev/null || echo "skipped: no schema for CITATION.cff"
