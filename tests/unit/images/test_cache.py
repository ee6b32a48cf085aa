"""The cache keeps the last builds and nothing half done."""

import os
from pathlib import Path

import pytest

from images.cache import SCRATCH, Cache, default_directory
from images.errors import ImageError


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"BENCHWRIGHT_CACHE": "/own", "XDG_CACHE_HOME": "/x"}, "/own"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/benchwright"),
        ({"HOME": "/home/me"}, "/home/me/.cache/benchwright"),
    ],
)
def test_place(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], expected: str) -> None:
    for name in ("BENCHWRIGHT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert default_directory() == Path(expected)


def test_old_builds_go_by_name(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    with cache.locked():
        for name in ("proxy", "task-python"):
            for age in range(5):
                for kind in ("tar", "json"):
                    path = cache.images / f"{name}-{age}.{kind}"
                    path.write_text("")
                    os.utime(path, (1000 - age, 1000 - age))
        cache.prune()
    kept = {f"{name}-{age}" for name in ("proxy", "task-python") for age in range(3)}
    assert {path.stem for path in cache.images.iterdir()} == kept


def test_what_a_killed_build_left_goes(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    (cache.layers / f"{SCRATCH}x/root").mkdir(parents=True)
    cache.images.mkdir()
    (cache.images / f"{SCRATCH}base.tar").write_text("")
    with cache.locked():
        assert not list(cache.layers.iterdir())
        assert not list(cache.images.iterdir())


def test_a_place_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ImageError, match=r"Cannot make the cache .*Set BENCHWRIGHT_CACHE"),
        Cache(tmp_path / "file").locked(),
    ):
        pass
