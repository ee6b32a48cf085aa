"""Running the programs that this tool needs, with errors that say what to do."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from images.errors import ImageError

PYTHON = (3, 11)
"""The images' Python: compiled files and wheels must be made for it."""

_SOURCES = {
    "mmdebstrap": "On Debian and Ubuntu: apt-get install mmdebstrap",
    "dpkg-deb": "On Debian and Ubuntu: apt-get install dpkg",
    "npm": "On Debian and Ubuntu: apt-get install npm",
    "uv": "It is in the development environment (requirements/dev.lock); or: pip install uv",
}
_LAST_LINES = 15


def need(program: str) -> str:
    """The path of a program, or an error that says where to get it."""
    environments = (Path(sys.executable).parent, Path.cwd() / ".venv/bin")
    places = [os.environ.get("PATH", os.defpath), *map(str, environments)]
    if path := shutil.which(program, path=os.pathsep.join(places)):
        return path
    raise ImageError(f"{program} is not installed. {_SOURCES.get(program, '')}")


@cache
def python() -> str:
    """An interpreter of the images' version: this one, or one found on PATH."""
    version = ".".join(map(str, PYTHON))
    if sys.version_info[:2] == PYTHON:
        return sys.executable
    if found := shutil.which(f"python{version}"):
        return found
    raise ImageError(
        f"The images hold Python {version}, so building them needs it too, and PATH has no"
        f" python{version}. Install it, or run this tool with it."
    )


def run(command: Sequence[str], what: str) -> str:
    """Run a command and return its output; on failure show the end of what it said.

    Python gets a fixed hash seed: the order of a set in compiled code depends on it.
    """
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-_LAST_LINES:])
        raise ImageError(f"{what} failed ({command[0]} ended with {done.returncode}):\n{said}")
    return done.stdout
