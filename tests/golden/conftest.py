"""Golden files: whole objects as YAML. `pytest tests/golden --update-golden` writes them anew."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

Golden = Callable[[str, object], None]
_HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew")


def _yaml(data: object) -> str:
    yaml = YAML()
    yaml.width = 100
    yaml.representer.ignore_aliases = lambda *_: True
    yaml.representer.add_representer(str, _multiline)
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _multiline(representer: Any, text: str) -> Any:
    style = "|" if "\n" in text else None
    return representer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(name, obj)`: obj is what tests/golden/<name>.yaml says."""
    update = bool(request.config.getoption("--update-golden"))

    def check(name: str, data: object) -> None:
        path, text = _HERE / f"{name}.yaml", _yaml(data)
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{path} is not there: run `pytest tests/golden --update-golden`"
        assert text == path.read_text(), f"{path.name} differs: read the diff, then --update-golden"

    return check
