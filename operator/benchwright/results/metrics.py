"""Prometheus metrics of the results service. Labels come from fixed sets only, never a trial's name.

What is missing, what is invalid and what failed are three things here: facts that say of themselves
that they are broken, reports that could not be read, and attempts that were graded as a failure.
"""

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, generate_latest

from benchwright.api.facts import StageFacts
from benchwright.api.task import STAGES

_STAGES = {"evaluate", *(stage for stages in STAGES.values() for stage in stages)}


class Metrics:
    """One registry, so that tests can have their own."""

    def __init__(self) -> None:
        self.registry = r = CollectorRegistry()
        self.facts = Counter(
            "benchwright_results_facts",
            "Stages that stored facts: complete, killed (the runner did not finish) or broken "
            "(the harness failed).",
            ["stage", "state"],
            registry=r,
        )
        self.reports = Counter(
            "benchwright_results_reports",
            "Reports of evaluations: read, or missing (not there or not readable).",
            ["kind", "state"],
            registry=r,
        )
        self.gradings = Counter(
            "benchwright_results_gradings",
            "Attempts graded, by outcome; incomplete: facts are missing, so there is none.",
            ["purpose", "outcome"],
            registry=r,
        )
        self.evidence = Counter("benchwright_results_evidence_bytes", "Stored.", registry=r)
        self.tasksets = Counter(
            "benchwright_results_tasksets",
            "Task sets looked at: resolved, or why not.",
            ["result"],
            registry=r,
        )
        self.refusals = Counter(
            "benchwright_results_refusals",
            "Requests answered with an error, by port and status.",
            ["port", "status"],
            registry=r,
        )

    def stored(self, stage: str, facts: StageFacts) -> None:
        """Count a stage whose facts are new."""
        state = "broken" if facts.error else "complete" if facts.runner_finished else "killed"
        self.facts.labels(stage if stage in _STAGES else "other", state).inc()
        for kind, found, problem in (
            ("coverage", facts.coverage, facts.coverage_problem),
            ("tests", facts.tests, facts.tests_problem),
        ):
            if found is not None or problem is not None:
                self.reports.labels(kind, "missing" if problem else "read").inc()


METRICS = web.AppKey("metrics", Metrics)


def counted(port: str) -> Middleware:
    """Counts the errors that a port answers."""

    @web.middleware
    async def count(request: web.Request, handler: Handler) -> web.StreamResponse:
        status = "500"
        try:
            response = await handler(request)
            status = str(response.status)
        except web.HTTPException as error:
            status = str(error.status)
            raise
        finally:
            if status >= "400":
                request.app[METRICS].refusals.labels(port, status).inc()
        return response

    return count


def metrics_app(metrics: Metrics) -> web.Application:
    """The application of the port that Prometheus reaches: the others are not for it."""

    async def text(_: web.Request) -> web.Response:
        body = generate_latest(metrics.registry)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application()
    app.router.add_get("/metrics", text)
    return app
