"""The chart, rendered by helm; no cluster is needed for that."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts/benchwright"
DEMO = ROOT / "manifests/demo"
NO_CRDS: Json = {"crds": {"install": False}}


def helm(*args: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run helm; without it the test fails, and says where it comes from."""
    if shutil.which("helm") is None:
        pytest.fail(
            'helm is not on the PATH: run these with `make e2e`, or after eval "$(python3 -m cluster env)"'
        )
    command = ["helm", *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert not check or done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done


def template(
    values: Json | None = None, *options: str | Path, chart: Path = CHART, release: str = "benchwright",
    namespace: str = "bench", check: bool = True,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """`helm template` with these values."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values or {}, file)
        file.flush()
        place = ("--namespace", namespace, "--values", file.name)
        return helm("template", release, chart, *place, *options, check=check)


def render(values: Json | None = None, *options: str | Path, **place: Any) -> list[Json]:
    """The objects, read as the API server reads them: YAML 1.1, where `yes` is no string."""
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 1)
    text = template(values, *options, **place).stdout
    return [found for found in yaml.load_all(text) if found]


def refused(values: Json) -> str:
    """What helm says of values that it refuses."""
    done = template(values, check=False)
    assert done.returncode != 0, f"not refused: {values}"
    return done.stderr


def merged(*parts: Json) -> Json:
    """Values laid over one another."""
    out: Json = {}
    for part in parts:
        for key, value in part.items():
            both = isinstance(value, dict) and isinstance(out.get(key), dict)
            out[key] = merged(out[key], value) if both else value
    return out


def of_kind(objects: list[Json], *kinds: str) -> list[Json]:
    return [o for o in objects if o["kind"] in kinds]


def named(objects: list[Json], kind: str, name: str) -> Json:
    (found,) = (o for o in of_kind(objects, kind) if o["metadata"]["name"] == name)
    return found


def pods(objects: list[Json]) -> dict[str, Json]:
    """Pod templates by the name of what makes them."""
    makers = of_kind(objects, "Deployment", "StatefulSet", "DaemonSet", "Job")
    return {o["metadata"]["name"]: o["spec"]["template"] for o in makers}


def containers(pod: Json) -> Iterator[Json]:
    yield from pod["spec"]["containers"]
    yield from pod["spec"].get("initContainers", [])


MODELS: Json = {
    "proxy": {
        "providers": [
            {"name": "openai", "dialect": "openai", "baseUrl": "https://api.openai.com",
             "secret": {"name": "openai", "key": "key"}},
            {"name": "claude", "dialect": "anthropic", "baseUrl": "https://api.anthropic.com",
             "secret": {"name": "anthropic", "key": "api-key"}},
        ],
        "models": [
            {"name": "big", "provider": "openai", "upstreamModel": "gpt-5.1", "maxOutputTokens": 9},
            {"name": "claude-4", "provider": "claude"},
            {"name": "demo", "provider": "scripted", "dialogue": "demo.yaml"},
        ],
        "dialogues": {"demo.yaml": "name: demo\nturns: []\n"},
    }
}  # fmt: skip
"""As the README's my-values.yaml, with one of everything."""
