"""Complaints about the machine are made early, and say what to do."""

from ipaddress import IPv4Network
from pathlib import Path

import pytest

from cluster import binaries, packages, preflight, providers
from cluster.cgroups import Hierarchies
from cluster.errors import ClusterError

BLOCK = IPv4Network("10.123.0.0/16")


def test_a_network_of_the_machine_in_our_block_is_named() -> None:
    routes = "default via 192.0.2.1 dev eth0\n10.123.64.0/24 dev tun0 scope link\n"
    with pytest.raises(ClusterError, match=r"10\.123\.64\.0/24") as caught:
        preflight.check_addresses(routes, BLOCK)
    assert "BENCHWRIGHT_CLUSTER_CIDR" in caught.value.hint


def test_a_local_address_in_our_block_is_found_too() -> None:
    with pytest.raises(ClusterError):
        preflight.check_addresses("local 10.123.5.5 dev tun0 table local\n", BLOCK)


def test_other_networks_and_our_own_wire_are_no_problem() -> None:
    preflight.check_addresses(
        "default via 192.0.2.1 dev eth0\n"
        "192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.2\n"
        "10.123.0.0/16 via 10.123.0.1 dev bwmachine0\n"
        "broadcast 192.0.2.255 dev eth0 table local\n",
        BLOCK,
    )


def test_missing_cgroup_controllers_are_named() -> None:
    trees = Hierarchies({"cpu": Path("/sys/fs/cgroup/cpu")}, unified=False)
    with pytest.raises(ClusterError, match="memory, pids"):
        preflight.check_cgroups(trees)


@pytest.mark.parametrize(
    ("text", "version"),
    [("go1.26.8\n", (1, 26)), ("go1.24", (1, 24)), ("go1.27rc1", (1, 271)), ("devel", (99, 0))],
)
def test_the_version_of_go_is_read(text: str, version: tuple[int, int]) -> None:
    assert binaries.go_version(text) == version


def test_an_archive_that_is_not_the_one_that_was_tried_is_refused() -> None:
    with pytest.raises(ClusterError, match="not the archive that was tried"):
        packages.check_integrity(b"something else", packages.TOOLS_INTEGRITY)


def test_where_every_program_is_there_nothing_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "found", lambda program: program != "ipset")
    assert packages.missing_packages() == ["ipset"]


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [
        ("disposable", providers.Disposable),
        ("current", providers.Current),
        ("kind", providers.Kind),
        ("", providers.Disposable),
    ],
)
def test_the_user_chooses_the_cluster(
    wanted: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLUSTER", wanted)
    monkeypatch.setattr(providers, "kind_works", lambda: False)
    assert isinstance(providers.choose(), kind)


def test_kind_is_taken_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLUSTER", raising=False)
    monkeypatch.setattr(providers, "kind_works", lambda: True)
    assert isinstance(providers.choose(), providers.Kind)


def test_an_unknown_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER", "minikube")
    with pytest.raises(ClusterError, match="minikube"):
        providers.choose()


def test_the_environment_exempts_the_cluster_from_proxies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "localhost")
    variables = providers.Disposable().variables()
    assert variables["NO_PROXY"] == "localhost,10.123.0.0/16"
    assert variables["PATH"].startswith(str(tmp_path))


def test_an_error_says_what_to_do() -> None:
    assert str(ClusterError("broken", "mend it")) == "broken\n  → mend it"
    assert str(ClusterError("broken")) == "broken"
