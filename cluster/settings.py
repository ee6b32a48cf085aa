"""Versions, names, addresses and folders: everything that another file would have to agree on."""

import hashlib
import os
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

KUBERNETES_VERSION = "v1.34.4"
NODE_NAME = "benchwright"
"""Also the name of the cgroup, the CNI network and the kubeconfig's context."""
PAUSE_IMAGE = "benchwright.dev/pause:1"
CNI_PLUGINS = Path("/usr/lib/cni")
POLICY_SOCKET = "run/network-policy.sock"
RUNTIME = "crun"
"""Within the state folder: the container runtime, read-only."""
"""In the state folder: where a pod's start waits for its policies."""
LOCK = Path("/run/benchwright-cluster.lock")
SOURCES = Path(__file__).parent
REPOSITORY = SOURCES.parent
DEFAULT_ADDRESSES = "10.123.0.0/16"


@dataclass(frozen=True)
class Addresses:
    """One private /16 holds all that the cluster needs; no other network is touched."""

    block: IPv4Network

    @property
    def link(self) -> IPv4Network:
        """The wire between the machine and the node."""
        return self._part(24, 0)

    @property
    def node(self) -> IPv4Address:
        return self.link[1]

    @property
    def machine(self) -> IPv4Address:
        return self.link[2]

    @property
    def services(self) -> IPv4Network:
        return self._part(20, 1)

    @property
    def api(self) -> IPv4Address:
        """The address of the service `kubernetes`, which is always the range's first."""
        return self.services[1]

    @property
    def names(self) -> IPv4Address:
        return self.services[10]

    @property
    def pods(self) -> IPv4Network:
        return self._part(20, 2)

    @property
    def gateway(self) -> IPv4Address:
        return self.pods[1]

    @property
    def api_url(self) -> str:
        return f"https://{self.node}:6443"

    def _part(self, prefix: int, index: int) -> IPv4Network:
        size = 1 << (32 - prefix)
        return IPv4Network((int(self.block.network_address) + index * size, prefix))


def addresses() -> Addresses:
    """BENCHWRIGHT_CLUSTER_CIDR moves the cluster where the default collides with a network."""
    return Addresses(IPv4Network(os.environ.get("BENCHWRIGHT_CLUSTER_CIDR", DEFAULT_ADDRESSES)))


def state_folder() -> Path:
    return Path(os.environ.get("BENCHWRIGHT_STATE", "/var/lib/benchwright-cluster"))


def cache_folder() -> Path:
    base = os.environ.get("BENCHWRIGHT_CACHE")
    if base is None:
        user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        base = str(Path(user) / "benchwright")
    return Path(base) / "cluster"


def kubeconfig() -> Path:
    """Every checkout has its own copy, git-ignored, for the cluster that all of them share."""
    return REPOSITORY / ".cluster" / "kubeconfig"


def digest_of(files: list[Path], *more: str) -> str:
    """A short name for what is made from these files."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(SOURCES)}\0".encode() + file.read_bytes() + b"\0")
    for text in more:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()[:16]
