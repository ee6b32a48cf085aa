"""What the proxy costs: `python -m tests.bench.proxy`, or with --soak SECONDS whether it leaks.

Every peer stands between the same load and the same fake upstream, all on loopback, one measured
at a time in interleaved rounds. Figures of one machine mean little: the ratios are the result.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from . import bounds, build, rounds, soak, table
from .measuring import Sample
from .peers import Peer
from .scenarios import SCENARIOS
from .summary import Summary, summarize


def arguments() -> argparse.Namespace:
    names = [scenario.name for scenario in SCENARIOS]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="+", choices=rounds.PEERS, default=rounds.PEERS)
    parser.add_argument("--scenarios", nargs="+", choices=names, default=names)
    parser.add_argument("--build", type=Path, default=build.ROOT / "build/bench")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="look for leaks instead")
    parser.add_argument("--strict", action="store_true", help="exit 1 if a bound is not held")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    # An exit like any other, which ends what was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    made = options.build.resolve()
    try:
        build.programs(made)
    except build.UnavailableError as error:
        print(f"no benchmark: the load generator cannot be built: {error}", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=made))
    try:
        held = soak.soak(made, folder, options.soak) if options.soak else compare(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if held or not options.strict else 1


def compare(options: argparse.Namespace, folder: Path) -> bool:
    """Measure, write and print; whether all bounds held."""
    made = options.build.resolve()
    chosen = [scenario for scenario in SCENARIOS if scenario.name in options.scenarios]
    with rounds.peers(options.peers, made, folder) as (running, skipped):
        rounds.warm_up(made / "load", running)
        samples = rounds.measured(made / "load", running, chosen, options.rounds)
    summary = summarize(samples)
    found = bounds.check(summary, samples)
    write(made / "proxy.json", running, skipped, samples, summary, found)
    print(table.tables(summary, chosen), table.failures(summary), sep="\n\n")
    print(", ".join(f"{name} {version}" for name, version in versions(running).items()))
    others = [sample.others_cpu for sample in samples]
    print(
        f"processors busy with anything else: {statistics.mean(others):.2f}, at most {max(others):.2f}"
    )
    for name, reason in skipped.items():
        print(f"skipped: {name}: {reason}")
    print("\n".join(bound.text() for bound in found))
    print(f"all figures: {made / 'proxy.json'}")
    return all(bound.held for bound in found)


def versions(running: Sequence[Peer]) -> dict[str, str]:
    """What was measured."""
    return {
        "kernel": platform.release(),
        "python": build.output([build.python(), "-V"]).removeprefix("Python "),
        "aiohttp": metadata.version("aiohttp"),
        **{peer.name: peer.version for peer in running if peer.version},
    }


def write(
    path: Path,
    running: Sequence[Peer],
    skipped: dict[str, str],
    samples: Sequence[Sample],
    summary: Summary,
    found: Sequence[bounds.Bound],
) -> None:
    """Everything, so that figures of two days can be compared."""
    content = {
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cpus": os.cpu_count(),
        "versions": versions(running),
        "skipped": skipped,
        "bounds": [bound.model_dump() for bound in found],
        "medians": {
            scenario: {peer: figures.model_dump() for peer, figures in peers.items()}
            for scenario, peers in summary.items()
        },
        "rounds": [sample.model_dump() for sample in samples],
    }
    path.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
