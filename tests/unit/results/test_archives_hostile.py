"""Archives that attack: each is refused in words, and nothing is written outside."""

import struct
import tarfile
import zipfile

import pytest

from tests.unit.results.archives import (
    Member,
    Sandbox,
    file,
    folder,
    hard,
    link,
    tar,
    zipped,
)

UP = (folder("a/b/c"), link("a/b/c/up", "../../.."))
LEADS_OUT = {
    "an absolute name": (file("/tmp/evil"),),
    "a name with ..": (file("a/../../evil"),),
    "a folder with ..": (folder("../evil"),),
    "a link with .. in its name": (link("../evil", "a"),),
    "an absolute link": (link("l", "/etc/passwd"),),
    "a link to above": (link("d/l", "../../secret"),),
    "a link through a file to above": (file("f"), link("l", "f/../../secret")),
    "links that lead out only together": (*UP, link("evil", "a/b/c/up/..")),
    "the same, written through": (*UP, link("evil", "a/b/c/up/.."), file("evil/owned")),
    "the same, with a folder": (*UP, link("evil", "a/b/c/up/.."), folder("evil/owned")),
    "links together, the other way round": (link("evil", "a/b/c/up/.."), *UP),
    "a hard link to above": (hard("h", "../secret"),),
    "a hard link to an absolute name": (hard("h", "/etc/passwd"),),
    "a hard link through a link": (*UP, hard("h", "a/b/c/up/a")),
}
CANNOT_BE = {
    "a file through a link": (folder("d"), link("l", "d"), file("l/x")),
    "a folder through a link": (folder("d"), link("l", "d"), folder("l/x")),
    "a link through a link": (folder("d"), link("l", "d"), link("l/x", "y")),
    "a folder through a link to nothing": (link("l", "missing"), folder("l")),
    "a file below a file": (file("a"), file("a/b")),
    "a file in place of a folder": (folder("a"), file("a")),
    "a folder in place of a file": (file("a"), folder("a")),
    "a hard link to nothing": (hard("h", "missing"),),
    "a hard link to itself": (hard("h", "h"),),
    "a hard link to a folder": (folder("d"), hard("h", "d")),
    "a hard link to what comes later": (hard("h", "a"), file("a")),
    "a hard link to the whole tree": (file("a"), hard("h", ".")),
    "a name that is too long": (file("n" * 256),),
    "a path that is too long": (file("/".join(["n" * 200] * 10)),),
    "a path that is too deep": (file("d/" * 1500 + "f"),),
    "a character device": (Member("d", kind=tarfile.CHRTYPE),),
    "a block device": (Member("d", kind=tarfile.BLKTYPE),),
    "a pipe": (Member("p", kind=tarfile.FIFOTYPE),),
    "a kind that nobody knows": (Member("z", kind=b"Z"),),
    "an empty link": (link("l", ""),),
    "a negative size": (file("a", size="-1024"), file("b")),
    "a size beyond all measure": (file("a", size="9" * 20),),
    "a size that is no number": (file("a", size="many"),),
}


@pytest.mark.parametrize("name", LEADS_OUT)
def test_what_leads_out_of_the_tree(sandbox: Sandbox, name: str) -> None:
    sandbox.refuse(tar(*LEADS_OUT[name]))


@pytest.mark.parametrize("name", [n for n in LEADS_OUT if "hard" not in n and "folder" not in n])
def test_what_leads_out_of_a_zip_archive(sandbox: Sandbox, name: str) -> None:
    sandbox.refuse(zipped(*(m for m in LEADS_OUT[name] if m.kind != tarfile.DIRTYPE)))


@pytest.mark.parametrize("name", CANNOT_BE)
def test_what_cannot_be_written(sandbox: Sandbox, name: str) -> None:
    sandbox.refuse(tar(*CANNOT_BE[name], form=tarfile.PAX_FORMAT))


def test_links_in_a_circle_and_hard_links_to_them_are_links(sandbox: Sandbox) -> None:
    """tarfile itself ends in a RecursionError here."""
    out = sandbox.unpack(tar(file("x"), link("a", "b"), link("b", "a"), hard("c", "a")))
    assert out == {"x": b"x", "a": "→ b", "b": "→ a", "c": "→ b"}


GIT = {
    "a repository": (file(".git/config"), file(".git/hooks/post-commit", mode=0o755)),
    "a repository further down": (file("sub/.git/config"), file("sub/.git/HEAD")),
    "a submodule's pointer": (file("sub/.git", b"gitdir: /elsewhere"),),
    "a link of that name": (link(".git", "repo"), file("repo/config", b"[core]fsmonitor=evil")),
    "in capitals": (file(".GIT/config"),),
    "as Windows shortens it": (file("git~1/config"),),
    "as macOS ignores it": (file(".g\u200cit/config"),),
}


@pytest.mark.parametrize("name", GIT)
def test_gits_own_metadata_is_left_out(sandbox: Sandbox, name: str) -> None:
    out = sandbox.unpack(tar(file("a"), *GIT[name]))
    assert set(out) <= {"a", "repo/config"}
    assert out["a"] == b"x"


def test_a_method_of_compression_that_cannot_be_bounded(sandbox: Sandbox) -> None:
    bomb = zipped(file("a", b"\0" * 10_000_000), method=zipfile.ZIP_LZMA)
    assert "pack it anew" in sandbox.refuse(bomb)


def test_an_encrypted_zip_archive(sandbox: Sandbox) -> None:
    data = bytearray(zipped(file("a")))
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(signature) + offset] |= 1
    assert "encrypted" in sandbox.refuse(bytes(data))


def test_a_zip_archive_whose_sizes_lie(sandbox: Sandbox) -> None:
    """The content is 1000 bytes, the directory says 10."""
    data = bytearray(zipped(file("a", b"y" * 1000)))
    at = data.index(b"PK\1\2") + 24
    assert struct.unpack_from("<I", data, at) == (1000,)
    struct.pack_into("<I", data, at, 10)
    sandbox.refuse(bytes(data))
