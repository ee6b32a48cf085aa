"""Reading and editing request bodies: one field changes, and no two readings are possible."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_proxy import bodyscan
from benchwright_proxy.bodyscan import ScanError, TopLevel
from benchwright_proxy.callrequest import edited, read
from benchwright_proxy.refusal import RefusalError
from benchwright_proxy.routes import Endpoint

texts = st.text('aé😀\ud800{}[]",: \\', max_size=6)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(texts, values, max_size=4)
spacing = st.sampled_from([(",", ":"), (", ", ": "), (" ,\r\n", "\t:\n ")])


@settings(max_examples=50, deadline=None)
@given(objects, spacing, st.booleans())
def test_finds_what_a_parser_finds(
    data: dict[str, object], separators: tuple[str, str], ascii_only: bool
) -> None:
    text = json.dumps(data, separators=separators, ensure_ascii=ascii_only)
    top = TopLevel(text.encode("utf-8", "surrogatepass"))
    assert {key: top.value(key) for key in top.spans} == data


@settings(max_examples=50, deadline=None)
@given(objects, spacing)
def test_replacing_one_field_leaves_every_other_byte(
    data: dict[str, object], separators: tuple[str, str]
) -> None:
    body = json.dumps({**data, "model": "old", "z": [1]}, separators=separators).encode()
    changed = TopLevel(body).replaced({"model": b'"new"'})
    start, end = TopLevel(body).spans["model"]
    assert changed == body[:start] + b'"new"' + body[end:]
    assert json.loads(changed) == {**data, "model": "new", "z": [1]}


@settings(max_examples=50, deadline=None)
@given(objects, st.sets(st.sampled_from(["model", "z", "new", "newer"])))
def test_changing_and_adding_fields_at_once(data: dict[str, object], names: set[str]) -> None:
    before = {"z": [1], **data, "model": "old"}
    changed = TopLevel(json.dumps(before).encode()).replaced(dict.fromkeys(names, b'{"n":1}'))
    assert json.loads(changed) == {**before, **{name: {"n": 1} for name in names}}


@settings(max_examples=50, deadline=None)
@given(objects.filter(lambda data: "new" not in data))
def test_adding_a_field(data: dict[str, object]) -> None:
    body = json.dumps(data).encode()
    assert json.loads(TopLevel(body).replaced({"new": b"1"})) == {**data, "new": 1}


def scanned(body: bytes) -> dict[str, tuple[int, int]]:
    """What the scan finds, even where the body would be read at once."""
    top = TopLevel(b" {}")
    top.body, top.spans = body, {}
    top._scan()
    return top.spans


pairs = st.lists(st.tuples(st.sampled_from(["model", "a", 'é"']), values), max_size=4)


@settings(max_examples=200, deadline=None)
@given(pairs, spacing, st.booleans(), st.data())
def test_what_is_read_at_once_is_what_the_scan_finds(
    fields: list[tuple[str, object]],
    separators: tuple[str, str],
    ascii_only: bool,
    data: st.DataObject,
) -> None:
    comma, colon = separators
    written = [
        f"{json.dumps(key, ensure_ascii=ascii_only)}{colon}{json.dumps(value)}"
        for key, value in fields
    ]
    body = ("{" + comma.join(written) + "}").encode()
    at = data.draw(st.integers(0, len(body)))
    instead = data.draw(st.sampled_from([b"", b" ", b",", b'"', b"}", b"\\", b"1", b"\xff"]))
    for given_body in (body, body[:at] + instead + body[at:], body[:at] + instead + body[at + 1 :]):
        known = bodyscan._known(given_body)
        assert not known or known == scanned(given_body)
    keys = [key for key, _ in fields]
    if len(set(keys)) < len(keys):
        with pytest.raises(ScanError, match="twice"):
            TopLevel(body)


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["compact", "Python's"])
def test_what_clients_write_is_read_at_once(separators: tuple[str, str]) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "é\n"}], "n": 1, "stream": True}
    for ascii_only in (True, False):
        text = json.dumps(body, separators=separators, ensure_ascii=ascii_only).encode()
        assert list(bodyscan._known(text)) == list(body)


BROKEN = [
    b"",
    b"[]",
    b"null",
    b"{",
    b'{"a"}',
    b'{"a":}',
    b'{"a":1,}',
    b'{"a":1 "b":2}',
    b'{"a":[}',
    b'{"a":"x',
    b'{"a":1}{"model":"other"}',
    b"{'a':1}",
    b'{/**/"a":1}',
    '{"a":1}'.encode("utf-16"),
    b'\xef\xbb\xbf{"a":1}',
    b'{"x":[\\"],"model":"one","y":["],"model":"other"}',
    b'{"x":{"y":\\\\}}',
    b'{"a":1,"a":2}',
    b'{"a":1,"\\u0061":2}',
]


@pytest.mark.parametrize("body", BROKEN)
def test_what_is_not_one_plain_object_is_refused(body: bytes) -> None:
    with pytest.raises(ScanError):
        TopLevel(body)


def test_a_hostile_body_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodyscan, "MAX_STEPS", 1000)
    with pytest.raises(ScanError, match="1000"):
        TopLevel(b'{"a":' + b"[" * 5000)


def openai(**fields: object) -> bytes:
    return json.dumps({"model": "m", **fields}).encode()


MAXIMUM = [
    ({}, (None, 1), (None, 1)),
    ({"max_tokens": 10}, (10, 1), (10, 1)),
    ({"max_completion_tokens": 10}, (10, 1), (None, 1)),
    ({"max_tokens": 10, "max_completion_tokens": 20}, (20, 1), (10, 1)),
    ({"max_tokens": 10, "n": 3}, (10, 3), (10, 1)),
    ({"n": 3}, (None, 3), (None, 1)),
    ({"max_tokens": None, "n": None}, (None, 1), (None, 1)),
]


@pytest.mark.parametrize(("fields", "chat", "messages"), MAXIMUM)
def test_declared_maximum_and_number_of_answers(
    fields: dict[str, object], chat: tuple[int | None, int], messages: tuple[int | None, int]
) -> None:
    for endpoint, expected in ((Endpoint.CHAT, chat), (Endpoint.MESSAGES, messages)):
        request = read(endpoint, openai(**fields))
        assert (request.max_output_tokens, request.answers) == expected


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"model":7}', "model must be"),
        (b"{}", "model must be"),
        (openai(stream="yes"), "stream must be"),
        (openai(max_tokens=-1), "max_tokens must be"),
        (openai(n="all"), "n must be"),
        (openai(Model="other"), "'Model' must be spelled 'model'"),
        (openai(MAX_TOKENS=1), "must be spelled"),
        (b'{"model":"a","model":"b"}', "occurs twice"),
        (b'{"model":"\\x"}', "model is not valid JSON"),
        (b"<html>", "not usable JSON"),
    ],
)
def test_an_unclear_request_is_refused(body: bytes, says: str) -> None:
    with pytest.raises(RefusalError, match=says) as caught:
        read(Endpoint.CHAT, body)
    assert caught.value.status == 400


def test_the_model_is_only_replaced_when_it_differs() -> None:
    body = b'{ "model" : "m" , "x":[ 1 ]}'
    request = read(Endpoint.CHAT, body)
    assert edited(request, "m", stream_usage=False) is body
    assert edited(request, None, stream_usage=False) is body
    assert edited(request, 'n"', stream_usage=False) == b'{ "model" : "n\\"" , "x":[ 1 ]}'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"model":"m"}', b'{"stream_options":{"include_usage":true},"model":"m"}'),
        (
            b'{"model":"m","stream_options":null}',
            b'{"model":"m","stream_options":{"include_usage":true}}',
        ),
        (
            b'{"stream_options": {"include_usage":false,"x":1}, "model":"m" }',
            b'{"stream_options": {"include_usage":true,"x":1}, "model":"m" }',
        ),
    ],
)
def test_asking_for_stream_usage(body: bytes, expected: bytes) -> None:
    request = read(Endpoint.CHAT, body)
    assert edited(request, "m", stream_usage=True) == expected
    both = edited(request, "other", stream_usage=True)
    assert both == expected.replace(b'"m"', b'"other"')


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (None, False),
        ({}, False),
        ({"include_usage": False}, False),
        ({"include_usage": True}, True),
    ],
)
def test_whether_the_client_asked_for_stream_usage(options: object, asked: bool) -> None:
    assert read(Endpoint.CHAT, openai(stream_options=options)).wants_stream_usage is asked
