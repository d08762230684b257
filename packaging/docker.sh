#!/usr/bin/env bash
# Builds the image of the static programs for each processor with a packed archive, and runs the image for this
# processor. `packaging/docker.sh publish` builds for both processors and pushes to the registry that IMAGE_REGISTRY
# names. A workflow runs it.
source "$(dirname "$0")/common.sh"
cd "$root"
command -v docker >/dev/null && docker info >/dev/null 2>&1 || skip "no Docker engine"
packaging/templates.py "$release"
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
cp "$release/templates/Dockerfile" "$context/"
platforms=()
for pair in x86_64:amd64 aarch64:arm64; do
  name=scoresheet-$version-${pair%:*}-unknown-linux-musl
  [ -f "$release/$name.tar.gz" ] || continue
  tar -xzf "$release/$name.tar.gz" -C "$context"
  mkdir "$context/${pair#*:}"
  for program in scoresheet scoresheet-serve scoresheet-site; do
    mv "$context/$name/$program" "$context/${pair#*:}/"
  done
  rm -r "${context:?}/$name"
  platforms+=("linux/${pair#*:}")
done
[ ${#platforms[@]} -gt 0 ] || skip "no static Linux archive (packaging/binaries.sh makes it)"
if [ "${1:-}" = publish ]; then
  name=${IMAGE_REGISTRY:?the host of a registry of images}/${address#https://github.com/}
  docker buildx build --platform "$(IFS=, && echo "${platforms[*]}")" --tag "$name:$version" --tag "$name:latest" --push "$context"
  exit
fi
docker build --tag "scoresheet:$version" "$context"
docker run --rm "scoresheet:$version" --version
docker run --rm "scoresheet:$version" serve --help | head -3
