"""For any two trees: the overlay on A is B, and the lines add up."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from benchwright.changes.model import Changes, Manifest
from tests.unit.harness_snapshot.support import Case, File, Link, Node, Tree, read_tree

NAMES = st.sampled_from(
    [
        b"node_modules",
        b"a",
        b"b",
        b"test_c.py",
        b"tests",
        b"d.txt",
        b"\xff",
        b"n\nl",
        b".gitignore",
        b"go.sum",
    ]
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join)
LINE = st.sampled_from([b"1\n", b"2\n", b"3\n", b"x\r\n", b"\n", b"a\n", b"*\n", b"\xff\n"])
DATA = st.lists(LINE, max_size=8).map(b"".join) | st.binary(max_size=12)
NODES = st.builds(File, DATA, st.booleans()) | st.builds(
    Link, st.sampled_from([b"a", b"../..", b"/etc", b"tests", b"\xfe"])
)


def _possible(nodes: dict[bytes, Node]) -> dict[bytes, Node]:
    """Without paths below a path that is a file."""
    return {
        path: node
        for path, node in nodes.items()
        if not any(path.startswith(other + b"/") for other in nodes)
    }


TREES = st.dictionaries(PATHS, NODES, max_size=7).map(_possible)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Tree, Tree]:
    """Two trees, the second often made from the first."""
    before, after = draw(TREES), draw(TREES)
    kept = draw(st.sets(st.sampled_from(sorted(before)))) if before else set()
    return before, _possible({**after, **{path: before[path] for path in kept}})


def _ignoring_nothing(tree: Tree) -> dict[bytes, Node]:
    """A base's .gitignore would keep files from crossing, which has its own tests."""
    return {path: node for path, node in tree.items() if b".gitignore" not in path}


def _text(node: Node | None) -> bytes | None:
    """The bytes of a text file, b"" for nothing or a symlink; None for a binary."""
    if not isinstance(node, File):
        return b""
    return None if b"\0" in node.data else node.data


def _lines(data: bytes) -> Counter[bytes]:
    parts = data.split(b"\n")
    return Counter([*(part + b"\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])])


def _bags(before: Tree, after: Tree) -> Iterator[tuple[Counter[bytes], Counter[bytes]]]:
    for path in sorted({*before, *after}):
        if before.get(path) != after.get(path):
            old, new = _text(before.get(path)), _text(after.get(path))
            if old is not None and new is not None:
                yield _lines(old), _lines(new)


@example(({b"go.sum": Link(b"a"), b"b": File()}, {b"go.sum/test_c.py": File(b"1\n")}))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(pairs())
def test_the_overlay_of_everything_on_a_is_b_and_lines_agree(trees: tuple[Tree, Tree]) -> None:
    before, after = _ignoring_nothing(trees[0]), trees[1]
    with tempfile.TemporaryDirectory() as top:
        c = Case(Path(top), before)
        c.workspace.rename(c.top / "old")
        for path, node in after.items():
            c.put(path, node)
        c.workspace.mkdir(parents=True, exist_ok=True)
        result = c.take()
        assert read_tree(c.workspace) == after, "taking changes nothing"
        assert c.applied(result) == after
        manifest, changes = result.manifest, result.changes
        assert Manifest.from_json(result.manifest_file.read_bytes()) == manifest
        assert Changes.from_json(result.changes_file.read_bytes()) == changes
    assert not result.truncated
    differing = {p for p in {*before, *after} if before.get(p) != after.get(p)}
    assert {entry.path for entry in manifest.entries} == differing
    assert changes.no_renames.files + changes.excluded.files == len(differing)
    if any(isinstance(n, File) and b"\0" in n.data for n in [*before.values(), *after.values()]):
        return
    bags = list(_bags(before, after))
    parts = (changes.no_renames, changes.eol_only, changes.excluded)
    added = sum(part.added for part in parts)
    removed = sum(part.removed for part in parts)
    assert added - removed == sum(new.total() - old.total() for old, new in bags)
    assert added >= sum((new - old).total() for old, new in bags)
    assert changes.added <= changes.no_renames.added
