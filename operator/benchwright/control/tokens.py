"""Tokens that the operator signs: for pods, and for itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal

from benchwright.api.run import Spendable
from benchwright.core.trialview import TrialView
from benchwright_proxy.token import Claims, Limits, sign

_OWN_SECONDS = 300
_SLACK_SECONDS = 1800
"""A pod's token outlives the pod's own deadline by this."""


@dataclass(frozen=True)
class Tokens:
    """Signs with one key; the clock is passed in."""

    key: bytes
    now: Callable[[], float]
    _own: dict[str, tuple[float, str]] = field(default_factory=dict, repr=False)
    """Audience → when its token is made anew, and the token."""

    def own(self, audience: str) -> str:
        """The operator's own, short-lived, used for half of its life."""
        until, token = self._own.get(audience, (0.0, ""))
        if self.now() >= until:
            token = self._sign_own(audience)
            self._own[audience] = (self.now() + _OWN_SECONDS / 2, token)
        return token

    def _sign_own(self, audience: str) -> str:
        return self._sign(
            Claims(
                audience=audience, role="operator", expires_at=self._until(_OWN_SECONDS),
                namespace="", run="", trial="", trial_uid="", attempt=0, stage="",
            )
        )  # fmt: skip

    def upload(self, trial: TrialView, attempt: int, stage: str, seconds: int) -> str:
        """For the harness of one pod: fetch the task's parts, store that stage's evidence."""
        task = trial.spec.task.digest
        return self._sign(
            self._claims(
                trial, attempt, stage, seconds, audience="results", role="harness", task=task
            )
        )

    def model_calls(self, trial: TrialView, attempt: int, stage: str, seconds: int) -> str | None:
        """For the agent: calls of its model, within the trial's budget. None for no model."""
        agent = trial.spec.agent
        if agent is None or agent.spec.model is None:
            return None
        claims = self._claims(
            trial, attempt, stage, seconds, audience="proxy", role="workspace",
            models=(agent.spec.model,), limits=limits_of(trial.spec.budget),
            run_limited=trial.spec.run_budget, trace=trial.spec.evidence.calls == "full",
        )  # fmt: skip
        return self._sign(claims)

    def _claims(
        self, trial: TrialView, attempt: int, stage: str, seconds: int, *, audience: str, role: str,
        task: str = "", models: tuple[str, ...] = (), limits: Limits | None = None,
        run_limited: bool = False, trace: bool = False,
    ) -> Claims:  # fmt: skip
        return Claims(
            audience=audience,
            role=role,
            namespace=trial.namespace,
            run=trial.spec.run_name,
            trial=trial.name,
            trial_uid=trial.uid,
            attempt=attempt,
            stage=stage,
            task=task,
            models=models,
            limits=limits or Limits(),
            run_uid=trial.run_uid,
            run_limited=run_limited,
            trace=trace,
            expires_at=self._until(seconds + _SLACK_SECONDS),
        )

    def _until(self, seconds: int) -> int:
        return int(self.now()) + seconds

    def _sign(self, claims: Claims) -> str:
        return sign(claims, self.key)


def limits_of(budget: Spendable) -> Limits:
    """What a budget is for the proxy: money in nano-dollars."""
    cost = None if budget.cost_usd is None else int(Decimal(budget.cost_usd) * 10**9)
    return Limits(
        cost_nanos=cost,
        requests=budget.requests,
        input_tokens=budget.input_tokens,
        output_tokens=budget.output_tokens,
        total_tokens=budget.total_tokens,
    )
