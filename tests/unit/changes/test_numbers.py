"""Adding up: which file counts where."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchwright.changes.classify import PathClass
from benchwright.changes.gitformat import DiffLine
from benchwright.changes.model import Changes, FileChange, Ignored, Kind, Tally
from benchwright.changes.numbers import MAX_LISTED, Counted, Facts, file_changes, summarise

A, B = "a" * 40, "b" * 40


class Everything(Mapping[bytes, PathClass]):
    """Every path is source."""

    def __getitem__(self, path: bytes) -> PathClass:
        return PathClass.SOURCE

    def __iter__(self):  # type: ignore[no-untyped-def]
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


def line(
    status: str = "M", added: int | None = 1, removed: int | None = 1, **more: object
) -> DiffLine:
    fields = {"old_mode": 0o100644, "new_mode": 0o100644, "old_id": A, "new_id": B, **more}
    return DiffLine(path=b"p", status=status, added=added, removed=removed, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("diff", "facts", "lines", "flags"),
    [
        (line(), {}, (1, 1), ()),
        (line(added=None, removed=None), {}, (0, 0), ("binary",)),
        (line(added=None, removed=None), {"recounted": {b"p": (3, 2)}}, (3, 2), ("nul",)),
        (line(new_id=A, added=0, removed=0), {}, (0, 0), ("mode_only",)),
        (line("R", 0, 0, new_id=A, old_path=b"o"), {}, (0, 0), ("pure_move",)),
        (line("R", old_path=b"o"), {}, (1, 1), ()),
        (line("T", 1, 9, new_mode=0o120000), {}, (0, 9), ("typechange", "symlink")),
        (line("T", 9, 1, old_mode=0o120000), {}, (9, 0), ("typechange", "symlink")),
        (line("A", old_mode=0, new_mode=0o120000), {}, (0, 1), ("symlink",)),
        (line(), {"eol_only": {b"p"}}, (1, 1), ("eol_only",)),
    ],
)
def test_what_git_says_is_corrected(
    diff: DiffLine, facts: dict[str, object], lines: tuple[int, int], flags: tuple[str, ...]
) -> None:
    (change,) = file_changes([diff], Facts(Everything(), **facts))  # type: ignore[arg-type]
    assert (change.added, change.removed, change.flags) == (*lines, flags)


def change(path: bytes, cls: PathClass, added: int, removed: int, *flags: str) -> FileChange:
    return FileChange(path, Kind.MODIFIED, cls, added, removed, flags=flags)


def test_every_number() -> None:
    primary = [
        change(b"a", PathClass.SOURCE, 10, 5),
        change(b"b", PathClass.TEST, 20, 0),
        change(b"c", PathClass.TEST_SUPPORT, 1, 1),
        change(b"d", PathClass.TEST_CONFIG, 2, 0),
        change(b"e", PathClass.DOCS, 50, 50, "eol_only"),
        change(b"f", PathClass.SOURCE, 0, 0, "binary"),
        change(b"g", PathClass.SOURCE, 0, 0, "mode_only"),
        change(b"h", PathClass.SOURCE, 0, 0, "symlink", "typechange"),
        change(b"i", PathClass.SOURCE, 7, 7, "nul"),
        change(b"j", PathClass.SOURCE, 100, 100, "bulk"),
        FileChange(b"k", Kind.MODIFIED, PathClass.TEST, 0, 0, b"old", ("pure_move",)),
    ]
    excluded = [change(b"x", PathClass.VENDORED, 1000, 0), change(b"y", PathClass.GENERATED, 5, 0)]
    changes = summarise(
        Counted(
            primary=primary,
            plain=primary[:2],
            excluded=excluded,
            eol={b"a": (4, 1)},
            sizes={b"f": 77, b"a": 1},
            ignored=Ignored(files=3, size=9),
            truncated=True,
        )
    )
    assert changes == Changes(
        files=11,
        added=140,
        removed=113,
        test_files=3,
        other_files=8,
        by_class={
            PathClass.DOCS: Tally(1, 0, 0),
            PathClass.GENERATED: Tally(1, 5, 0),
            PathClass.SOURCE: Tally(6, 117, 112),
            PathClass.TEST: Tally(2, 20, 0),
            PathClass.TEST_CONFIG: Tally(1, 2, 0),
            PathClass.TEST_SUPPORT: Tally(1, 1, 1),
            PathClass.VENDORED: Tally(1, 1000, 0),
        },
        no_renames=Tally(2, 30, 5),
        ignoring_eol=Tally(10, 134, 109),
        renamed_files=1,
        pure_moves=1,
        binary_files=1,
        binary_bytes=77,
        eol_only=Tally(1, 50, 50),
        mode_only_files=1,
        symlink_files=1,
        typechange_files=1,
        nul_files=1,
        bulk_files=1,
        excluded=Tally(2, 1005, 0),
        ignored_files=3,
        ignored_bytes=9,
        truncated=True,
        changed=(*primary, *excluded),
    )


def test_the_list_is_bounded_and_the_numbers_are_not() -> None:
    many = [change(b"%d" % n, PathClass.SOURCE, 1, 0) for n in range(MAX_LISTED + 1)]
    changes = summarise(Counted(primary=many, plain=many))
    assert (changes.files, changes.added) == (MAX_LISTED + 1, MAX_LISTED + 1)
    assert (len(changes.changed), changes.changed_complete) == (MAX_LISTED, False)
