"""What the benchmark needs beside this project, made in one folder and kept there."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GO = Path(__file__).parent / "go"
#: Not a release that was tampered with (1.82.7, 1.82.8, 1.107.0), and none of its dependencies is
#: newer than this day: what is brought in has been looked at by others for weeks.
LITELLM = "litellm[proxy]==1.108.5"
NOT_NEWER = "2026-11-10"


#: What the images have. Of one version, those that were built with profiles are a fifth faster than
#: those that were not, and Debian's was.
DEBIAN = Path("/usr/bin/python3.11")


class UnavailableError(Exception):
    """Something that cannot be had on this machine; the message says why."""


def programs(folder: Path) -> None:
    """The upstream, the load generator and Go's peer. Go's own cache knows what is up to date."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOWORK": "off"}
    _run(["go", "build", "-o", f"{folder}/", "./..."], cwd=GO, env=environment)


def python() -> str:
    """The interpreter that all peers in Python run on: that of the images, where it is."""
    return str(DEBIAN) if DEBIAN.exists() else sys.executable


def litellm(folder: Path) -> Path:
    """LiteLLM's program, in an environment of its own."""
    venv, wanted = folder / "litellm-venv", f"{LITELLM} {NOT_NEWER} {python()}"
    stamp = venv / "stamp"
    if not stamp.exists() or stamp.read_text() != wanted:
        shutil.rmtree(venv, ignore_errors=True)
        uv = str(Path(sys.executable).with_name("uv"))
        _run([uv, "venv", "--quiet", "--python", python(), str(venv)])
        # Wheels only: nothing of theirs runs before it is asked to.
        command = [uv, "pip", "install", "--quiet", "--python", str(venv / "bin/python")]
        _run([*command, "--only-binary", ":all:", "--exclude-newer", NOT_NEWER, LITELLM])
        stamp.write_text(wanted)
    return venv / "bin/litellm"


def nginx(folder: Path) -> Path:
    """nginx: the installed one, else Debian's package unpacked, which starts no service."""
    installed = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if installed:
        return Path(installed)
    unpacked = folder / "nginx"
    program = unpacked / "usr/sbin/nginx"
    if not program.exists():
        unpacked.mkdir(parents=True, exist_ok=True)
        _run(["apt-get", "download", "--quiet", "nginx"], cwd=unpacked)
        for package in unpacked.glob("*.deb"):
            _run(["dpkg", "-x", str(package), str(unpacked)])
    return program


def output(command: Sequence[str], cwd: Path | None = None) -> str:
    """What a command says on either stream, "" if it cannot be run."""
    try:
        found = subprocess.run(
            command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    except OSError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def _run(
    command: Sequence[str], cwd: Path | None = None, env: dict[str, str] | None = None
) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    except OSError as error:
        raise UnavailableError(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["(nothing said)"]
        raise UnavailableError(f"{' '.join(command[:3])} … failed: {said[-1]}")
