"""Where images, layers and fetched packages are kept: outside the checkout, by their inputs' hash.

images/<name>-<hash>.tar   with <name>-<hash>.json beside it
layers/<name>-<hash>.tgz   likewise
debs/<hash>/*.deb
images.json                the newest of each image
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from images.errors import ImageError

_NEEDED = 3 * 2**30
SCRATCH = "unfinished-"
_KEPT = 3
"""Builds of one thing that stay: a few branches of a checkout, or a few checkouts."""


def default_directory() -> Path:
    """The cache's place, unless the environment says otherwise."""
    if chosen := os.environ.get("BENCHWRIGHT_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "benchwright" if base else Path.home() / ".cache/benchwright"


class Cache:
    """A directory of built things."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.images = directory / "images"
        self.layers = directory / "layers"
        self.debs = directory / "debs"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One build at a time; a second one waits, and then finds everything there."""
        self._make()
        with (self.directory / "images.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._sweep()
            yield

    def check_space(self) -> None:
        """Complain before a build fills the disk."""
        free = shutil.disk_usage(self.directory).free
        if free < _NEEDED:
            raise ImageError(
                f"{self.directory} has {free / 2**30:.1f} GiB free, a build needs"
                f" {_NEEDED / 2**30:.0f}. Free some, or set BENCHWRIGHT_CACHE to another disk."
            )

    def forget(self) -> None:
        """Drop fetched packages and layers, so that the next build takes today's."""
        for directory in (self.debs, self.layers, self.images):
            shutil.rmtree(directory, ignore_errors=True)
        self._make()

    def prune(self) -> None:
        """Keep the last few builds of each image and layer."""
        for directory in (self.images, self.layers):
            builds: dict[str, list[Path]] = {}
            for facts in sorted(directory.glob("*.json"), key=_used, reverse=True):
                builds.setdefault(facts.stem.rpartition("-")[0], []).append(facts)
            for facts in (old for found in builds.values() for old in found[_KEPT:]):
                for path in directory.glob(f"{facts.stem}.*"):
                    path.unlink()

    def _sweep(self) -> None:
        """Delete what a build that was killed left half done."""
        for directory in (self.images, self.layers, self.debs):
            for path in directory.glob(f"{SCRATCH}*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _make(self) -> None:
        try:
            for directory in (self.images, self.layers, self.debs):
                directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ImageError(
                f"Cannot make the cache {self.directory}: {error.strerror}."
                " Set BENCHWRIGHT_CACHE to a directory of yours."
            ) from error


def _used(path: Path) -> float:
    return path.stat().st_mtime
