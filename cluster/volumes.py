"""Persistent volumes: folders below the state folder, one object each.

Kubernetes has no provisioner for local folders of its own, and a small fixed number is enough for
a cluster that is thrown away. A volume whose claim was deleted is not used again.
"""

from pathlib import Path
from string import Template

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
