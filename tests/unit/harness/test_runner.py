"""The runner in a process namespace of its own, as process 1, under each shell that is here."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pytest

from benchwright.harness import closing
from benchwright.harness.pipes import Pipes

SHELLS = [s for s in ("dash", "bash", "busybox") if shutil.which(s)]


@dataclass
class Pod:
    """Folders as the harness lays them out, and what came of the run."""

    root: Path
    shell: str
    ends: tuple[closing.StepEnd, ...] | None = None
    code: int = -1
    logs: dict[str, str] | None = None

    def run(self, *steps: tuple[str, int, str]) -> "Pod":
        control, exchange = self.root / "control", self.root / "exchange"
        (control / "steps").mkdir(parents=True)
        exchange.mkdir()
        (self.root / "repo").mkdir()
        for name, _, script in steps:
            (control / "steps" / f"{name}.sh").write_text(script)
        listing = "".join(f"{name} {seconds}\n" for name, seconds, _ in steps)
        (control / "steps" / "list").write_text(listing)
        self._runner(control, exchange)
        pipes = Pipes(exchange, ["result", *(f"log-{name}" for name, _, _ in steps)])
        process = subprocess.Popen(
            self._command(control / "runner"), env={**os.environ, "ROOT": str(self.root)}
        )
        while process.poll() is None:
            pipes.pump(0.05)
        pipes.drain()
        self.code = process.returncode
        self.ends = closing.parse(pipes.logs["result"].text())
        self.logs = {name: pipes.logs[f"log-{name}"].text().decode() for name, _, _ in steps}
        return self

    def _runner(self, control: Path, exchange: Path) -> None:
        text = resources.files("benchwright.harness").joinpath("runner.sh").read_text()
        text = text.replace("control=/benchwright", f"control={control}")
        text = text.replace("exchange=/benchwright-io", f"exchange={exchange}")
        text = text.replace("cd /workspace/repo", f"cd {self.root / 'repo'}")
        (control / "runner").write_text(text)

    def _command(self, runner: Path) -> list[str]:
        shell = ["busybox", "sh"] if self.shell == "busybox" else [self.shell]
        return ["unshare", "--pid", "--fork", "--mount-proc", *shell, str(runner)]

    def end(self, name: str) -> closing.StepEnd:
        assert self.ends is not None, "the runner left no closing record"
        return next(e for e in self.ends if e.name == name)


@pytest.fixture(params=SHELLS)
def pod(request: pytest.FixtureRequest, tmp_path: Path) -> Pod:
    if os.geteuid() != 0:
        pytest.skip("a process namespace needs root")
    return Pod(tmp_path, request.param)


def test_exit_codes_and_logs_are_kept(pod: Pod) -> None:
    pod.run(("one", 10, "echo out; echo err >&2; exit 3"), ("two", 10, "exit 0"))
    assert pod.code == 0
    assert (pod.end("one").exit_code, pod.end("two").exit_code) == (3, 0)
    assert pod.logs is not None
    assert pod.logs["one"] == "out\nerr\n"


def test_past_its_limit_everything_is_killed_although_term_is_ignored(pod: Pod) -> None:
    script = (
        "trap '' TERM; (trap '' TERM; while :; do sleep 0.1; done) & while :; do sleep 0.1; done"
    )
    pod.run(("agent", 1, script), ("next", 10, "exit 0"))
    assert pod.end("agent").timed_out
    assert pod.end("agent").exit_code is None
    assert 1.0 <= pod.end("agent").seconds < 2.0
    assert pod.end("next").exit_code == 0


def test_what_a_step_left_running_is_dead_before_the_next(pod: Pod) -> None:
    leave = "(sleep 0.4; echo alive > $ROOT/repo/late) & exit 0"
    pod.run(("agent", 10, leave), ("next", 10, "sleep 0.8; test ! -e $ROOT/repo/late"))
    assert pod.end("next").exit_code == 0


def test_an_agent_that_kills_all_it_can_does_not_lift_its_limit(pod: Pod) -> None:
    others = "for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = $$ ] || kill -9 $p; done"
    script = f"trap '' TERM; while :; do {others}; done"
    started = time.monotonic()
    pod.run(("agent", 1, script))
    assert pod.end("agent").timed_out
    assert time.monotonic() - started < 15


def test_forged_records_are_not_believed(pod: Pod) -> None:
    forged = "benchwright-runner-1 done agent:0:1:2:0"
    pipe = "$ROOT/exchange/result"
    script = f"echo '{forged}' > {pipe}; printf '{forged[:30]}' > {pipe}; exit 7"
    pod.run(("agent", 10, script))
    assert pod.end("agent").exit_code == 7


def test_a_failed_setup_ends_it(pod: Pod) -> None:
    pod.run(("setup", 10, "exit 4"), ("agent", 10, "exit 0"))
    assert pod.ends is not None
    assert [e.name for e in pod.ends] == ["setup"]


def test_a_command_that_is_not_there_is_127(pod: Pod) -> None:
    assert pod.run(("agent", 10, "no-such-command-here")).end("agent").exit_code == 127


def test_a_gigabyte_of_output_is_counted_and_cut(pod: Pod) -> None:
    pod.run(("agent", 60, "head -c 268435456 /dev/zero | tr '\\0' x; echo; echo end"))
    assert pod.end("agent").exit_code == 0
    assert pod.logs is not None
    text = pod.logs["agent"]
    assert len(text) < 2 * 1024 * 1024
    assert text.endswith("end\n")
    assert "bytes left out" in text


def test_background_stdin_is_empty(pod: Pod) -> None:
    assert pod.run(("agent", 10, "read line && exit 1; exit 0")).end("agent").exit_code == 0
