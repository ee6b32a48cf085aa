"""Run other programs: their output is shown only when they fail."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from cluster.errors import ClusterError

# What Debian keeps for root may be missing from the PATH of a plain `su`.
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    path = os.environ.get("PATH", "") + ":" + SYSTEM_PATH
    return {**os.environ, "PATH": path, **(more or {})}


def attempt(
    *argv: str | Path, text: str | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run and return whatever came of it; a program that is missing counts as failed."""
    words = [str(word) for word in argv]
    try:
        return subprocess.run(
            words,
            input=text or "",  # never the terminal's
            capture_output=True,
            text=True,
            env=environment(),
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        return subprocess.CompletedProcess(words, 127, "", f"{words[0]}: no such program")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", f"no answer in {timeout:.0f} s")


def run(*argv: str | Path, text: str | None = None, timeout: float = 60, hint: str = "") -> str:
    """Run and return standard output; failing is an error that shows the end of what it said."""
    done = attempt(*argv, text=text, timeout=timeout)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise ClusterError(f"`{shown(done.args)}` failed ({done.returncode}): {said}", hint)
    return done.stdout


def shown(argv: Sequence[str]) -> str:
    line = " ".join(argv)
    return line if len(line) <= 160 else line[:157] + "..."
