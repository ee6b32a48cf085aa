"""The evaluator's side: hostile overlays and trees that are in the way."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchwright.changes.classify import PathClass
from benchwright.changes.model import Entry, Kind
from benchwright.changes.overlay import Policy, Selection
from benchwright.harness.snapshot import tarfmt
from benchwright.harness.snapshot.apply import OverlayError, apply
from benchwright.harness.snapshot.limits import Limits
from benchwright.harness.snapshot.tarfmt import Member, TarError
from tests.unit.harness_snapshot.support import Case, File, Link, Node, read_tree, text, write_tree

Maker = Callable[[dict[bytes, Node]], Case]


def entry(path: bytes, node: Node | None, /, **changes: object) -> Entry:
    if node is None:
        return Entry(path, Kind.DELETED, PathClass.TEST, 0, 0, "", 0o100644)
    data = node.target if isinstance(node, Link) else node.data
    target = node.target if isinstance(node, Link) else None
    mode = 0o120000 if target is not None else 0o100755 if node.executable else 0o100644  # type: ignore[union-attr]
    fields: dict[str, object] = {
        "path": path,
        "kind": Kind.ADDED,
        "cls": PathClass.TEST,
        "mode": mode,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "target": target,
    }
    return Entry(**{**fields, **changes})  # type: ignore[arg-type]


def pack(out: Path, nodes: list[tuple[bytes, Node]]) -> Path:
    with out.open("wb") as file:
        for path, node in nodes:
            one = entry(path, node)
            data = b"" if isinstance(node, Link) else node.data
            tarfmt.write_member(file, Member(path, one.mode, len(data), one.target), data)
        tarfmt.write_end(file)
    return out


def select_all(*entries: Entry) -> Selection:
    return Selection(Policy.EVERYTHING, entries)


def run(
    tmp_path: Path, base: dict[bytes, Node], nodes: Sequence[tuple[bytes, Node | None]]
) -> tuple[dict[bytes, Node], list[tuple[bytes, str]]]:
    """Apply all of `nodes` to `base`: what the tree is then, and what was refused."""
    tree = write_tree(tmp_path / "tree", base)
    there = [(path, node) for path, node in nodes if node is not None]
    overlay = pack(tmp_path / "overlay.tar", there)
    result = apply(tree, overlay, select_all(*(entry(path, node) for path, node in nodes)))
    return read_tree(tree), [(item.path, item.reason) for item in result.refused]


def test_files_links_modes_and_deletions_cross(tmp_path: Path) -> None:
    after, refused = run(
        tmp_path,
        {b"a": text("1"), b"b": text("1"), b"d/e/f": text("1"), b"l": Link(b"a")},
        [
            (b"a", text("2")),
            (b"b", Link(b"/etc/passwd")),
            (b"d/e/f", None),
            (b"l", File(b"x", True)),
            (b"new/deep/file", text("3")),
            (b"absent", None),
        ],
    )
    assert refused == []
    assert after == {
        b"a": text("2"),
        b"b": Link(b"/etc/passwd"),
        b"l": File(b"x", True),
        b"new/deep/file": text("3"),
    }
    assert not (tmp_path / "tree" / "d").exists()


@pytest.mark.parametrize(
    "path",
    [
        b"/etc/x",
        b"../x",
        b"a/../../x",
        b"a//x",
        b"./x",
        b".git/hooks/post-checkout",
        b"a/.GIT/config",
        b"git~1",
        b"",
        b"n" * 256,
    ],
)
def test_paths_that_leave_the_tree_or_name_git_are_refused(tmp_path: Path, path: bytes) -> None:
    after, refused = run(tmp_path, {b"a/b": text("1")}, [(path, text("evil"))])
    assert [item[0] for item in refused] == [path]
    assert after == {b"a/b": text("1")}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["overlay.tar", "tree"]


def test_parents_that_are_symlinks_are_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    base: dict[bytes, Node] = {b"out": Link(b"../outside"), b"in": Link(b"d"), b"d/x": text("1")}
    after, refused = run(
        tmp_path, base, [(b"out/evil", text("1")), (b"in/x", text("2")), (b"out/gone", None)]
    )
    assert {item[0] for item in refused} == {b"out/evil", b"in/x", b"out/gone"}
    assert after == base
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_link_of_the_overlay_is_no_way_out_either(tmp_path: Path) -> None:
    """Links are made last, so the file comes first and the link finds its place taken."""
    (tmp_path / "outside").mkdir()
    after, refused = run(tmp_path, {}, [(b"d", Link(b"../outside")), (b"d/evil", text("1"))])
    assert refused == [(b"d", "a directory is in its place")]
    assert after == {b"d/evil": text("1")}


def test_existing_links_are_replaced_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("safe")
    after, refused = run(tmp_path, {b"l": Link(b"../victim")}, [(b"l", text("1"))])
    assert (after, refused) == ({b"l": text("1")}, [])
    assert (tmp_path / "victim").read_text() == "safe"


def test_a_directory_in_the_way_is_refused_and_kept(tmp_path: Path) -> None:
    base: dict[bytes, Node] = {b"d/x": text("1"), b"f": text("1")}
    after, refused = run(tmp_path, base, [(b"d", text("2")), (b"f/x", text("2"))])
    assert {item[0] for item in refused} == {b"d", b"f/x"}
    assert after == base


def test_setuid_in_the_tar_is_dropped(tmp_path: Path) -> None:
    overlay = tmp_path / "overlay.tar"
    data = b"x"
    buffer = io.BytesIO()
    tarfmt.write_member(buffer, Member(b"a", 0o100755, 1), data)
    block = bytearray(buffer.getvalue()[:512])
    block[100:108] = b"0006755\0"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    overlay.write_bytes(bytes(block) + buffer.getvalue()[512:] + bytes(1024))
    (tmp_path / "tree").mkdir()
    apply(tmp_path / "tree", overlay, select_all(entry(b"a", File(data, True))))
    assert (tmp_path / "tree" / "a").stat().st_mode & 0o7777 == 0o755


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": "0" * 64},
        {"size": 3},
        {"mode": 0o100755},
        {"mode": 0o120000, "target": b"12"},
        {"path": b"other"},
    ],
)
def test_a_member_that_is_not_what_the_manifest_says_raises(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    overlay = pack(tmp_path / "o.tar", [(b"a", File(b"12"))])
    (tmp_path / "tree").mkdir()
    with pytest.raises(OverlayError):
        apply(tmp_path / "tree", overlay, select_all(entry(b"a", File(b"12"), **changes)))
    assert read_tree(tmp_path / "tree") == {}


def test_a_missing_member_raises(tmp_path: Path) -> None:
    overlay = pack(tmp_path / "o.tar", [])
    with pytest.raises(OverlayError, match="1 files of the selection are not in the overlay"):
        apply(tmp_path, overlay, select_all(entry(b"a", File(b"12"))))


def test_members_that_were_not_selected_do_not_cross(tmp_path: Path) -> None:
    overlay = pack(tmp_path / "o.tar", [(b"a", File(b"1")), (b"../b", File(b"2"))])
    (tmp_path / "tree").mkdir()
    assert apply(tmp_path / "tree", overlay, select_all()).written == 0
    assert read_tree(tmp_path / "tree") == {}


def test_a_second_member_of_one_name_is_not_taken(tmp_path: Path) -> None:
    overlay = pack(tmp_path / "o.tar", [(b"a", File(b"1")), (b"a", File(b"2"))])
    (tmp_path / "tree").mkdir()
    apply(tmp_path / "tree", overlay, select_all(entry(b"a", File(b"1"))))
    assert read_tree(tmp_path / "tree") == {b"a": File(b"1")}


@pytest.mark.parametrize(
    "limits", [Limits(max_files=1), Limits(max_file_bytes=1), Limits(max_total_bytes=3)]
)
def test_sizes_are_capped_on_this_side_too(tmp_path: Path, limits: Limits) -> None:
    nodes: list[tuple[bytes, Node]] = [(b"a", File(b"12")), (b"b", File(b"34"))]
    overlay = pack(tmp_path / "o.tar", nodes)
    (tmp_path / "tree").mkdir()
    selection = select_all(*(entry(*node) for node in nodes))
    with pytest.raises(OverlayError):
        apply(tmp_path / "tree", overlay, selection, limits)


def test_what_is_no_tar_raises(tmp_path: Path) -> None:
    overlay = tmp_path / "o.tar"
    (tmp_path / "tree").mkdir()
    for data in (b"", b"x" * 512, b"\0" * 100, b"x" * 5000):
        overlay.write_bytes(data)
        with pytest.raises(TarError):
            apply(tmp_path / "tree", overlay, select_all())


def test_tests_only_keeps_the_pristine_source(case: Maker) -> None:
    base: dict[bytes, Node] = {
        b"src/a.py": text("1"),
        b"src/uncovered.py": text("1"),
        b"tests/test_a.py": text("1"),
        b"tests/test_b.py": text("1"),
        b"pytest.ini": text("[pytest]"),
    }
    c = case(base)
    for path in (b"src/a.py", b"tests/test_a.py", b"pytest.ini", b"conftest.py", b"tests/d.json"):
        c.put(path, text("changed"))
    c.delete(b"src/uncovered.py")
    c.delete(b"tests/test_b.py")
    c.put(b"tests/leak.py", Link(b"/evaluation/hidden.py"))
    result = c.take()
    assert c.applied(result, Policy.TESTS_ONLY) == {
        **base,
        b"tests/test_a.py": text("changed"),
        b"tests/d.json": text("changed"),
        b"conftest.py": text("changed"),
    }
