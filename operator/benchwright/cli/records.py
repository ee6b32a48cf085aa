"""The records of a run, as the results service has them."""

import json
import re
from typing import Any

from benchwright.cli.errors import CliError
from benchwright.cli.gateway import Gateway, RefusedError
from benchwright.cli.target import Session

Record = dict[str, Any]
_NEEDED = ("run", "run_uid", "trial", "trial_uid", "agent", "task", "kind", "index", "outcome")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


async def fetch(gateway: Gateway, run: str, uid: str | None) -> tuple[bytes, list[Record]]:
    """results.json of a run, as bytes and read. `uid` tells runs of one name apart."""
    data = await gateway.read(f"/runs/{gateway.session.namespace}/{run}/results.json", _query(uid))
    records = parse(data)
    uids = sorted({str(r["run_uid"]) for r in records})
    if len(uids) > 1:
        raise CliError(
            f"there are results of {len(uids)} runs that were named {run!r}, one after the other: "
            f"choose one with --uid: {', '.join(uids)}"
        )
    return data, records


async def fetch_plans(gateway: Gateway, run: str, uid: str) -> list[Record]:
    """What the run set out to observe; nothing where the service has none, as one of an older version
    has."""
    path = f"/runs/{gateway.session.namespace}/{run}/plan.json"
    try:
        return parse_plans(await gateway.read(path, _query(uid)))
    except RefusedError:
        return []


def parse_plans(data: bytes) -> list[Record]:
    """Plans as they are stored; whatever is not one is left out, and the plan is then unknown."""
    try:
        found = json.loads(data)
    except ValueError:
        return []
    return [p for p in found if _is_plan(p)] if isinstance(found, list) else []


def _is_plan(plan: object) -> bool:
    return (
        isinstance(plan, dict)
        and {"run", "run_uid", "trials_per_task", "agents", "tasks"} <= plan.keys()
        and isinstance(plan["trials_per_task"], int)
        and all(_are_named(plan[which + "s"], which) for which in ("agent", "task"))
    )


def _are_named(rows: object, field: str) -> bool:
    return isinstance(rows, list) and all(isinstance(r, dict) and field in r for r in rows)


def _query(uid: str | None) -> dict[str, str] | None:
    return {"uid": uid} if uid else None


def parse(data: bytes) -> list[Record]:
    """The records of a results.json; whatever is not one is refused, not passed over."""
    try:
        records = json.loads(data)
    except ValueError as error:
        raise CliError(
            f"the results service sent no JSON ({error}): is it the right service?"
        ) from (error)
    if not isinstance(records, list) or not all(_is_record(r) for r in records):
        raise CliError(
            "the results service sent something that is no list of records: does the version of "
            "this program fit the installed one (`benchwright version`)?"
        )
    return records


def _is_record(record: object) -> bool:
    return (
        isinstance(record, dict)
        and all(key in record for key in _NEEDED)
        # It becomes a file's name.
        and bool(_NAME.fullmatch(str(record["trial"])))
    )


async def from_trials(session: Session, run: str, uid: str) -> list[Record]:
    """The same records, computed from the Trials that the cluster still has."""
    from benchwright.api import labels
    from benchwright.control.views import trial_view
    from benchwright.core.record import record
    from benchwright.kube.client import TRIALS

    raw = await session.kube.list_all(TRIALS, session.namespace, f"{labels.RUN}={run}")
    views = [v for v in map(trial_view, raw) if v.run_uid == uid and v.status.outcome]
    rows = [{**record(v, v.status), "trial_uid": v.uid} for v in views]
    return [r for r in rows if r["purpose"] == "measurement"]
