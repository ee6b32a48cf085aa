"""Probes and metrics. Liveness fails where the watches or the queue are stale, not where the web
server is: an operator that is deaf looks healthy otherwise (dask-kubernetes#620)."""

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from benchwright.control.context import Context

CONTEXT = web.AppKey("context", Context)
MAX_SILENCE = 150.0
MAX_WAIT = 120.0


def problem(ctx: Context) -> str | None:
    """Why the operator does not do its work; None where it does."""
    for name, informer in (("trials", ctx.trials), ("pods", ctx.pods)):
        if informer.silence > MAX_SILENCE:
            return f"watch of {name} silent for {informer.silence:.0f} s"
    if ctx.queue.oldest_seconds > MAX_WAIT:
        return f"a key has waited {ctx.queue.oldest_seconds:.0f} s for a worker"
    return None


async def _live(request: web.Request) -> web.Response:
    trouble = problem(request.app[CONTEXT])
    return web.Response(text=trouble or "ok", status=503 if trouble else 200)


async def _ready(request: web.Request) -> web.Response:
    ctx = request.app[CONTEXT]
    synced = ctx.trials.synced.is_set() and ctx.pods.synced.is_set()
    return web.Response(text="ok" if synced else "not synced", status=200 if synced else 503)


async def _metrics(request: web.Request) -> web.Response:
    ctx = request.app[CONTEXT]
    ctx.metrics.depth.set(len(ctx.queue))
    ctx.metrics.oldest.set(ctx.queue.oldest_seconds)
    for purpose in ("measurement", "baseline"):
        active = [t for t in ctx.trials if not t.status.outcome and t.spec.purpose == purpose]
        ctx.metrics.active.labels(purpose).set(len(active))
    for name, informer in (("trials", ctx.trials), ("pods", ctx.pods)):
        ctx.metrics.silence.labels(name).set(informer.silence)
    headers = {"Content-Type": CONTENT_TYPE_LATEST}
    return web.Response(body=generate_latest(ctx.metrics.registry), headers=headers)


def application(ctx: Context) -> web.Application:
    """The health server's application."""
    app = web.Application()
    app[CONTEXT] = ctx
    app.add_routes(
        [web.get("/healthz", _live), web.get("/readyz", _ready), web.get("/metrics", _metrics)]
    )
    return app


async def serve(ctx: Context) -> web.AppRunner:
    """Start the health server."""
    runner = web.AppRunner(application(ctx), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "0.0.0.0", ctx.settings.health_port).start()  # noqa: S104
    return runner
