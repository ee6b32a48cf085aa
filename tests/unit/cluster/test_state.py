"""The record of a cluster survives being written, and being broken."""

from pathlib import Path

import pytest

from cluster import state
from cluster.errors import ClusterError
from cluster.processes import Process
from cluster.state import HOLDER, State


def test_what_is_saved_is_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENCHWRIGHT_STATE", str(tmp_path / "state"))
    saved = State(
        tmp_path / "state",
        processes={HOLDER: Process(12, 345, "boot")},
        sysctls={"fs/inotify/max_user_instances": ("128", "1024")},
        mount_points=["/var/lib/kubelet"],
        complete=True,
    )
    saved.save()
    assert state.load() == saved
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_no_record_is_an_empty_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BENCHWRIGHT_STATE", str(tmp_path))
    loaded = state.load()
    assert not loaded.complete
    assert loaded.processes == {}


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"complete": 1}', '{"processes": []}'])
def test_half_a_record_is_an_empty_one(text: str, tmp_path: Path) -> None:
    assert state.parse(tmp_path, text) == State(tmp_path)


def test_without_a_cluster_there_are_no_namespaces_to_enter(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="no cluster is up"):
        _ = State(tmp_path).holder


def test_the_lock_is_free_again_afterwards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(state, "LOCK", tmp_path / "lock")
    with state.locked():
        pass
    with state.locked():
        pass
