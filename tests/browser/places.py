"""Every kind of page."""

from tests.unit.web.samples import HOSTILE, RUN, SHOWN

PLACES = {
    "runs": "ui/",
    "run": f"ui/run/{RUN}",
    "report": f"runs/bench/nightly/report.html?uid={RUN}",
    "hostile report": "runs/bench/hostile/report.html?uid=run-hostile",
    "task": "ui/task/pluggy",
    "agent": "ui/agent/mini",
    "trial": f"ui/trial/{SHOWN}",
    "hostile trial": f"ui/trial/{HOSTILE}",
    "hostile run": "ui/run/run-hostile",
    "invalid trial": "ui/trial/trial-uid-4",
    "sign in": "ui/login",
}
NARROW = {"width": 320, "height": 640}
