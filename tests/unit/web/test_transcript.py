"""Calls on a trial's page: bounded, tolerant, and what is missing is said."""

import json

from benchwright.web.files import LOST
from benchwright.web.ports import FileRow
from benchwright.web.transcript import BODY_CHARACTERS, NAME, SHOWN_BODIES, SHOWN_CALLS, transcripts
from tests.unit.web.test_files import _Stored as Stored


def row(data: bytes, attempt: int = 1) -> FileRow:
    return FileRow("uid", attempt, "proxy", NAME, "0" * 64, len(data))


def lines(count: int, **more: object) -> bytes:
    return b"".join(json.dumps({"call": f"c{n}", **more}).encode() + b"\n" for n in range(count))


async def test_calls_are_shown_with_the_end_of_what_was_said() -> None:
    data = lines(1, request="x\n" * (BODY_CHARACTERS // 2) + "new", response="short")
    (found,) = await transcripts(Stored({NAME: data}), [row(data)])
    (view,) = found.calls
    assert view.request is not None
    assert view.request.startswith("[3 characters]\n")
    assert view.request.endswith("new")
    assert (view.response, found.notes) == ("short", [])


async def test_json_has_a_line_for_each_value_however_deep_it_is() -> None:
    data = lines(1, request='{"messages":[{"content":"hi"}]}', response="[" * 5000)
    ((view,),) = [t.calls for t in await transcripts(Stored({NAME: data}), [row(data)])]
    assert view.request == '{\n "messages": [\n  {\n   "content": "hi"\n  }\n ]\n}'
    assert view.response is not None


async def test_many_calls_are_cut_and_it_is_said() -> None:
    data = lines(SHOWN_CALLS + 1, request="q", response="a")
    (found,) = await transcripts(Stored({NAME: data}), [row(data)])
    assert len(found.calls) == SHOWN_CALLS
    assert [v.request is not None for v in found.calls].count(True) == SHOWN_BODIES
    assert [n.split()[0] for n in found.notes] == ["Only", "What"]


async def test_a_lost_or_damaged_file_is_told() -> None:
    (lost,) = await transcripts(Stored({}), [row(b"x")])
    assert lost.notes == (LOST,)
    (bad,) = await transcripts(Stored({NAME: b"{}\nno\n"}), [row(b"{}\nno\n")])
    assert "line 2 is not JSON" in bad.notes[0]


async def test_the_last_attempt_comes_first_and_other_files_are_none() -> None:
    data = lines(1)
    files = [row(data, 1), row(data, 3), FileRow("uid", 1, "write", "patch.diff", "0" * 64, 1)]
    found = await transcripts(Stored({NAME: data}), files)
    assert [t.file.attempt for t in found] == [3, 1]
