"""A source becomes one commit: the same for the same tree, with every byte, and nothing else."""

import os
from pathlib import Path

import pytest

from benchwright.harness.snapshot import baserepo
from benchwright.tasks.errors import TaskError
from tests.unit.results.archives import Member, file, folder, link
from tests.unit.results.bundles import TREE, Bundles, a_source, git


def test_the_same_tree_is_the_same_bundle_whatever_the_order_and_the_machine(
    bundles: Bundles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bundles.make(a_source(), *TREE)
    config = tmp_path / "gitconfig"
    config.write_text(
        "[user]\nname = somebody\nemail = a@b\n[core]\nautocrlf = true\nattributesFile = /x\n"
        "[commit]\ngpgSign = true\n[i18n]\ncommitEncoding = latin1\n[init]\ntemplateDir = /x\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "somebody else")
    second = bundles.make(a_source(), *TREE[:1], *reversed(TREE[1:]))
    assert first.read_bytes() == second.read_bytes()


def test_one_changed_byte_or_mode_is_another_commit(bundles: Bundles) -> None:
    def commit(*members: Member) -> str:
        bundle = bundles.make(a_source(), *members)
        return baserepo.create(bundle, bundle.with_suffix(".git"))

    commits = {commit(file("a", b"1")), commit(file("a", b"2")), commit(file("a", b"1", 0o755))}
    assert len(commits) == 3


def test_there_is_one_commit_and_nothing_else_to_find(bundles: Bundles) -> None:
    """SWE-bench#465, multi-swe-bench#70, SWE-bench_Pro-os#7: the answer was in the history."""
    hidden = (
        file(".git/HEAD", b"ref: refs/heads/main\n"),
        file(".git/refs/tags/v2", b"1" * 40),
        file(".git/logs/HEAD", b"the future"),
        file(".git/packed-refs", b"1" * 40 + b" refs/remotes/origin/fix\n"),
        file(".git/config", b'[remote "origin"]\nurl = https://example.org\n'),
    )
    bundle = bundles.make(a_source(), *hidden, *TREE)
    heads = [
        line.split()[1]
        for line in git(bundle.parent, "bundle", "list-heads", bundle.name).splitlines()
    ]
    assert sorted(heads) == ["HEAD", "refs/heads/main"]
    clone = bundles.clone(bundle)
    assert git(clone, "rev-list", "--all", "--count") == "1\n"
    assert git(clone, "tag") == git(clone, "stash", "list") == ""
    objects = git(clone, "cat-file", "--batch-all-objects", "--batch-check").splitlines()
    reachable = git(clone, "rev-list", "--all", "--objects").splitlines()
    assert {o.split()[0] for o in objects} == {o.split()[0] for o in reachable}
    said = git(clone, "log", "--format=%an %ae %at %cn %ct %P.").strip()
    assert said == "Benchwright benchwright@localhost 946684800 Benchwright 946684800 ."


BYTES = {
    "line ends of every kind": (file("a.txt", b"1\r\n2\n3\r4"),),
    "attributes that would convert line ends": (
        file(".gitattributes", b"* text=auto eol=crlf\n"), file("a.txt", b"1\r\n2\n"),
        file("b.txt", b"1\r\n2\r\n"),
    ),
    "attributes that would fill in the commit": (
        file(".gitattributes", b"* ident export-subst\n"), file("a", b"$Id: old $ $Format:%H$\n"),
    ),
    "attributes that ask for another encoding": (
        file(".gitattributes", b"*.txt working-tree-encoding=UTF-16\n"), file("a.txt", b"plain\n"),
    ),
    "attributes that ask for a filter": (
        file(".gitattributes", b"* filter=lfs diff=lfs merge=lfs -text\n"),
        file("a.bin", b"version https://git-lfs.github.com/spec/v1\n"),
    ),
    "attributes in git's own folder": (
        file(".git/info/attributes", b"* text eol=crlf\n"), file("a", b"1\r\n"),
    ),
    "ignored files": (file(".gitignore", b"*\n"), file("build/out.o", b"o"), file(".env", b"e")),
    "names that are not UTF-8": (file("caf\udce9", b"x"),),
    "names of every kind": (file(" a\n\"'\\", b"x"), file("-rf", b"x"), file(":(top)", b"x")),
    "names that differ in case": (file("A", b"1"), file("a", b"2"), file("B/x", b"3"), file("b/x", b"4")),
    "names that differ in how é is written": (file("e\u0301", b"1"), file("\u00e9", b"2")),
    "links to nothing and in a circle": (link("a", "missing"), link("b", "b"), file("c")),
    "an empty file": (file("a", b""),),
    "a file without an end of line": (file("a", b"x"),),
    "modules that are no modules": (file(".gitmodules", b'[submodule "x"]\npath = x\nurl = y\n'),),
    "a repository within": (file("sub/.git/HEAD", b"ref: x\n"), file("sub/a", b"x")),
    "a submodule's pointer": (file("sub/.git", b"gitdir: ../.git/modules/sub\n"), file("sub/a", b"x")),
    "many files": tuple(file(f"d{n % 7}/f{n}", str(n).encode()) for n in range(500)),
}  # fmt: skip


@pytest.mark.parametrize("name", BYTES)
def test_the_evaluator_gets_every_byte_of_the_archive(bundles: Bundles, name: str) -> None:
    wanted = {
        m.name: os.fsencode(m.link) or m.data for m in BYTES[name] if "/.git/" not in f"/{m.name}/"
    }
    assert bundles.tree(bundles.make(a_source(), *BYTES[name])) == wanted


def test_what_the_source_says_of_git_is_not_run(bundles: Bundles, tmp_path: Path) -> None:
    """A link called .git made git read its configuration, and run what that names, in the service."""
    ran = tmp_path / "ran"
    evil = f"touch {ran}"
    script = f"#!/bin/sh\n{evil}\n".encode()
    hooks = (
        "post-commit",
        "pre-commit",
        "prepare-commit-msg",
        "post-index-change",
        "reference-transaction",
    )
    config = f'[core]\nfsmonitor = {evil}\nhooksPath = hooks\n[filter "x"]\nclean = {evil}\n'
    repository = (
        file("x/HEAD", b"ref: refs/heads/main\n"), file("x/config", config.encode()),
        folder("x/objects"), folder("x/refs"),
        *(file(f"{place}/{hook}", script, 0o755) for hook in hooks for place in ("x/hooks", "hooks")),
    )  # fmt: skip
    attributes = file(".gitattributes", b"* filter=x\n")
    for trick in (link(".git", "x"), file(".git", b"gitdir: x\n"), file("a")):
        bundles.make(a_source(), *repository, attributes, trick)
    assert not ran.exists()


def test_nothing_of_the_making_is_left(
    bundles: Bundles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    bundles.make(a_source(), *TREE)
    with pytest.raises(TaskError):
        bundles.make(a_source(), file("../evil"))
    assert list(scratch.iterdir()) == []
