"""Hostile text: what would hide or turn is made visible."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.web.text import cut, decoded, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nwith lines", "plain\ttext\nwith lines"),
        ("dos\r\nlines", "dos\nlines"),
        ("over\rwritten", "over␍written"),
        ("\x1b[2Jcleared", "␛[2Jcleared"),
        ("\x00\x7f", "␀␡"),
        ("\u202egnp.exe", "[U+202E]gnp.exe"),
        ("zero\u200bwidth", "zero[U+200B]width"),
        ("\udcff", "[U+DCFF]"),
    ],
)
def test_what_hides_or_turns_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_acts_is_left_and_doing_it_twice_changes_nothing(text: str) -> None:
    shown = visible(text)
    bad = {c for c in shown if unicodedata.category(c) in {"Cc", "Cs"} and c not in "\t\n"}
    assert not bad
    assert not any(
        unicodedata.bidirectional(c) in {"RLO", "LRO", "RLI", "LRI", "PDF"} for c in shown
    )
    assert visible(shown) == shown


def test_bytes_that_are_no_text_are_told_apart_from_text() -> None:
    assert decoded(b"ok \xff\xfe") == "ok \ufffd\ufffd"


def test_a_long_line_says_how_much_is_missing() -> None:
    assert cut("abcdef", 4) == "abcd… [2 more characters]"
    assert cut("abcd", 4) == "abcd"
