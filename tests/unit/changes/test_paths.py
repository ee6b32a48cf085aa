"""Names of hostile trees: what is git's, what is safe, and text forms that round trip."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright.changes import paths


@given(st.binary(max_size=40))
@example(b"bytes:x")
@example(b"100%")
@example(b"\xff\0")
def test_encoding_round_trips_and_is_valid_utf_8(path: bytes) -> None:
    text = paths.encode(path)
    assert paths.decode(text) == path
    assert paths.decode(json.loads(json.dumps(text))) == path
    text.encode("utf-8")
    assert "\0" not in text


@pytest.mark.parametrize(
    "text", ["bytes:a", "bytes:%ZZ", "bytes:%f", "bytes:é", "\ud800", "bytes:"]
)
def test_decoding_takes_the_canonical_form_alone(text: str) -> None:
    with pytest.raises(ValueError):
        paths.decode(text)


@given(st.binary(max_size=40))
def test_what_is_shown_is_one_printable_line(path: bytes) -> None:
    assert paths.show(path).isprintable() or paths.show(path) == ""


@pytest.mark.parametrize(
    "name",
    [
        b".git",
        b".GIT",
        b".giT",
        b"git~1",
        b"GIT~1",
        b".git ",
        b".git...",
        b".git . .",
        b".git:x",
        b".git\\hooks",
        ".g\u200cit".encode(),
        "\ufeff.git".encode(),
        ".gi\u206at".encode(),
    ],
)
def test_git_under_any_name(name: bytes) -> None:
    assert paths.is_git_name(name)
    assert paths.has_git_name(b"a/" + name + b"/config")
    assert paths.problem(b"a/" + name) == "path names git metadata"


@pytest.mark.parametrize(
    "name",
    [b".gitignore", b".github", b"git", b"a.git", b"..git", b"git~2", b".gi", b"\xff.git", b"x"],
)
def test_names_that_only_look_like_git(name: bytes) -> None:
    assert not paths.is_git_name(name)
    assert paths.problem(name) is None


@pytest.mark.parametrize(
    "path",
    [
        *(b"", b"/", b"/a", b"a/", b"a//b", b".", b"..", b"./a", b"a/.", b"a/..", b"../a"),
        *(b"a/../b", b"a\0b", b"n" * 256, b"a/" * 2100 + b"a"),
    ],
)
def test_paths_that_may_not_be_written(path: bytes) -> None:
    assert paths.problem(path) is not None


@pytest.mark.parametrize("path", [b"a", b"...", b"a/..b", b".a/b.", b"a\nb", b"n" * 255, b"\xff"])
def test_paths_that_may(path: bytes) -> None:
    assert paths.problem(path) is None


@pytest.mark.parametrize(
    ("path", "target", "problem"),
    [
        (b"l", b"a", None),
        (b"d/l", b"../a", None),
        (b"d/l", b"x/../../a", None),
        (b"l", b"", None),
        (b"l", b"..", "symlink_escapes"),
        (b"d/l", b"../..", "symlink_escapes"),
        (b"d/l", b"../../d/x", "symlink_escapes"),
        (b"l", b"/a", "symlink_absolute"),
    ],
)
def test_links_that_leave_the_tree(path: bytes, target: bytes, problem: str | None) -> None:
    assert paths.link_problem(path, target) == problem


def test_parents_are_outermost_first() -> None:
    assert paths.parents(b"a/b/c") == [b"a", b"a/b"]
    assert paths.parents(b"a") == []
