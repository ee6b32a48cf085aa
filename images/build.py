"""Builds images: what is missing, and nothing else."""

import json
import os
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from images import debian, fingerprint, layer, oci, source
from images.cache import SCRATCH, Cache
from images.catalogue import Image, Layer, debian_packages
from images.parts import Debian


@dataclass(frozen=True)
class Built:
    """An image in the cache. `digest` is its manifest's, `config` what engines call its id."""

    name: str
    ref: str
    digest: str
    config: str
    tar: str
    size: int
    unpacked: int
    files: int


class Builder:
    """Builds from one checkout into one cache. Parts see it as their `Workplace`."""

    def __init__(self, checkout: Path, cache: Cache) -> None:
        self.checkout = checkout
        self._cache = cache
        self._project = source.read_project(checkout)
        self._packages = debian_packages()
        self._keys: dict[str, str] = {}
        self._fetching = Lock()

    def debian_packages(self) -> Path:
        """Fetch Debian's packages, once for all layers."""
        target = self._cache.debs / fingerprint.of_names(self._packages)
        with self._fetching:
            if not target.exists():
                with TemporaryDirectory(dir=self._cache.debs, prefix=SCRATCH) as scratch:
                    fetched = Path(scratch, "debs")
                    fetched.mkdir()
                    debian.fetch(self._packages, fetched)
                    fetched.rename(target)
        return target

    def build_layers(self, images: Iterable[Image]) -> list[str]:
        """Build the layers that are missing, some at a time; the names of those built."""
        layers = {item.name: item for image in images for item in image.layers}
        missing = [item for item in layers.values() if self._load(item) is None]
        if missing:
            self._cache.check_space()
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(self._build_layer, missing))
        return [item.name for item in missing]

    def build_image(self, image: Image) -> tuple[Built, bool]:
        """The image, and whether it had to be written. Its layers are there."""
        labels = self._labels(image)
        keys = [self._key(item) for item in image.layers]
        stem = f"{image.name}-{fingerprint.of_image(image, keys, labels)}"
        facts = self._cache.images / f"{stem}.json"
        if facts.exists() and (self._cache.images / f"{stem}.tar").exists():
            facts.touch()
            return Built(**json.loads(facts.read_text())), False
        built = self._write_image(image, labels, self._cache.images / f"{stem}.tar")
        facts.write_text(json.dumps(asdict(built), indent=1) + "\n")
        return built, True

    def stage(self, image: Image, root: Path) -> None:
        """Put the image's files below `root`, but for Debian's: for builds on another base."""
        for part in (part for item in image.layers for part in item.parts):
            if not isinstance(part, Debian):
                part.stage(root, self)

    def _write_image(self, image: Image, labels: dict[str, str], target: Path) -> Built:
        layers = [(item.name, self._need(item)) for item in image.layers]
        packed = oci.pack(image.ref, layers, image.runtime, labels)
        scratch = target.with_name(f"{SCRATCH}{target.name}")
        oci.write_archive(packed, scratch)
        scratch.rename(target)
        return Built(
            name=image.name,
            ref=image.ref,
            digest=packed.manifest.digest,
            config=packed.config.digest,
            tar=str(target),
            size=target.stat().st_size,
            unpacked=sum(blob.unpacked for _, blob in layers),
            files=sum(blob.files for _, blob in layers),
        )

    def _build_layer(self, item: Layer) -> None:
        target, facts = self._paths(item)
        with TemporaryDirectory(dir=self._cache.layers, prefix=SCRATCH) as directory:
            root = Path(directory, "root")
            root.mkdir()
            for part in item.parts:
                part.stage(root, self)
            scratch = Path(directory, "layer")
            blob = layer.write_layer(root, scratch, item.owners)
            layer.save(blob, facts)
            scratch.rename(target)

    def _need(self, item: Layer) -> layer.Blob:
        blob = self._load(item)
        if blob is None:
            raise FileNotFoundError(self._paths(item)[0])
        return blob

    def _load(self, item: Layer) -> layer.Blob | None:
        target, facts = self._paths(item)
        if facts.exists():
            facts.touch()
        return layer.load(target, facts)

    def _paths(self, item: Layer) -> tuple[Path, Path]:
        stem = f"{item.name}-{self._key(item)}"
        return self._cache.layers / f"{stem}.tgz", self._cache.layers / f"{stem}.json"

    def _key(self, item: Layer) -> str:
        if item.name not in self._keys:
            self._keys[item.name] = fingerprint.of_layer(item, self.checkout, self._packages)
        return self._keys[item.name]

    def _labels(self, image: Image) -> dict[str, str]:
        return {
            "org.opencontainers.image.title": image.title,
            "org.opencontainers.image.version": self._project.version,
        }


def write_index(built: Iterable[Built], path: Path) -> None:
    """Record images by name; entries of others stay."""
    known = json.loads(path.read_text()) if path.exists() else {}
    for image in built:
        known[image.name] = {key: value for key, value in asdict(image).items() if key != "name"}
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    scratch.rename(path)


def elapsed_since(start: float) -> str:
    return f"{time.monotonic() - start:.1f} s"
