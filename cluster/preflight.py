"""Can this machine run the cluster? Kernel features are tried, in throw-away namespaces."""

import os
import sys
import tempfile
from ipaddress import IPv4Network
from pathlib import Path

from cluster import cgroups
from cluster.commands import attempt
from cluster.errors import ClusterError
from cluster.network import MACHINE_END
from cluster.settings import Addresses

RULES = (
    "-t nat -A POSTROUTING -s 10.0.0.0/8 -m comment --comment x -j MASQUERADE",
    "-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
    "-A FORWARD -m addrtype --src-type LOCAL -m mark --mark 0x1/0x1 -j REJECT",
    "-A FORWARD -m physdev --physdev-is-bridged -j ACCEPT",
    "-A FORWARD -m limit --limit 10/minute -j NFLOG --nflog-group 100",
    "-A INPUT -p tcp -m multiport --dports 1:2 -j MARK --set-mark 0x1/0x1",
    "-t nat -A OUTPUT -m statistic --mode random --probability 0.5 -j RETURN",
)
"""One of each kind that kube-proxy and the policy daemon make."""

FEATURES = (
    ("network and mount namespaces", "true"),
    ("veth interfaces", "ip link add one type veth peer name two"),
    *((f"the firewall rule `{rule}`", f"iptables {rule}") for rule in RULES),
    ("ipset", "ipset create one hash:ip && iptables -A INPUT -m set --match-set one src -j ACCEPT"),
)
LEAST_DISK = 2 << 30


def check_user() -> None:
    if sys.platform != "linux":
        raise ClusterError(
            "the disposable cluster needs Linux",
            "use kind (with a Docker engine), or your own cluster with CLUSTER=current",
        )
    if os.geteuid() != 0:
        raise ClusterError(
            "the disposable cluster needs root",
            "run as root, install kind, or use your own cluster with CLUSTER=current",
        )


def check_machine(state: Path, addresses: Addresses) -> None:
    check_cgroups(cgroups.hierarchies())
    for feature, script in FEATURES:
        _try(feature, script)
    _try_overlay(state)
    routes = attempt("ip", "-4", "route", "show", "table", "all").stdout
    check_addresses(routes, addresses.block)


def check_cgroups(trees: cgroups.Hierarchies) -> None:
    missing = [name for name in cgroups.NEEDED if name not in trees.trees]
    if missing:
        raise ClusterError(
            f"the cgroup controllers {', '.join(missing)} are not mounted below {cgroups.ROOT}",
            f"mount them, for instance: mount -t cgroup2 none {cgroups.ROOT}",
        )


def _try(feature: str, script: str) -> None:
    done = attempt("unshare", "--net", "--mount", "sh", "-c", script)
    if done.returncode != 0:
        raise ClusterError(
            f"the kernel does not do {feature}: {done.stderr.strip()[-300:]}",
            "load the module that is missing, or use CLUSTER=current",
        )


def _try_overlay(state: Path) -> None:
    """On the file system that will hold the images: overlay does not stack on every one."""
    state.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=state.parent) as scratch:
        script = f"""cd {scratch} && mkdir lower upper work merged &&
            mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay merged"""
        done = attempt("unshare", "--mount", "sh", "-c", script)
        free = os.statvfs(scratch).f_bavail * os.statvfs(scratch).f_frsize
    if done.returncode != 0:
        raise ClusterError(
            f"overlayfs cannot be mounted in {state.parent}: {done.stderr.strip()[-300:]}",
            "set BENCHWRIGHT_STATE to a folder on ext4 or xfs (not itself an overlay)",
        )
    if free < LEAST_DISK:
        raise ClusterError(
            f"only {free >> 20} MiB are free in {state.parent}",
            "make room, or set BENCHWRIGHT_STATE to a folder on another disk",
        )


def check_addresses(routes: str, block: IPv4Network) -> None:
    """The text of `ip route`: no route of the machine may lead into our block, but our own."""
    for line in routes.splitlines():
        if f"dev {MACHINE_END}" in line:
            continue
        for word in line.split()[:2]:
            if _network(word) is not None and block.overlaps(_network(word) or block):
                raise ClusterError(
                    f"the machine already has a route to {word}, the cluster would use {block}",
                    "set BENCHWRIGHT_CLUSTER_CIDR to a private /16 that is free",
                )


def _network(word: str) -> IPv4Network | None:
    try:
        network = IPv4Network(word, strict=False)
    except ValueError:
        return None
    return network if network.prefixlen > 0 else None
