"""Which cluster is used: the user's current one, kind's, or the disposable one.

CLUSTER=current|kind|disposable decides. Without it: kind where it is installed and a Docker engine
runs, otherwise the disposable one.
"""

import os
from pathlib import Path
from typing import Protocol

from cluster import disposable, loading, packages, settings, state
from cluster.certificates import write_private
from cluster.commands import attempt, run
from cluster.console import say, step
from cluster.errors import ClusterError

KIND_NAME = "benchwright"


class Provider(Protocol):
    """What every kind of cluster can do."""

    def up(self) -> None: ...
    def down(self) -> None: ...
    def status(self) -> None: ...
    def load_image(self, file: Path) -> None: ...
    def variables(self) -> dict[str, str]: ...


class Disposable:
    """Made from upstream parts, by this tool."""

    def up(self) -> None:
        disposable.up()

    def down(self) -> None:
        disposable.down()

    def status(self) -> None:
        disposable.status()

    def load_image(self, file: Path) -> None:
        with step(f"load {file.name}"), state.locked():
            names = loading.load(state.load(), file)
        say("    " + (", ".join(names) or "already there"))

    def variables(self) -> dict[str, str]:
        """Our own address must not go through a proxy that the user has set."""
        folder = packages.tools_folder()
        path = f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"
        block = str(settings.addresses().block)
        exempt = [word for word in os.environ.get("NO_PROXY", "").split(",") if word]
        return {
            "KUBECONFIG": str(settings.kubeconfig()),
            "PATH": path if str(folder) not in os.environ.get("PATH", "") else os.environ["PATH"],
            "NO_PROXY": ",".join(dict.fromkeys([*exempt, block])),
        }


class Current:
    """The user's own: nothing is made or ended, and images come from the user's registry."""

    def up(self) -> None:
        self.status()

    def down(self) -> None:
        say("cluster: CLUSTER=current is yours, so it stays as it is")

    def status(self) -> None:
        hint = "is kubectl there, and does `kubectl cluster-info` work?"
        context = run("kubectl", "config", "current-context", hint=hint).strip()
        run("kubectl", "--request-timeout=10s", "get", "--raw=/readyz", hint=hint)
        say(f"cluster: context {context} answers")

    def load_image(self, file: Path) -> None:
        raise ClusterError(
            "images cannot be loaded into your own cluster from a file",
            f"push {file.name} to a registry that the cluster pulls from",
        )

    def variables(self) -> dict[str, str]:
        return {}


class Kind:
    """A node in a container of the user's Docker engine."""

    def up(self) -> None:
        if KIND_NAME not in run("kind", "get", "clusters").split():
            with step("kind create cluster"):
                run("kind", "create", "cluster", "--name", KIND_NAME, "--wait", "120s", timeout=900)
        write_private(settings.kubeconfig(), run("kind", "get", "kubeconfig", "--name", KIND_NAME))
        say(f"cluster: kind {KIND_NAME} is up; kubeconfig {settings.kubeconfig()}")

    def down(self) -> None:
        run("kind", "delete", "cluster", "--name", KIND_NAME, timeout=300)
        settings.kubeconfig().unlink(missing_ok=True)
        say("cluster: down")

    def status(self) -> None:
        if KIND_NAME not in run("kind", "get", "clusters").split():
            raise ClusterError("no kind cluster is up", "python3 -m cluster up")
        print(run("kind", "get", "nodes", "--name", KIND_NAME), end="")

    def load_image(self, file: Path) -> None:
        with step(f"load {file.name}"):
            run("kind", "load", "image-archive", str(file), "--name", KIND_NAME, timeout=900)

    def variables(self) -> dict[str, str]:
        return {"KUBECONFIG": str(settings.kubeconfig())}


def choose() -> Provider:
    kinds: dict[str, type[Disposable] | type[Current] | type[Kind]] = {
        "disposable": Disposable, "current": Current, "kind": Kind,
    }  # fmt: skip
    wanted = os.environ.get("CLUSTER", "")
    if wanted in kinds:
        return kinds[wanted]()
    if wanted:
        raise ClusterError(f"CLUSTER={wanted} is unknown", f"one of {', '.join(kinds)}, or nothing")
    return Kind() if kind_works() else Disposable()


def kind_works() -> bool:
    """Both the program and an engine that answers."""
    if not packages.found("kind") or not packages.found("docker"):
        return False
    return attempt("docker", "info", timeout=10).returncode == 0
