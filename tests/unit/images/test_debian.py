"""Which packages and which of their files get into an image."""

from pathlib import Path

import pytest

from images import debian
from images.errors import ImageError


def package(name: str, depends: str = "", provides: tuple[str, ...] = ()) -> debian.Package:
    return debian.Package(name, Path(f"{name}.deb"), "", debian.parse_relations(depends), provides)


PACKAGES = {
    found.name: found
    for found in (
        package("git", "libc6 (>= 2.34), libcurl3, perl, git-man (<< 1:2.39.5-.)"),
        package("libc6"),
        package("libcurl3", "libc6"),
        package("perl", "perl-modules"),
        package("perl-modules", "perl"),
        package("git-man"),
        package("base-files", "awk"),
        package("certificates", "debconf (>= 0.5) | debconf-2.0, other | libc6"),
        package("debconf", "perl"),
        package("mawk", provides=("awk",)),
    )
}
KNOWN = PACKAGES | {"awk": PACKAGES["mawk"]}


def test_relations_lose_versions_and_architectures() -> None:
    text = "libc6 (>= 2.34), debconf:any (>= 1) | debconf-2.0 [amd64],  perl:any"
    assert debian.parse_relations(text) == (("libc6",), ("debconf", "debconf-2.0"), ("perl",))
    assert debian.parse_relations("") == ()


def test_closure_does_not_go_through_what_is_dropped() -> None:
    found = debian.closure(KNOWN, ["git"], ["perl", "git-man"])
    assert set(found) == {"git", "libc6", "libcurl3"}


def test_closure_ends_where_packages_need_each_other() -> None:
    assert set(debian.closure(KNOWN, ["perl"])) == {"perl", "perl-modules"}


def test_closure_takes_the_alternative_that_was_fetched() -> None:
    assert set(debian.closure(KNOWN, ["certificates"], ["debconf"])) == {"certificates", "libc6"}


def test_closure_knows_what_packages_provide() -> None:
    assert set(debian.closure(KNOWN, ["base-files"])) == {"base-files", "mawk"}


def test_closure_names_what_was_not_fetched() -> None:
    with pytest.raises(ImageError, match="vim was not fetched"):
        debian.closure(KNOWN, ["vim"])


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("usr/bin/git", True),
        ("usr/share/doc/git/copyright", True),
        ("usr/share/doc/git", True),
        ("usr/share/doc/git/contrib/completion.bash", False),
        ("usr/share/doc/git/changelog.Debian.gz", False),
        ("usr/share/man/man1/git.1.gz", False),
        ("usr/lib/python3.11/unittest/case.py", True),
        ("usr/lib/python3.11/test/support/__init__.py", False),
        ("usr/share/locale/de/LC_MESSAGES/git.mo", False),
        ("etc/cron.daily/dpkg", False),
        ("usr/lib/systemd/system/x.service", False),
    ],
)
def test_files(name: str, wanted: bool) -> None:
    assert debian.is_wanted(name) == wanted
