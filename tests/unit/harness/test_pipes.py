"""Capped logs: head and tail are kept, everything is counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.harness.pipes import CappedLog


def written(*chunks: bytes) -> CappedLog:
    log = CappedLog(head=4, tail=3)
    for chunk in chunks:
        log.write(chunk)
    return log


def test_a_short_log_is_whole() -> None:
    assert written(b"ab", b"cd", b"efg").text() == b"abcdefg"


def test_the_middle_of_a_long_log_is_left_out_and_counted() -> None:
    log = written(b"abcdefghij")
    assert log.total == 10
    assert log.text() == b"abcd\n[benchwright: 3 bytes left out]\nhij"


@given(st.lists(st.binary(min_size=1, max_size=6), max_size=20))
def test_however_it_is_cut_up_the_result_is_the_same(chunks: list[bytes]) -> None:
    assert written(*chunks).text() == written(b"".join(chunks)).text()


@pytest.mark.parametrize("size", [0, 1, 7, 8, 10_000])
def test_memory_stays_bounded(size: int) -> None:
    log = written(*[b"xy"] * size)
    assert log.total == 2 * size
    assert len(log.text()) <= 4 + 3 + 50
