"""Who has a certificate in the cluster, and the kubeconfigs made of them."""

import base64
import json
import subprocess
from pathlib import Path

from cluster.errors import ClusterError
from cluster.settings import NODE_NAME, Addresses

Certificate = dict[str, object]


def wanted(addresses: Addresses) -> list[Certificate]:
    """The list that `make-certificates` signs: an issuer comes before what it issues."""
    service = "kubernetes.default.svc"
    api_hosts = [
        "kubernetes", "kubernetes.default", service, f"{service}.cluster.local", "localhost",
        "127.0.0.1", str(addresses.node), str(addresses.api),
    ]  # fmt: skip
    node_hosts = [str(addresses.node), NODE_NAME]
    return [
        {"name": "ca", "user": "benchwright-cluster"},
        {"name": "front-proxy-ca", "user": "benchwright-front-proxy"},
        {"name": "service-accounts", "keyOnly": True},
        _issued("apiserver", "kube-apiserver", hosts=api_hosts),
        _issued("apiserver-kubelet", "kube-apiserver-kubelet-client", "system:masters"),
        {**_issued("front-proxy", "front-proxy-client"), "issuer": "front-proxy-ca"},
        _issued("kubelet-server", f"system:node:{NODE_NAME}", hosts=node_hosts),
        *(_issued(name, user, *groups) for name, (user, groups) in CLIENTS.items()),
    ]


CLIENTS: dict[str, tuple[str, list[str]]] = {
    "admin": ("benchwright-admin", ["system:masters"]),
    "kube-controller-manager": ("system:kube-controller-manager", []),
    "kube-scheduler": ("system:kube-scheduler", []),
    "kubelet": (f"system:node:{NODE_NAME}", ["system:nodes"]),
    "kube-proxy": ("system:kube-proxy", []),
    "network-policy": ("benchwright:network-policy", []),
}
"""Each of these gets a kubeconfig of its own, with no more rights than it needs."""


def _issued(name: str, user: str, *groups: str, hosts: list[str] | None = None) -> Certificate:
    return {
        "name": name, "issuer": "ca", "user": user, "groups": list(groups), "hosts": hosts or [],
    }  # fmt: skip


def make(programs: Path, folder: Path, addresses: Addresses) -> None:
    """Sign everything into the folder, and write a kubeconfig for each client."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    done = subprocess.run(
        [programs / "make-certificates"],
        input=json.dumps(wanted(addresses)),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ClusterError(f"certificates could not be made: {done.stderr.strip()}")
    for client in CLIENTS:
        content = kubeconfig(folder, client, addresses.api_url)
        write_private(folder / f"{client}.kubeconfig", content)


def kubeconfig(folder: Path, client: str, server: str) -> str:
    """A self-contained kubeconfig; JSON, which is YAML too."""

    def inline(name: str) -> str:
        return base64.b64encode((folder / name).read_bytes()).decode()

    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": NODE_NAME,
        "contexts": [
            {"name": NODE_NAME, "context": {"cluster": NODE_NAME, "user": client}},
        ],
        "clusters": [
            {
                "name": NODE_NAME,
                "cluster": {"server": server, "certificate-authority-data": inline("ca.crt")},
            }
        ],
        "users": [
            {
                "name": client,
                "user": {
                    "client-certificate-data": inline(f"{client}.crt"),
                    "client-key-data": inline(f"{client}.key"),
                },
            }
        ],
    }
    return json.dumps(content, indent=2) + "\n"


def write_private(path: Path, content: str) -> None:
    """Written beside and moved into place, never readable by others, not even for a moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(content)
    unfinished.replace(path)
