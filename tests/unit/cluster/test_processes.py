"""Recognising a process: its id and the moment it was started, never the id alone."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from cluster import processes
from cluster.processes import Process, identify, parse_stat, spawn


def stat_line(name: str, status: str, started: int) -> str:
    middle = " ".join("0" for _ in range(18))
    return f"42 ({name}) {status} {middle} {started} 0 0\n"


def test_the_start_time_is_read_past_any_name() -> None:
    assert parse_stat(stat_line("etcd", "S", 777)) == 777
    assert parse_stat(stat_line("a) S 1 (b", "R", 778)) == 778


def test_a_zombie_is_gone() -> None:
    assert parse_stat(stat_line("etcd", "Z", 777)) is None


def test_this_process_is_recognised_and_survives_its_record() -> None:
    me = identify(os.getpid())
    assert me is not None
    assert me.alive
    assert Process.from_record(me.record()) == me
    assert 0 <= me.age < 3600 * 24


def test_the_same_id_started_at_another_time_is_another_process() -> None:
    me = identify(os.getpid())
    assert me is not None
    assert not replace(me, started=me.started + 1).alive


def test_a_record_from_before_a_reboot_means_nothing() -> None:
    me = identify(os.getpid())
    assert me is not None
    assert not replace(me, boot="another").alive


def test_a_process_that_is_gone_has_no_start_time(tmp_path: Path) -> None:
    assert processes.start_time(1, proc=tmp_path) is None


def test_a_daemon_is_in_its_cgroup_before_it_runs(tmp_path: Path) -> None:
    daemon = spawn("test", [sys.executable, "-c", "print('up', flush=True)"], tmp_path, tmp_path)
    deadline = time.monotonic() + 10
    while daemon.alive and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (tmp_path / "cgroup.procs").read_text().strip() == str(daemon.pid)
    assert (tmp_path / "test.log").read_text() == "up\n"
