"""The operator's settings, from environment variables that the chart sets."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class SettingsError(Exception):
    """A variable is missing or unreadable."""


@dataclass(frozen=True)
class OperatorSettings:
    """Where the parts of this installation are."""

    namespace: str
    """The namespace that is watched."""
    harness_image: str
    """Image of the harness sidecar."""
    results_host: str
    """Service name of the results service."""
    proxy_host: str
    """Service name of the proxy; those behind the first have its name and their number."""
    key_file: Path
    """Signing key of tokens."""
    results_port: int = 8080
    proxy_port: int = 8080
    proxy_admin_port: int = 8081
    proxy_replicas: int = 1
    trial_port: int = 8081
    health_port: int = 8090
    image_pull_policy: str = "IfNotPresent"
    runtime_class: str | None = None
    workers: int = 8
    pod_creations_per_second: float = 5.0

    @property
    def results_url(self) -> str:
        return f"http://{self.results_host}:{self.results_port}"

    def proxy_host_of(self, number: int) -> str:
        """Service name of one proxy."""
        return self.proxy_host if number == 0 else f"{self.proxy_host}-{number}"

    @property
    def proxy_admin_urls(self) -> tuple[str, ...]:
        hosts = map(self.proxy_host_of, range(self.proxy_replicas))
        return tuple(f"http://{host}:{self.proxy_admin_port}" for host in hosts)


def from_environment(env: Mapping[str, str] = os.environ) -> OperatorSettings:
    """Read BENCHWRIGHT_* variables; SettingsError names what is missing."""
    try:
        return OperatorSettings(
            namespace=env["BENCHWRIGHT_NAMESPACE"],
            harness_image=env["BENCHWRIGHT_HARNESS_IMAGE"],
            results_host=env["BENCHWRIGHT_RESULTS_HOST"],
            proxy_host=env["BENCHWRIGHT_PROXY_HOST"],
            key_file=Path(env["BENCHWRIGHT_KEY_FILE"]),
            image_pull_policy=env.get("BENCHWRIGHT_IMAGE_PULL_POLICY", "IfNotPresent"),
            runtime_class=env.get("BENCHWRIGHT_RUNTIME_CLASS") or None,
            workers=int(env.get("BENCHWRIGHT_WORKERS", "8")),
            proxy_replicas=int(env.get("BENCHWRIGHT_PROXY_REPLICAS", "1")),
        )
    except KeyError as error:
        raise SettingsError(f"{error.args[0]} is not set: the Helm chart sets it") from error
    except ValueError as error:
        raise SettingsError(f"BENCHWRIGHT_WORKERS, BENCHWRIGHT_PROXY_REPLICAS: {error}") from error
