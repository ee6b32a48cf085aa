#!/usr/bin/env bash
# Install (or upgrade) Benchwright with the demo's values: what a user does with their own.
set -euo pipefail
namespace=${1:-benchwright}
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

# Everything that the installation is made of. It becomes an annotation of the pods: a new image under
# the same tag is a change that Helm cannot see.
digest=$( (cd "$root" && python3 -m images build --print-paths operator proxy && helm version &&
  find charts/benchwright crds manifests/demo/{values.yaml,dialogues} -type f -exec sha256sum {} + | LC_ALL=C sort -k 2) |
  sha256sum | cut -c -16)

installed() {
  local pods='{.spec.template.metadata.annotations.made-of} {.status.availableReplicas}'
  local seen='{.metadata.generation} {.status.observedGeneration}'
  local found
  kubectl get crd {benchmarkruns,trials,agents,tasksets}.benchwright.dev > /dev/null 2>&1 || return 1
  found=$(kubectl -n "$namespace" get deployments -l app.kubernetes.io/instance=benchwright \
    -o jsonpath="{range .items[*]}$pods $seen{'\n'}{end}" 2> /dev/null) || return 1
  [ "$(grep -cE "^$digest 1 ([0-9]+) \1$" <<< "$found")" = 3 ]
}

if installed; then
  echo "benchwright is installed in namespace $namespace, and nothing of it has changed"
  exit
fi
kubectl get namespace "$namespace" > /dev/null 2>&1 || kubectl create namespace "$namespace" > /dev/null
kubectl label --overwrite namespace "$namespace" pod-security.kubernetes.io/enforce=restricted > /dev/null
helm upgrade --install benchwright "$root/charts/benchwright" --namespace "$namespace" \
  --values "$here/values.yaml" --set-string "podAnnotations.made-of=$digest" \
  --set-file "proxy.dialogues.demo\.yaml=$here/dialogues/demo.yaml" \
  --take-ownership --wait --timeout 3m --output json 2> >(grep -v 'symbolic link' >&2) > /dev/null
echo "benchwright is installed in namespace $namespace"
