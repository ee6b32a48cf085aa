"""The colours of a patch, from a process that is ended where it takes too long."""

import asyncio
import hashlib
import json
import sys
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from benchwright.web.patch import FilePatch, Kind, Line, side

Spans = list[tuple[str, str]]
"""Pieces of a line: class ("" for none) and text."""
SECONDS = 6.0
_PROGRAM = Path(__file__).with_name("colour.py")
_KEPT = 32
_CLASSES = frozenset("ckmsfb")
_SIDES: tuple[Kind, ...] = ("removed", "added")


class Colourer:
    """One process at a time; what was coloured last is kept."""

    def __init__(self, program: Path = _PROGRAM, seconds: float = SECONDS):
        self._program, self._seconds = program, seconds
        self._one = asyncio.Semaphore(1)
        self._kept: OrderedDict[str, object] = OrderedDict()

    async def colour(self, files: Sequence[FilePatch]) -> dict[int, Spans] | None:
        """Pieces by the id() of a line; lines that are not in it are plain. None: it took too long."""
        texts, sides = [], []
        for file in files:
            for kind in _SIDES:
                lines = list(side(file, kind))
                texts.append([file.name, "\n".join(line.text for line in lines)])
                sides.append(lines)
        answer = await self._answer(json.dumps(texts).encode())
        if not isinstance(answer, list) or len(answer) != len(sides):
            return None
        pieces: dict[int, Spans] = {}
        for lines, spans in zip(sides, answer, strict=True):
            pieces |= _matched(lines, spans)
        return pieces

    async def _answer(self, asked: bytes) -> object:
        key = hashlib.sha256(asked).hexdigest()
        if key not in self._kept:
            async with self._one:
                self._kept[key] = await self._run(asked)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept.get(key)

    async def _run(self, asked: bytes) -> object:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", str(self._program),
            stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with asyncio.timeout(self._seconds):
                answer, _ = await process.communicate(asked)
            return json.loads(answer) if process.returncode == 0 else None
        except (TimeoutError, ValueError):
            return None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def _matched(lines: Sequence[Line], spans: object) -> dict[int, Spans]:
    """The text is ours, whatever came back; a line whose lengths do not add up stays plain."""
    found: dict[int, Spans] = {}
    if not isinstance(spans, list) or len(spans) < len(lines):
        return found
    for line, parts in zip(lines, spans, strict=False):
        start, pieces = 0, []
        for length, kind in parts:
            pieces.append((kind if kind in _CLASSES else "", line.text[start : start + length]))
            start += length
        if start == len(line.text):
            found[id(line)] = pieces
    return found
