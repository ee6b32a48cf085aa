"""Clients of the results service and the proxy's admin port."""

from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import Measurements, StageUsage, Usage
from benchwright.api.task import TaskSnapshot
from benchwright.control.tokens import Tokens
from benchwright.core.trialview import ProxyUsage, StageKey, TrialView
from benchwright.core.verdict import Verdict

Json = dict[str, Any]
_TIMEOUT = aiohttp.ClientTimeout(total=60)
_TASKSET_TIMEOUT = aiohttp.ClientTimeout(total=900)


class ServiceError(Exception):
    """A service did not answer, or not with a success; the caller tries again later."""


class TaskSetProblem(Exception):
    """The results service says what is wrong with a task set."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason, self.message = reason, message


async def _call(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    token: str,
    body: object = None,
    *,
    limit: aiohttp.ClientTimeout = _TIMEOUT,
    accept: Sequence[int] = (200,),
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {token}"}
    try:
        async with session.request(
            method, url, json=body, headers=headers, timeout=limit
        ) as answer:
            if answer.status not in accept:
                raise ServiceError(f"{method} {url}: {answer.status} {(await answer.text())[:500]}")
            is_json = answer.content_type == "application/json"
            return answer.status, await answer.json() if is_json else await answer.text()
    except (aiohttp.ClientError, TimeoutError) as error:
        raise ServiceError(f"{method} {url}: {error!r}") from error


class ResultsClient:
    """The results service, as the operator uses it."""

    def __init__(self, session: aiohttp.ClientSession, url: str, tokens: Tokens):
        self._session, self._url, self._tokens = session, url, tokens

    async def _call(
        self, method: str, path: str, body: object = None, **more: Any
    ) -> tuple[int, Any]:
        return await _call(
            self._session, method, self._url + path, self._tokens.own("results"), body, **more
        )

    async def resolve(self, source: Json, packed: str | None) -> tuple[str, list[TaskSnapshot]]:
        """Digest and tasks of a source; raises TaskSetProblem."""
        body = {"source": source, "packed": packed}
        status, answer = await self._call(
            "POST", "/v1/tasksets", body, limit=_TASKSET_TIMEOUT, accept=(200, 422)
        )
        if status == 422:
            raise TaskSetProblem(answer["problem"]["reason"], answer["problem"]["message"])
        return answer["digest"], [TaskSnapshot.model_validate(t) for t in answer["tasks"]]

    async def corpus(self, digest: str) -> list[TaskSnapshot] | None:
        status, answer = await self._call("GET", f"/v1/corpora/{digest}", accept=(200, 404))
        return [TaskSnapshot.model_validate(t) for t in answer["tasks"]] if status == 200 else None

    async def baselines(self, digests: Sequence[str]) -> dict[str, int]:
        _, answer = await self._call("POST", "/v1/baselines", {"tasks": list(digests)})
        return {str(k): int(v) for k, v in answer.items()}

    async def facts(self, trial_uid: str, attempt: int) -> dict[StageKey, StageFacts]:
        _, answer = await self._call("GET", f"/v1/attempts/{trial_uid}/{attempt}/facts")
        return {(attempt, s): StageFacts.model_validate(f) for s, f in answer.items()}

    async def verdict(self, trial: TrialView, attempt: int) -> Verdict:
        body = {"task": trial.spec.task.dump(), "purpose": trial.spec.purpose}
        _, answer = await self._call("POST", f"/v1/attempts/{trial.uid}/{attempt}/verdict", body)
        measured = answer.pop("measurements")
        return Verdict(
            **answer, measurements=Measurements.model_validate(measured) if measured else None
        )

    async def put_plan(self, run_uid: str, plan: Mapping[str, Any]) -> None:
        await self._call("PUT", f"/v1/plans/{run_uid}", plan)

    async def put_record(self, trial_uid: str, record: Mapping[str, Any]) -> None:
        await self._call("PUT", f"/v1/records/{trial_uid}", record)

    async def news(self, after: int, wait: float) -> tuple[str, list[Json]]:
        """The service's boot id, and stages that got facts."""
        _, answer = await self._call("GET", f"/v1/news?after={after}&wait={wait}")
        return answer["boot"], answer["items"]


class ProxyClient:
    """The proxy's admin port."""

    def __init__(self, session: aiohttp.ClientSession, url: str, tokens: Tokens):
        self._session, self._url, self._tokens = session, url, tokens

    async def close(self, trial_uid: str, attempt: int) -> ProxyUsage:
        """No further call of this attempt; what it used."""
        url = f"{self._url}/v1/close?trial_uid={trial_uid}&attempt={attempt}"
        _, answer = await _call(self._session, "POST", url, self._tokens.own("proxy"))
        return parse_usage(answer)

    async def models(self) -> set[str]:
        url = f"{self._url}/v1/models"
        _, answer = await _call(self._session, "GET", url, self._tokens.own("proxy"))
        return {m if isinstance(m, str) else m["name"] for m in answer["models"]}


def parse_usage(answer: Json) -> ProxyUsage:
    """The proxy's totals → usage; sums that lack a call are None, with the known part beside."""
    stages = {name: _stage(raw) for name, raw in (answer.get("stages") or {}).items()}
    return ProxyUsage(
        usage=Usage(total=_stage(answer["total"]), stages=stages),
        interrupted=int(answer.get("interrupted", 0)),
        limit_hit=answer.get("limit_hit"),
    )


def _stage(raw: Json) -> StageUsage:
    # A call that is still under way when the books are closed: its tokens will be in no sum.
    in_flight = raw["requests"] - raw["succeeded"] - raw["failed"]
    unknown = int(raw["unknown_usage"]) + in_flight

    def whole(name: str) -> int | None:
        return None if unknown else raw[name]

    # A provider that never speaks of reasoning leaves it unknown; no call at all is a plain 0.
    reasoning = raw["reasoning_tokens"] if raw["requests"] else 0
    return StageUsage(
        requests=raw["requests"],
        refused=raw["refused"],
        unknown_usage=unknown,
        input_tokens=whole("input_tokens"),
        cached_input_tokens=whole("cached_input_tokens"),
        output_tokens=whole("output_tokens"),
        reasoning_tokens=None if unknown else reasoning,
        known_input_tokens=raw["input_tokens"],
        known_output_tokens=raw["output_tokens"],
    )
