"""Facts are stored seconds before a pod's phase changes: hear of them, and go on (DESIGN.md)."""

import asyncio
import logging

from benchwright.control.context import Context
from benchwright.control.services import ServiceError

log = logging.getLogger(__name__)
_WAIT_SECONDS, _PAUSE_SECONDS = 25.0, 1.0


async def hear(ctx: Context) -> None:
    """Follow the results service's feed for ever."""
    after, boot = 0, ""
    while True:
        try:
            now_boot, items = await ctx.results.news(after, _WAIT_SECONDS)
        except ServiceError as error:
            log.warning("results service: %s", error)
            _distrust(ctx)
            await asyncio.sleep(_PAUSE_SECONDS)
            continue
        if now_boot != boot:
            if boot:
                log.info("the results service was restarted")
            after, boot = 0, now_boot  # its store may be another one
            _distrust(ctx)
        for item in items:
            after = max(after, item["seq"])
            _tell(ctx, item["trial"])
        ctx.facts.listen()


def _distrust(ctx: Context) -> None:
    ctx.facts.deaf()
    ctx.inputs.forget_all()


def _tell(ctx: Context, name: str) -> None:
    ctx.facts.forget(name)
    trial = ctx.trials.get(name)
    if trial is not None and not trial.status.outcome:
        ctx.queue.add(("Trial", name))
