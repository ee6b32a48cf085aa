"""Evidence on a page: bounded, and what is missing is said."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from benchwright.web.colouring import Colourer
from benchwright.web.files import HEAD_BYTES, LOST, TAIL_BYTES, logs, patches
from benchwright.web.patch import parse
from benchwright.web.ports import FactsRow, FileRow, Record

PATCH = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x = 1\n+def x(): pass\n"


class _Stored:
    """Evidence in memory."""

    def __init__(self, files: dict[str, bytes]):
        self.content = files

    async def part(self, file: FileRow, start: int, length: int) -> bytes:
        if file.name not in self.content:
            raise FileNotFoundError
        return self.content[file.name][start : start + length]

    async def record(self, trial_uid: str) -> Record | None:
        raise NotImplementedError

    async def facts(self, trial_uid: str) -> Sequence[FactsRow]:
        raise NotImplementedError

    async def baselines(self, task_digest: str) -> Sequence[str]:
        raise NotImplementedError

    async def files(self, trial_uid: str) -> Sequence[FileRow]:
        raise NotImplementedError

    async def read(self, file: FileRow) -> tuple[int, AsyncIterator[bytes]]:
        raise NotImplementedError


def _row(name: str, size: int) -> FileRow:
    return FileRow("uid", 1, "write", name, "0" * 64, size)


async def test_a_short_log_is_whole_and_a_long_one_says_what_is_skipped() -> None:
    long = b"h" * HEAD_BYTES + b"m" * 1000 + b"t" * TAIL_BYTES
    stored = _Stored({"logs/a": b"short\n", "logs/b": long})
    short, cut = await logs(stored, [_row("logs/a", 6), _row("logs/b", len(long))])
    assert (short.head, short.skipped) == ("short\n", 0)
    assert cut.skipped == 1000
    assert "m" not in cut.head.partition("…")[0] + cut.tail.partition("…")[0]


async def test_a_file_whose_bytes_are_gone_is_lost_and_not_empty() -> None:
    (log,) = await logs(_Stored({}), [_row("logs/a", 6)])
    assert log.problem == LOST
    (patch,) = await patches(_Stored({}), [_row("patch.diff", 6)], Colourer())
    assert patch.notes == (LOST,)


async def test_a_patch_is_coloured_and_its_text_is_its_own() -> None:
    stored = _Stored({"patch.diff": PATCH.encode()})
    (view,) = await patches(stored, [_row("patch.diff", len(PATCH))], Colourer())
    lines = view.files[0].hunks[0].lines
    assert ["".join(text for _, text in view.of(line)) for line in lines] == [
        line.text for line in lines
    ]
    assert ("k", "def") in view.of(lines[1])


async def test_a_patch_larger_than_a_page_says_so() -> None:
    stored = _Stored({"patch.diff": PATCH.encode()})
    (view,) = await patches(stored, [_row("patch.diff", 10**9)], Colourer())
    assert "Only the beginning is shown here." in view.notes


async def test_a_lexer_that_takes_for_ever_is_ended_and_the_patch_is_plain(tmp_path: Path) -> None:
    program = tmp_path / "slow.py"
    program.write_text("import time\ntime.sleep(600)\n")
    stored = _Stored({"patch.diff": PATCH.encode()})
    slow = Colourer(program, seconds=0.2)
    (view,) = await patches(stored, [_row("patch.diff", len(PATCH))], slow)
    assert "Without colours of syntax: colouring took too long." in view.notes
    assert view.of(view.files[0].hunks[0].lines[0]) == [("", "x = 1")]


async def test_a_colourer_that_lies_about_lengths_changes_no_text(tmp_path: Path) -> None:
    program = tmp_path / "liar.py"
    program.write_text('print(\'[[[[99,"k"]]],[[[1,"<script>"],[12,"s"]]]]\')\n')
    files = parse(PATCH).files
    removed, added = files[0].hunks[0].lines
    pieces = await Colourer(program).colour(files)
    assert pieces is not None
    assert id(removed) not in pieces
    assert "".join(text for _, text in pieces[id(added)]) == added.text
    assert {kind for kind, _ in pieces[id(added)]} <= set("ckmsfb") | {""}
