"""Addresses and names that the parts agree on."""

from ipaddress import IPv4Network
from pathlib import Path

import pytest

from cluster import settings
from cluster.settings import Addresses


@pytest.fixture
def addresses() -> Addresses:
    return Addresses(IPv4Network("10.123.0.0/16"))


def test_everything_is_inside_the_one_block(addresses: Addresses) -> None:
    for part in (addresses.link, addresses.services, addresses.pods):
        assert part.subnet_of(addresses.block)


def test_the_parts_do_not_overlap(addresses: Addresses) -> None:
    parts = [addresses.link, addresses.services, addresses.pods]
    for index, part in enumerate(parts):
        assert not any(part.overlaps(other) for other in parts[index + 1 :])


def test_there_are_addresses_for_every_pod_the_kubelet_takes(addresses: Addresses) -> None:
    assert addresses.pods.num_addresses > 1000


def test_the_block_can_be_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_CLUSTER_CIDR", "172.30.0.0/16")
    assert settings.addresses().api_url == "https://172.30.0.1:6443"


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENCHWRIGHT_CACHE", str(tmp_path))
    assert settings.cache_folder() == tmp_path / "cluster"
    monkeypatch.delenv("BENCHWRIGHT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert settings.cache_folder() == Path("/elsewhere/benchwright/cluster")


def test_a_changed_pin_is_another_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(settings, "SOURCES", tmp_path)
    pins = tmp_path / "go.mod"
    pins.write_text("v1")
    before = settings.digest_of([pins], "flags")
    assert settings.digest_of([pins], "flags") == before
    assert settings.digest_of([pins], "other flags") != before
    pins.write_text("v2")
    assert settings.digest_of([pins], "flags") != before
