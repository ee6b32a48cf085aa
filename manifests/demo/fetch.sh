#!/usr/bin/env bash
# fetch.sh LIST FOLDER: get the source releases that LIST names (requirement, sha256) with pip.
set -euo pipefail
list=$1 folder=$2
pip="$(cd "$(dirname "$0")/../.." && pwd)/.venv/bin/python -m pip"
grep -v '^#' "$list" | while read -r requirement sha256; do
  file=$folder/${requirement/==/-}.tar.gz
  if echo "$sha256  $file" | sha256sum --check --status 2> /dev/null; then continue; fi
  $pip download --quiet --no-deps --no-binary :all: --dest "$folder" "$requirement"
  if ! echo "$sha256  $file" | sha256sum --check --status; then
    echo "$file is not the release that was pinned ($sha256): refused" >&2
    rm -f "$file"
    exit 1
  fi
done
