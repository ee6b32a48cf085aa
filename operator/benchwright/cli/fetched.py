"""The records of a run in the cluster, and how many there should be."""

from dataclasses import dataclass

from benchwright.cli import records
from benchwright.cli.errors import warn
from benchwright.cli.gateway import Gateway
from benchwright.cli.records import Record
from benchwright.cli.target import Session


@dataclass(frozen=True)
class Fetched:
    """What the results service has."""

    data: bytes
    """results.json, as it came."""
    records: list[Record]
    plans: list[Record]
    """Of the run; none where the service does not know it."""
    expected: int | None
    """How many there should be, where that is known."""


async def fetch(gateway: Gateway, run: str, uid: str | None) -> Fetched:
    """Of the run in the cluster, or of the one with `uid`; a deleted run still has its results."""
    known_uid, expected = await _known(gateway.session, run)
    data, found = await records.fetch(gateway, run, uid or known_uid)
    plans = await records.fetch_plans(gateway, run, str(found[0]["run_uid"]) if found else "")
    return Fetched(data, found, plans, expected if uid in {None, known_uid} else None)


async def _known(session: Session, run: str) -> tuple[str | None, int | None]:
    """UID and planned trials of the run in the cluster; a deleted one still has its results."""
    from benchwright.cli.views import parse_run
    from benchwright.kube.client import RUNS
    from benchwright.kube.errors import ApiError

    try:
        found = parse_run(await session.kube.get(RUNS, session.namespace, run))
    except ApiError as error:
        if not error.not_found:
            raise
        return None, None
    if not found.complete:
        warn(f"run {run} is not complete: these are the results so far")
        return found.uid, None
    return found.uid, found.planned
