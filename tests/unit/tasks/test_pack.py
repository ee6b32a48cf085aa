"""Task directories ↔ one archive: deterministic to write, hostile to read."""

import gzip
import io
import random
import tarfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.tasks import pack as packing
from benchwright.tasks.errors import TaskError
from benchwright.tasks.load import load_directory
from benchwright.tasks.pack import pack, unpack

TASK = b"name: one\nkind: repair\nimage: x\ncriteria: [{name: a, command: b}]\n"
FILES = {"one/task.yaml": b"name: one\n", "one/evaluation/a": b"\0\1", "two/task.yaml": b""}


def archive(*members: tarfile.TarInfo, data: bytes = b"", form: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", format=form) as tar:
        for member in members:
            if member.isreg():
                member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def refused(data: bytes) -> TaskError:
    with pytest.raises(TaskError) as caught:
        unpack(data)
    return caught.value


def test_what_was_packed_is_unpacked_by_task() -> None:
    assert unpack(pack(FILES)) == {
        "one": {"task.yaml": b"name: one\n", "evaluation/a": b"\0\1"},
        "two": {"task.yaml": b""},
    }


PATHS = st.from_regex(r"\A[a-z]{1,3}/[a-zé ]{1,20}(/[a-z.]{1,3})?\Z")


@given(st.dictionaries(PATHS, st.binary(max_size=50), max_size=5))
@settings(deadline=None)
def test_any_files_come_back_as_they_were(files: dict[str, bytes]) -> None:
    back = {
        f"{name}/{path}": data
        for name, each in unpack(pack(files)).items()
        for path, data in each.items()
    }
    assert back == files


def test_the_same_files_are_the_same_bytes_in_whatever_order() -> None:
    assert pack(FILES) == pack(dict(reversed(FILES.items())))


def test_folders_and_a_leading_dot_are_as_tar_writes_them() -> None:
    data = archive(
        member("./", tarfile.DIRTYPE),
        member("./one", tarfile.DIRTYPE),
        member("./one/task.yaml"),
        data=b"x",
    )
    assert unpack(data) == {"one": {"task.yaml": b"x"}}


@pytest.mark.parametrize(
    "bad",
    [
        member("one/link", tarfile.SYMTYPE, "/etc/passwd"),
        member("one/hard", tarfile.LNKTYPE, "one/task.yaml"),
        member("one/pipe", tarfile.FIFOTYPE),
        member("one/device", tarfile.CHRTYPE),
        member("one/disk", tarfile.BLKTYPE),
    ],
    ids=["symlink", "hard link", "pipe", "character device", "block device"],
)
def test_what_is_no_regular_file_is_refused(bad: tarfile.TarInfo) -> None:
    assert refused(archive(bad)).reason == "PackUnreadable"


@pytest.mark.parametrize("name", ["task.yaml", "one"])
def test_a_file_in_no_task_directory_is_refused(name: str) -> None:
    assert "in no task directory" in refused(archive(member(name))).message


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../one/task.yaml", "one/../../x", "one//x", "one/./x"]
)
def test_a_name_that_leaves_its_folder_is_refused_here_or_when_the_task_is_loaded(
    name: str,
) -> None:
    def load() -> None:
        for task, files in unpack(archive(member(name))).items():
            load_directory(task, {"task.yaml": TASK, "prompt.md": b"x", **files})

    with pytest.raises(TaskError):
        load()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not an archive",
        gzip.compress(b"not a tar"),
        gzip.compress(b"\0" * 600 + b"x"),
        b"\x1f\x8b",
    ],
    ids=["nothing", "text", "gzip of text", "gzip of noise", "cut in its header"],
)
def test_what_is_no_archive_is_an_error_in_words(data: bytes) -> None:
    assert outcome(data) in {"no task", "PackUnreadable"}


def outcome(data: bytes) -> str:
    """What reading comes to; any exception but TaskError fails the test."""
    try:
        return f"{len(unpack(data)) or 'no'} task"
    except TaskError as error:
        return error.reason


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("damage", [_cut, _flip], ids=["cut anywhere", "a bit flipped anywhere"])
def test_a_damaged_archive_is_an_error_in_words_never_another_exception(
    damage: Callable[[bytes, random.Random], bytes],
) -> None:
    """Anything but TaskError is an error 500 that leaves the TaskSet without a condition."""
    rng = random.Random(1)
    noise = {"one/task.yaml": rng.randbytes(3000), "one/evaluation/x": b"text " * 2000}
    good = pack(noise)
    for _ in range(300):
        outcome(damage(good, rng))


def test_a_bomb_is_refused_before_it_is_in_memory(
    monkeypatch: pytest.MonkeyPatch, peak: Callable[[Callable[[], object]], int]
) -> None:
    monkeypatch.setattr(packing, "MAX_UNPACKED", 1_000_000)
    bomb = archive(member("one/big"), data=b"\0" * 20_000_000)
    assert len(bomb) < 40_000
    assert peak(lambda: refused(bomb).reason) < 6_000_000
    assert refused(bomb).reason == "PackTooLarge"


def test_a_bomb_in_an_extended_header_is_refused_before_it_is_in_memory(
    monkeypatch: pytest.MonkeyPatch, peak: Callable[[Callable[[], object]], int]
) -> None:
    """tarfile reads such a header whole before it says that there is a member."""
    monkeypatch.setattr(packing, "MAX_UNPACKED", 1_000_000)
    long = member("one/" + "x" * 20_000_000)
    bomb = archive(long, form=tarfile.GNU_FORMAT)
    assert len(bomb) < 40_000
    assert peak(lambda: refused(bomb).reason) < 6_000_000


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MAX_FILES", 10)
    data = archive(*(member(f"one/{n}") for n in range(11)))
    assert refused(data).reason == "PackTooLarge"
