"""What is no archive, or no longer a whole one: refused in words, never half a tree."""

import random

import pytest

from tests.unit.results.archives import SQUEEZE, Sandbox, file, tar, zipped

NO_ARCHIVE = {
    "nothing": b"",
    "text": b"not an archive at all",
    "half a magic number": b"\x1f",
    "gzip of nothing": SQUEEZE["gzip"](b""),
    "gzip of text": SQUEEZE["gzip"](b"text" * 1000),
    "a web page": b"<!DOCTYPE html><html>404</html>" * 100,
    "the beginning of a zip archive": zipped(file("a"))[:20],
}


@pytest.mark.parametrize("name", NO_ARCHIVE)
def test_what_is_no_archive(sandbox: Sandbox, name: str) -> None:
    sandbox.refuse(NO_ARCHIVE[name])


NOISE = random.Random(7).randbytes(4000)
MADE: dict[str, bytes] = {
    **{s: tar(file("p/a", NOISE), file("p/b", b"text " * 900), squeeze=s) for s in SQUEEZE},
    "zip": zipped(file("p/a", NOISE), file("p/b", b"text " * 900)),
}
WHOLE = {"a": NOISE, "b": b"text " * 900}


@pytest.mark.parametrize("made", MADE)
def test_an_archive_that_is_cut_short_gives_no_part_of_a_tree(sandbox: Sandbox, made: str) -> None:
    """Half a source would be a base like any other: refused, unless only padding is missing."""
    data, rng = MADE[made], random.Random(1)
    for number in range(40):
        piece = data[: rng.randrange(len(data))]
        inner = Sandbox(sandbox.top / str(number))
        assert outcome(inner, piece) in ("refused", WHOLE)


def test_a_plain_tar_that_is_cut_between_two_members(sandbox: Sandbox) -> None:
    """tarfile takes that for its end."""
    data = MADE["plain"]
    for end in range(0, 9728, 512):
        inner = Sandbox(sandbox.top / str(end))
        assert outcome(inner, data[:end]) == "refused", end


@pytest.mark.parametrize("made", MADE)
def test_a_flipped_bit_is_an_error_in_words_never_another_exception(
    sandbox: Sandbox, made: str
) -> None:
    data, rng = MADE[made], random.Random(2)
    for number in range(60):
        broken = bytearray(data)
        broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        outcome(Sandbox(sandbox.top / str(number)), bytes(broken))


def outcome(sandbox: Sandbox, data: bytes) -> object:
    try:
        sandbox.refuse(data, strip=1)
    except pytest.fail.Exception:  # not refused
        return sandbox.found()
    return "refused"
