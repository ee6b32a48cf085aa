"""Configuration files: what is wrong is said with file and field."""

from pathlib import Path

import pytest

from benchwright_proxy import config
from benchwright_proxy.dialect import Dialect
from benchwright_proxy.providers.addresses import endpoint_url
from benchwright_proxy.routes import Endpoint
from benchwright_proxy.watched import WatchedFile, read_provider_key
from benchwright_proxy.yamlfile import FileError

GOOD = """\
providers:
  - {name: anthropic, dialect: anthropic, baseUrl: https://api.example, keyFile: /k, caFile: /c}
  - {name: scripted, dialect: scripted, dialogues: /d}
models:
  - {name: demo, provider: scripted, dialogue: demo.yaml}
  - {name: big, provider: anthropic, upstreamModel: some-id, maxOutputTokens: 64000}
budget: {defaultOutputReservation: 1000, inputBytesPerToken: 2.5, waitSeconds: 1}
bounds: {drainSeconds: 5}
"""


def load(folder: Path, text: str) -> config.Config:
    path = folder / "proxy.yaml"
    path.write_text(text)
    return config.load(path)


def test_a_whole_file(tmp_path: Path) -> None:
    found = load(tmp_path, GOOD)
    assert found.models[1].upstream_model == "some-id"
    assert found.budget.input_bytes_per_token == 2.5
    assert found.bounds.drain_seconds == 5


def test_no_model_at_all_is_what_one_begins_with(tmp_path: Path) -> None:
    head, _, _ = GOOD.partition("models:")
    assert load(tmp_path, f"{head}models: []\n").models == []


BAD = [
    (
        "baseUrl: https://api.example",
        "baseUrl: ftp://x",
        "providers[0].anthropic.baseUrl: expected http",
    ),
    ("baseUrl: https://api.example", "baseUrl: https://u:p@x", "baseUrl: user, password"),
    ("baseUrl: https://api.example", "baseUrl: https://x?key=1", "query and fragment"),
    ("baseUrl: https://api.example, ", "", "providers[0].anthropic.baseUrl: Field required"),
    ("dialect: anthropic", "dialect: bedrock", "providers[0]: Input tag 'bedrock'"),
    ("dialogues: /d", "dialogue: /d", "providers[1].scripted.dialogue: Extra inputs"),
    ("provider: scripted", "provider: nobody", "models[0].provider: 'nobody' is not one of"),
    (", dialogue: demo.yaml", "", "models[0].dialogue: needed by"),
    ("dialogue: demo.yaml", "dialogue: ../demo.yaml", "models[0].dialogue: expected a plain file"),
    ("name: big", "name: demo", "models: names must differ, repeated: demo"),
    ("name: scripted", "name: anthropic", "providers: names must differ"),
    ("maxOutputTokens: 64000", "maxOutputTokens: 0", "models[1].maxOutputTokens"),
    ("inputBytesPerToken: 2.5", "inputBytesPerToken: 0.5", "budget.inputBytesPerToken"),
    ("drainSeconds", "drainSecs", "bounds.drainSecs: Extra inputs"),
    ("providers:", "providers: []\nx:", "providers: List should have at least 1"),
    ("providers:", "providers: [", "not YAML"),
    ("models:", "providers:", "not YAML"),
]


@pytest.mark.parametrize(("old", "new", "says"), BAD)
def test_errors_name_the_file_and_the_field(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(FileError) as caught:
        load(tmp_path, GOOD.replace(old, new, 1))
    assert str(caught.value).startswith(f"{tmp_path}/proxy.yaml: ")
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["", "- a", "7", "{a: {{}}}"])
def test_what_is_no_mapping_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError, match=r"proxy\.yaml: "):
        load(tmp_path, text)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        config.load(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("base", "dialect", "endpoint", "expected"),
    [
        ("https://a", Dialect.OPENAI, Endpoint.CHAT, "https://a/v1/chat/completions"),
        ("https://a/v1", Dialect.OPENAI, Endpoint.CHAT, "https://a/v1/chat/completions"),
        ("https://a/x/v3", Dialect.OPENAI, Endpoint.CHAT, "https://a/x/v3/chat/completions"),
        ("https://a", Dialect.ANTHROPIC, Endpoint.MESSAGES, "https://a/v1/messages"),
        ("https://a/v1", Dialect.ANTHROPIC, Endpoint.MESSAGES, "https://a/v1/messages"),
        (
            "https://a/x",
            Dialect.ANTHROPIC,
            Endpoint.COUNT_TOKENS,
            "https://a/x/v1/messages/count_tokens",
        ),
        (
            "https://a",
            Dialect.GEMINI,
            Endpoint.GENERATE,
            "https://a/v1beta/models/m:generateContent",
        ),
        (
            "https://a/v1beta",
            Dialect.GEMINI,
            Endpoint.STREAM_GENERATE,
            "https://a/v1beta/models/m:streamGenerateContent",
        ),
    ],
)
def test_base_urls_are_those_of_the_sdks(
    base: str, dialect: Dialect, endpoint: Endpoint, expected: str
) -> None:
    kind = {"name": "p", "dialect": dialect.value, "baseUrl": base}
    assert endpoint_url(config.HttpProvider.model_validate(kind), endpoint, "m") == expected


def test_a_rotated_key_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("first\n")
    key = WatchedFile(path, read_provider_key)
    assert key.get() == "first"
    path.write_text("second key")
    with pytest.raises(FileError, match="one key"):
        key.get()
    with pytest.raises(FileError):
        key.get()
    path.write_text("the-second")
    assert key.get() == "the-second"
    path.unlink()
    with pytest.raises(FileError, match="No such file"):
        key.get()
