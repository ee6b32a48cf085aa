"""Names for what would be built: hashes of everything that goes in.

A layer is made of its parts' fields, of the files of the checkout that they read, and of the code
that makes them. So a change of the command line rebuilds nothing, and one of a recipe does.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from images import layer as layer_module
from images import oci
from images import parts as parts_module
from images.catalogue import Image, Layer
from images.parts import Debian, Part

LENGTH = 12


def of_names(names: Iterable[str]) -> str:
    """The hash of some names."""
    return _hash(sorted(names))


def of_layer(layer: Layer, checkout: Path, debian_packages: tuple[str, ...]) -> str:
    """The hash of a layer's inputs.

    Debian's packages are fetched all at once, so that layers fit each other; one list for all
    makes them change all at once too.
    """
    parts = [_part(part, checkout) for part in layer.parts]
    fetched = any(isinstance(part, Debian) for part in layer.parts)
    shared = [_code(module) for module in (layer_module, parts_module)]
    return _hash(
        oci.architecture(),
        sorted(layer.owners.items()),
        debian_packages if fetched else (),
        parts,
        shared,
    )


def of_image(image: Image, layers: Iterable[str], labels: dict[str, str]) -> str:
    """The hash of an image's inputs, given those of its layers."""
    return _hash(image.ref, list(layers), repr(image.runtime), labels, _code(oci))


def _part(part: Part, checkout: Path) -> list[object]:
    files = [
        (str(path.relative_to(checkout)), path.stat().st_mode & 0o100, _digest(path))
        for path in part.inputs(checkout)
    ]
    return [repr(part), files, [_code(module) for module in part.code]]


def _code(module: ModuleType) -> str:
    return _digest(Path(str(module.__file__)))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash(*values: object) -> str:
    text = json.dumps(values, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]
