"""Lock files as `uv pip compile --generate-hashes` writes them, and parts of them.

An image needs only some of what a lock file pins. The `# via` comments say who asked for a
package, so the closure of a few packages is read from the file itself, hashes and all.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from images.errors import ImageError

_PIN = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(\[[^\]]*\])?==\S+")
_VIA = re.compile(r"^ +# (?:via |  )(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?: \(.*\))?$")


@dataclass(frozen=True)
class Pin:
    """One pinned package: its text with hashes, and the packages that asked for it."""

    name: str
    text: str
    via: frozenset[str]


def normalized(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def parse(text: str) -> dict[str, Pin]:
    """The pins of a lock file, by normalized name."""
    pins = (_pin(block) for block in _blocks(text.splitlines()))
    return {pin.name: pin for pin in pins}


def closure(pins: Mapping[str, Pin], roots: Iterable[str]) -> list[Pin]:
    """The pins of `roots` and of everything that they need, sorted by name."""
    wanted = {normalized(root) for root in roots}
    if missing := sorted(wanted - pins.keys()):
        raise ImageError(
            f"The lock file does not pin {', '.join(missing)}: compile it again with uv."
        )
    while more := {pin.name for pin in pins.values() if pin.via & wanted} - wanted:
        wanted |= more
    return [pins[name] for name in sorted(wanted)]


def without(pins: Iterable[Pin], dropped: Iterable[str]) -> list[Pin]:
    """The pins but for those dropped; a name that is not there is an error, so lists stay true."""
    kept = {pin.name: pin for pin in pins}
    for name in map(normalized, dropped):
        if kept.pop(name, None) is None:
            raise ImageError(f"{name} is to be dropped, but the lock file does not have it.")
    return list(kept.values())


def render(pins: Iterable[Pin]) -> str:
    """A requirements file for `pip install --require-hashes`."""
    return "".join(pin.text for pin in pins)


def _blocks(lines: Iterable[str]) -> Iterable[list[str]]:
    """The lines of each pin: one that starts a line and the indented ones that follow."""
    block: list[str] = []
    for line in lines:
        if _PIN.match(line):
            if block:
                yield block
            block = []
        if not line.startswith("#"):
            block.append(line)
    if block:
        yield block


def _pin(block: list[str]) -> Pin:
    match = _PIN.match(block[0])
    if match is None:
        raise ImageError(f"Not a pinned package in the lock file: {block[0]!r}")
    asked = (_VIA.match(line) for line in block)
    return Pin(
        name=normalized(match["name"]),
        text="".join(f"{line}\n" for line in block if not line.lstrip().startswith("#")),
        via=frozenset(normalized(found["name"]) for found in asked if found),
    )
