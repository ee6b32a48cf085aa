"""The report's first parts on a run's page, which must not wait for a large run's."""

import asyncio

from benchwright.results.reporting import ReportError, Reports
from benchwright.results.runs import Asked
from benchwright.web.lists import RunRow
from benchwright.web.ports import Summary

_SECONDS = 4.0
_LATER = "It is being made and will be here when the page is opened again."


class RunSummaries:
    """Waits a moment; what is not there by then is made on."""

    def __init__(self, reports: Reports, seconds: float = _SECONDS):
        self._reports, self._seconds = reports, seconds

    async def summary(self, run: RunRow) -> Summary:
        try:
            async with asyncio.timeout(self._seconds):
                made = await self._reports.get(Asked(run.namespace, run.run, run.run_uid))
        except TimeoutError:
            return Summary(problem=_LATER)
        except ReportError as error:
            return Summary(problem=str(error))
        return Summary(html=made["summary"])
