"""A report that may be given away: no file of it knows a private task."""

from typing import Any

import pytest

from benchwright.reports.claims import claims
from benchwright.reports.files import files
from benchwright.reports.report import of_records, published
from tests.unit.analysis.test_publishing import rows
from tests.unit.reports.samples import record

SECRET, CORPUS = "sha256:" + "5" * 64, "sha256:" + "7" * 64


def private_task(record: dict[str, Any]) -> bool:
    return bool(record["split"] == "private")


@pytest.mark.parametrize("private", [1, 10])
def test_nothing_of_a_private_task_is_in_any_file(private: int) -> None:
    trials = [
        {
            **r,
            "task_digest": SECRET if private_task(r) else r["task_digest"],
            "corpus_digest": CORPUS,
        }
        for r in rows(private)
    ]
    written = dict(files(published(of_records("x", trials))))
    assert set(written) >= {"report.html", "results.json", "results.csv", "tasks.csv"}
    for name, text in written.items():
        assert "secret-" not in text, name
        assert SECRET[7:19] not in text, name
        assert CORPUS not in text, name
    assert "Private tasks" in written["report.html"]
    assert ("n/a" if private == 1 else "100.0 %") in written["report.html"]


def test_a_run_of_private_tasks_alone_can_be_published() -> None:
    trials = [r for r in rows(10) if private_task(r)]
    written = dict(files(published(of_records("x", trials))))
    assert "what may be told of them" in written["report.html"]
    assert "secret-" not in "".join(written.values())


def test_who_sees_private_tasks_is_told_how_to_publish() -> None:
    said = [c for c in claims(of_records("x", rows(1))) if "private" in c.text]
    assert [c.kind for c in said] == ["stop"]
    assert "benchwright report --public" in said[0].text


def test_without_private_tasks_it_is_the_same_report() -> None:
    whole = of_records("x", [record()])
    assert published(whole) is whole


def test_trials_of_several_nodes_are_said_and_shown() -> None:
    trials = [record("a", index=n, nodes={"write": f"n-{n}"}) for n in range(2)]
    report = of_records("x", trials)
    assert any("worked on 2 nodes" in c.text for c in claims(report))
    assert "Time by node" in dict(files(report))["report.html"]
