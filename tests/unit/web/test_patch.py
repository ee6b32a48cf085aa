"""Patches for reading: an agent's lines cannot pass for headers, and nothing is lost."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.web.patch import FilePatch, Kind, parse, side

_LINES = st.lists(
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
    | st.sampled_from(["diff --git a/x b/x", "@@ -1 +1 @@", "--- a/x", "+++ b/x", "-- a", "++ b"]),
    max_size=12,
)


def _of(old: list[str], new: list[str]) -> str:
    body = difflib.unified_diff(old, new, "a/f.py", "b/f.py", lineterm="")
    return "\n".join(["diff --git a/f.py b/f.py", *body, ""])


@given(_LINES, _LINES)
def test_whatever_the_lines_say_each_side_comes_out_as_it_was(
    old: list[str], new: list[str]
) -> None:
    patch = parse(_of(old, new))
    assert [f.name for f in patch.files] in (["f.py"], ["a/f.py b/f.py"])
    (file,) = patch.files
    sides: list[tuple[Kind, str, list[str]]] = [("removed", "old", old), ("added", "new", new)]
    for kind, numbered, text in sides:
        shown = {getattr(line, numbered): line.text for line in side(file, kind)}
        assert shown == {n: text[n - 1] for n in shown}
    # A context line is the same in both: all lines that differ are there.
    assert file.count("removed") - file.count("added") == len(old) - len(new)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert parse(f"diff --git a/x b/x\n{text}").files


def _one(*lines: str) -> FilePatch:
    return parse("\n".join(["diff --git a/x b/x", *lines, ""])).files[0]


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (("--- /dev/null", "+++ b/new.py"), "new.py"),
        (("--- a/old.py", "+++ /dev/null"), "old.py"),
        (('--- "a/sp ace"', '+++ "b/sp ace"'), "sp ace"),
        (("--- a/b/b.py", "+++ b/b/b.py"), "b/b.py"),
    ],
)
def test_a_file_is_named_as_it_is_after_or_was_before(lines: tuple[str, ...], name: str) -> None:
    assert _one(*lines).name == name


def test_what_git_says_beside_the_lines_is_kept() -> None:
    file = _one("old mode 100644", "new mode 100755", "Binary files a/x and b/x differ")
    assert file.notes == ["old mode 100644", "new mode 100755", "Binary files a/x and b/x differ"]
    assert file.hunks == []


def test_more_lines_than_the_header_says_end_the_hunk_and_are_shown() -> None:
    file = _one("@@ -0,0 +1 @@", "+one", "+two")
    assert [line.text for line in file.hunks[0].lines] == ["one"]
    assert file.notes == ["+two"]


def test_a_missing_end_of_line_is_a_note_and_counts_as_no_line() -> None:
    file = _one("@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+a")
    assert [line.kind for line in file.hunks[0].lines] == ["removed", "note", "added"]


def test_a_long_patch_is_cut_and_says_so() -> None:
    text = _of([], [str(n) for n in range(50)])
    assert parse(text, max_lines=10).cut
    assert not parse(text, max_lines=100).cut


def test_text_before_any_file_is_shown_and_not_dropped() -> None:
    assert parse("warning: something\n").files[0].notes == ["warning: something"]
