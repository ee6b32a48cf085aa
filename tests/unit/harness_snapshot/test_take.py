"""What a snapshot sees and how it counts: the rows of research/coverage-compose-git.md §4."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable

import pytest

from benchwright.changes.classify import Overrides
from benchwright.changes.model import Changes, Kind, Manifest, Tally
from benchwright.harness.snapshot.baserepo import BaseError
from benchwright.harness.snapshot.limits import Limits
from tests.unit.harness_snapshot.support import (
    Case,
    File,
    Link,
    Node,
    changed,
    kinds,
    make_base,
    text,
    write_tree,
)

Maker = Callable[[dict[bytes, Node]], Case]
SOURCE = text("def f():", "    return 1")


def numbers(changes: Changes) -> tuple[int, int, int]:
    return changes.files, changes.added, changes.removed


def test_nothing_changed_gives_nothing_and_an_empty_patch(case: Maker) -> None:
    result = case({b"a.py": SOURCE, b"d/b.sh": File(b"#!\n", True), b"l": Link(b"a.py")}).take()
    assert result.manifest.entries == ()
    assert numbers(result.changes) == (0, 0, 0)
    assert result.patch.read_bytes() == b""
    assert result.patch_complete
    assert not result.truncated


def test_untracked_files_count_codex_686_dstack_388(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    c.put(b"tests/test_a.py", text("def test():", "    assert 1"))
    result = c.take()
    assert kinds(result) == {b"tests/test_a.py": "added"}
    assert numbers(result.changes) == (1, 2, 0)
    assert (result.changes.test_files, result.changes.other_files) == (1, 0)


def test_what_the_agent_committed_or_reset_makes_no_difference_verifiers_1220(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    c.put(b"a.py", text("x"))
    env = {**os.environ, "HOME": str(c.top), "GIT_CONFIG_NOSYSTEM": "1"}
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm x"):
        subprocess.run(["git", *command.split()], cwd=c.workspace, env=env, check=True)
    result = c.take()
    assert numbers(result.changes) == (1, 1, 2)
    assert result.manifest.nested_git_dirs == 0


def test_ignored_by_the_base_is_listed_but_tests_still_count(case: Maker) -> None:
    c = case({b".gitignore": File(b"build-out/\n*.log\n/tests/local/\n"), b"a.py": SOURCE})
    c.put(b"build-out/x.bin", File(b"12345"))
    c.put(b"debug.log", File(b"123"))
    c.put(b"tests/local/test_hidden.py", text("def test(): pass"))
    c.put(b"tests/local/data.json", text("{}"))
    result = c.take()
    assert kinds(result) == {b"tests/local/test_hidden.py": "added"}
    assert result.manifest.entries[0].flags == ("base_ignored",)
    ignored = result.manifest.ignored
    assert (ignored.files, ignored.size, ignored.test_files) == (3, 11, 1)
    assert ignored.sample == (b"debug.log", b"tests/local/data.json", b"build-out/x.bin")
    assert (result.changes.ignored_files, result.changes.ignored_bytes) == (3, 11)
    assert numbers(result.changes) == (1, 1, 0)


def test_tests_that_a_build_copied_are_nobodys_work(case: Maker) -> None:
    """tsc and setuptools copy whole suites to directories that the base ignores."""
    c = case({b".gitignore": File(b"/build/\ndist\nenv\n"), b"tests/test_a.py": SOURCE})
    c.put(b"build/lib/pkg/tests/test_a.py", SOURCE)
    c.put(b"dist/a.test.js", SOURCE)
    c.put(b"env/lib/python3.11/test/test_os.py", SOURCE)
    result = c.take()
    assert result.manifest.entries == ()
    assert (result.manifest.ignored.files, result.manifest.ignored.test_files) == (3, 0)


def test_the_agents_own_ignore_rules_hide_nothing(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    c.put(b".gitignore", File(b"*\n"))
    c.put(b".git/info/exclude", File(b"*\n"))
    c.put(b"test_new.py", text("def test(): pass"))
    assert kinds(c.take()) == {b".gitignore": "added", b"test_new.py": "added"}


def test_base_files_in_ignored_directories_are_compared(case: Maker) -> None:
    c = case({b".gitignore": File(b"gen/\n"), b"gen/kept.py": SOURCE})
    c.put(b"gen/kept.py", text("x"))
    c.put(b"gen/new.py", text("x"))
    result = c.take()
    assert kinds(result) == {b"gen/kept.py": "modified"}
    assert result.manifest.ignored.files == 1


def test_attributes_of_the_tree_hide_no_lines_libgit2_3676(case: Maker) -> None:
    c = case({b".gitattributes": File(b"* -diff binary\n"), b"a.py": SOURCE})
    c.put(b"a.py", text("x", "y", "z"))
    c.put(b"sub/.gitattributes", File(b"* -diff\n"))
    c.put(b"sub/b.py", text("x"))
    result = c.take()
    assert changed(result)[b"a.py"].added == 3
    assert changed(result)[b"sub/b.py"].added == 1


def test_nested_repositories_count_as_files_without_their_git(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    c.put(b"lib/.git/config", File(b"[core]\n"))
    c.put(b"lib/x.py", text("x"))
    c.put(b"empty/.git/HEAD", File(b"x"))
    c.put(b"sub/.git", File(b"gitdir: ../elsewhere\n"))
    c.put(b".GIT/config", File(b"x"))
    c.put(b"d/git~1/config", File(b"x"))
    result = c.take()
    assert kinds(result) == {b"lib/x.py": "added"}
    assert result.manifest.nested_git_dirs == 5
    assert result.manifest.nested_git == (
        b".GIT", b"d/git~1", b"empty/.git", b"lib/.git", b"sub/.git"
    )  # fmt: skip
    assert not result.truncated


@pytest.mark.parametrize(
    ("name", "nul"), [(b"mod.py", b"\0"), (b"notes", b"\0"), (b"data.txt", b"\0\0x")]
)
def test_a_nul_does_not_hide_the_lines_of_a_text(case: Maker, name: bytes, nul: bytes) -> None:
    c = case({name: text(*"abcdef")})
    c.put(name, File(b"a\nb\nNEW" + nul + b"\nd\ne\nf\nmore\n"))
    result = c.take()
    change = changed(result)[name]
    assert (change.added, change.removed, change.flags) == (2, 1, ("nul",))
    assert (result.changes.nul_files, result.changes.binary_files) == (1, 0)


def test_a_new_program_text_with_a_nul_is_counted_and_flagged(case: Maker) -> None:
    c = case({b"a": SOURCE})
    c.put(b"spec/x_spec.rb", File(b"# \0\nit\n"))
    assert changed(c.take())[b"spec/x_spec.rb"].added == 2


def test_binary_files_count_apart(case: Maker) -> None:
    c = case({b"logo.png": File(b"\x89PNG\0\n\n\n"), b"old.bin": File(b"\0\n")})
    c.put(b"logo.png", File(b"\x89PNG\0\n\n\n\n\n"))
    c.put(b"new.bin", File(b"\0" * 100))
    c.delete(b"old.bin")
    result = c.take()
    assert numbers(result.changes) == (3, 0, 0)
    assert (result.changes.binary_files, result.changes.binary_bytes) == (3, 110)


def test_the_patch_carries_binary_files_SWE_bench_Pro_os_74(case: Maker) -> None:
    c = case({b"logo.png": File(b"\0old"), b"a.py": SOURCE})
    c.put(b"logo.png", File(b"\0new\n"))
    c.put(b"a.py", File(b"no newline at the end"))
    c.put(b"b.py", text("new"))
    result = c.take()
    assert b"GIT binary patch" in result.patch.read_bytes()
    fresh = write_tree(c.top / "fresh", c.base)
    subprocess.run(["git", "apply", str(result.patch)], cwd=fresh, check=True)
    assert (fresh / "logo.png").read_bytes() == b"\0new\n"
    assert (fresh / "a.py").read_bytes() == b"no newline at the end"


def test_pure_moves_have_no_lines_but_both_numbers_are_there(case: Maker) -> None:
    body = text(*(f"line {n}" for n in range(100)))
    c = case({b"old.py": body})
    c.delete(b"old.py")
    c.put(b"new/name.py", body)
    result = c.take()
    assert numbers(result.changes) == (1, 0, 0)
    assert (result.changes.pure_moves, result.changes.renamed_files) == (1, 1)
    assert result.changes.no_renames == Tally(2, 100, 100)
    assert changed(result)[b"new/name.py"].old_path == b"old.py"
    assert kinds(result) == {b"new/name.py": "added", b"old.py": "deleted"}


def test_a_rename_with_edits_counts_the_edits(case: Maker) -> None:
    lines = [f"line {n}" for n in range(10)]
    c = case({b"old.py": text(*lines)})
    c.delete(b"old.py")
    c.put(b"new.py", text(*lines[:8], "x", "y", "z"))
    result = c.take()
    assert numbers(result.changes) == (1, 3, 2)
    assert (result.changes.pure_moves, result.changes.renamed_files) == (0, 1)


@pytest.mark.parametrize(("before", "after"), [(False, True), (True, False)])
def test_a_mode_change_is_a_file_without_lines_hunk_738(
    case: Maker, before: bool, after: bool
) -> None:
    c = case({b"run.sh": File(b"#!/bin/sh\n", before)})
    c.put(b"run.sh", File(b"#!/bin/sh\n", after))
    result = c.take()
    assert numbers(result.changes) == (1, 0, 0)
    assert result.changes.mode_only_files == 1
    assert changed(result)[b"run.sh"].flags == ("mode_only",)
    assert result.manifest.entries[0].mode == (0o100755 if after else 0o100644)


def test_symlinks_compare_by_target_and_have_no_lines_opencode_swarm_1116(case: Maker) -> None:
    c = case({b"a.py": SOURCE, b"same": Link(b"a.py"), b"other": Link(b"a.py")})
    c.put(b"other", Link(b"/etc/passwd"))
    c.put(b"up", Link(b"../../outside"))
    c.put(b"loop", Link(b"loop"))
    result = c.take()
    assert kinds(result) == {b"loop": "added", b"other": "modified", b"up": "added"}
    flags = {entry.path: entry.flags for entry in result.manifest.entries}
    assert flags == {b"loop": (), b"other": ("symlink_absolute",), b"up": ("symlink_escapes",)}
    assert numbers(result.changes) == (3, 0, 0)
    assert result.changes.symlink_files == 3
    assert result.changes.ignoring_eol == Tally(3, 0, 0)


def test_a_file_that_became_a_symlink_loses_its_lines_and_back(case: Maker) -> None:
    c = case({b"a.py": SOURCE, b"link": Link(b"a.py")})
    c.put(b"a.py", Link(b"/dev/zero"))
    c.put(b"link", text("one", "two", "three"))
    result = c.take()
    assert set(kinds(result).values()) == {"typechange"}
    assert numbers(result.changes) == (2, 3, 2)
    assert result.changes.typechange_files == 2


def test_directories_behind_symlinks_are_not_entered(case: Maker) -> None:
    c = case({b"d/a.py": SOURCE, b"d/b.py": SOURCE})
    elsewhere = write_tree(c.top / "elsewhere", {b"a.py": text("secret"), b"b.py": SOURCE})
    c.delete(b"d/a.py")
    c.delete(b"d/b.py")
    c.place(b"d").rmdir()
    c.put(b"d", Link(os.fsencode(elsewhere)))
    result = c.take()
    assert kinds(result) == {b"d": "added", b"d/a.py": "deleted", b"d/b.py": "deleted"}
    assert b"secret" not in result.overlay.read_bytes() + result.patch.read_bytes()


def test_fifos_sockets_and_devices_are_noted_and_never_opened(case: Maker) -> None:
    c = case({b"a.py": SOURCE, b"b.py": SOURCE})
    c.delete(b"a.py")
    os.mkfifo(c.place(b"a.py"))
    os.mkfifo(c.place(b"pipe"))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(c.place(b"s")))
    result = c.take()
    assert [(s.path, s.reason) for s in result.manifest.special] == [
        (b"a.py", "fifo"),
        (b"pipe", "fifo"),
        (b"s", "socket"),
    ]
    assert kinds(result) == {b"a.py": "deleted"}
    assert not result.truncated


def test_line_endings_alone_are_a_class_of_their_own_openchamber_3427(case: Maker) -> None:
    c = case({b"a.txt": text("1", "2"), b"b.txt": text("1", "2"), b"c.txt": text("1", "2")})
    c.put(b"a.txt", File(b"1\r\n2\r\n"))
    c.put(b"b.txt", File(b"\xef\xbb\xbf1\n2\n"))
    c.put(b"c.txt", File(b"1\r\n2\r\n3\r\n"))
    result = c.take()
    flags = {path: change.flags for path, change in changed(result).items()}
    assert flags == {b"a.txt": ("eol_only",), b"b.txt": ("eol_only",), b"c.txt": ()}
    assert numbers(result.changes) == (3, 3, 2)
    assert result.changes.eol_only == Tally(2, 3, 3)
    assert result.changes.ignoring_eol == Tally(1, 1, 0)


def test_names_are_bytes_from_end_to_end(case: Maker) -> None:
    names = [b"\351.py", b"new\nline.py", b'quo"te\\.py', b"tab\t.py", b"a" * 255, b"-f", b":x"]
    names += [b"X.py", b"x.py", b"con", "e\u0301.py".encode(), b" lead", b"trail ", b"\x01"]
    c = case({name: text("1") for name in names})
    for name in names:
        c.put(name, text("1", "2"))
        c.put(b"d\377/" + name, text("1"))
    result = c.take()
    assert numbers(result.changes) == (2 * len(names), 2 * len(names), 0)
    assert Manifest.from_json(result.manifest_file.read_bytes()) == result.manifest
    assert Changes.from_json(result.changes_file.read_bytes()) == result.changes
    assert c.applied(result)[b"d\377/\351.py"] == text("1")


def test_lock_vendored_and_generated_files_are_listed_not_counted_benchmarks_357(
    case: Maker,
) -> None:
    c = case({b"package.json": text("{}")})
    c.put(b"package-lock.json", text(*map(str, range(1000))))
    c.put(b"node_modules/m/index.js", text("x"))
    c.put(b"pkg/__pycache__/m.pyc", File(b"\0"))
    c.put(b"src/m.js", text("x"))
    result = c.take()
    assert numbers(result.changes) == (1, 1, 0)
    assert result.changes.excluded == Tally(3, 1001, 0)
    assert {k: v.files for k, v in result.changes.by_class.items()} == {
        "generated": 2,
        "source": 1,
        "vendored": 1,
    }
    assert len(result.manifest.entries) == 4
    assert b"package-lock.json" in result.patch.read_bytes()


def test_a_vendored_directory_that_became_a_source_file_is_excluded_all_the_same(
    case: Maker,
) -> None:
    c = case({b"node_modules/a.js": text(*"abc")})
    c.delete(b"node_modules/a.js")
    c.place(b"node_modules").rmdir()
    c.put(b"node_modules", text("1"))
    result = c.take()
    assert numbers(result.changes) == (1, 1, 0)
    assert result.changes.excluded == Tally(1, 0, 3)


def test_lfs_pointers_are_files_like_any_other(case: Maker) -> None:
    pointer = File(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    c = case({b".gitattributes": File(b"*.bin filter=lfs -text\n"), b"x.bin": pointer})
    assert numbers(c.take().changes) == (0, 0, 0)
    c.put(b"x.bin", File(b"resolved"))
    assert kinds(c.take()) == {b"x.bin": "modified"}


def test_rust_tests_inside_a_source_file_are_tests(case: Maker) -> None:
    inline = ["#[cfg(test)]", "mod tests {", "}"]
    c = case({b"src/a.rs": text("fn f() {}"), b"src/b.rs": text("fn f() {}"), b"c.rs": text("")})
    c.put(b"src/a.rs", text("fn f() {}", *inline))
    c.put(b"src/b.rs", text("fn g() {}", *inline))
    c.put(b"new.rs", text("fn g() {}", *inline))
    result = c.take()
    assert {entry.path: (str(entry.cls), entry.flags) for entry in result.manifest.entries} == {
        b"new.rs": ("source", ()),
        b"src/a.rs": ("test", ("inline_tests",)),
        b"src/b.rs": ("source", ()),
    }
    assert result.changes.test_files == 1
    sources = c.take(overrides=Overrides(sources=("*.rs",)))
    assert {str(entry.cls) for entry in sources.manifest.entries} == {"source"}


def test_a_tasks_own_globs_decide_what_is_a_test(case: Maker) -> None:
    c = case({b".gitignore": File(b"checks/\n")})
    c.put(b"checks/a.py", text("1"))
    c.put(b"test_b.py", text("1"))
    result = c.take(overrides=Overrides(tests=("checks/",), sources=("test_b.py",)))
    assert {entry.path: str(entry.cls) for entry in result.manifest.entries} == {
        b"checks/a.py": "test",
        b"test_b.py": "source",
    }


def test_eol_and_ident_attributes_convert_nothing(case: Maker) -> None:
    c = case({b".gitattributes": File(b"* text eol=crlf ident\n"), b"a": text("1", "$Id$")})
    assert numbers(c.take().changes) == (0, 0, 0)


def test_a_file_became_a_directory_and_a_directory_a_file(case: Maker) -> None:
    c = case({b"f": text("1"), b"d/x": text("2"), b"d/y/z": text("3")})
    c.delete(b"f")
    c.put(b"f/inner", text("4"))
    for path in (b"d/x", b"d/y/z"):
        c.delete(path)
    c.place(b"d/y").rmdir()
    c.place(b"d").rmdir()
    c.put(b"d", text("5"))
    result = c.take()
    assert kinds(result) == {
        b"d": "added",
        b"d/x": "deleted",
        b"d/y/z": "deleted",
        b"f": "deleted",
        b"f/inner": "added",
    }
    assert c.applied(result) == {b"f/inner": text("4"), b"d": text("5")}


def test_setuid_bits_are_flagged_and_do_not_cross(case: Maker) -> None:
    c = case({b"a": text("1")})
    c.put(b"evil", File(b"x", True))
    c.place(b"evil").chmod(0o6755)
    result = c.take()
    assert result.manifest.entries[0].flags == ("setuid",)
    assert result.manifest.entries[0].mode == 0o100755


def test_equal_size_and_time_do_not_hide_a_change(case: Maker) -> None:
    c = case({b"a.py": File(b"abc\n")})
    before = c.place(b"a.py").stat()
    with c.place(b"a.py").open("r+b") as file:
        file.write(b"abd\n")
    os.utime(c.place(b"a.py"), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert numbers(c.take().changes) == (1, 1, 1)


def test_submodules_of_the_base_are_refused_aimee_1080(case: Maker) -> None:
    c = case({b"a": text("1")})
    stream = b"commit refs/benchwright/base\ncommitter a <a@b> 0 +0000\ndata 0\n"
    stream += b"M 160000 " + b"1" * 40 + b" sub\n\ndone\n"
    env = {**os.environ, "GIT_DIR": str(c.repo)}
    subprocess.run(["git", "fast-import", "--quiet", "--force"], input=stream, env=env, check=True)
    with pytest.raises(BaseError, match="submodule at sub"):
        c.take()


@pytest.mark.parametrize("how", ["missing", "no directory", "a symlink"])
def test_a_removed_workspace_is_everything_deleted_and_said_so(case: Maker, how: str) -> None:
    c = case({b"a.py": SOURCE})
    c.workspace.rename(c.top / "moved")
    if how == "no directory":
        c.workspace.write_bytes(b"")
    if how == "a symlink":
        c.workspace.symlink_to(c.top / "moved")
    result = c.take()
    assert kinds(result) == {b"a.py": "deleted"}
    said = "missing" if how == "missing" else "no directory"
    assert result.manifest.notes == (f"workspace: {said}",)


def test_a_missing_volume_is_the_harness_own_mistake(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    (c.top / "volume").rename(c.top / "gone")
    with pytest.raises(FileNotFoundError):
        c.take()


def test_outputs_are_the_same_bytes_each_time(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    for n in range(5):
        c.put(b"tests/test_%d.py" % n, text("x" * n))
    first = c.take()
    files = (first.overlay, first.manifest_file, first.patch, first.changes_file)
    before = [file.read_bytes() for file in files]
    c.take()
    assert [file.read_bytes() for file in files] == before


def test_kinds_of_the_manifest_are_those_of_the_base(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    c.put(b"a.py", text("1"))
    entry = c.take(Limits()).manifest.entries[0]
    assert (entry.kind, entry.base_mode, entry.size) == (Kind.MODIFIED, 0o100644, 2)


def test_two_takes_of_one_repository_do_not_see_each_other(case: Maker) -> None:
    c = case({b"a.py": SOURCE})
    c.put(b"b.py", text("1"))
    c.take()
    c.delete(b"b.py")
    assert numbers(c.take().changes) == (0, 0, 0)


def test_make_base_is_like_create(case: Maker) -> None:
    """The tests' own bases hold nothing that a bundle's would not."""
    c = case({b"a.py": SOURCE})
    make_base(c.top / "again.git", c.base)
    assert numbers(c.take().changes) == (0, 0, 0)
