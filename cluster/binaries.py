"""The programs that are built from Go modules, once, into a cache outside of the checkout."""

import os
import subprocess
import tempfile
from pathlib import Path

from cluster.commands import environment
from cluster.console import say, step
from cluster.errors import ClusterError
from cluster.packages import found
from cluster.settings import KUBERNETES_VERSION, SOURCES, cache_folder, digest_of

PROGRAMS = SOURCES / "programs"
MODULES = ("pause", "await-policy", "node")
NODE_PROGRAMS = (
    "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet",
    "kube-proxy", "network-policy", "coredns", "make-certificates",
)  # fmt: skip
"""What the binary `node` can be called by: its main.go has the same list."""
VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
OLDEST_GO = (1, 24)


def sources(name: str) -> list[Path]:
    files = [path for path in (PROGRAMS / name).iterdir() if path.suffix in (".go", ".mod", ".sum")]
    return sorted(files)


def linker_flags() -> str:
    """Stripped, and with the version that Helm and kubectl ask for."""
    words = ["-s", "-w"]
    for package in VERSION_PACKAGES:
        words.append(f"-X {package}.gitVersion={KUBERNETES_VERSION}")
        words.append(f"-X {package}.gitTreeState=clean")
    return " ".join(words)


def programs_folder() -> Path:
    """Named by all that goes into the programs, so that a changed pin is another folder."""
    files = [path for name in MODULES for path in sources(name)]
    return cache_folder() / digest_of(files, linker_flags())


def ensure_programs() -> Path:
    """The folder with every program, built if it is not there."""
    folder = programs_folder()
    if folder.is_dir():
        return folder
    check_go()
    say("  … building Kubernetes: about 15 minutes of CPU, only this once")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        unfinished = Path(scratch) / "programs"
        for name in MODULES:
            with step(f"go build {name}"):
                _build(name, unfinished / name)
        for program in NODE_PROGRAMS:
            (unfinished / program).symlink_to("node")
        _publish(unfinished, folder)
    return folder


def _publish(unfinished: Path, folder: Path) -> None:
    try:
        unfinished.rename(folder)
    except OSError:  # another build of the same was faster
        if not folder.is_dir():
            raise


def _build(name: str, output: Path) -> None:
    # Niced, as half an hour of compiling should not make the machine unusable.
    argv = ["nice", "go", "build", "-trimpath", "-ldflags", linker_flags(), "-o", str(output), "."]
    more = {"CGO_ENABLED": "0", "GOTOOLCHAIN": os.environ.get("GOTOOLCHAIN", "local")}
    done = subprocess.run(
        argv,
        cwd=PROGRAMS / name,
        env=environment(more),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ClusterError(
            f"go build {name} failed: {done.stderr.strip()[-2000:]}",
            "is the Go module proxy reachable, and is there 8 GiB of free disk?",
        )


def check_go() -> None:
    if not found("go"):
        raise ClusterError("go is missing", f"install Go {_dotted(OLDEST_GO)} or newer")
    answer = subprocess.run(
        ["go", "env", "GOVERSION"], capture_output=True, text=True, check=False
    ).stdout
    if go_version(answer) < OLDEST_GO:
        raise ClusterError(
            f"{answer.strip()} is too old", f"install Go {_dotted(OLDEST_GO)} or newer"
        )


def go_version(text: str) -> tuple[int, int]:
    """(1, 26) for go1.26.8; what cannot be read counts as new, and the build will tell."""
    numbers = text.strip().removeprefix("go").split(".")
    try:
        return int(numbers[0]), int("".join(c for c in numbers[1] if c.isdigit()) or 0)
    except (ValueError, IndexError):
        return (99, 0)


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
