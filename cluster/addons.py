"""What is applied to every new cluster: names for services, and rights for the policy daemon."""

from pathlib import Path
from string import Template

from cluster.commands import run
from cluster.settings import PAUSE_IMAGE, SOURCES, Addresses

MANIFESTS = SOURCES / "manifests"


def rendered(programs: Path, addresses: Addresses, nameservers: list[str]) -> str:
    """All manifests as one YAML stream."""
    values = {
        "image": PAUSE_IMAGE,
        "programs": str(programs),
        "address": str(addresses.names),
        "forward": f"forward . {' '.join(nameservers)}" if nameservers else "",
    }
    files = sorted(MANIFESTS.glob("*.yaml"))
    return "---\n".join(Template(file.read_text()).substitute(values) for file in files)


def delete(kubectl: Path, kubeconfig: Path, kind: str, names: list[str]) -> None:
    run(kubectl, f"--kubeconfig={kubeconfig}", "delete", kind, *names)


def apply(kubectl: Path, kubeconfig: Path, manifests: str) -> None:
    run(
        kubectl,
        f"--kubeconfig={kubeconfig}",
        "apply",
        "--server-side",
        "--validate=false",  # saves fetching the schema
        "--filename=-",
        text=manifests,
    )
