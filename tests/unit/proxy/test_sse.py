"""Cutting and reading server-sent events."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_proxy.sse import Event, Splitter, read_event


def events(stream: bytes, cuts: list[int], limit: int = 1000) -> tuple[list[Event], bytes]:
    """The events with data of a stream that arrives cut, and all bytes of its blocks."""
    splitter, blocks, start = Splitter(limit), [], 0
    for end in [*sorted(cuts), len(stream)]:
        blocks += splitter.feed(stream[start:end])
        start = max(start, end)
    blocks += splitter.close()
    read = [read_event(block.raw, first=i == 0) for i, block in enumerate(blocks) if block.whole]
    return [event for event in read if event.data is not None], b"".join(b.raw for b in blocks)


GRAMMAR = [
    pytest.param(b"data: a\n\n", [("", b"a")], id="LF"),
    pytest.param(b"data: a\r\n\r\n", [("", b"a")], id="CRLF"),
    pytest.param(b"data: a\r\r", [("", b"a")], id="CR"),
    pytest.param(b"data: a\r\n\ndata: b\n\r\n", [("", b"a"), ("", b"b")], id="mixed line ends"),
    pytest.param(b"data:a\n\n", [("", b"a")], id="no space behind the colon"),
    pytest.param(b"data:  a\n\n", [("", b" a")], id="only one space is dropped"),
    pytest.param(b"data: a\ndata: b\n\n", [("", b"a\nb")], id="multi-line data"),
    pytest.param(b"event: x\ndata: a\n\n", [("x", b"a")], id="event type"),
    pytest.param(b"data: a\nevent: x\n\n", [("x", b"a")], id="event type behind the data"),
    pytest.param(
        b"event: x\r\ndata: a\r\ndata: b\r\n\r\n", [("x", b"a\nb")], id="CRLF is one line end"
    ),
    pytest.param(b": hello\n\ndata: a\n\n", [("", b"a")], id="comment"),
    pytest.param(b"\xef\xbb\xbfdata: a\n\n", [("", b"a")], id="byte order mark"),
    pytest.param(b"data: a\n\n\xef\xbb\xbfdata: b\n\n", [("", b"a")], id="mark in the middle"),
    pytest.param(b"data\n\n", [("", b"")], id="data without a colon is empty"),
    pytest.param(b"id: 7\nretry: 5\ndata: a\n\n", [("", b"a")], id="other fields"),
    pytest.param(b"data: a\n\ndata: b", [("", b"a"), ("", b"b")], id="no blank line at the end"),
    pytest.param(b"\n\n\ndata: a\n\n", [("", b"a")], id="blank lines in front"),
    pytest.param("data: é😀\n\n".encode(), [("", "é😀".encode())], id="characters of many bytes"),
]


@pytest.mark.parametrize(("stream", "expected"), GRAMMAR)
def test_reads_the_same_events_wherever_the_stream_is_cut(
    stream: bytes, expected: list[tuple[str, bytes]]
) -> None:
    wanted = [Event(name, data) for name, data in expected]
    for cuts in [[], *([at] for at in range(len(stream))), list(range(len(stream)))]:
        assert events(stream, cuts) == (wanted, stream), cuts


lines = st.sampled_from(
    [b"data: x", b"data:", b"event: e", b": c", b"", "data: ü".encode(), b"data: {}", b"junk"]
)
ends = st.sampled_from([b"\n", b"\r\n", b"\r"])
streams = st.lists(st.tuples(lines, ends), max_size=12).map(
    lambda rows: b"".join(line + end for line, end in rows)
)


@settings(max_examples=60, deadline=None)
@given(streams, st.data())
def test_blocks_are_the_stream_and_cuts_change_nothing(stream: bytes, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=10))
    whole, passed = events(stream, [])
    assert passed == stream
    assert events(stream, cuts) == (whole, stream)


def test_an_event_past_the_limit_passes_unread_and_the_next_is_read() -> None:
    stream = b"data: " + b"x" * 5000 + b"\r\n\r\ndata: a\n\n"
    for step in (1, 7, 100, 4000, len(stream)):
        found, passed = events(stream, list(range(0, len(stream), step)), limit=100)
        assert passed == stream
        assert found[-1] == Event("", b"a"), step


def test_a_lone_cr_ends_an_event_at_once() -> None:
    splitter = Splitter()
    assert [block.raw for block in splitter.feed(b"data: a\r\n\r")] == [b"data: a\r\n\r"]
    # The LF of that CRLF belongs to the block before it.
    assert [(b.raw, b.whole) for b in splitter.feed(b"\ndata: b\n\n")] == [
        (b"\n", False),
        (b"data: b\n\n", True),
    ]
