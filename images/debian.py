"""Files of Debian packages, without installing them.

mmdebstrap resolves and fetches the packages, verified by the archive's keys. Their files are
taken as they are and no maintainer script runs: that needs no root, leaves no setuid helper that
was not asked for, and takes a sixth of the time. `rootfs` writes the few files that scripts would.
"""

import fnmatch
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

from images.errors import ImageError
from images.tools import need, run

SUITE = "bookworm"

_MERGED = re.compile(r"^(bin|sbin|lib|lib32|lib64)(?=/|$)")
_COPYRIGHT_ONLY = re.compile(r"^usr/share/doc/[^/]+/(?!copyright$)")
_NEVER = (
    "etc/cron*",
    "etc/init.d/*",
    "usr/lib/systemd/*",
    "usr/lib/udev/*",
    "usr/share/bash-completion/*",
    "usr/share/bug/*",
    "usr/share/info/*",
    "usr/share/lintian/*",
    "usr/share/locale/*",
    "usr/share/man/*",
    "usr/share/pixmaps/*",
    "usr/share/applications/*",
    # Of Python: what only its developers use.
    "usr/lib/python3*/config-3*",
    "usr/lib/python3*/idlelib/*",
    "usr/lib/python3*/pydoc_data/*",
    "usr/lib/python3*/test/*",
    # Of git: the web, and what is written in the perl that is not there.
    "usr/share/gitweb/*",
    "usr/share/perl5/*",
)

_UNWANTED = re.compile("|".join(map(fnmatch.translate, _NEVER)))


@dataclass(frozen=True)
class Package:
    """A fetched package; `depends` has one tuple of alternatives for each dependency."""

    name: str
    deb: Path
    control: str
    depends: tuple[tuple[str, ...], ...]
    provides: tuple[str, ...]


def fetch(names: Iterable[str], into: Path) -> None:
    """Fetch packages and all that they depend on as .deb files."""
    command = [
        need("mmdebstrap"),
        "--variant=extract",
        f"--include={','.join(sorted(names))}",
        f'--extract-hook=cp "$1"/var/cache/apt/archives/*.deb {into}/',
        "--format=null",
        SUITE,
        "-",
    ]
    run(command, "Fetching Debian packages (as root, or as a user with subordinate ids)")


def read(directory: Path) -> dict[str, Package]:
    """The packages in a directory, by name and by what they provide."""
    need("dpkg-deb")
    packages = [_package(deb) for deb in sorted(directory.glob("*.deb"))]
    provided = {virtual: package for package in packages for virtual in package.provides}
    return provided | {package.name: package for package in packages}


def closure(
    packages: Mapping[str, Package], roots: Iterable[str], dropped: Iterable[str] = ()
) -> dict[str, Package]:
    """The packages needed by `roots`, not going through those dropped."""
    skipped = set(dropped)
    found: dict[str, Package] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name not in packages:
            raise ImageError(f"Debian package {name} was not fetched; build with --fresh.")
        package = packages[name]
        if package.name not in found and package.name not in skipped:
            found[package.name] = package
            waiting += filter(None, (_choose(options, packages) for options in package.depends))
    return found


def extract(package: Package, root: Path) -> None:
    """Put a package's files below `root`, and its record where scanners look for it."""
    with (
        Popen(
            ["dpkg-deb", "--fsys-tarfile", str(package.deb)], stdin=DEVNULL, stdout=PIPE
        ) as process,
        tarfile.open(fileobj=process.stdout, mode="r|") as tar,
    ):
        tar.extractall(root, _wanted(tar), filter="tar")
    if process.returncode:
        raise ImageError(f"{package.deb} is damaged; build with --fresh.")
    record = root / "var/lib/dpkg/status.d" / package.name
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(package.control)


def parse_relations(text: str) -> tuple[tuple[str, ...], ...]:
    """A Depends field: each dependency's alternatives, without versions and architectures."""
    clauses = (clause for clause in text.split(",") if clause.strip())
    return tuple(
        tuple(re.split(r"[\s(:\[]", option.strip(), maxsplit=1)[0] for option in clause.split("|"))
        for clause in clauses
    )


def _package(deb: Path) -> Package:
    control = run(["dpkg-deb", "--field", str(deb)], f"Reading {deb.name}")
    fields = dict(re.findall(r"^(\S+?): (.*)$", control, re.MULTILINE))
    needs = ", ".join(fields[key] for key in ("Pre-Depends", "Depends") if key in fields)
    provides = parse_relations(fields.get("Provides", ""))
    return Package(
        name=fields["Package"],
        deb=deb,
        control=control,
        depends=parse_relations(needs),
        provides=tuple(options[0] for options in provides),
    )


def _choose(options: tuple[str, ...], packages: Mapping[str, Package]) -> str | None:
    """The alternative that was fetched; none is possible for a dependency that was dropped."""
    return next((option for option in options if option in packages), None)


def _wanted(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for entry in tar:
        entry.name = _merge(entry.name)
        if entry.islnk():
            entry.linkname = _merge(entry.linkname)
        if not entry.isdir() and is_wanted(entry.name):
            yield entry


def is_wanted(name: str) -> bool:
    """Whether a file of a package gets into images; of documentation only licences do."""
    return not (_COPYRIGHT_ONLY.match(name) or _UNWANTED.match(name))


def _merge(name: str) -> str:
    """Where a file lives in a merged /usr."""
    return _MERGED.sub(r"usr/\1", name.removeprefix("./"))
