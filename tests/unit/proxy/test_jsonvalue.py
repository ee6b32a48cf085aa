"""JSON is read as Python's json reads it, whoever reads it."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchwright_proxy.jsonvalue import Json, as_list, parse

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
NEARLY = st.text(alphabet='{}[]":,\\ 0123456789.eE+-\n\tuabnlrtfs\x00é', max_size=12)


def told(text: str) -> object:
    """What Python's json says, in a form in which 1, 1.0, true and nan differ."""
    try:
        return repr(json.loads(text))
    except ValueError:
        return ValueError


def read(text: str) -> object:
    try:
        return repr(parse(text.encode("utf-8", "surrogatepass")))
    except ValueError:
        return ValueError


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
@example("\ud800", True, None)
@example({"a": ["\udc00\ud800"]}, False, None)
def test_what_json_writes_is_read_alike(value: Json, escaped: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    assert read(text) == told(text)


@given(NEARLY)
@example('{"a":1,"a":2}')
@example("1e400")
@example("-0")
@example("18446744073709551616")
@example("[NaN,-Infinity]")
def test_what_is_nearly_json_is_read_alike(text: str) -> None:
    assert read(text) == told(text)


@pytest.mark.parametrize(
    "data",
    [b"[" * 5000 + b"]" * 5000, b'{"a":' * 5000 + b"1" + b"}" * 5000, b"9" * 5000, b"\xff", b""],
    ids=["deep lists", "deep objects", "a number of 5000 digits", "not UTF-8", "nothing"],
)
def test_what_cannot_be_read_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse(data)


def test_a_byte_order_mark_is_no_part_of_it() -> None:
    assert as_list(parse(b"\xef\xbb\xbf[1]")) == [1]
