"""Repositories that tasks and task sets come from: the tree of one commit, as hostile as an archive."""

import socket
from pathlib import Path

import pytest

from benchwright.results import repositories
from benchwright.results.repositories import checkout
from benchwright.results.sources import make_bundle
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import build
from tests.builders import a_task
from tests.unit.results.bundles import Bundles
from tests.unit.results.origin import Origin


def taken(origin: Origin, commit: str, folder: Path) -> set[str]:
    into = folder / "into"
    into.mkdir()
    checkout(origin.url, commit, into, "task")
    return {p.relative_to(into).as_posix() for p in into.rglob("*") if not p.is_dir()}


def refused(origin: Origin, commit: str, folder: Path, url: str | None = None) -> TaskError:
    with pytest.raises(TaskError) as caught:
        checkout(url or origin.url, commit, folder, "task")
    return caught.value


def test_a_commit_that_is_no_head_any_more_is_found_and_its_history_is_not_taken(
    origin: Origin, tmp_path: Path
) -> None:
    old = origin.commit({"a": b"old"})
    origin.commit({"a": b"fixed", "b": b"the answer"})
    assert taken(origin, old, tmp_path) == {"a"}
    source = {"git": {"url": origin.url, "commit": old}}
    task = build(a_task("repair", prompt="Mend it.", source=source), {"workspace/more": b"m"})
    out = tmp_path / "out.bundle"
    make_bundle(task, None, out)
    assert Bundles(tmp_path).tree(out) == {"a": b"old", "more": b"m"}


def test_line_ends_are_those_of_the_commit(origin: Origin, tmp_path: Path) -> None:
    files = {".gitattributes": b"* text eol=crlf ident\n", "a": b"1\n$Id$\n", "b": b"1\r\n"}
    taken(origin, origin.commit(files), tmp_path)
    assert {p.name: p.read_bytes() for p in (tmp_path / "into").iterdir()} == files


SUBMODULES = {
    "alone": {"sub": b""},
    "as the first": {"a": b"", "z": b"x"},
    "among others": {"a": b"x", "m": b"", "z": b"x"},
    "as the last": {"a": b"x", "z": b""},
}


@pytest.mark.parametrize("name", SUBMODULES)
def test_a_submodule_is_refused_wherever_it_stands(
    origin: Origin, tmp_path: Path, name: str
) -> None:
    (module,) = (path for path, data in SUBMODULES[name].items() if not data)
    commit = origin.commit(SUBMODULES[name], **{module: "160000"})
    error = refused(origin, commit, tmp_path)
    assert (error.reason, f"submodule at {module}" in error.message) == ("Submodules", True)


BAD_TREES = {
    "git's metadata": {".git/config": b"x"},
    "git's metadata in capitals": {"a/.GIT/config": b"x"},
    "git's metadata as macOS ignores it": {".g\u200cit/config": b"x"},
    "dots": {"a/../../evil": b"x"},
    "too deep": {"d/" * 1500 + "f": b"x"},
    "a name that is too long": {"n" * 300: b"x"},
    "a path that is too long": {"/".join(["n" * 200] * 10): b"x"},
}


@pytest.mark.parametrize("name", BAD_TREES)
def test_a_tree_that_no_file_system_should_hold(origin: Origin, tmp_path: Path, name: str) -> None:
    commit = origin.commit({"good": b"x", **BAD_TREES[name]})
    into = tmp_path / "into"
    into.mkdir()
    assert refused(origin, commit, into).reason in {"SourceUnusable", "GitFetchFailed"}
    assert list(into.iterdir()) == []


@pytest.mark.parametrize("limit", ["MAX_BYTES", "MAX_FILES"])
def test_a_tree_that_is_too_large_is_refused_before_it_is_written(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(repositories, limit, 2)
    commit = origin.commit({"a": b"xx", "b": b"xx", "c": b"xx"})
    into = tmp_path / "into"
    into.mkdir()
    assert "larger than" in refused(origin, commit, into).message
    assert list(into.iterdir()) == []


NOWHERE = {
    "a commit that is not there": ("{url}", "1" * 40),
    "a repository that is not there": ("file:///nonexistent", "1" * 40),
    "a host that is not there": ("http://127.0.0.1:9/x.git", "1" * 40),
    "a command in place of an address": ("ext::sh -c touch% {folder}/owned", "1" * 40),
    "an option in place of an address": ("--upload-pack=touch {folder}/owned", "1" * 40),
    "an option in place of a host": ("ssh://-oProxyCommand=touch%20{folder}/owned/x", "1" * 40),
    "an option in place of a ref": ("{url}", "--upload-pack=touch {folder}/owned"),
    "no ref": ("{url}", "no-such-branch"),
}


@pytest.mark.parametrize("name", NOWHERE)
def test_what_cannot_be_fetched_is_said_in_gits_words(
    origin: Origin, tmp_path: Path, name: str
) -> None:
    origin.commit({"a": b"x"})
    url, ref = (part.format(url=origin.url, folder=tmp_path) for part in NOWHERE[name])
    (tmp_path / "into").mkdir()
    error = refused(origin, ref, tmp_path / "into", url)
    assert error.reason == "GitFetchFailed"
    assert error.message.startswith(f"source.git: commit {ref} of {url} cannot be fetched: ")
    assert "cmdline" not in error.message
    assert not (tmp_path / "owned").exists()


def test_a_server_that_never_answers_does_not_hold_a_thread_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repositories, "FETCH_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.git"
        with pytest.raises(TaskError) as caught:
            checkout(url, "1" * 40, tmp_path, "task")
    assert caught.value.reason == "GitFetchFailed"
