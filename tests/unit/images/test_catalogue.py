"""The lists of the catalogue agree with the files that they speak of."""

import ast
import sys
from importlib import metadata
from pathlib import Path

import pytest

from images import catalogue, lock, source
from images.catalogue import IMAGES
from images.errors import ImageError
from images.parts import Debian, Files, Own, PackedWheels, Part, Wheels

CHECKOUT = Path(__file__).parents[3]
PARTS = [part for image in IMAGES for layer in image.layers for part in layer.parts]


def all_wheels() -> list[Wheels]:
    packed = [part.packages for part in PARTS if isinstance(part, PackedWheels)]
    return packed + [part for part in PARTS if isinstance(part, Wheels)]


def test_a_layer_name_means_one_layer() -> None:
    named: dict[str, tuple[Part, ...]] = {}
    for layer in (layer for image in IMAGES for layer in image.layers):
        assert named.setdefault(layer.name, layer.parts) == layer.parts


def test_all_images_stand_on_the_base() -> None:
    assert {image.layers[0].name for image in IMAGES} == {"base"}


def test_no_image_runs_as_root() -> None:
    assert {image.runtime.user for image in IMAGES} == {"1000:1000"}


@pytest.mark.parametrize("wheels", all_wheels(), ids=lambda wheels: wheels.roots[0])
def test_wheels_are_locked_with_hashes(wheels: Wheels) -> None:
    pins = lock.parse((CHECKOUT / wheels.lock_file).read_text())
    wanted = lock.without(lock.closure(pins, wheels.roots), wheels.dropped)
    assert all("--hash=sha256:" in pin.text for pin in wanted)


def test_the_harness_stays_small() -> None:
    pins = lock.parse((CHECKOUT / "requirements/runtime.lock").read_text())
    harness = next(image for image in IMAGES if image.name == "harness")
    (wheels,) = [p for layer in harness.layers for p in layer.parts if isinstance(p, Wheels)]
    names = {pin.name for pin in lock.closure(pins, wheels.roots)}
    assert not names & {"kopf", "kubernetes", "scipy", "numpy", "aiohttp", "sqlalchemy"}


def test_own_packages_and_scripts_exist() -> None:
    project = source.read_project(CHECKOUT)
    for part in PARTS:
        if isinstance(part, Own):
            assert set(part.packages) <= project.packages.keys()
            assert set(part.scripts) <= project.scripts.keys()


def test_copied_files_exist() -> None:
    for part in PARTS:
        if isinstance(part, Files):
            assert [path for path in part.inputs(CHECKOUT) if not path.is_file()] == []


def test_higher_debian_layers_know_the_lower_ones() -> None:
    for image in IMAGES:
        below: list[Debian] = []
        for layer in image.layers:
            for part in (part for part in layer.parts if isinstance(part, Debian)):
                assert part.below == tuple(below)
                below.append(part)


def test_images_are_found_by_name() -> None:
    assert [image.name for image in catalogue.find(["proxy", "base"])] == ["proxy", "base"]
    assert catalogue.find([]) == IMAGES
    with pytest.raises(ImageError, match=r"No image nope\. There are base, operator"):
        catalogue.find(["nope"])


def imported(package: Path) -> set[str]:
    """Top-level names that the files of a package import, wherever in them."""
    found = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    ("name", "package"), [("operator", "benchwright"), ("proxy", "benchwright_proxy")]
)
def test_an_image_has_what_its_program_imports(name: str, package: str) -> None:
    """The operator's image has the proxy's package too, for a module that imports nothing."""
    image = next(image for image in IMAGES if image.name == name)
    parts = [part for layer in image.layers for part in layer.parts]
    (wheels,) = [part for part in parts if isinstance(part, Wheels)]
    pins = lock.parse((CHECKOUT / wheels.lock_file).read_text())
    there = {p.name for p in lock.without(lock.closure(pins, wheels.roots), wheels.dropped)}
    packages = source.read_project(CHECKOUT).packages
    distributions = metadata.packages_distributions()
    for module in imported(CHECKOUT / packages[package]) - packages.keys():
        names = {lock.normalized(each) for each in distributions[module]}
        assert names & there, f"{package} imports {module}, which the {name} image lacks"
