"""agents.csv, pairs.csv and tasks.csv: what is unknown is an empty cell, with a word beside it."""

import csv
import io

import pytest

from benchwright.reports.report import Report, of_records
from benchwright.reports.rows import agents_csv, cell, pairs_csv, tasks_csv, tidy_csv
from tests.unit.analysis.grids import grid_of
from tests.unit.reports.samples import DIGEST, record, usage

ORIGIN = {
    "corpus": DIGEST, "protocol": "benchwright/1", "network": "none",
    "first_start": "2026-01-01T10:00:00.000000Z", "last_outcome": "2026-01-01T10:00:09.500000Z",
}  # fmt: skip


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def a_report(**cells: str) -> Report:
    return Report(grid_of(cells).data)


@pytest.mark.parametrize("written", [agents_csv, pairs_csv, tasks_csv])
def test_every_row_carries_of_what_it_is(written: object) -> None:
    assert callable(written)
    found = rows(written(of_records("demo", [record("a"), record("b"), record("a", index=1)])))
    assert found
    for row in found:
        assert row.items() >= {**ORIGIN, "data": "demo (run-1)"}.items()


def test_an_agents_undefined_numbers_have_a_reason_and_no_value() -> None:
    found = {r["agent"]: r for r in rows(agents_csv(a_report(a="ss fs", b="i s")))}
    a, b = found["a"], found["b"]
    assert (a["success_rate"], a["valid"], a["missing"], a["fewest_trials"]) == (
        "0.75",
        "4",
        "0",
        "2",
    )
    assert a["run_noise_low"] != ""
    assert a["run_noise_note"] == ""
    assert (b["success_rate"], b["invalid"], b["composition_low"]) == ("", "1", "")
    assert b["composition_note"] == "no-valid-trials"
    assert (a["pass_at_2"], a["pass_at_5"], a["cost_usd"]) == ("1.0", "", "")


def test_sums_of_what_is_known_stand_beside_the_number_of_trials_that_are_not() -> None:
    unknown = record("a", index=1, spent=usage(unknown_usage=1, output_tokens=None))
    (row,) = rows(agents_csv(of_records("demo", [record("a"), unknown])))
    assert (row["tokens_out"], row["tokens_unknown_trials"]) == ("50", "1")
    assert (row["cost_usd"], row["cost_unknown_trials"]) == ("", "2")


def test_a_pair_says_its_finding_and_its_intervals() -> None:
    (row,) = rows(pairs_csv(a_report(a="sss sss sss ssf", b="fff fff fff fff")))
    assert (row["a"], row["b"], row["over_tasks"], row["over_runs"]) == ("a", "b", "a", "a")
    assert float(row["over_tasks_low"]) > 0.5
    assert row["over_tasks_uncertainty"] == "task-composition sensitivity"
    assert (row["only_b_failed"], row["p_mcnemar"]) == ("4", "")


def test_a_pair_that_never_differs_is_no_certainty() -> None:
    (row,) = rows(pairs_csv(a_report(a="s s", b="s s")))
    assert (row["difference"], row["over_tasks"], row["over_tasks_note"]) == (
        "0.0", "inconclusive", "degenerate",
    )  # fmt: skip
    assert (row["p_value"], row["p_holm"], row["p_mcnemar"]) == ("", "", "1.0")


def test_a_tasks_flags() -> None:
    easy, hard = rows(tasks_csv(a_report(a="s" * 30 + " " + "f" * 30, b="s" * 30 + " " + "f" * 30)))
    assert (easy["saturated"], easy["floor"]) == ("true", "false")
    assert (hard["saturated"], hard["floor"]) == ("false", "true")
    assert (hard["item_rest"], hard["item_rest_note"]) == ("", "too-few-observations")
    assert "solve it independently" in hard["review"]


def test_a_table_comes_back_as_it_came() -> None:
    first = rows(tidy_csv(a_report(a="st", b="i").data))[0]
    assert first["config"] == "a"
    assert (first["outcome"], first["cost_usd"], first["seconds"]) == ("success", "", "")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_names_are_no_formulas(start: str) -> None:
    assert cell(f"{start}1") == f"'{start}1"
    (row,) = rows(agents_csv(of_records("demo", [{**record(), "agent": f"{start}cmd"}])))
    assert row["agent"] == f"'{start}cmd"


def test_negative_numbers_are_numbers() -> None:
    assert cell(-1.5) == "-1.5"
