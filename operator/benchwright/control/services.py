"""Clients of the results service and the proxy's admin port."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import aiohttp

from benchwright.api.facts import StageFacts
from benchwright.api.measurements import Measurements, StageUsage, Usage
from benchwright.api.run import BudgetUsed, Spendable
from benchwright.api.task import TaskSnapshot
from benchwright.control.tokens import Tokens, limits_of
from benchwright.core.pinning import pinned
from benchwright.core.runview import Ledger
from benchwright.core.trialview import ProxyUsage, StageKey, TrialView
from benchwright.core.verdict import Verdict

Json = dict[str, Any]
MAX_PRICES, MAX_MODELS = 4, 8
"""What a trial's status holds at most (api.measurements.Usage)."""
_TIMEOUT = aiohttp.ClientTimeout(total=60)
_CALLS_TIMEOUT = aiohttp.ClientTimeout(total=900, sock_read=60)
"""Of kept calls: 256 MiB of an attempt's bodies, from one disk to another."""
_TASKSET_TIMEOUT = aiohttp.ClientTimeout(total=900)


class ServiceError(Exception):
    """A service did not answer, or not with a success; the caller tries again later."""


class TaskSetProblem(Exception):
    """The results service says what is wrong with a task set."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason, self.message = reason, message


@contextlib.asynccontextmanager
async def _asked(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    token: str,
    body: object = None,
    *,
    data: AsyncIterator[bytes] | None = None,
    limit: aiohttp.ClientTimeout = _TIMEOUT,
    accept: Sequence[int] = (200,),
) -> AsyncIterator[aiohttp.ClientResponse]:
    """An answer whose body is still coming."""
    headers = {"Authorization": f"Bearer {token}"}
    try:
        async with session.request(
            method, url, json=body, data=data, headers=headers, timeout=limit
        ) as answer:
            if answer.status not in accept:
                raise ServiceError(f"{method} {url}: {answer.status} {(await answer.text())[:500]}")
            yield answer
    except (aiohttp.ClientError, TimeoutError) as error:
        raise ServiceError(f"{method} {url}: {error!r}") from error


async def _call(
    session: aiohttp.ClientSession,
    method: str,
    url: str,
    token: str,
    body: object = None,
    **more: Any,
) -> tuple[int, Any]:
    """A whole answer: its status and content."""
    async with _asked(session, method, url, token, body, **more) as answer:
        is_json = answer.content_type == "application/json"
        return answer.status, await answer.json() if is_json else await answer.text()


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

    async def put_calls(self, trial_uid: str, attempt: int, lines: AsyncIterator[bytes]) -> None:
        """Model calls of an attempt, as JSON lines; again is the same."""
        url = f"{self._url}/v1/attempts/{trial_uid}/{attempt}/calls"
        token = self._tokens.own("results")
        await _call(self._session, "PUT", url, token, data=lines, limit=_CALLS_TIMEOUT)

    async def put_plan(self, run_uid: str, plan: Mapping[str, Any]) -> None:
        await self._call("PUT", f"/v1/plans/{run_uid}", plan)

    async def put_record(self, trial_uid: str, record: Mapping[str, Any]) -> None:
        await self._call("PUT", f"/v1/records/{trial_uid}", record)

    async def news(self, after: int, wait: float) -> tuple[str, list[Json]]:
        """The service's boot id, and stages that got facts."""
        _, answer = await self._call("GET", f"/v1/news?after={after}&wait={wait}")
        return answer["boot"], answer["items"]


class ProxyClient:
    """The admin ports of the proxies."""

    def __init__(self, session: aiohttp.ClientSession, urls: Sequence[str], tokens: Tokens):
        self._session, self._urls, self._tokens = session, urls, tokens

    async def close(self, trial: TrialView, attempt: int) -> ProxyUsage:
        """No further call of this attempt; what it used."""
        return parse_usage(await self._ask("POST", self._url(trial, attempt, "close")))

    @contextlib.asynccontextmanager
    async def calls(self, trial: TrialView, attempt: int) -> AsyncIterator[AsyncIterator[bytes]]:
        """Model calls of an attempt, as JSON lines."""
        url = self._url(trial, attempt, "calls.jsonl")
        token = self._tokens.own("proxy")
        async with _asked(self._session, "GET", url, token, limit=_CALLS_TIMEOUT) as answer:
            yield answer.content.iter_any()

    async def forget(self, trial: TrialView, attempt: int) -> None:
        """What the results service keeps now, the proxy need not: only the totals stay there."""
        await self._ask("POST", self._url(trial, attempt, "forget"))

    async def models(self) -> dict[str, bool]:
        """Each model that is configured, and whether its price is known: all proxies have the same."""
        answer = await self._ask("GET", f"{self._urls[0]}/v1/models")
        return {str(m["name"]): bool(m.get("priced")) for m in answer["models"]}

    async def run(self, run_uid: str, budget: Spendable | None) -> Ledger:
        """Set the limits of a run at its proxy; what counts against them, and which providers any of
        the proxies found at their limits."""
        body = asdict(limits_of(budget or Spendable()))
        mine = pinned(run_uid, len(self._urls))
        answers = await asyncio.gather(
            *(
                self._ask("POST" if n == mine else "GET", f"{url}/v1/run?run_uid={run_uid}",
                          body if n == mine else None)
                for n, url in enumerate(self._urls)
            )
        )  # fmt: skip
        ledger = _ledger(answers[mine], in_money=bool(budget and budget.cost_usd))
        found = [(str(m), float(s)) for a in answers for m, s in a.get("throttled", {}).items()]
        return replace(ledger, throttled={m: max(s for n, s in found if n == m) for m, _ in found})

    def _url(self, trial: TrialView, attempt: int, what: str) -> str:
        number = trial.spec.proxy
        if number >= len(self._urls):
            raise ServiceError(
                f"trial {trial.name} has its calls at proxy {number}, and there are "
                f"{len(self._urls)}: set proxy.replicas of the chart as it was"
            )
        return f"{self._urls[number]}/v1/{what}?trial_uid={trial.uid}&attempt={attempt}"

    async def _ask(self, method: str, url: str, body: object = None) -> Any:
        _, answer = await _call(self._session, method, url, self._tokens.own("proxy"), body)
        return answer


async def hand_over(
    proxy: ProxyClient, results: ResultsClient, trial: TrialView, attempt: int, *, keep: bool
) -> None:
    """Take the calls of a closed attempt to the results service, piece by piece, unless they are not
    to be kept; then the proxy need have no more than their totals. Repeating it, after a crash in
    between, does no harm: what was stored is not stored again."""
    if keep:
        async with proxy.calls(trial, attempt) as lines:
            await results.put_calls(trial.uid, attempt, lines)
    await proxy.forget(trial, attempt)


def _ledger(answer: Json, *, in_money: bool) -> Ledger:
    used, held = answer["used"], answer["held"]
    both = {name: int(used[name]) + int(held[name]) for name in ("input", "output", "nanos")}
    return Ledger(
        used=BudgetUsed(
            requests=answer["requests"],
            input_tokens=both["input"],
            output_tokens=both["output"],
            cost_usd=both["nanos"] / 1e9 if in_money else None,
        ),
        limit_hit=answer["limit_hit"],
    )


def parse_usage(answer: Json) -> ProxyUsage:
    """The proxy's totals → usage; sums that lack a call are None, with the known part beside."""
    stages = {name: _stage(raw) for name, raw in (answer.get("stages") or {}).items()}
    total, raw = _stage(answer["total"]), answer["total"]
    usage = Usage(
        total=total,
        stages=stages,
        cost_usd=total.cost_usd,
        prices=tuple(sorted(raw.get("prices") or {}))[:MAX_PRICES],
        answered=_most(raw.get("answered")),
        fingerprints=_most(raw.get("fingerprints")),
    )
    return ProxyUsage(
        usage=usage,
        interrupted=int(answer.get("interrupted", 0)),
        limit_hit=answer.get("limit_hit"),
        handed_over=bool(answer.get("handed_over")),
    )


def _most(counts: Mapping[str, int] | None) -> dict[str, int]:
    """The most frequent values, cut to what a status holds."""
    ordered = sorted((counts or {}).items(), key=lambda pair: (-pair[1], pair[0]))
    return {name[:256]: count for name, count in ordered[:MAX_MODELS]}


def _stage(raw: Json) -> StageUsage:
    # A call that is still under way when the books are closed: its tokens will be in no sum.
    in_flight = raw["requests"] - raw["succeeded"] - raw["failed"]
    unknown = int(raw["unknown_usage"]) + in_flight

    def whole(name: str) -> int | None:
        return None if unknown else raw[name]

    # Nothing was asked of a model: that cost nothing, whether there are prices or not.
    unpriced = int(raw["unknown_cost"]) + in_flight
    known_cost = int(raw["cost_nanos"]) / 1e9
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
        operations=raw.get("operations"),
        tool_calls=raw.get("tool_calls"),
        cost_usd=None if unpriced else known_cost,
        known_cost_usd=known_cost,
        unknown_cost=unpriced,
        mismatches=raw.get("mismatches"),
    )
