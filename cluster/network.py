"""The wire between the machine and the node, and the way from pods to the world outside."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

from cluster.commands import attempt, run
from cluster.node import inside
from cluster.settings import Addresses
from cluster.state import State
from cluster.sysctls import set_sysctl

MACHINE_END = "bwmachine0"
NODE_END = "bwnode0"
COMMENT = "benchwright-cluster"
"""Marks our rules in the machine's firewall: whatever carries it is ours, and nothing else is."""


def connect(state: State, addresses: Addresses) -> None:
    _wire(state, addresses)
    _node_routes(state, addresses)
    _machine_rules(state, addresses)


def _wire(state: State, addresses: Addresses) -> None:
    mtu = str(outer_mtu())
    run("ip", "link", "add", MACHINE_END, "mtu", mtu, "type", "veth",
        "peer", "name", NODE_END, "mtu", mtu, "netns", str(state.holder.pid))  # fmt: skip
    _plain_ipv4(MACHINE_END)
    run("ip", "address", "add", f"{addresses.machine}/24", "dev", MACHINE_END)
    run("ip", "link", "set", MACHINE_END, "up")
    run("ip", "route", "add", str(addresses.block), "via", str(addresses.node))


def _plain_ipv4(interface: str) -> None:
    switch = Path(f"/proc/sys/net/ipv6/conf/{interface}/disable_ipv6")
    if switch.exists():
        switch.write_text("1")


def _node_routes(state: State, addresses: Addresses) -> None:
    """Addresses of the cluster that nobody has must not go out to the world."""
    link = addresses.link
    script = f"""set -e
        ip link set lo up
        for kind in all default {NODE_END}; do
            switch=/proc/sys/net/ipv6/conf/$kind/disable_ipv6
            [ ! -e $switch ] || echo 1 > $switch  # policies are for IPv4: so is every path
        done
        echo 1 > /proc/sys/net/ipv4/ip_forward
        ip address add {addresses.node}/{link.prefixlen} dev {NODE_END}
        ip link set {NODE_END} up
        ip route add default via {addresses.machine}
        ip route add unreachable {addresses.block}
        # Only for the node's own packets to a service, which are redirected after this look-up.
        ip route add {addresses.services} dev lo src {addresses.node}
    """
    inside(state, "sh", "-c", script)


def machine_rules(addresses: Addresses) -> list[tuple[str, str]]:
    """(table, rule): out from the cluster as the machine itself; in only what answers."""
    block, mark = addresses.block, f"-m comment --comment {COMMENT}"
    answers = "-m conntrack --ctstate RELATED,ESTABLISHED"
    return [
        ("nat", f"POSTROUTING -s {block} ! -o {MACHINE_END} {mark} -j MASQUERADE"),
        ("filter", f"FORWARD -o {MACHINE_END} {mark} -j DROP"),
        ("filter", f"FORWARD -o {MACHINE_END} {answers} {mark} -j ACCEPT"),
        ("filter", f"FORWARD -i {MACHINE_END} {mark} -j ACCEPT"),
    ]


def _machine_rules(state: State, addresses: Addresses) -> None:
    # Each is put first, so the last one of the list ends up on top.
    for table, rule in machine_rules(addresses):
        run("iptables", "--wait", "--table", table, "--insert", *rule.split())
    set_sysctl(state, f"net/ipv4/conf/{MACHINE_END}/forwarding", "1")
    for interface in outer_interfaces():
        set_sysctl(state, f"net/ipv4/conf/{interface}/forwarding", "1")


def outer_interfaces() -> list[str]:
    """Where the machine's default routes go."""
    routes = attempt("ip", "-4", "route", "show", "default").stdout
    return sorted(set(re.findall(r"\bdev (\S+)", routes)))


def outer_mtu() -> int:
    """No larger than what the machine itself can send."""
    sizes = [
        int(Path(f"/sys/class/net/{interface}/mtu").read_text()) for interface in outer_interfaces()
    ]
    return min([1500, *sizes])


def disconnect() -> None:
    """Remove our end of the wire and our rules, whether or not anything else is known of them."""
    attempt("ip", "link", "delete", MACHINE_END)
    for table in ("nat", "filter"):
        for rule in our_rules(attempt("iptables-save", "-t", table).stdout):
            attempt("iptables", "--wait", "--table", table, "--delete", *rule)


def our_rules(saved: str) -> list[list[str]]:
    """The arguments of every rule in the output of iptables-save that carries our mark."""
    rules = (shlex.split(line) for line in saved.splitlines() if line.startswith("-A "))
    return [rule[1:] for rule in rules if ("--comment", COMMENT) in pairwise(rule)]


def leftovers() -> list[str]:
    found = []
    if Path(f"/sys/class/net/{MACHINE_END}").exists():
        found.append(f"interface {MACHINE_END}")
    for table in ("nat", "filter"):
        rules = our_rules(attempt("iptables-save", "-t", table).stdout)
        found += [f"iptables -t {table} {shlex.join(rule)}" for rule in rules]
    return found
