"""Records of one attempt are found again among those of others, whatever lies around them."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from benchwright_proxy.journal.blocks import BLOCK, Blocks
from benchwright_proxy.journal.reading import Location, segment_path
from benchwright_proxy.journal.records import AttemptRecord, Refused, RunBudget, encode
from benchwright_proxy.token import Limits

UIDS = ("u", "uu", 'quoted "u"', "ü", "other")
#: A record: of which trial, of which attempt, and how long its text is.
RECORDS = st.lists(
    st.tuples(
        st.sampled_from(UIDS),
        st.integers(1, 2),
        st.one_of(
            st.integers(0, 300), st.integers(BLOCK - 300, BLOCK + 300), st.just(3 * BLOCK + 7)
        ),
        st.booleans(),  # whether a new file begins after it
    ),
    max_size=25,
)


def refused(uid: str, attempt: int, size: int, number: int) -> Refused:
    reason = "x" * size
    return Refused(trial_uid=uid, attempt=attempt, at=1.0, stage="s", reason=reason, count=number)


@given(RECORDS)
def test_each_attempt_gets_its_own_records_in_order(
    tmp_path_factory: object, rows: list[tuple[str, int, int, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("journal")  # type: ignore[attr-defined]
    blocks: dict[tuple[str, int], Blocks] = {}
    wanted: dict[tuple[str, int], list[AttemptRecord]] = {}
    segment, content = 1, b""
    for number, (uid, attempt, size, last) in enumerate(rows):
        record = refused(uid, attempt, size, number)
        blocks.setdefault((uid, attempt), Blocks()).add(Location(segment, len(content)))
        wanted.setdefault((uid, attempt), []).append(record)
        content += encode(record)
        segment_path(folder, segment).write_bytes(content)
        if last:
            segment, content = segment + 1, b""
    for key, index in blocks.items():
        assert list(index.read(folder, key)) == wanted[key]


def index_of(*locations: Location) -> Blocks:
    blocks = Blocks()
    for location in locations:
        blocks.add(location)
    return blocks


def test_many_records_of_a_block_take_one_entry() -> None:
    found = index_of(*(Location(1, offset) for offset in range(0, 10 * BLOCK, 100)))
    assert len(found._packed) == 10
    assert found.segments() == {1}


def test_files_that_are_needed() -> None:
    assert index_of(Location(2, 5), Location(7, 0), Location(9, 3 * BLOCK)).segments() == {2, 7, 9}


def test_what_cannot_be_read_or_is_no_attempts_or_is_torn_is_passed_over(tmp_path: Path) -> None:
    mine = refused("u", 1, 0, 1)
    budget = RunBudget(at=1.0, run_uid="u", limits=Limits())
    content = [encode(mine), b'"u" \xff\n', encode(budget), encode(mine), encode(mine)[:-5]]
    segment_path(tmp_path, 1).write_bytes(b"".join(content))
    assert list(index_of(Location(1, 0)).read(tmp_path, ("u", 1))) == [mine, mine]


def test_a_copy_does_not_grow() -> None:
    blocks = index_of(Location(1, 0))
    copy = blocks.copy()
    blocks.add(Location(2, 0))
    assert (copy.segments(), blocks.segments()) == ({1}, {1, 2})
