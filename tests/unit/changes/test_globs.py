"""Globs and ignore rules: examples of gitignore(5), and whatever hypothesis finds against git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from benchwright.changes.globs import compile_any, compile_glob
from benchwright.changes.ignore import Ignore


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.py", "a.py", "a.pyc"),
        ("*.py", "d/e/a.py", "a.py/b"),
        ("/*.py", "a.py", "d/a.py"),
        ("d/*.py", "d/a.py", "d/e/a.py"),
        ("d/**/a.py", "d/a.py", "d/xa.py"),
        ("d/**/a.py", "d/e/f/a.py", "e/d/a.py"),
        ("**/a.py", "a.py", "ba.py"),
        ("d/**", "d/e/f", "d"),
        ("d/", "d/e", "d"),
        ("d/", "x/d/e", "xd/e"),
        ("/d/", "d/e", "x/d/e"),
        ("a?c", "abc", "ac"),
        ("x/a?c", "x/abc", "x/a/c"),
        ("[a-c]x", "bx", "dx"),
        ("[!a-c]x", "dx", "bx"),
        ("[]]", "]", "["),
        ("[[:digit:]]", "7", "x"),
        ("\\*", "*", "a"),
        ("a**b", "axxb", "axx"),
        ("x/a**b", "x/aqb", "x/a/b"),
        ("[", "never", "["),
        ("**", "any/thing", "-"),
        ("tests", "tests/a", "tests2"),
        ("x/tests", "x/tests", "y/x/tests"),
        ("*a*b*c", "xaxxbaabxc", "xaxxcb"),
        ("*a*a/*b", "aa/b", "a/ab"),
        ("é*", "éa", "ea"),
    ],
)
def test_globs_of_tasks(glob: str, yes: str, no: str) -> None:
    pattern = compile_any([glob])
    assert pattern.fullmatch(yes.encode()) or yes == "never"
    assert not pattern.fullmatch(no.encode()) or no == "-"


def test_no_globs_match_nothing_and_many_match_any() -> None:
    assert not compile_any([]).fullmatch(b"")
    assert not compile_any([]).fullmatch(b"a")
    assert compile_any(["x", "a|b", "(c"]).fullmatch(b"(c")


def test_a_pattern_of_stars_does_not_take_for_ever() -> None:
    assert not compile_glob(b"*a" * 20 + b"b").fullmatch(b"a" * 1000)


CHARACTERS = st.sampled_from(["a", "b", "*", "**", "/", "?", "[a-b]", "[!a]", "\\", " ", "[", "]"])
RULE = st.lists(CHARACTERS | st.sampled_from([".", "-", "\\*", "!", "#"]), max_size=6).map("".join)
LINE = st.builds(
    "{}{}{}".format, st.sampled_from(["", "", "!", "/"]), RULE, st.sampled_from(["", "/", " "])
)
NAME = st.text("ab*! #[]-", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
PATH = st.lists(NAME, min_size=1, max_size=3).map("/".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("ignore")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    return top


def _git_ignores(top: Path, files: dict[str, str], paths: list[str]) -> set[str]:
    """What git says of paths that are in no index. The .gitignore files are really there."""
    for name, rules in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(rules)
    done = subprocess.run(
        ["git", "-c", "core.ignoreCase=false", "check-ignore", "--no-index", "--stdin", "-z"],
        cwd=top,
        input="\0".join("./" + path for path in paths).encode(),  # `:x` alone is pathspec magic
        env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {path.removeprefix("./") for path in done.stdout.decode().split("\0")} - {""}


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(LINE, max_size=4), st.lists(LINE, max_size=2), st.lists(PATH, min_size=1, max_size=12)
)
@example(["*", "!*/", "!a"], [], ["a", "b", "a/b", "b/a"])
@example(["a/**", "!a/b"], [], ["a/b", "a/a", "a/b/a"])
@example(["a/", "!b"], ["a"], ["a/b", "sub/a", "sub/b", "a"])
@example(["[[:alpha:]-]", "\\!b", "b\\ "], [], ["a", "-", "!b", "b ", "b"])
@example(["[a-\\b]", "[\\]]", "[a\\-b]x"], [], ["a", "b", "]", "-", "ax", "-x"])
@example(
    ["[[:foo:]]", "[[:a]", "[[:]x", "[a", "[a\\", "[a-", "[]", "[!]"], [], ["a", "[", ":x", "]"]
)
@example(["[b-a]", "[--b]", "[a-]", "[a-b-c]", "[[:alpha:]-b]"], [], ["a", "-", "b", "c", ",", "!"])
def test_ignore_rules_agree_with_git(
    repository: Path, rules: list[str], below: list[str], paths: list[str]
) -> None:
    files = {".gitignore": "\n".join(rules), "sub/.gitignore": "\n".join(below)}
    paths = [*paths, *("sub/" + path for path in paths)]
    ours = Ignore.of(
        {name.encode().rpartition(b"/")[0]: text.encode() for name, text in files.items()}
    )
    found = {path for path in paths if ours.covers(path.encode())}
    assert found == _git_ignores(repository, files, paths)


@pytest.mark.parametrize(
    ("content", "path", "ignored"),
    [
        (b"\xef\xbb\xbfa\n", b"a", True),
        (b"a\r\n", b"a", True),
        (b"a   \n", b"a", True),
        (b"a\\ \n", b"a ", True),
        (b"# a\n\\#b\n", b"#b", True),
        (b"a/\n", b"a", False),
        (b"a/\n", b"a/b", True),
        (b"*\n!keep\n", b"keep", False),
        (b"d\n!d/keep\n", b"d/keep", True),
        (b"!\n/\n\n", b"a", False),
    ],
)
def test_lines_of_a_gitignore(content: bytes, path: bytes, ignored: bool) -> None:
    assert Ignore.of({b"": content}).covers(path) is ignored


def test_the_deepest_file_decides() -> None:
    ignore = Ignore.of({b"": b"*.log\n", b"d": b"!*.log\n"})
    assert ignore.covers(b"a.log")
    assert not ignore.covers(b"d/a.log")
    assert ignore.covers(b"e/a.log")
