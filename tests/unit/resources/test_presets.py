"""Presets as the shell makes them: variables, files and a command, and nothing else expanded."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from benchwright.api.agent import LIBRARIES, PRESET_DIALECTS, AgentSpec, Dialect, PresetName
from benchwright.cli.rules import broken_rules
from benchwright.control.views import agent_digest
from benchwright.resources.presets import PRESETS, Preset, dialect_of, prelude, script_of

EACH = [(name, dialect) for name, dialects in PRESETS.items() for dialect in dialects]
MODEL = "some/model-1.5:x@y"


def spec(name: PresetName, dialect: Dialect = "none", run: str | None = None) -> AgentSpec:
    return AgentSpec(scaffold="x", preset=name, dialect=dialect, model=MODEL, run=run)


def shell(script: str, home: Path, **env: str) -> str:
    """What the script prints in dash, which images without bash have too."""
    given = {
        "HOME": str(home), "PATH": "/usr/bin:/bin", "BENCHWRIGHT_AGENT_DIR": "/agent",
        "BENCHWRIGHT_MODEL": MODEL, "BENCHWRIGHT_PROXY_URL": "http://10.0.0.1:8080", **env,
    }  # fmt: skip
    done = subprocess.run(["dash", "-eu", "-c", script], env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_resource_and_the_presets_agree() -> None:
    assert {name: tuple(dialects) for name, dialects in PRESETS.items()} == dict(PRESET_DIALECTS)
    bare = {name for name, dialects in PRESETS.items() for p in dialects.values() if p.run is None}
    assert bare == set(LIBRARIES)


@pytest.mark.parametrize(("name", "dialect"), EACH)
def test_each_sets_its_variables_and_files(
    tmp_path: Path, name: PresetName, dialect: Dialect
) -> None:
    preset = PRESETS[name][dialect]
    text = shell(prelude(preset) + "env -0", tmp_path)
    found = dict(pair.split("=", 1) for pair in text.split("\0") if "=" in pair)
    assert found["PATH"].startswith("/agent/bin:")
    for key, template in preset.env.items():
        expected = template.replace("{model}", MODEL).replace("{base_url}", "http://10.0.0.1:8080")
        assert found[key] == expected
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert files == set(preset.files)
    for path in preset.files:
        content = (tmp_path / path).read_text()
        assert MODEL in content or path.endswith("settings.json")
        parsed = tomllib.loads(content) if path.endswith(".toml") else json.loads(content)
        assert parsed


@pytest.mark.parametrize(("name", "dialect"), EACH)
def test_no_placeholder_is_left_and_no_host_but_the_proxy_is_named(
    name: PresetName, dialect: Dialect
) -> None:
    if PRESETS[name][dialect].run is None:
        return
    script = script_of(spec(name, dialect))
    for placeholder in ("{base_url}", "{model}", "{litellm}", "{auth}"):
        assert placeholder not in script
    assert "http://" not in script
    assert "https://" not in script


def test_a_configuration_in_a_variable_is_json(tmp_path: Path) -> None:
    preset = PRESETS["opencode"]["openai"]
    text = shell(prelude(preset) + 'printf %s "$OPENCODE_CONFIG_CONTENT"', tmp_path)
    found = json.loads(text)
    options = found["provider"]["benchwright"]["options"]
    assert options == {"baseURL": "http://10.0.0.1:8080/v1", "apiKey": "{env:OPENAI_API_KEY}"}
    assert found["model"] == f"benchwright/{MODEL}"


def test_the_agents_own_variables_win_even_where_they_are_empty(tmp_path: Path) -> None:
    text = prelude(PRESETS["mini-swe-agent"]["openai"])
    text += 'echo "$MSWEA_COST_TRACKING;$MSWEA_SILENT_STARTUP;$MSWEA_CONFIGURED"'
    found = shell(text, tmp_path, MSWEA_COST_TRACKING="default", MSWEA_SILENT_STARTUP="")
    assert found == "default;;true\n"


def test_text_of_a_preset_is_no_shell(tmp_path: Path) -> None:
    hostile = 'it\'s $(touch x) `id` "$HOME" \\ \n{model}'
    text = prelude(Preset(env={"A": hostile}, files={"f": hostile})) + 'printf %s "$A"'
    expected = hostile.replace("{model}", MODEL)
    assert shell(text, tmp_path) == expected
    assert (tmp_path / "f").read_text() == expected


def test_a_script_of_ones_own_runs_behind_the_preset(tmp_path: Path) -> None:
    script = script_of(spec("codex", run='cat "$HOME/.codex/config.toml"'))
    assert f'model = "{MODEL}"' in shell(script, tmp_path)


@pytest.mark.parametrize(
    ("agent", "field"),
    [
        ({"preset": "codex", "model": "m"}, None),
        ({"preset": "opencode", "model": "m", "dialect": "anthropic"}, None),
        ({"preset": "codex", "model": "m", "dialect": "anthropic"}, "dialect"),
        ({"preset": "codex"}, "preset"),
        ({"preset": "openai-sdk", "model": "m"}, "run"),
        ({"preset": "openai-sdk", "model": "m", "run": "x"}, None),
        ({}, "run"),
        ({"model": "m", "run": "x"}, "model"),
    ],
)
def test_what_does_not_fit_is_told(agent: dict[str, str], field: str | None) -> None:
    found = [path for path, _ in broken_rules(AgentSpec.model_validate({"scaffold": "x", **agent}))]
    assert found == ([] if field is None else [(field,)])


@pytest.mark.parametrize("model", ["a b", "$(id)", 'a"b', "a'b", "a\nb", "-x", ""])
def test_a_model_that_no_proxy_can_have_is_refused(model: str) -> None:
    with pytest.raises(ValueError, match="model"):
        AgentSpec(scaffold="x", run="x", model=model)


def test_the_first_dialect_is_taken_where_none_is_said() -> None:
    assert dialect_of(spec("opencode")) == "openai"
    assert dialect_of(spec("opencode", "anthropic")) == "anthropic"
    assert dialect_of(AgentSpec(scaffold="x", run="x")) == "none"


def test_what_a_preset_does_is_a_part_of_an_agents_identity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = agent_digest(spec("codex"))
    changed = {**PRESETS, "codex": {"openai": Preset(run="other")}}
    monkeypatch.setattr("benchwright.resources.presets.PRESETS", changed)
    assert agent_digest(spec("codex")) != before
