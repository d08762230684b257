#!/usr/bin/env bash
# Creates a draft of the release on GitHub with all built files. A workflow runs it with its token in GH_TOKEN. After a
# person has reviewed and published the draft, publish.yml runs.
source "$(dirname "$0")/common.sh"
cd "$root"
packaging/version.py --check
SCORESHEET_REQUIRED=1 packaging/templates.py "$release"
# The first section of the changelog.
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
awk '/^## / { count++ } count == 1' CHANGELOG.md >"$notes"
files=()
while IFS= read -r file; do files+=("$file"); done < <(find "$release" -type f | sort)
gh release create "v$version" --draft --verify-tag --title "Scoresheet $version" --notes-file "$notes" "${files[@]}"
