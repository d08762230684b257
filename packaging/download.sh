#!/usr/bin/env bash
# Downloads the release files that a job of publish.yml publishes: `download.sh python|npm|docker`. Accepts only files
# that this repository's workflow has built. GH_TOKEN contains the token.
source "$(dirname "$0")/common.sh"
cd "$root"
case ${1:-} in
python) pattern=(--pattern '*.whl' --pattern "scoresheet-$version.tar.gz") into=$release/python ;;
npm) pattern=(--pattern "scoresheet-wasm-$version.tgz") into=$release ;;
docker) pattern=(--pattern "scoresheet-$version-*-linux-musl.tar.gz") into=$release ;;
*) echo "usage: packaging/download.sh python|npm|docker" >&2 && exit 2 ;;
esac
mkdir -p "$into"
gh release download "v$version" --dir "$into" "${pattern[@]}"
for file in "$into"/*scoresheet*; do
  gh attestation verify "$file" --repo "${address#https://github.com/}"
done
