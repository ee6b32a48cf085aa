"""Volumes of the disposable cluster are used again once nobody claims them."""

from pathlib import Path

from cluster import volumes


def volume(name: str, phase: str) -> dict[str, object]:
    return {"metadata": {"name": name}, "status": {"phase": phase}}


def test_released_volumes_of_ours_and_no_others() -> None:
    found = {
        "items": [
            volume("local-03", "Released"),
            volume("local-01", "Released"),
            volume("local-00", "Bound"),
            volume("local-02", "Available"),
            volume("local-99", "Released"),
            volume("somebodys", "Released"),
        ]
    }
    assert volumes.released(found) == ["local-01", "local-03"]
    assert volumes.released({}) == []


def test_what_the_last_claim_left_is_gone(tmp_path: Path) -> None:
    first, second, *_ = volumes.make(tmp_path)
    (first / "db.sqlite").write_text("old")
    (second / "db.sqlite").write_text("in use")
    assert volumes.emptied(tmp_path, ["local-00"]) == [first]
    assert list(first.iterdir()) == []
    assert (second / "db.sqlite").read_text() == "in use"
