"""Running git's plumbing on repositories that the harness owns, and nowhere else.

Settings in an agent's repository run code whatever flags are given (core.fsmonitor, filters,
hooks, textconv: research/coverage-compose-git.md §4), so nothing here that runs after an agent
has a work tree or looks for a repository: GIT_DIR is always given, and the environment is made
from nothing.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

# Every setting that would change what a command prints or does, at its fixed value.
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.quotePath=true",
    "core.fsync=none",
    "core.compression=1",
    "core.bigFileThreshold=512m",
    "core.deltaBaseCacheLimit=16m",
    "core.commitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "diff.algorithm=myers",
    "diff.indentHeuristic=true",
    "fastimport.unpackLimit=0",
)


class GitError(RuntimeError):
    """git failed, did not end in time, or could not be started."""


def environment(repo: Path) -> dict[str, str]:
    """A whole environment for git: nothing of GIT_*, HOME or the system's configuration is left."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "XDG_CONFIG_HOME": "/nonexistent",
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_DIR": str(repo),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
    }


def command(arguments: Sequence[str], settings: Sequence[str] = ()) -> list[str]:
    """The argument vector: `settings` (`name=value`) come last and win."""
    pairs = [part for setting in (*_SETTINGS, *settings) for part in ("-c", setting)]
    return ["git", *pairs, *arguments]


def start(
    repo: Path,
    arguments: Sequence[str],
    *,
    settings: Sequence[str] = (),
    stdin: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """A running git with stdout (and stdin where asked) as pipes. GitError if it cannot start."""
    try:
        return subprocess.Popen(
            command(arguments, settings),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=environment(repo),
            cwd="/",
        )
    except OSError as error:
        raise GitError(f"git {arguments[0]}: {error}") from error


def close(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes of a process that ended or was killed, and wait for it."""
    with contextlib.suppress(BrokenPipeError), process:
        pass


def run(
    repo: Path,
    arguments: Sequence[str],
    *,
    settings: Sequence[str] = (),
    timeout: float = 60.0,
) -> bytes:
    """What git wrote to stdout. GitError for a status other than 0 or after `timeout` seconds."""
    with start(repo, arguments, settings=settings, stderr=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise GitError(f"git {arguments[0]}: no end after {timeout:g} s") from None
    if process.returncode != 0:
        raise GitError(f"git {arguments[0]}: {process.returncode}: {_message(err)}")
    return out


def _message(err: bytes) -> str:
    return err[-2000:].decode("utf-8", "backslashreplace").strip()
