"""Load image archives (of Docker or OCI layout) into the node's containerd.

An archive is known by its table of contents, which names everything in it by digest; after loading,
that is kept as a label on the image, so that loading the same again is a single look.
"""

import platform
import re
import tarfile
from pathlib import Path

from cluster.commands import attempt
from cluster.errors import ClusterError
from cluster.images import pause_image, sha256
from cluster.node import enter, inside
from cluster.state import State

CTR = ("ctr", "--namespace", "k8s.io", "images")
LABEL = "benchwright.dev/archive"
TABLES_OF_CONTENTS = ("index.json", "manifest.json")
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def archive_identity(file: Path) -> str:
    """The digest of the archive's table of contents."""
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                if member.name.removeprefix("./") in TABLES_OF_CONTENTS:
                    content = archive.extractfile(member)
                    if content is not None:
                        return sha256(content.read())
    except (OSError, tarfile.TarError) as error:
        raise ClusterError(f"{file} cannot be read as an image archive: {error}") from error
    raise ClusterError(
        f"{file} is no image archive: it has neither {' nor '.join(TABLES_OF_CONTENTS)}",
        "write one with `buildah push IMAGE docker-archive:FILE.tar` or `docker save`",
    )


def load(state: State, file: Path) -> list[str]:
    """Load an archive; returns the names of the images that are new, none if all were there."""
    identity = archive_identity(file)
    if f"{LABEL}={identity}" in inside(state, *CTR, "list"):
        return []
    said = inside(state, *CTR, "import", file.resolve(), timeout=600)
    names = imported_names(said)
    for name in names:
        inside(state, *CTR, "label", name, f"{LABEL}={identity}")
    return names


def imported_names(said: str) -> list[str]:
    """What `ctr images import` says that it unpacked."""
    return re.findall(r"^unpacking (\S+) \(sha256:", said, flags=re.MULTILINE)


def load_pause(state: State, programs: Path) -> None:
    machine = platform.machine()
    content = pause_image(programs / "pause", ARCHITECTURES.get(machine, machine))
    file = state.folder / "pause.tar"
    file.write_bytes(content)
    load(state, file)


def runtime_answers(state: State) -> bool:
    return attempt(*enter(state), "ctr", "version", timeout=5).returncode == 0
