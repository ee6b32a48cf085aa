"""The report's first parts on a run's page, which must not wait for a large run's."""

import asyncio

from benchwright.results.reporting import ReportError, Reports
from benchwright.results.runs import Asked
from benchwright.web.lists import RunRow
from benchwright.web.ports import Summary

_SECONDS, _MANY = 2.0, 5000
"""So long a page waits, and from so many trials on it does not: sorting its list must stay quick."""
_LATER = "It is being made."


class RunSummaries:
    """Waits a moment; what is not there by then is made on."""

    def __init__(self, reports: Reports, seconds: float = _SECONDS):
        self._reports, self._seconds = reports, seconds

    async def summary(self, run: RunRow) -> Summary:
        patience = self._seconds if run.trials < _MANY else 0
        try:
            making = await self._reports.begin(Asked(run.namespace, run.run, run.run_uid))
            await asyncio.wait({making}, timeout=patience)
            if not making.done():
                return Summary(problem=_LATER, pending=True)
            made = making.result()
        except ReportError as error:
            return Summary(problem=str(error))
        return Summary(html=made["summary"])
