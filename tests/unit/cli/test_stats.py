"""`benchwright stats check`."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Cli
from tests.unit.stats.data import DATA, REFERENCE


def test_all_cases_agree(cli: Cli) -> None:
    result = cli("stats", "check", REFERENCE)
    assert (result.exit_code, result.output) == (0, "138 cases, 138 agree\n")


def test_whole_sets_are_cases_too_where_their_tables_are_given(cli: Cli) -> None:
    result = cli("stats", "check", REFERENCE, "--data", DATA)
    assert (result.exit_code, result.output) == (0, "141 cases, 141 agree\n")


def test_one_altered_value_is_told_in_one_line(cli: Cli, tmp_path: Path) -> None:
    document = json.loads(REFERENCE.read_text())
    (case,) = (c for c in document["cases"] if c["id"] == "wilson-03")
    case["expected"]["high"] += 1e-6
    file = tmp_path / "altered.json"
    file.write_text(json.dumps(document))
    result = cli("stats", "check", file)
    assert result.exit_code == 1
    told, last = result.output.splitlines()
    assert told.startswith("wilson-03: wilson: high: 0.434482464783174")
    assert last == "138 cases, 137 agree"


def test_one_altered_value_of_a_whole_set_is_told(cli: Cli, tmp_path: Path) -> None:
    document = json.loads(REFERENCE.read_text())
    document["real_data"]["swebench_verified"]["cohorts"]["top5"]["dead"] = 393
    file = tmp_path / "altered.json"
    file.write_text(json.dumps(document))
    result = cli("stats", "check", file, "--data", DATA)
    assert result.exit_code == 1
    assert "cohorts.top5.dead: 394, expected 393" in result.output.splitlines()[0]
    assert result.output.splitlines()[1:] == ["141 cases, 140 agree"]


def test_a_hostile_name_stays_on_its_line(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(
        json.dumps({"cases": [{"id": "a\n9 cases, 9 agree\x1b[2J\ud800", "statistic": "x"}]})
    )
    result = cli("stats", "check", file)
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 2
    assert "\x1b" not in result.output


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(None, "cannot be read: No such file", id="no-file"),
        pytest.param(b"{", "is no JSON", id="no-json"),
        pytest.param(b"\xff\xfe\xff", "is no JSON", id="no-text"),
        pytest.param(b"[" * 100_000, "is no JSON", id="too-deep"),
        pytest.param(b"[]", 'it has no list of "cases"', id="no-object"),
        pytest.param(b'{"cases": []}', 'it has no list of "cases"', id="no-case"),
    ],
)
def test_a_bad_file_is_told_in_one_line(
    cli: Cli, tmp_path: Path, content: bytes | None, told: str
) -> None:
    file = tmp_path / "bad.json"
    if content is not None:
        file.write_bytes(content)
    result = cli("stats", "check", file)
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 1
    assert told in result.output


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        pytest.param("other.csv", b"", "has none of swebench_verified_134x500.csv", id="no-table"),
        pytest.param("aider_polyglot_configs.csv.gz", b"a,b", "cannot be read", id="not-packed"),
        pytest.param("aider_polyglot_configs.csv", b"\xff", "cannot be read", id="no-text"),
        pytest.param("aider_polyglot_configs.csv", b"a,b\n1,2\n", "KeyError", id="other-columns"),
    ],
)
def test_a_bad_table_is_told_in_one_line(
    cli: Cli, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)
    result = cli("stats", "check", REFERENCE, "--data", tmp_path)
    assert result.exit_code == 1
    assert told in result.output.splitlines()[0]
    assert "Traceback" not in result.output


def test_real_data_must_be_told_of(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    file.write_text(json.dumps({"cases": json.loads(REFERENCE.read_text())["cases"]}))
    result = cli("stats", "check", file, "--data", DATA)
    assert result.exit_code == 1
    assert 'its "real_data" says nothing of swebench_verified' in result.output


def test_both_commands_have_help(cli: Cli) -> None:
    assert "check" in cli("stats", "--help").output
    assert "--data" in cli("stats", "check", "--help").output
