"""No input ends in a stack trace, whatever it is."""

import tempfile
import unicodedata
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from benchwright.cli.validate import inspect

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip
FIELDS = st.sampled_from(
    ["agents", "taskSet", "selector", "names", "source", "inline", "task", "files", "git", "criteria",
     "configMap", "name", "kind", "image", "prompt", "measurement", "env", "scaffold", "run", "model"]
)  # fmt: skip
SPECS = st.recursive(
    SCALARS | st.sampled_from(["a", "repair", "testWriting", "none", "openai"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=6),
    max_leaves=25,
)
DOCUMENTS = st.fixed_dictionaries(
    {
        "apiVersion": st.sampled_from(["benchwright.dev/v1alpha1", "benchwright.dev/x", "v1"]),
        "kind": st.sampled_from(["Agent", "TaskSet", "BenchmarkRun", "Trial", "ConfigMap"]) | TREES,
        "metadata": st.fixed_dictionaries({"name": st.just("a") | TREES}) | TREES,
        "spec": st.dictionaries(FIELDS, SPECS, max_size=6) | TREES,
    },
    optional={"status": TREES, "binaryData": TREES},
)
YAMLISH = st.text(st.sampled_from("ab:- \n[]{}&*!|>%@`'\"#?,0123.eE+~\t\\<=_"), max_size=120)


def checked(data: bytes, name: str = "f.yaml") -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        found = inspect([path])
        lines = [str(f) for f in found.findings]
        assert all(line.startswith(folder) for line in lines)
        assert all(len(line.splitlines()) == 1 and line.encode("utf-8") for line in lines)
        assert not {c for line in lines for c in line if unicodedata.category(c) == "Cc"}


def dumped(data: Any) -> bytes:
    yaml = YAML(typ="safe", pure=True)
    yaml.representer.ignore_aliases = lambda *_: True
    with tempfile.TemporaryFile() as stream:
        yaml.dump(data, stream)
        stream.seek(0)
        return stream.read()


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=200))
def test_bytes(data: bytes) -> None:
    checked(data)


@settings(deadline=None, max_examples=60)
@given(YAMLISH)
def test_text_made_of_yaml_signs(text: str) -> None:
    checked(text.encode())


@settings(deadline=None, max_examples=60)
@given(YAMLISH)
def test_text_made_of_yaml_signs_as_a_task(text: str) -> None:
    checked(text.encode(), "task.yaml")


@settings(deadline=None, max_examples=60)
@given(st.lists(DOCUMENTS, max_size=3))
def test_documents_that_look_like_resources(documents: list[Any]) -> None:
    checked(b"".join(b"---\n" + dumped(d) for d in documents))


@settings(deadline=None, max_examples=60)
@given(SPECS)
def test_task_files(data: Any) -> None:
    checked(dumped(data), "task.yaml")
