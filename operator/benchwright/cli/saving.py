"""Results of a run as a folder of files.

The CSV files and the page are made here from the very records that were downloaded, so that the
files always agree, also while a run goes on (and the API server rewrites links in HTML that passes
through its service proxy).
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchwright.cli import records
from benchwright.cli.errors import CliError
from benchwright.cli.evidence import download
from benchwright.cli.gateway import Gateway, RefusedError
from benchwright.cli.records import Record

_DOWNLOADS = 4
_PLAN = "what the run set out to observe"
_EVIDENCE = "logs, patches and reports, one archive a trial"


@dataclass(frozen=True)
class Folder:
    """Where the results go, and what of them."""

    path: Path
    replace: bool = False
    evidence: bool = True

    def check(self, uid: str) -> list[Record]:
        """Records in it of runs other than `uid`. Raises unless they are to be replaced: evidence of
        another run is never mixed in, and never removed unasked."""
        old = self.path / "results.json"
        if not old.exists():
            return []
        try:
            rows = records.parse(old.read_bytes())
        except CliError as error:
            raise CliError(f"{old} is not by this program: choose another --out") from error
        others = [r for r in rows if str(r["run_uid"]) != uid]
        if others and not self.replace:
            raise CliError(
                f"{self.path} holds the results of another run ({others[0]['run']}, UID "
                f"{others[0]['run_uid']}): choose another --out, or replace them with --replace"
            )
        return others

    async def save(
        self, gateway: Gateway, run: str, data: bytes, found: list[Record], plans: list[Record]
    ) -> None:
        """Write everything; evidence that cannot be had raises once the rest is there."""
        for row in self.check(str(found[0]["run_uid"]) if found else ""):
            (self.path / "evidence" / f"{row['trial']}.tar.gz").unlink(missing_ok=True)
        _write(self.path, run, data, found, plans)
        if self.evidence:
            await _all_evidence(gateway, self.path / "evidence", found)

    def written(self, trials: int) -> Iterator[str]:
        """Where each file is, and what for."""
        from benchwright.reports.files import WHAT

        count = f"records of {trials} trial{'' if trials == 1 else 's'}"
        more = {"results.json": count, "plan.json": _PLAN, "evidence": _EVIDENCE}
        for name, what in {**WHAT, **more}.items():
            if self.evidence or name != "evidence":
                yield f"{self.path / name}  {what}"


def _write(folder: Path, run: str, data: bytes, found: list[Record], plans: list[Record]) -> None:
    from benchwright.reports.files import files
    from benchwright.reports.report import of_records

    (folder / "evidence").mkdir(parents=True, exist_ok=True)
    for name, content in files(of_records(run, found, plans), evidence_folder="evidence"):
        if name != "results.json":
            (folder / name).write_text(content, encoding="utf-8", newline="")
    (folder / "plan.json").write_text(json.dumps(plans, indent=1) + "\n", encoding="utf-8")
    # Last, and as it came: where it is, everything is.
    (folder / "results.json").write_bytes(data)


async def _all_evidence(gateway: Gateway, folder: Path, found: list[Record]) -> None:
    limit = asyncio.Semaphore(_DOWNLOADS)

    async def one(record: Record) -> str | None:
        async with limit:
            try:
                await download(
                    gateway, str(record["trial_uid"]), folder / f"{record['trial']}.tar.gz"
                )
            except RefusedError as error:
                return f"{record['trial']}: {error.format_message()}"
        return None

    missing = [m for m in await asyncio.gather(*(one(r) for r in found)) if m]
    if missing:
        trials = "1 trial" if len(missing) == 1 else f"{len(missing)} trials"
        raise CliError(f"the evidence of {trials} is missing: {'; '.join(missing)}")
