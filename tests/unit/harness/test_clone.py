"""The agent's repository: the base's files and one commit, and nothing else to find."""

import subprocess
from pathlib import Path

import pytest

from benchwright.harness.snapshot import baserepo


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.py").write_text("x = 1\n")
    (source / "run.sh").write_text("echo hi\n")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("a.py")
    (source / "unix.txt").write_bytes(b"one\ntwo\n")
    (source / ".gitattributes").write_text("*.txt text eol=crlf\n")
    _git(source, "init", "-q", "-b", "main")
    _git(source, "add", ".")
    _git(source, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "base")
    _git(source, "bundle", "create", "-q", str(tmp_path / "b.bundle"), "main")
    return tmp_path / "b.bundle"


def _git(where: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=where, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def repository(bundle: Path, tmp_path: Path) -> Path:
    base, repository = tmp_path / "base.git", tmp_path / "work" / "repo"
    commit = baserepo.create(bundle, base)
    baserepo.clone(base, commit, repository)
    assert _git(repository, "rev-parse", "HEAD").strip() == commit
    return repository


def test_the_files_are_those_of_the_base(repository: Path) -> None:
    assert (repository / "a.py").read_text() == "x = 1\n"
    assert (repository / "run.sh").stat().st_mode & 0o111
    assert (repository / "link").readlink() == Path("a.py")
    assert (repository / "unix.txt").read_bytes() == b"one\ntwo\n", "no end of line is converted"
    assert _git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("what", "command", "expected"),
    [
        ("one commit", ("rev-list", "--all", "--count"), "1"),
        ("one branch", ("for-each-ref", "--format=%(refname)"), "refs/heads/main"),
        ("no remote", ("remote",), ""),
        ("no reflog", ("reflog", "show", "--all"), ""),
        ("no object beyond the commit's", ("fsck", "--unreachable", "--no-reflogs"), ""),
    ],
)
def test_there_is(what: str, command: tuple[str, ...], expected: str, repository: Path) -> None:
    assert _git(repository, *command).strip() == expected, what


def test_no_file_tells_of_where_it_came_from(repository: Path) -> None:
    names = {
        str(path.relative_to(repository / ".git")) for path in (repository / ".git").rglob("*")
    }
    assert names.isdisjoint(
        {"FETCH_HEAD", "ORIG_HEAD", "logs", "hooks", "packed-refs", "info/attributes"}
    )


def test_an_agent_can_work_in_it(repository: Path) -> None:
    (repository / "new.py").write_text("y = 2\n")
    _git(repository, "add", ".")
    _git(repository, "commit", "-qm", "mine")
    assert _git(repository, "log", "--format=%an <%ae>", "-1").strip() == "agent <agent@localhost>"


def test_the_base_shares_no_file_with_it(repository: Path, tmp_path: Path) -> None:
    """An agent that writes into its own objects must not reach the harness's."""
    for file in (repository / ".git" / "objects").rglob("*"):
        assert file.is_dir() or file.stat().st_nlink == 1
    for pack in (repository / ".git" / "objects" / "pack").iterdir():
        pack.chmod(0o644)
        pack.write_bytes(b"")
    assert _git(tmp_path / "base.git", "cat-file", "-t", baserepo.BASE).strip() == "commit"
