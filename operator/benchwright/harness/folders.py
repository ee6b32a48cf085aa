"""Where things are in the pod; tests put them elsewhere. And what is collected of them."""

from dataclasses import dataclass
from pathlib import Path

from benchwright.api import stageplan

Files = dict[str, bytes | Path]
"""Evidence by its name: content, or the file that has it."""


@dataclass(frozen=True)
class Folders:
    """Mount points."""

    workspace: Path = Path(stageplan.WORKSPACE)
    control: Path = Path(stageplan.CONTROL)
    exchange: Path = Path(stageplan.EXCHANGE)
    private: Path = Path("/var/harness")
    """The harness's own; no other container has it."""

    @property
    def gate(self) -> Path:
        """Pipe that tells the main container to go."""
        return self.control / Path(stageplan.GATE).name

    @property
    def repository(self) -> Path:
        return self.workspace / "repo"

    @property
    def answers(self) -> Path:
        return self.workspace / "answer"

    @property
    def reports(self) -> Path:
        return self.exchange / "reports"

    @property
    def base(self) -> Path:
        """Bare repository with the one base commit."""
        return self.private / "base.git"
