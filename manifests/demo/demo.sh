#!/usr/bin/env bash
# The demo: fetch the source releases, push them, apply the run, watch it, fetch what came of it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
namespace=${NAMESPACE:-benchwright}
bin=$root/.venv/bin
cache=${BENCHWRIGHT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/benchwright}/archives
out=${1:-$root/demo-results}

mkdir -p "$cache"
"$here/fetch.sh" "$here/archives.txt" "$cache"
# An earlier demo is removed (its results stay in the results service) while the archives are pushed.
kubectl -n "$namespace" delete brun demo --ignore-not-found --wait > /dev/null &
removal=$!
"$bin/benchwright" -n "$namespace" push "$cache"/*.tar.gz
wait "$removal"
rm -rf "$out"
"$bin/benchwright" -n "$namespace" run --out "$out" \
  "$here/agents.yaml" "$here/tasks.yaml" "$here/run.yaml"
echo "the same, live, with every trial's patch, coverage, tests and logs:"
echo "  eval \"\$(python3 -m cluster env)\" && kubectl -n $namespace port-forward svc/benchwright-results 8080:http"
echo "  then open http://127.0.0.1:8080/ui/"
