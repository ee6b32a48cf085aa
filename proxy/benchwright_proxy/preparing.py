"""From a request to what goes out: which model, which provider, which bytes."""

import hashlib
from collections.abc import Mapping

from msgspec import Struct

from . import callrequest
from .catalogue import Catalogue
from .config import Budget, Model
from .dialect import Dialect
from .journal.records import Dispatch
from .limits import Amount, Need
from .pricing import Quote
from .providers.base import Asked, Provider
from .routes import GEMINI_ENDPOINTS, Endpoint
from .token import Claims


class Arrived(Struct, frozen=True):
    """A request whose body has been read."""

    claims: Claims
    endpoint: Endpoint
    dialect: Dialect
    body: bytes
    headers: Mapping[str, str]
    query: Mapping[str, str]
    path_model: str | None = None


class Prepared(Struct, frozen=True):
    """A request that may go out once its budget is reserved.

    `withhold_usage`: the proxy asked for the usage chunk of a stream: the client must not see it.
    """

    asked: Asked
    provider: Provider
    declared_output: int | None
    answers: int
    withhold_usage: bool
    request_bytes: int
    request_sha256: str

    def need(self, budget: Budget, quote: Quote) -> Need:
        """What to reserve."""
        default = self.asked.model.max_output_tokens or budget.default_output_reservation
        declared = self.declared_output
        return Need(
            model=self.asked.model.name,
            body_bytes=self.request_bytes,
            declared_output=None if declared is None else declared * self.answers,
            default_output=default * self.answers,
            bytes_per_token=budget.input_bytes_per_token,
            ceiling=quote.ceiling,
        )

    def dispatch(
        self, call_id: str, at: float, quote: Quote, reserved: Amount, operation: str | None
    ) -> Dispatch:
        """The record of the call; `operation` is that of the request that it tries again, if any."""
        claims, model = self.asked.claims, self.asked.model
        return Dispatch(
            trial_uid=claims.trial_uid,
            attempt=claims.attempt,
            at=at,
            call=call_id,
            stage=claims.stage,
            role=claims.role,
            namespace=claims.namespace,
            run=claims.run,
            run_uid=claims.run_uid,
            trial=claims.trial,
            dialect=self.asked.dialect,
            endpoint=self.asked.endpoint,
            provider=self.provider.name,
            model=model.name,
            upstream_model=model.sent_as,
            stream=self.asked.stream,
            request_bytes=self.request_bytes,
            request_sha256=self.request_sha256,
            operation=operation or call_id,
            price_provider=quote.provider,
            price_model=quote.model,
            reserved_input=reserved.input,
            reserved_output=reserved.output,
            reserved_nanos=reserved.nanos,
        )


def _name(endpoint: Endpoint, request: callrequest.CallRequest, model: Model) -> str | None:
    """The model as the body must name it; None where it need not."""
    if endpoint not in GEMINI_ENDPOINTS:
        return model.sent_as
    return None if request.said_model is None else f"models/{model.sent_as}"


def prepare(arrived: Arrived, catalogue: Catalogue) -> Prepared:
    """Find model and provider and edit the body. Raises RefusalError."""
    request = callrequest.read(arrived.endpoint, arrived.body, arrived.path_model)
    model, provider = catalogue.find(request.model, arrived.claims, arrived.dialect)
    name = _name(arrived.endpoint, request, model)
    chat_stream = arrived.endpoint is Endpoint.CHAT and request.stream
    withhold = chat_stream and not request.wants_stream_usage
    asked = Asked(
        claims=arrived.claims,
        endpoint=arrived.endpoint,
        dialect=arrived.dialect,
        model=model,
        body=callrequest.edited(request, name, stream_usage=withhold),
        stream=request.stream,
        headers=arrived.headers,
        query=arrived.query,
    )
    return Prepared(
        asked=asked,
        provider=provider,
        declared_output=request.max_output_tokens,
        answers=request.answers,
        withhold_usage=withhold,
        request_bytes=len(arrived.body),
        request_sha256=hashlib.sha256(asked.body).hexdigest(),
    )
