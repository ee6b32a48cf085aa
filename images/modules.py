"""Packs the Python modules below a directory into one file, for a bundle's `importer.py`.

Runs as a program of its own, since the compiled code must be that of the images' Python:
`python3.11 modules.py LIBRARY TARGET SHOWN_AS [NOT_PACKED…]`.
"""

import marshal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath


def pack(library: Path, target: Path, shown_as: str, left: Sequence[str] = ()) -> None:
    """Compile what lies below `library` into `target`, and delete the sources.

    Top-level packages in `left` stay files. Tracebacks name files below `shown_as`.
    """
    table: dict[str, tuple[bool, int, int]] = {}
    blobs: list[bytes] = []
    offset = 0
    for path, text in _modules(library, left):
        blob = marshal.dumps(compile(text, f"{shown_as}/{path}", "exec"))
        package = path.name == "__init__.py"
        name = ".".join(path.parent.parts if package else path.with_suffix("").parts)
        table[name] = (package, offset, len(blob))
        blobs.append(blob)
        offset += len(blob)
    header = marshal.dumps(table)
    target.write_bytes(b"".join([len(header).to_bytes(8, "little"), header, *blobs]))


def _modules(library: Path, left: Sequence[str]) -> Iterator[tuple[PurePath, bytes]]:
    """Relative paths and texts; a directory that is a package without saying so gets to say it."""
    sources = [path.relative_to(library) for path in sorted(library.rglob("*.py"))]
    packed = [path for path in sources if path.parts[0] not in left]
    for path in packed:
        yield path, (library / path).read_bytes()
        (library / path).unlink()
    parents = {parent for path in packed for parent in path.parents if parent.parts}
    for parent in sorted(parents - {path.parent for path in packed if path.name == "__init__.py"}):
        yield parent / "__init__.py", b""


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
