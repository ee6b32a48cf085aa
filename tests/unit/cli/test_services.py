"""`benchwright operator` and `benchwright results-service`: settings and their errors."""

from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Cli


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Settings with which the results service would have been started."""
    started: list[Any] = []

    async def serve(settings: Any) -> None:
        started.append(settings)

    monkeypatch.setattr("benchwright.results.service.serve", serve)
    return started


def test_results_service_takes_its_settings_from_the_environment(
    cli: Cli, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("key").write_text("k" * 40)
    monkeypatch.setenv("BENCHWRIGHT_DATA", "data")
    monkeypatch.setenv("BENCHWRIGHT_KEY_FILE", "key")
    assert cli("results-service").exit_code == 0
    (settings,) = served
    assert (settings.data, settings.keys) == (Path("data"), (Path("key"),))
    assert (settings.port, settings.trial_port, settings.metrics_port) == (8080, 8081, 8090)
    assert settings.database_url is None


def test_results_service_takes_options(cli: Cli, served: list[Any]) -> None:
    for name in ("new", "old"):
        Path(name).write_text("k" * 40)
    keys = ("--key-file", "new", "--key-file", "old")
    ports = ("--port", "1", "--trial-port", "2", "--metrics-port", "3")
    assert cli("results-service", "--data", "d", *keys, *ports).exit_code == 0
    (settings,) = served
    assert settings.keys == (Path("new"), Path("old"))
    assert (settings.port, settings.trial_port, settings.metrics_port) == (1, 2, 3)


def test_results_service_without_a_key_is_wrong_usage(cli: Cli, served: list[Any]) -> None:
    assert cli("results-service", "--data", "d").exit_code == 2
    assert served == []


def test_operator_runs_with_the_settings_of_the_environment(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    async def run(settings: Any) -> None:
        started.append(settings)

    monkeypatch.setattr("benchwright.control.operator.run", run)
    for name in ("NAMESPACE", "HARNESS_IMAGE", "RESULTS_HOST", "PROXY_HOST", "KEY_FILE"):
        monkeypatch.setenv(f"BENCHWRIGHT_{name}", name.lower())
    assert cli("operator").exit_code == 0
    assert started[0].namespace == "namespace"


def test_operator_says_which_setting_is_missing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BENCHWRIGHT_NAMESPACE", raising=False)
    result = cli("operator")
    assert result.exit_code == 1
    assert result.stderr == "Error: BENCHWRIGHT_NAMESPACE is not set: the Helm chart sets it\n"
