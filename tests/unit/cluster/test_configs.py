"""The files and flags that the daemons get."""

import json
import tomllib
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from cluster import addons, binaries, certificates, components, configs
from cluster.settings import KUBERNETES_VERSION, Addresses

ADDRESSES = Addresses(IPv4Network("10.123.0.0/16"))
STATE = Path("/state")


def test_containerd_reads_its_file_and_runs_without_privileges_it_may_lack() -> None:
    cri = tomllib.loads(configs.containerd(STATE))["plugins"]["io.containerd.grpc.v1.cri"]
    assert cri["restrict_oom_score_adj"] is True
    assert cri["tolerate_missing_hugetlb_controller"] is True
    assert cri["netns_mounts_under_state_dir"] is True
    assert cri["cni"]["conf_dir"] == "/state/cni/net.d"


def test_pods_are_routed_and_not_masqueraded_one_by_one() -> None:
    first, last = configs.cni(STATE, ADDRESSES, 1400)["plugins"]
    assert (first["type"], first["mtu"], first["ipMasq"]) == ("ptp", 1400, False)
    assert last["type"] == "await-policy"
    flags = components.command("network-policy", Path("/programs"), STATE, ADDRESSES)
    assert f"--socket={last['socket']}" in flags


def test_the_kubelet_listens_on_the_node_only_and_asks_who_is_there() -> None:
    settings = configs.kubelet(STATE, ADDRESSES)
    assert settings["address"] == "10.123.0.1"
    assert settings["authentication"]["anonymous"] == {"enabled": False}
    assert settings["authorization"] == {"mode": "Webhook"}
    assert settings["podPidsLimit"] == 1024
    assert settings["failCgroupV1"] is False


def test_all_files_are_written(tmp_path: Path) -> None:
    configs.write_all(tmp_path, ADDRESSES, 1500, ["192.0.2.53"])
    assert (tmp_path / "configs/resolv.conf").read_text() == "nameserver 192.0.2.53\n"
    for file in (tmp_path / "configs").glob("*.json"):
        assert json.loads(file.read_text())["apiVersion"]


@pytest.mark.parametrize(
    ("files", "servers"),
    [
        (["nameserver 192.0.2.1\nsearch x\nnameserver 192.0.2.2\n"], ["192.0.2.1", "192.0.2.2"]),
        (["nameserver 127.0.0.53\n", "nameserver 192.0.2.1\n"], ["192.0.2.1"]),
        (["nameserver ::1\noptions edns0\n", "# none\n"], []),
        ([], []),
    ],
)
def test_resolvers_that_only_the_machine_itself_reaches_are_of_no_use(
    files: list[str], servers: list[str]
) -> None:
    assert configs.outer_nameservers(files) == servers


@pytest.mark.parametrize("name", components.ALL)
def test_every_daemon_has_a_command(name: str) -> None:
    command = components.command(name, Path("/programs"), STATE, ADDRESSES)
    program = next(word for word in command if word != "env" and "=" not in word)
    assert Path(program).name == name
    assert name == "containerd" or name in binaries.NODE_PROGRAMS


def test_nothing_but_the_node_itself_reaches_the_store() -> None:
    flags = components.command("etcd", Path("/programs"), STATE, ADDRESSES)
    assert "--listen-client-urls=http://127.0.0.1:2379" in flags


def test_the_binary_and_the_tool_agree_on_the_programs() -> None:
    main = (binaries.PROGRAMS / "node/main.go").read_text()
    for program in binaries.NODE_PROGRAMS:
        assert f'"{program}":' in main


def test_the_pins_agree_with_the_version_that_is_told() -> None:
    pins = (binaries.PROGRAMS / "node/go.mod").read_text()
    assert f"k8s.io/kubernetes {KUBERNETES_VERSION}\n" in pins


def test_an_issuer_comes_before_what_it_issues() -> None:
    made: set[object] = set()
    for one in certificates.wanted(ADDRESSES):
        assert one.get("issuer") is None or one["issuer"] in made
        made.add(one["name"])
    assert set(certificates.CLIENTS) <= made


def test_a_kubeconfig_holds_all_that_it_needs(tmp_path: Path) -> None:
    for name in ("ca.crt", "admin.crt", "admin.key"):
        (tmp_path / name).write_text(name)
    content = json.loads(certificates.kubeconfig(tmp_path, "admin", ADDRESSES.api_url))
    assert content["clusters"][0]["cluster"]["server"] == "https://10.123.0.1:6443"
    assert content["users"][0]["user"]["client-key-data"] == "YWRtaW4ua2V5"


def test_secrets_are_never_readable_by_others(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "kubeconfig"
    certificates.write_private(path, "secret")
    certificates.write_private(path, "secret 2")
    assert path.read_text() == "secret 2"
    assert path.stat().st_mode & 0o777 == 0o600


def test_manifests_are_filled_in() -> None:
    text = addons.rendered(Path("/programs"), ADDRESSES, ["192.0.2.53"])
    assert "$" not in text
    assert "forward . 192.0.2.53" in text
    assert "clusterIP: 10.123.16.10" in text
    assert "forward" not in addons.rendered(Path("/programs"), ADDRESSES, [])
