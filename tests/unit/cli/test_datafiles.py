"""Files of trials, read for `compare` and others."""

import gzip
import json
from pathlib import Path
from typing import Any

import click
import pytest

from benchwright.cli.datafiles import read
from benchwright.cli.errors import CliError
from tests.unit.reports.samples import record as sample

TABLE = b"config,task,trial,outcome\na,t,1,success\n"


def record(*args: Any, **fields: Any) -> dict[str, Any]:
    """As the results service gives it."""
    return {**sample(*args, **fields), "run": "r", "run_uid": "u", "trial": "r-0", "trial_uid": "t"}


def written(folder: Path, content: bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "content", [TABLE, gzip.compress(TABLE), b"\xef\xbb\xbf" + TABLE, TABLE.replace(b"\n", b"\r\n")]
)
def test_tables_are_read_plain_and_gzipped(tmp_path: Path, content: bytes) -> None:
    found = read(written(tmp_path, content), ())
    assert [(o.config, o.task, o.outcome) for o in found.observations] == [("a", "t", "success")]
    assert found.title == "file"


def test_records_are_read(tmp_path: Path) -> None:
    found = read(None, [written(tmp_path, json.dumps([record("x", "t")]).encode())])
    assert [(o.config, o.task) for o in found.observations] == [("x", "t")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"config,task\n", "line 1: columns config, task, trial, outcome are needed"),
        (TABLE + b"a,t,2,won\n", "line 3: outcome 'won'"),
        (TABLE + b"a,\xff,2,success\n", "'utf-8' codec can't decode"),
        (gzip.compress(TABLE)[:-4], "cannot be read"),
        (b"\x1f\x8bnot really", "cannot be read"),
        (b"", "line 1: columns"),
    ],
)
def test_a_bad_table_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(CliError) as caught:
        read(path, ())
    assert str(path) in caught.value.format_message()
    assert said in caught.value.format_message()


@pytest.mark.parametrize(
    "content",
    [
        (TABLE + b"a,t,1,success\n").replace(b"a,t", b"\x1b]0;x\x07\xc2\x9b2J,t"),
        b"config,task,trial,\x1b[2J\n",
    ],
)
def test_an_errors_quotation_does_not_steer_a_terminal(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(CliError) as caught:
        read(written(tmp_path, content), ())
    assert caught.value.format_message().isprintable()


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b"[1]",
        b"not json",
        b"[" * 100_000,
        json.dumps([{**record(), "index": "x"}]).encode(),
        json.dumps([{**record(), "spent": 3}]).encode(),
    ],
)
def test_bad_records_are_one_line(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    with pytest.raises(CliError, match=r"is no results\.json of `benchwright results`"):
        read(None, [path])


def test_exactly_one_file_is_wanted(tmp_path: Path) -> None:
    path = written(tmp_path, TABLE)
    for data, records in ((None, ()), (path, (path,))):
        with pytest.raises(click.UsageError, match="give one of --data FILE and --records FILE"):
            read(data, records)


def test_a_bomb_is_not_unpacked_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchwright.cli.datafiles.MAX_BYTES", 1024 * 1024)
    path = written(tmp_path, gzip.compress(b"0" * (2 * 1024 * 1024)))
    with pytest.raises(CliError, match="is larger than 1 MiB, unpacked"):
        read(path, ())


def test_a_run_that_is_given_twice_does_not_count_twice(tmp_path: Path) -> None:
    content = json.dumps([record()]).encode()
    files = [written(tmp_path, content, "one"), written(tmp_path, content, "two")]
    with pytest.raises(CliError, match=r"two and .*one are of the same run: its trials count once"):
        read(None, files)
