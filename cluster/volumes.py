"""Persistent volumes: folders below the state folder, one object each.

Kubernetes has no provisioner for local folders of its own, and a small fixed number is enough for
a cluster that is thrown away. A volume whose claim was deleted is not bound again before the next
`up` has emptied it: else a cluster that sees many installations has no room for one more.
"""

import shutil
from pathlib import Path
from string import Template
from typing import Any

COUNT = 24
_OBJECT = Template("""\
apiVersion: v1
kind: PersistentVolume
metadata: {name: $name}
spec:
  storageClassName: local
  capacity: {storage: 20Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  local: {path: $path}
  nodeAffinity:
    required:
      nodeSelectorTerms:
        - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [$node]}]
""")


def make(folder: Path) -> list[Path]:
    """The folders; they go with the state folder."""
    paths = [folder / "volumes" / f"{number:02}" for number in range(COUNT)]
    for path in paths:
        path.mkdir(parents=True, exist_ok=True)
    return paths


def manifests(paths: list[Path], node: str) -> str:
    """A YAML stream."""
    return "---\n".join(
        _OBJECT.substitute(name=f"local-{path.name}", path=path, node=node) for path in paths
    )


def released(volumes: dict[str, Any]) -> list[str]:
    """Names of ours, in a PersistentVolumeList, whose claims are gone."""
    ours = {f"local-{number:02}" for number in range(COUNT)}
    names = [
        volume["metadata"]["name"]
        for volume in volumes.get("items", [])
        if volume.get("status", {}).get("phase") == "Released"
    ]
    return sorted(ours & set(names))


def emptied(folder: Path, names: list[str]) -> list[Path]:
    """The folders of these volumes, with nothing in them any more."""
    paths = [folder / "volumes" / name.removeprefix("local-") for name in names]
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True, exist_ok=True)
    return paths
