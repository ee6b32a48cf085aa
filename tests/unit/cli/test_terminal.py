"""`benchwright watch` on a real (pseudo-)terminal: what is seen, and what is left behind."""

from pathlib import Path

import pytest

from tests.unit.cli.fake_api import FakeApi
from tests.unit.cli.states import complete_run, running_run, trial
from tests.unit.cli.terminal import HIDE, SHOW, Terminal, on_terminal
from tests.unit.cli.test_watch import active, row, serve

CTRL_C = b"\x03"


@pytest.fixture
def busy(api: FakeApi) -> FakeApi:
    """A run with a trial at work and one that failed, both with long words."""
    long = "nothing was done " * 20
    api.put("benchmarkruns", "r", running_run("r", 3))
    api.put("trials", "r-a-fix-0", active("agent-" * 8))
    api.put("trials", "r-b-fix-0", trial("r", "b", 0, "failure", reason="NoChanges", message=long))
    return api


def kubeconfig(tmp_path: Path) -> dict[str, str]:
    """Where the fixture `api` writes it."""
    return {"KUBECONFIG": str(tmp_path / "kubeconfig")}


def cursor_is_shown(terminal: Terminal) -> bool:
    return terminal.said.rfind(SHOW) > terminal.said.rfind(HIDE) >= 0


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_it_fits_and_ctrl_c_leaves_the_terminal_as_it_was(
    busy: FakeApi, tmp_path: Path, columns: int
) -> None:
    with on_terminal("watch", "r", columns=columns, env=kubeconfig(tmp_path)) as terminal:
        before = terminal.settings()
        terminal.wait_for("r-b-fix-0: failure")
        seen = terminal.screen.lines
        terminal.press(CTRL_C)
        code = terminal.end()
        after = terminal.settings()
    assert (code, after) == (1, before)
    assert cursor_is_shown(terminal)
    assert [line for line in terminal.screen.lines if line] == ["Aborted!"]
    header = next(line for line in seen if line.startswith("agent "))
    stages = ["stage", "attempt"] if columns >= 60 else []
    assert header.split() == ["agent", "task", "at", *stages, "seconds"]
    assert any(" fix " in line and " running " in line for line in seen)
    # One row, however long the message is.
    (failure,) = [line for line in seen if "NoChanges" in line or line.endswith("…")][-1:]
    assert failure.startswith("✗ r-b-fix-0: failure")
    assert seen[-1] in {failure, ""}


def test_a_terminated_watch_leaves_the_terminal_as_it_was(busy: FakeApi, tmp_path: Path) -> None:
    with on_terminal("watch", "r", columns=100, env=kubeconfig(tmp_path)) as terminal:
        before = terminal.settings()
        terminal.wait_for("r-b-fix-0: failure")
        terminal.terminate()
        code = terminal.end()
        after = terminal.settings()
    assert (code, after) == (143, before)
    assert cursor_is_shown(terminal)
    assert not any(terminal.screen.lines)


def finish(api: FakeApi) -> None:
    for index, name in enumerate(("r-a-fix-0", "r-b-fix-0", "r-c-fix-0")):
        api.put("trials", name, trial("r", "a", index, "success"))
    api.put("benchmarkruns", "r", complete_run("r", 3))


def test_the_end_replaces_the_live_view_by_the_results(busy: FakeApi, tmp_path: Path) -> None:
    serve(busy, row())
    with on_terminal("watch", "r", columns=120, env=kubeconfig(tmp_path)) as terminal:
        terminal.wait_for("1/3 finished")
        busy.later(0, lambda: finish(busy))
        terminal.wait_for("Results of run r")
        terminal.end()
    assert cursor_is_shown(terminal)
    assert terminal.screen.lines[0] == "Results of run r"
    assert not any("finished:" in line for line in terminal.screen.lines)
