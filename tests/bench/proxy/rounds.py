"""Rounds: every scenario on every peer, again and again, so that a slow minute meets them all."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from . import others
from .build import UnavailableError
from .measuring import Sample, measure, run
from .ours import Ours
from .peers import Peer, upstream
from .scenarios import WARM_UP, Scenario

PEERS = ("direct", "ours", "litellm", "go", "go-pooled", "nginx")


@contextmanager
def peers(
    wanted: Sequence[str], made: Path, folder: Path
) -> Iterator[tuple[list[Peer], dict[str, str]]]:
    """Those of `wanted` that run, and why the others do not. `direct` is always there."""
    skipped: dict[str, str] = {}
    with ExitStack() as stack:
        direct = stack.enter_context(upstream(made, folder))
        ours = Ours(folder / "ours", direct.url)
        ours.write()
        ways: dict[str, Callable[[], AbstractContextManager[Peer]]] = {
            "ours": ours.started,
            "litellm": lambda: others.litellm(folder, made, direct.url),
            "go": lambda: others.go(folder, made, direct.url),
            "go-pooled": lambda: others.go(folder, made, direct.url, idle=1000),
            "nginx": lambda: others.nginx(folder, made, direct.url),
        }
        found = [direct]
        for name in [name for name in ways if name in wanted]:
            try:
                found.append(stack.enter_context(ways[name]()))
            except UnavailableError as error:
                skipped[name] = str(error)
                _say(f"{name} is skipped: {error}\n")
        yield found, skipped


def warm_up(program: Path, running: Sequence[Peer]) -> None:
    """Nobody is measured while it still imports, compiles or connects."""
    for peer in running:
        for scenario in WARM_UP:
            run(program, peer, scenario)


def measured(
    program: Path, running: Sequence[Peer], scenarios: Sequence[Scenario], rounds: int
) -> list[Sample]:
    """All samples. Who comes first changes from round to round."""
    samples = []
    for number in range(rounds):
        turned = [*running[number % len(running) :], *running[: number % len(running)]]
        for scenario in scenarios:
            _say(f"\rround {number + 1} of {rounds}, {scenario.name}        ")
            samples += [measure(program, peer, scenario, number) for peer in turned]
    _say("\r" + " " * 40 + "\r")
    return samples


def _say(text: str) -> None:
    """Progress is no result: it goes to the terminal's other stream."""
    print(text, end="", file=sys.stderr, flush=True)
