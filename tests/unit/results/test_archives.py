"""Source archives as people make them: every format, one top folder or none, what is kept of each."""

import tarfile

import pytest

from tests.unit.results.archives import (
    SQUEEZE,
    Member,
    Sandbox,
    file,
    folder,
    hard,
    link,
    tar,
    zipped,
)

RELEASE = (folder("pkg-1.0"), file("pkg-1.0/a.py", b"a"), file("pkg-1.0/sub/b", b"b"))
OUT = {"a.py": b"a", "sub/b": b"b"}


@pytest.mark.parametrize("squeeze", SQUEEZE)
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_a_release_comes_out_without_its_top_folder(
    sandbox: Sandbox, squeeze: str, form: int
) -> None:
    assert sandbox.unpack(tar(*RELEASE, squeeze=squeeze, form=form), strip=1) == OUT


def test_a_zip_archive_comes_out_alike(sandbox: Sandbox) -> None:
    data = zipped(*RELEASE[1:], link("pkg-1.0/l", "sub/b"), file("pkg-1.0/run", mode=0o755))
    assert sandbox.unpack(data, strip=1) == {**OUT, "l": "→ sub/b", "run": b"x"}
    assert (sandbox.into / "run").stat().st_mode & 0o777 == 0o755


def test_without_stripping_the_top_folder_stays(sandbox: Sandbox) -> None:
    assert sandbox.unpack(tar(*RELEASE), strip=0) == {f"pkg-1.0/{n}": d for n, d in OUT.items()}


def test_names_that_begin_with_a_dot_and_a_slash_are_the_same_names(sandbox: Sandbox) -> None:
    dotted = (folder("./"), folder("./pkg-1.0"), file("./pkg-1.0/./a.py", b"a"))
    assert sandbox.unpack(tar(*dotted), strip=1) == {"a.py": b"a"}


NO_TOP = {
    "files beside the folder": (file("README"), file("src/a.py")),
    "the folder before the files": (file("src/a.py"), file("README")),
    "two folders": (file("src/a.py"), file("docs/index")),
    "files alone": (file("a"), file("b")),
    "a link beside the folder": (file("src/a.py"), link("l", "src")),
}


@pytest.mark.parametrize("name", NO_TOP)
def test_stripping_what_has_no_one_top_folder_is_a_mistake_and_loses_nothing_silently(
    sandbox: Sandbox, name: str
) -> None:
    assert "stripComponents: 0" in sandbox.refuse(tar(*NO_TOP[name]), strip=1)


@pytest.mark.parametrize("name", NO_TOP)
def test_the_same_archive_is_fine_without_stripping(sandbox: Sandbox, name: str) -> None:
    assert len(sandbox.unpack(tar(*NO_TOP[name]), strip=0)) == 2


def test_what_macos_leaves_beside_the_top_folder_does_no_harm(sandbox: Sandbox) -> None:
    assert sandbox.unpack(tar(file("./._pkg-1.0"), *RELEASE), strip=1) == OUT


NOTHING = {
    "no member": tar(),
    "folders alone": tar(folder("pkg"), folder("pkg/sub")),
    "one file that is stripped away": tar(file("a")),
    "a zip archive of nothing": zipped(),
}


@pytest.mark.parametrize("name", ["no member", "one file that is stripped away"])
def test_an_archive_that_holds_nothing_is_no_source(sandbox: Sandbox, name: str) -> None:
    assert "empty after stripComponents: 1" in sandbox.refuse(NOTHING[name], strip=1)


def test_a_zip_archive_of_nothing_is_no_source(sandbox: Sandbox) -> None:
    assert "empty" in sandbox.refuse(zipped(), strip=0)


def test_only_the_executable_bit_is_kept_of_a_mode(sandbox: Sandbox) -> None:
    members = (file("setuid", mode=0o6755), file("closed", mode=0o000), file("open", mode=0o1777))
    sandbox.unpack(tar(*members))
    modes = {p.name: p.stat().st_mode & 0o7777 for p in sandbox.into.iterdir()}
    assert modes == {"setuid": 0o755, "closed": 0o644, "open": 0o755}


def test_a_folder_that_nobody_may_enter_is_filled_all_the_same(sandbox: Sandbox) -> None:
    closed = Member("d", kind=tarfile.DIRTYPE, mode=0o000)
    assert sandbox.unpack(tar(closed, file("d/a"))) == {"d/a": b"x"}


def test_a_hard_link_is_a_copy_with_its_own_life(sandbox: Sandbox) -> None:
    data = tar(file("p/a", b"one", 0o755), hard("p/b", "p/a"), file("p/a", b"two"))
    assert sandbox.unpack(data, strip=1) == {"a": b"two", "b": b"one"}
    assert (sandbox.into / "b").stat().st_mode & 0o111


def test_a_hard_link_to_a_link_is_that_link(sandbox: Sandbox) -> None:
    data = tar(file("a"), link("l", "a"), hard("m", "l"))
    assert sandbox.unpack(data) == {"a": b"x", "l": "→ a", "m": "→ a"}


@pytest.mark.parametrize("target", ["b", "./b", "sub/../b", "..data", "sub//c", "missing", "."])
def test_a_link_within_the_tree_stays_as_it_was_written(sandbox: Sandbox, target: str) -> None:
    data = tar(folder("sub"), file("b"), link("l", target))
    sandbox.unpack(data)
    assert (sandbox.into / "l").is_symlink()


DUPLICATES = {
    "a file twice: the later": ((file("a", b"1"), file("a", b"2")), {"a": b"2"}),
    "a folder twice": ((folder("d"), file("d/a"), folder("d")), {"d/a": b"x"}),
    "a file in place of a link": ((file("a"), link("l", "a"), file("l", b"2")), {"a": b"x", "l": b"2"}),
    "a link in place of a file": ((file("a"), file("l"), link("l", "a")), {"a": b"x", "l": "→ a"}),
    "names that differ in case": ((file("A"), file("a")), {"A": b"x", "a": b"x"}),
    "names that differ in how é is written": (
        (file("e\u0301"), file("\u00e9")), {"e\u0301": b"x", "\u00e9": b"x"},
    ),
    "a right-to-left name": ((file("\u202eyp.a"),), {"\u202eyp.a": b"x"}),
    "a backslash is a letter": ((file("a\\..\\b"),), {"a\\..\\b": b"x"}),
    "spaces, quotes, newlines": ((file(" '\"\n"),), {" '\"\n": b"x"}),
}  # fmt: skip


@pytest.mark.parametrize("name", DUPLICATES)
def test_odd_names_and_names_that_come_twice(sandbox: Sandbox, name: str) -> None:
    members, out = DUPLICATES[name]
    assert sandbox.unpack(tar(*members)) == out


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_names_that_are_not_utf8_keep_their_bytes(sandbox: Sandbox, form: int) -> None:
    sandbox.unpack(tar(file("caf\udce9/b\udcff"), form=form))
    assert (sandbox.into / "caf\udce9" / "b\udcff").read_bytes() == b"x"


def test_sparse_members_are_written_out(sandbox: Sandbox) -> None:
    sparse = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    sparse |= {"GNU.sparse.name": "holes", "GNU.sparse.realsize": "2000"}
    stored = b"1\n1000\n4\n".ljust(512, b"\0") + b"data"
    out = sandbox.unpack(tar(Member("s", stored, pax=sparse)))
    assert out == {"holes": b"\0" * 1000 + b"data" + b"\0" * 996}


@pytest.mark.parametrize("squeeze", SQUEEZE)
def test_a_tar_whose_last_member_is_a_zip_archive_is_a_tar(sandbox: Sandbox, squeeze: str) -> None:
    """zipfile.is_zipfile says yes to it, and what would come out is the inner archive."""
    inner = zipped(file("inner", b"wrong"), method=0)
    data = tar(file("outer"), file("fixture.zip", inner), squeeze=squeeze)
    assert sandbox.unpack(data) == {"outer": b"x", "fixture.zip": inner}


@pytest.mark.parametrize("squeeze", SQUEEZE)
def test_what_follows_the_end_of_an_archive_is_not_looked_at(
    sandbox: Sandbox, squeeze: str
) -> None:
    assert sandbox.unpack(tar(*RELEASE, squeeze=squeeze) + b"trailing", strip=1) == OUT
