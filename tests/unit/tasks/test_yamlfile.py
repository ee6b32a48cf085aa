"""YAML with lines: read as hostile, and complaints in words with file, line and field."""

from typing import Any

import pytest
from pydantic import ValidationError
from ruamel.yaml.scanner import RoundTripScanner

from benchwright.api.task import Task
from benchwright.tasks import yamlfile
from benchwright.tasks.yamlfile import YamlProblem, explain, line_of, load_all, plain


def refused(text: str) -> str:
    with pytest.raises(YamlProblem) as caught:
        load_all(text, "f.yaml")
    return str(caught.value)


def test_documents_are_plain_data() -> None:
    (found,) = load_all('a: 1\nb: [x, 2.5, true, null]\nc: {d: "e"}\ne: 0o7\n', "f.yaml")
    assert plain(found) == {"a": 1, "b": ["x", 2.5, True, None], "c": {"d": "e"}, "e": 7}
    assert type(plain(found)["a"]) is int
    assert type(plain(found)["c"]["d"]) is str


def test_empty_documents_are_left_out() -> None:
    assert [plain(d) for d in load_all("---\n---\na: 1\n---\n", "f.yaml")] == [{"a": 1}]


def test_a_text_block_keeps_its_lines() -> None:
    (found,) = load_all("run: |\n  a\n  b\n", "f.yaml")
    assert plain(found) == {"run": "a\nb\n"}


@pytest.mark.parametrize(
    "text",
    ["a: &x 1\nb: *x\n", "a: &x {k: 1}\nb:\n  <<: *x\n", "a: &x [*x]\n"],
    ids=["an alias", "a merge key", "an alias of itself"],
)
def test_aliases_are_refused_a_bomb_is_400_bytes(text: str) -> None:
    """load_all says so; plain() would expand nine levels of nine aliases to 400 million nodes."""
    assert "f.yaml" in refused(text)


DEEP = {
    "open lists": "[" * 2000,
    "open lists with something in each": "a: " + "[b, " * 2000,
    "open mappings": "{" * 2000,
    "JSON": '{"a":' * 2000,
    "lists that are closed": "[" * 400 + "]" * 400,
    "lists of lists in blocks": "- " * 2000,
    "keys that are keys": "? " * 2000,
    "indentation": "".join("  " * i + "a:\n" for i in range(400)),
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deep_nesting_is_refused_before_anything_is_built_of_it(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ruamel reads ahead, at a cost that grows with the square of the depth: it must not get far."""
    taken = 0

    def count(self: RoundTripScanner) -> None:
        nonlocal taken
        taken += 1
        fetch(self)

    fetch = RoundTripScanner.fetch_more_tokens
    monkeypatch.setattr(RoundTripScanner, "fetch_more_tokens", count)
    said = refused(text)
    assert said in {"f.yaml:1: nested deeper than 60", "f.yaml:61: nested deeper than 60"}
    assert taken <= 4 * yamlfile.MAX_DEPTH + 4


def test_nesting_up_to_the_limit_is_read() -> None:
    (found,) = load_all("[" * yamlfile.MAX_DEPTH + "]" * yamlfile.MAX_DEPTH, "f.yaml")
    assert len(found) == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RecursionError(), "f.yaml: is not readable as YAML: RecursionError"),
        (AttributeError("x\ny"), "f.yaml: is not readable as YAML: x y"),
    ],
)
def test_whatever_the_yaml_library_raises_is_one_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    def broken(self: object, text: str) -> list[object]:
        raise error

    monkeypatch.setattr("ruamel.yaml.YAML.load_all", broken)
    assert refused("a: 1") == said


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a: 1\nb: [1,\n", "f.yaml:3"),
        ("a: 1\na: 2\n", "f.yaml:2"),
        ("a:\n  - b\n c: d\n", "f.yaml:3"),
        ("a: 1\n\tb: 2\n", "f.yaml:2"),
        ("a: '1\n", "f.yaml"),
        ("a: \x01\n", "f.yaml"),
        ("%YAML 9.9\n---\na: 1\n", "f.yaml"),
    ],
    ids=[
        "open list",
        "a key twice",
        "indentation",
        "a tab",
        "open quote",
        "a control character",
        "version",
    ],
)
def test_what_is_no_yaml_is_named_with_its_line(text: str, where: str) -> None:
    assert refused(text).startswith(where)


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system [echo]\n",
        "!!python/name:os.system\n",
        "a: !custom {b: 1}\n",
    ],
)
def test_tags_run_nothing(text: str) -> None:
    try:
        found = [plain(d) for d in load_all(text, "f.yaml")]
    except YamlProblem:
        return
    assert all(isinstance(d, dict | list | str | type(None)) for d in found)


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamlfile, "MAX_BYTES", 10)
    assert "larger than" in refused("a: " + "x" * 10)


# Complaints

TEXT = """\
name: parse
kind: repair
image: x
limits:
  agentSeconds: 0
criteria:
  - name: one
    command: "true"
  - name: Two
    command: ""
"""


def _complaints(text: str, prefix: list[object] | None = None) -> list[str]:
    (document,) = load_all(text, "t.yaml")
    node: Any = document
    for part in prefix or []:
        node = node[part]
    with pytest.raises(ValidationError) as caught:
        Task.model_validate(plain(node))
    return explain(caught.value, document, "t.yaml", prefix or [])


def test_every_problem_is_a_line_with_file_line_and_field() -> None:
    found = _complaints(TEXT)
    assert [c.rsplit(": ", 1)[0].split(": ")[:2] for c in found] == [
        ["t.yaml:5", "limits.agentSeconds"],
        ["t.yaml:9", "criteria.1.name"],
        ["t.yaml:10", "criteria.1.command"],
    ]


def test_a_rule_over_several_fields_is_said_in_its_own_words() -> None:
    (found,) = _complaints("name: a\nkind: repair\nimage: x\n")
    assert (
        found == "t.yaml:1: document: a repair task needs criteria, at least one of them required"
    )


def test_a_missing_field_is_reported_at_what_should_hold_it() -> None:
    (found,) = _complaints("spec:\n  task:\n    name: a\n    kind: repair\n", ["spec", "task"])
    assert found.startswith("t.yaml:2: spec.task.image: ")


def test_the_deepest_known_part_gives_the_line() -> None:
    (document,) = load_all(TEXT, "t.yaml")
    assert line_of(document, ["criteria", 1, "name"]) == 9
    assert line_of(document, ["criteria", 7, "name"]) == 6
    assert line_of(document, ["nope"]) == 1
    assert line_of("a text", ["a"]) == 1
