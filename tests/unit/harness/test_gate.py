"""The main container waits for the harness's word, in plain `sh`, whoever of the two starts first."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.api import stageplan
from benchwright.harness.gate import Gate
from benchwright.resources.pods import _main_command

SHELLS = [s for s in ("/bin/dash", "/bin/bash", "/bin/busybox") if Path(s).exists()]
_PATIENCE = 30.0


@pytest.fixture
def control(tmp_path: Path) -> Path:
    (tmp_path / "runner").write_text("echo the runner runs\n")
    return tmp_path


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> list[str]:
    found: str = request.param
    return [found, "sh"] if found.endswith("busybox") else [found]


@pytest.fixture
def gate(control: Path) -> Iterator[Gate]:
    made = Gate(control / "gate")
    yield made
    os.close(made._pipe)


def main_container(
    shell: list[str], control: Path, *, bundle: bool = False
) -> "subprocess.Popen[str]":
    command = _main_command(bundle=bundle)
    for inside, outside in ((stageplan.CONTROL, control), (stageplan.AGENT_DIR, control / "agent")):
        command = command.replace(f"{inside}/", f"{outside}/")
    return subprocess.Popen([*shell, "-c", command], stdout=subprocess.PIPE, text=True)


def end(process: "subprocess.Popen[str]") -> tuple[int, str]:
    out, _ = process.communicate(timeout=_PATIENCE)
    return process.returncode, out


def test_it_goes_when_the_word_comes(shell: list[str], control: Path, gate: Gate) -> None:
    process = main_container(shell, control)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.2)
    gate.open()
    assert end(process) == (0, "the runner runs\n")


def test_it_goes_when_the_word_was_there_first(shell: list[str], control: Path, gate: Gate) -> None:
    gate.open()
    assert end(main_container(shell, control)) == (0, "the runner runs\n")


def test_it_waits_for_a_harness_that_starts_later(shell: list[str], control: Path) -> None:
    process = main_container(shell, control)
    gate = Gate(control / "gate")
    gate.open()
    assert end(process) == (0, "the runner runs\n")
    os.close(gate._pipe)


def test_it_ends_without_having_begun_where_the_harness_refuses(
    shell: list[str], control: Path, gate: Gate
) -> None:
    gate.refuse()
    assert end(main_container(shell, control)) == (125, "")


def test_it_ends_without_having_begun_where_the_harness_dies(
    shell: list[str], control: Path
) -> None:
    gate = Gate(control / "gate")
    process = main_container(shell, control)
    _wait_for_reader(process, control / "gate")
    os.close(gate._pipe)
    assert end(process) == (125, "")


def test_it_waits_for_the_agents_bundle(shell: list[str], control: Path, gate: Gate) -> None:
    (control / "agent").mkdir()
    process = main_container(shell, control, bundle=True)
    gate.open()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    (control / "agent" / Path(stageplan.BUNDLE_READY).name).touch()
    assert end(process) == (0, "the runner runs\n")


def _wait_for_reader(process: "subprocess.Popen[str]", pipe: Path) -> None:
    """Until the process has the pipe open."""
    fds = Path(f"/proc/{process.pid}/fd")
    while not any(_target(fd) == pipe for fd in fds.iterdir()):
        assert process.poll() is None


def _target(fd: Path) -> Path | None:
    try:
        return fd.readlink()
    except OSError:
        return None
