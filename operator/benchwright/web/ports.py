"""What the pages need of the results service, which gives it when it mounts them."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchwright.web.lists import Change, Page, Query, RunRow, Scope, Tally
from benchwright_proxy.token import Claims

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FactsRow:
    """The facts of one stage: a JSON document (api.facts.StageFacts)."""

    attempt: int
    stage: str
    document: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """One file of evidence."""

    trial_uid: str
    attempt: int
    stage: str
    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Review:
    """What a person said of a trial. `who` is what they called themselves, `role` their token's."""

    trial_uid: str
    verdict: str
    who: str
    role: str
    comment: str
    at: float


class Lists(Protocol):
    """Searching and sorting."""

    async def runs(self) -> Sequence[RunRow]:
        """All runs, the one with the newest start first."""

    async def run(self, run_uid: str) -> RunRow | None: ...

    async def tallies(self, scope: Scope) -> Sequence[Tally]: ...

    async def page(self, scope: Scope, query: Query) -> Page: ...

    async def change(self, run_uid: str | None) -> Change:
        """The last one of a run, or of all."""


class Evidence(Protocol):
    """What is stored of a trial."""

    async def record(self, trial_uid: str) -> Record | None: ...

    async def facts(self, trial_uid: str) -> Sequence[FactsRow]: ...

    async def baselines(self, task_digest: str) -> Sequence[str]:
        """Facts of the evaluator of each good baseline."""

    async def files(self, trial_uid: str) -> Sequence[FileRow]: ...

    async def part(self, file: FileRow, start: int, length: int) -> bytes:
        """Some bytes. Raises FileNotFoundError."""

    async def read(self, file: FileRow) -> tuple[int, AsyncIterator[bytes]]:
        """Size and content. Raises FileNotFoundError."""


class Reviews(Protocol):
    """Append-only."""

    async def of(self, trial_uid: str) -> Sequence[Review]:
        """The oldest first."""

    async def add(self, review: Review) -> None: ...


class Sessions(Protocol):
    """Who may review."""

    def claims(self, token: str) -> Claims:
        """Raises benchwright_proxy.token.TokenError."""

    def form_key(self, token: str) -> str:
        """What a form carries so that no other site can send it in this person's name."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The report's first parts, as HTML of ours; or why there is none."""

    html: str = ""
    problem: str = ""
    pending: bool = False
    """It will be there in a moment."""


class Reports(Protocol):
    """What may be said of a run."""

    async def summary(self, run: RunRow) -> Summary:
        """As the run is now; it does not wait long."""


@dataclass(frozen=True, slots=True)
class Backend:
    """All of it, and the clock (unix seconds)."""

    lists: Lists
    evidence: Evidence
    reviews: Reviews
    sessions: Sessions
    reports: Reports
    now: Callable[[], float]
