"""What layers are made of: each part stages its files and names what it was made from."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import ClassVar, Protocol

from images import debian, lock, modules, npm, rootfs, source, wheels
from images.tools import python, run

VENV = "opt/benchwright"
SITE = f"{VENV}/lib/python3.11/site-packages"
INTERPRETER = f"/{VENV}/bin/python3"


class Workplace(Protocol):
    """Where parts find what they need."""

    @property
    def checkout(self) -> Path: ...

    def debian_packages(self) -> Path:
        """The directory of the fetched .deb files."""


class Part(Protocol):
    """A part of a layer. Its fields, its inputs and its code decide what it makes."""

    code: ClassVar[tuple[ModuleType, ...]]

    def inputs(self, checkout: Path) -> Iterator[Path]:
        """The files of the checkout that it reads."""

    def stage(self, root: Path, place: Workplace) -> None:
        """Put its files below `root`."""


@dataclass(frozen=True)
class Debian:
    """Packages and all that they need, but for what lies in the layers below."""

    code: ClassVar[tuple[ModuleType, ...]] = (debian, rootfs, wheels)
    packages: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    below: tuple["Debian", ...] = ()

    def inputs(self, checkout: Path) -> Iterator[Path]:
        return iter(())

    def stage(self, root: Path, place: Workplace) -> None:
        known = debian.read(place.debian_packages())
        there = {name for lower in self.below for name in lower.names(known)}
        for name, package in sorted(self.names(known).items()):
            if name not in there:
                debian.extract(package, root)
        rootfs.link_alternatives(root)
        if not self.below:
            rootfs.finish_base(root)
        compile_library(root)

    def names(self, known: dict[str, debian.Package]) -> dict[str, debian.Package]:
        return debian.closure(known, self.packages, self.dropped)


@dataclass(frozen=True)
class NpmPackages:
    """Programs from npm packages."""

    code: ClassVar[tuple[ModuleType, ...]] = (npm,)
    packages: tuple[npm.Npm, ...]

    def inputs(self, checkout: Path) -> Iterator[Path]:
        return iter(())

    def stage(self, root: Path, place: Workplace) -> None:
        for package in self.packages:
            package.stage(root)


@dataclass(frozen=True)
class Scripts:
    """Small executables: path → text."""

    code: ClassVar[tuple[ModuleType, ...]] = ()
    texts: tuple[tuple[str, str], ...]

    def inputs(self, checkout: Path) -> Iterator[Path]:
        return iter(())

    def stage(self, root: Path, place: Workplace) -> None:
        for name, text in self.texts:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)


@dataclass(frozen=True)
class Venv:
    """The frame of a virtual environment on the image's Python."""

    code: ClassVar[tuple[ModuleType, ...]] = ()

    def inputs(self, checkout: Path) -> Iterator[Path]:
        return iter(())

    def stage(self, root: Path, place: Workplace) -> None:
        home = root / VENV
        (home / "bin").mkdir(parents=True)
        (home / "bin/python3").symlink_to("/usr/bin/python3")
        (home / "pyvenv.cfg").write_text(
            "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11\n"
        )


@dataclass(frozen=True)
class Wheels:
    """Packages of a lock file, and what they need of it, in a directory of the image."""

    code: ClassVar[tuple[ModuleType, ...]] = (lock, wheels)
    lock_file: str
    roots: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    prune: tuple[str, ...] = ()
    site: str = SITE
    scripts: tuple[str, ...] = ()
    scripts_in: str = f"{VENV}/bin"
    interpreter: str = INTERPRETER

    def inputs(self, checkout: Path) -> Iterator[Path]:
        yield checkout / self.lock_file

    def fetch(self, root: Path, place: Workplace) -> None:
        """Put the packages in place, without what is pruned."""
        pins = lock.parse((place.checkout / self.lock_file).read_text())
        wheels.install(lock.without(lock.closure(pins, self.roots), self.dropped), root / self.site)
        wheels.prune(root / self.site, self.prune)

    def stage(self, root: Path, place: Workplace) -> None:
        site = root / self.site
        self.fetch(root, place)
        wheels.compile_all(site, f"/{self.site}")
        known = wheels.scripts(site)
        targets = {name: known[name] for name in self.scripts}
        wheels.write_scripts(targets, root / self.scripts_in, self.interpreter)


@dataclass(frozen=True)
class PackedWheels:
    """Packages of a lock file with all their modules in one file (see `modules`)."""

    packages: Wheels
    target: str
    licences: str
    shown_as: str
    left: tuple[str, ...] = ()

    code: ClassVar[tuple[ModuleType, ...]] = (lock, modules, wheels)

    def inputs(self, checkout: Path) -> Iterator[Path]:
        return self.packages.inputs(checkout)

    def stage(self, root: Path, place: Workplace) -> None:
        library = root / self.packages.site
        self.packages.fetch(root, place)
        wheels.gather_licences(library, root / self.licences)
        command = [python(), str(modules.__file__), str(library), str(root / self.target)]
        run([*command, self.shown_as, *self.left], "Packing modules")
        wheels.prune(library)
        wheels.compile_all(library, self.shown_as)


@dataclass(frozen=True)
class Own:
    """Benchwright's own packages in the virtual environment."""

    code: ClassVar[tuple[ModuleType, ...]] = (source, wheels)
    packages: tuple[str, ...]
    scripts: tuple[str, ...] = ()

    def inputs(self, checkout: Path) -> Iterator[Path]:
        project = source.read_project(checkout)
        yield checkout / "pyproject.toml"
        for name in self.packages:
            yield from source.files(project.packages[name])

    def stage(self, root: Path, place: Workplace) -> None:
        project = source.read_project(place.checkout)
        site = root / SITE
        site.mkdir(parents=True, exist_ok=True)
        source.copy(project, self.packages, site)
        wheels.compile_all(site, f"/{SITE}")
        targets = {name: project.scripts[name] for name in self.scripts}
        wheels.write_scripts(targets, root / VENV / "bin", INTERPRETER)


@dataclass(frozen=True)
class Files:
    """Files of the checkout at places of the image; executable ones stay so."""

    code: ClassVar[tuple[ModuleType, ...]] = ()
    places: dict[str, str]

    def inputs(self, checkout: Path) -> Iterator[Path]:
        return (checkout / name for name in self.places)

    def stage(self, root: Path, place: Workplace) -> None:
        for name, target in self.places.items():
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(place.checkout / name, root / target)


@dataclass(frozen=True)
class Links:
    """Symbolic links: place → target."""

    code: ClassVar[tuple[ModuleType, ...]] = ()
    targets: dict[str, str] = field(default_factory=dict)

    def inputs(self, checkout: Path) -> Iterator[Path]:
        return iter(())

    def stage(self, root: Path, place: Workplace) -> None:
        for name, target in self.targets.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).symlink_to(target)


def compile_library(root: Path) -> None:
    """Compile the standard library where a layer has it."""
    for library in sorted(root.glob("usr/lib/python3*")):
        wheels.compile_all(library, f"/{library.relative_to(root)}")
