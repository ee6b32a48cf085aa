"""overlay.tar: read by every tar, and nothing but itself is read here."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.harness.snapshot import tarfmt
from benchwright.harness.snapshot.tarfmt import Member, TarError

NAMES = st.binary(min_size=1, max_size=300).map(
    lambda name: name.translate(bytes.maketrans(b"\0/", b"xy"))
)
FILES = st.tuples(NAMES, st.sampled_from([0o100644, 0o100755]), st.binary(max_size=1100))
LINKS = st.tuples(NAMES, NAMES)


def pack(members: list[tuple[Member, bytes]]) -> bytes:
    out = io.BytesIO()
    for member, data in members:
        tarfmt.write_member(out, member, data)
    tarfmt.write_end(out)
    return out.getvalue()


def unpack(data: bytes) -> list[tuple[Member, bytes]]:
    source, found = io.BytesIO(data), []
    while (member := tarfmt.read_header(source)) is not None:
        found.append((member, source.read(member.size)))
        tarfmt.skip_padding(source, member.size)
    return found


@given(st.lists(FILES | LINKS, max_size=4))
def test_round_trip(nodes: list[tuple[bytes, int, bytes] | tuple[bytes, bytes]]) -> None:
    members = [
        (Member(n[0], n[1], len(n[2])), n[2])
        if len(n) == 3
        else (Member(n[0], 0o120000, 0, n[1]), b"")
        for n in nodes
    ]
    assert unpack(pack(members)) == members


@given(FILES | LINKS)
def test_python_reads_it_the_same(node: tuple[bytes, int, bytes] | tuple[bytes, bytes]) -> None:
    if len(node) == 3:
        data = pack([(Member(node[0], node[1], len(node[2])), node[2])])
    else:
        data = pack([(Member(node[0], 0o120000, 0, node[1]), b"")])
    with tarfile.open(fileobj=io.BytesIO(data), encoding="utf-8") as tar:
        (info,) = tar.getmembers()
    assert info.name.encode("utf-8", "surrogateescape") == node[0]
    assert (info.mtime, info.uid, info.gid, info.uname) == (0, 0, 0, "")
    if len(node) == 2:
        assert info.linkname.encode("utf-8", "surrogateescape") == node[1]
    else:
        assert (info.size, info.mode) == (len(node[2]), node[1] & 0o777)


@given(st.binary(max_size=3000), st.integers(0, 2000), st.binary(max_size=20))
@example(b"", 0, b"")
def test_damage_raises_or_reads_but_never_hangs(junk: bytes, at: int, patch: bytes) -> None:
    whole = bytearray(pack([(Member(b"a" * 150, 0o100644, 3), b"abc")]))
    whole[at : at + len(patch)] = patch
    for data in (bytes(whole), junk):
        try:
            for member, _ in unpack(data):
                assert member.size >= 0
        except TarError:
            pass


@pytest.mark.parametrize("kind", [b"1", b"3", b"4", b"5", b"6", b"7", b"S", b"x", b"g", b"V"])
def test_hard_links_devices_sparse_and_pax_members_are_no_overlay(kind: bytes) -> None:
    block = bytearray(pack([(Member(b"a", 0o100644, 0), b"")])[:512])
    block[156:157] = kind
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    with pytest.raises(TarError, match="member of type"):
        unpack(bytes(block) + bytes(1024))


def test_sizes_in_base_256_are_no_overlay() -> None:
    """Negative and huge ones made tarfile loop (CVE-2025-8194)."""
    block = bytearray(pack([(Member(b"a", 0o100644, 0), b"")])[:512])
    block[124:136] = b"\xff" * 12
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    with pytest.raises(TarError, match="not an octal number"):
        unpack(bytes(block) + bytes(1024))
