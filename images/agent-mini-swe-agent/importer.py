"""Imports the bundle's Python modules from one file.

A bundle is copied for every trial, and creating thousands of small files is what that costs. So
`images/modules.py` compiles all modules into one file at build time, and this finds them there.
Extension modules and data stay ordinary files, at the places where modules look for them.
"""

import marshal
import mmap
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.readers import FileReader
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

HEADER = 8


class OneFile(MetaPathFinder):
    """The modules of `packed`, which seem to lie below `root`."""

    def __init__(self, packed: Path, root: Path) -> None:
        with packed.open("rb") as file:
            self._data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        size = int.from_bytes(self._data[:HEADER], "little")
        self._start = HEADER + size
        self._table: dict[str, tuple[bool, int, int]] = _loads(self._data[HEADER : self._start])
        self._root = root

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        entry = self._table.get(fullname)
        if entry is None:
            return None
        package, offset, size = entry
        place = self._root.joinpath(*fullname.split("."))
        origin = str(place / "__init__.py" if package else place.with_name(f"{place.name}.py"))
        start = self._start + offset
        spec = spec_from_loader(
            fullname,
            _Module(self._data[start : start + size], origin),
            origin=origin,
            is_package=package,
        )
        if spec is not None:
            spec.has_location = True
            if package:
                spec.submodule_search_locations = [str(place)]
        return spec


class _Module(Loader):
    def __init__(self, code: memoryview, path: str) -> None:
        self._code = code
        self.path = path

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)  # noqa: S102

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = _loads(self._code)
        return code

    def get_resource_reader(self, fullname: str) -> FileReader:
        return FileReader(self)  # type: ignore[arg-type]


def _loads(data: memoryview) -> Any:
    return marshal.loads(data)  # noqa: S302 - as safe as importing the same files


def install(directory: Path) -> None:
    """Make the bundle in `directory` importable."""
    sys.path.insert(0, str(directory / "lib"))
    sys.meta_path.insert(0, OneFile(directory / "modules", directory / "lib"))
