"""What builders need to know of the installation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PodSettings:
    """Addresses and images of this installation."""

    harness_image: str
    proxy_ip: str
    results_ip: str
    proxy_port: int = 8080
    results_port: int = 8081
    image_pull_policy: str = "IfNotPresent"
    runtime_class: str | None = None
    user: int = 1000
    """Same for the agent and the harness: the harness must read what the agent made unreadable."""
    grace_seconds: int = 240
    """For the harness, from the main container's end to the stored facts."""
    slack_seconds: int = 900
    """How far activeDeadlineSeconds, the backstop, lies beyond the runner's own limits."""

    @property
    def proxy_url(self) -> str:
        # A name, not the address: clients print it, and prompts and logs should not differ by run.
        return f"http://proxy:{self.proxy_port}"

    @property
    def results_url(self) -> str:
        return f"http://results:{self.results_port}"
