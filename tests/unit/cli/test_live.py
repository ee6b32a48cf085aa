"""The live view and the plain lines."""

from io import StringIO
from typing import Any

from rich.console import Console

from benchwright.cli.drawing import draw
from benchwright.cli.lines import counts_line
from benchwright.cli.live import LiveView, PlainView
from tests.unit.cli.states import complete_run, run_object, running_run, trial
from tests.unit.cli.test_progress import progress


def drawn(run: dict[str, Any], *trials: dict[str, Any], width: int = 160) -> str:
    console = Console(file=StringIO(), width=width)
    with console.capture() as capture:
        console.print(draw(progress(run, *trials), width))
    return capture.get()


def test_counts_line() -> None:
    trials = [trial("r", "a", 0, "success"), trial("r", "a", 1, phase="Running")]
    assert counts_line(progress(running_run("r", 5), *trials)) == (
        "1/5 finished: 1 success; 3 queued, 1 running"
    )
    baseline = trial("r", "", 0, phase="Evaluating", baseline=True)
    assert counts_line(progress(running_run("r", 5), baseline)) == (
        "0/5 finished; 5 queued; measuring 1 baseline"
    )
    assert counts_line(progress(run_object("r"))) == "0/? finished"


def test_active_trials_are_shown_with_stage_and_seconds() -> None:
    text = drawn(running_run("r", 2), trial("r", "mini", 0, phase="Running", attempt=2))
    row = next(line for line in text.splitlines() if line.startswith("mini"))
    assert row.split() == ["mini", "fix", "running", "write", "2", "60"]


def test_many_active_trials_are_cut_short_and_that_is_said() -> None:
    trials = [trial("r", "a", i, phase="Running") for i in range(20)]
    assert "… and 4 more" in drawn(running_run("r", 20), *trials)


def test_failures_are_shown_with_their_reasons_and_successes_are_not() -> None:
    attempts = [{"attempt": 1, "reason": "NodeLost", "message": "gone"}]
    text = drawn(
        running_run("r", 4),
        trial("r", "a", 0, "success"),
        trial("r", "a", 1, "failure", reason="NoChanges", message="nothing\x1b[2J done"),
        trial("r", "a", 2, phase="Running", attempts=attempts, attempt=2),
    )
    assert "✗ t1: failure, NoChanges: nothing [2J done" in text
    assert "▨ t2: attempt 1: NodeLost: gone" in text
    assert "t0" not in text


def test_what_is_waited_for_is_shown() -> None:
    run = run_object("r", Resolved=("False", "TaskSetNotFound", "there is no TaskSet t: apply it"))
    assert "waiting: Resolved is False, TaskSetNotFound: there is no TaskSet t: apply it" in drawn(
        run
    )


def test_the_live_view_redraws_and_leaves_nothing_behind() -> None:
    stream = StringIO()
    view = LiveView(Console(file=stream, width=100, force_terminal=True, color_system=None))
    view.update(progress(running_run("r", 1), trial("r", "mini", 0, phase="Running")))
    assert "0/1 finished; 1 running" in stream.getvalue()
    view.close()
    assert stream.getvalue().endswith("\x1b[1A\x1b[2K")


def test_plain_lines_say_each_thing_once() -> None:
    lines: list[str] = []
    view = PlainView(lines.append)
    attempts = [{"attempt": 1, "reason": "NodeLost", "message": "gone"}]
    again = trial("r", "a", 0, phase="Running", attempts=attempts, attempt=2)
    view.update(progress(running_run("r", 1)))
    view.update(progress(running_run("r", 1), again))
    view.update(progress(running_run("r", 1), again))
    view.update(progress(complete_run("r", 1), trial("r", "a", 0, "success", attempts=attempts)))
    assert [line.split("] ", 1)[1] for line in lines] == [
        "0/1 finished; 1 queued",
        "▨ t0: attempt 1 was invalid and is repeated: NodeLost: gone",
        "0/1 finished; 1 running",
        "✓ t0: success, CoverageGained: 2 added tests pass",
        "1/1 finished: 1 success",
    ]


def test_the_last_attempt_of_an_invalid_trial_is_not_repeated() -> None:
    lines: list[str] = []
    attempts = [{"attempt": 1, "reason": "ImagePull", "message": "no image"}]
    end = trial("r", "a", 0, "invalid", reason="ImagePull", message="no image", attempts=attempts)
    PlainView(lines.append).update(progress(complete_run("r", 1), end))
    assert [line.split("] ", 1)[1] for line in lines] == [
        "▨ t0: invalid, ImagePull: no image",
        "1/1 finished: 1 invalid",
    ]


def test_a_message_with_line_ends_is_one_line() -> None:
    lines: list[str] = []
    end = trial("r", "a", 0, "failure", message="a\nb\x07")
    PlainView(lines.append).update(progress(complete_run("r", 1), end))
    assert lines[0].endswith("t0: failure, CoverageGained: a b")
