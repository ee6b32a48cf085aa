"""A fake API server that KUBECONFIG points to, and the command line."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchwright.cli.main import main
from tests.unit.cli.fake_api import FakeApi

Cli = Callable[..., Result]


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    """An API server that listens, and is the current context."""
    server = FakeApi()
    stop = server.start()
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "fake",
        "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "me", "namespace": "default"}}],
        "clusters": [{"name": "fake", "cluster": {"server": server.url}}],
        "users": [{"name": "me", "user": {"token": "kube-token"}}],
    }  # fmt: skip
    path = tmp_path / "kubeconfig"
    path.write_text(json.dumps(config))
    # The kubernetes package reads the variable once, when it is imported.
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(path))
    yield server
    stop()


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command in an empty folder."""
    folder = tmp_path / "cwd"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("BENCHWRIGHT_RESULTS_SERVICE", "BENCHWRIGHT_DATA", "BENCHWRIGHT_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    runner = CliRunner()

    def run(*args: object) -> Result:
        return runner.invoke(main, [str(a) for a in args])

    return run
