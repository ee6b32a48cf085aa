#!/usr/bin/env bash
# Install (or upgrade) Benchwright with the demo's values: what a user does with their own.
set -euo pipefail
namespace=${1:-benchwright}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

kubectl get namespace "$namespace" > /dev/null 2>&1 || kubectl create namespace "$namespace" > /dev/null
kubectl label --overwrite namespace "$namespace" pod-security.kubernetes.io/enforce=restricted > /dev/null
# A new image under the same tag is a change that Helm cannot see.
digest=$(python3 - "$root" <<'PY'
import hashlib, json, subprocess, sys
out = subprocess.run([sys.executable, "-m", "images", "build", "--print-paths", "operator", "proxy"],
                     cwd=sys.argv[1], capture_output=True, text=True, check=True).stdout
print(hashlib.sha256(out.encode()).hexdigest()[:16])
PY
)
helm upgrade --install benchwright "$root/charts/benchwright" --namespace "$namespace" \
  --values "$here/values.yaml" --set-string "podAnnotations.images=$digest" \
  --set-file "proxy.dialogues.demo\.yaml=$here/dialogues/demo.yaml" \
  --take-ownership --wait --timeout 3m --output json 2> >(grep -v 'symbolic link' >&2) > /dev/null
echo "benchwright is installed in namespace $namespace"
