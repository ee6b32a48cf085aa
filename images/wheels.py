"""Locked Python packages, as files of a site-packages directory."""

import fnmatch
import re
import shutil
import stat
from collections.abc import Iterable, Mapping, Sequence
from configparser import ConfigParser
from pathlib import Path
from tempfile import TemporaryDirectory

from images.lock import Pin, render
from images.oci import architecture
from images.tools import need, python, run

_GLIBC_MINOR = 36
"""Debian 12's glibc is 2.36; wheels for it and for older ones fit."""

_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_NEVER = ("*.pyi", "*.pyx", "*.pxd", "*.c", "*.cpp", "*.h", "*.a", "*.dist-info/RECORD", ".lock")
_LICENCE = re.compile("licen[cs]e|copying|notice|authors", re.IGNORECASE)
_SCRIPT = """#!{interpreter}
import sys

from {module} import {function}

sys.exit({function}())
"""


def install(pins: Iterable[Pin], site: Path) -> None:
    """Fetch the pinned wheels, check their hashes, unpack them into `site`."""
    site.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        requirements = Path(scratch, "requirements.txt")
        requirements.write_text(render(pins))
        run(_command(requirements, site), "Fetching Python packages")
    shutil.rmtree(site / "bin", ignore_errors=True)


def prune(site: Path, patterns: Sequence[str] = ()) -> None:
    """Delete what is not used at run time; patterns are relative to `site`."""
    unwanted = re.compile("|".join(fnmatch.translate(pattern) for pattern in (*_NEVER, *patterns)))
    for path in sorted(site.rglob("*"), reverse=True):
        name = str(path.relative_to(site))
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif unwanted.match(name):
            path.unlink()


def gather_licences(site: Path, target: Path) -> None:
    """Put the packages' metadata but for names and versions, and all licences, into one file."""
    kept = ("METADATA", "entry_points.txt")
    texts = [path for path in sorted(site.glob("*.dist-info/**/*")) if path.is_file()]
    gathered = [path for path in texts if path.name not in kept]
    target.write_text(
        "".join(
            f"==== {path.relative_to(site)}\n{path.read_text(errors='replace')}\n"
            for path in gathered
            if _LICENCE.search(path.name)
        )
    )
    for path in gathered:
        path.unlink()


def compile_all(directory: Path, shown_as: str) -> None:
    """Compile to files that are never checked against their sources: no image changes a source."""
    command = [
        *(python(), "-m", "compileall", "-q", "-j", "0"),
        *("--invalidation-mode", "unchecked-hash"),
        *("-s", str(directory), "-p", shown_as),
        str(directory),
    ]
    run(command, "Compiling Python files")


def scripts(site: Path) -> dict[str, str]:
    """The console scripts of the installed packages: name → module:function."""
    found: dict[str, str] = {}
    for entry_points in sorted(site.glob("*.dist-info/entry_points.txt")):
        parser = ConfigParser(delimiters=("=",), interpolation=None)
        parser.read(entry_points)
        if parser.has_section("console_scripts"):
            found |= dict(parser.items("console_scripts"))
    return found


def write_scripts(targets: Mapping[str, str], directory: Path, interpreter: str) -> None:
    """Write starting scripts for `module:function` targets."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, target in targets.items():
        module, _, function = target.partition(":")
        script = directory / name
        script.write_text(_SCRIPT.format(interpreter=interpreter, module=module, function=function))
        script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _command(requirements: Path, site: Path) -> list[str]:
    machine = _MACHINES[architecture()]
    return [
        *(need("uv"), "pip", "install", "--quiet", "--no-config", "--link-mode", "copy"),
        *("--target", str(site), "--requirement", str(requirements)),
        *("--no-deps", "--require-hashes", "--only-binary", ":all:"),
        *("--python", python(), "--python-platform", f"{machine}-manylinux_2_{_GLIBC_MINOR}"),
    ]
