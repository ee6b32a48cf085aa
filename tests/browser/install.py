"""What browser tests need: Chromium of Debian, and axe-core from npm (MPL-2.0; a tool, not shipped).

    .venv/bin/python -m tests.browser.install

Playwright's own browsers are not used: they are no package of any registry.
"""

import shutil
import tarfile
import tempfile
from pathlib import Path

from cluster.commands import run
from cluster.console import step
from cluster.errors import ClusterError
from cluster.packages import check_integrity, found, install
from cluster.settings import cache_folder

AXE = "axe-core"
AXE_VERSION = "4.14.1"
AXE_INTEGRITY = "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="  # noqa: E501
PACKAGES = {"chromium": "chromium", "npm": "npm"}


def axe_file() -> Path:
    return cache_folder() / f"{AXE}-{AXE_VERSION}" / "axe.min.js"


def chromium() -> str:
    """The browser's path."""
    path = shutil.which("chromium")
    if path is None:
        raise ClusterError("chromium is missing", "make browser installs it")
    return path


def main() -> None:
    missing = [package for package, program in PACKAGES.items() if not found(program)]
    if missing:
        with step(f"Debian packages: {' '.join(missing)}"):
            install(missing)
    if not axe_file().is_file():
        with step(f"{AXE} {AXE_VERSION} from npm"):
            _fetch_axe()


def _fetch_axe() -> None:
    target = axe_file()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        run("npm", "pack", f"{AXE}@{AXE_VERSION}", "--pack-destination", scratch,
            timeout=600, hint="is the npm registry reachable?")  # fmt: skip
        archive = next(Path(scratch).glob("*.tgz"))
        check_integrity(archive.read_bytes(), AXE_INTEGRITY, AXE)
        with tarfile.open(archive) as package:
            script = package.extractfile("package/axe.min.js")
            assert script is not None
            part = Path(scratch) / "axe.min.js"
            part.write_bytes(script.read())
        part.rename(target)


if __name__ == "__main__":
    main()
