"""A task's identity: every byte that can change a verdict, and nothing else."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchwright.api.task import ArchiveSource, Criterion, Source, TaskLimits
from benchwright.tasks.load import corpus_digest, digest
from tests.builders import a_measurement, a_task

TASK = a_task("repair", measurement=a_measurement())
FILES = {
    "prompt.md": b"Mend it.",
    "workspace/a.py": b"x = 1\n",
    "evaluation/hidden.py": b"assert x\n",
}
BASE = digest(TASK, FILES)

CHANGES: dict[str, Any] = {
    "image": "tasks.example/python:2",
    "source": Source(archive=ArchiveSource(sha256="f" * 64)),
    "prompt": "Do it.",
    "prompts": {"repair": "Do it."},
    "limits": TaskLimits(agent_seconds=1),
    "measurement": a_measurement(sources=("other/**",)),
    "criteria": (Criterion(name="regression", command="other"),),
    "name": "other",
}


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_that_can_change_a_verdict_changes_the_digest(field: str) -> None:
    assert digest(TASK.model_copy(update={field: CHANGES[field]}), FILES) != BASE


@given(st.sampled_from(sorted(FILES)), st.data())
@settings(deadline=None)
def test_any_byte_of_a_file_that_can_change_a_verdict_changes_the_digest(
    path: str, data: st.DataObject
) -> None:
    content = bytearray(FILES[path])
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    assert digest(TASK, {**FILES, path: bytes(content)}) != BASE


def test_adding_renaming_and_removing_a_file_changes_the_digest() -> None:
    assert digest(TASK, {**FILES, "evaluation/more": b""}) != BASE
    renamed = {
        ("evaluation/b.py" if p == "evaluation/hidden.py" else p): d for p, d in FILES.items()
    }
    assert digest(TASK, renamed) != BASE
    assert digest(TASK, {p: d for p, d in FILES.items() if not p.startswith("evaluation/")}) != BASE


def test_moving_a_hidden_file_to_where_the_agent_sees_it_changes_the_digest() -> None:
    moved = {p.replace("evaluation/", "workspace/"): d for p, d in FILES.items()}
    assert digest(TASK, moved) != BASE


def test_solutions_and_mutants_cannot_change_a_verdict_and_do_not_change_the_digest() -> None:
    assert digest(TASK, {**FILES, "solutions/1/patch.diff": b"x", "mutants/2/a": b"y"}) == BASE


def test_the_order_in_which_files_were_found_does_not_matter() -> None:
    assert digest(TASK, dict(reversed(FILES.items()))) == BASE


def test_a_default_written_out_is_the_same_task() -> None:
    written = TASK.model_validate({**TASK.dump(), "split": "public", "lifecycle": "active"})
    assert digest(written, FILES) == BASE


NAMES = st.dictionaries(
    st.from_regex(r"\A[a-z]{1,3}\Z"), st.sampled_from(["1", "2", "12"]), max_size=4
)


@given(NAMES, NAMES)
@example({"a": "1", "b": "2"}, {"a": "2", "b": "1"})
@example({"a": "12"}, {"a1": "2"})
def test_a_corpus_is_its_names_and_digests(one: dict[str, str], other: dict[str, str]) -> None:
    assert (corpus_digest(one) == corpus_digest(other)) is (one == other)


def test_digests_have_the_form_that_resources_take() -> None:
    for found in (BASE, corpus_digest({"a": BASE})):
        assert found.startswith("sha256:")
        assert len(found) == 71
