"""`benchwright evidence TRIAL`: everything that was kept of one trial."""

import tarfile
import uuid
import zlib
from pathlib import Path

import click

from benchwright.cli.errors import CliError
from benchwright.cli.gateway import Gateway
from benchwright.cli.options import service_option
from benchwright.cli.target import Session, Target, connect, pass_target, run_async


@click.command()
@click.argument("trial")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write. Left out: <trial>.tar.gz.",
)
@service_option
@pass_target
def evidence(target: Target, trial: str, out: Path | None, service: str) -> None:
    """Download all evidence of TRIAL (its name, or its UID if the run was deleted)."""
    path = out or Path(f"{trial}.tar.gz")
    run_async(_evidence(target, trial, path, service))
    click.echo(path)


async def _evidence(target: Target, trial: str, path: Path, service: str) -> None:
    async with connect(target) as session:
        uid = await trial_uid(session, trial)
        await download(Gateway(session, service), uid, path)


async def trial_uid(session: Session, trial: str) -> str:
    """The UID of a trial that is named, or the UID itself. Raises CliError."""
    from benchwright.kube.client import TRIALS
    from benchwright.kube.errors import ApiError

    if _is_uid(trial):
        return trial
    try:
        return str((await session.kube.get(TRIALS, session.namespace, trial))["metadata"]["uid"])
    except ApiError as error:
        if not error.not_found:
            raise
        raise CliError(
            f"there is no Trial {trial!r} in namespace {session.namespace}: check the name and "
            "--namespace; if its run was deleted, give its UID (trial_uid in results.json)"
        ) from error


def _is_uid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


async def download(gateway: Gateway, uid: str, path: Path) -> None:
    """Save the archive of a trial, if it is whole."""
    try:
        await gateway.save(f"/trials/{uid}/evidence.tar.gz", path, check=_read_through)
    except (tarfile.TarError, zlib.error, EOFError) as error:
        raise CliError(f"the evidence of trial {uid} came damaged ({error}): try again") from error


def _read_through(path: Path) -> None:
    with tarfile.open(path, "r|gz") as tar:
        for member in tar:
            stream = tar.extractfile(member)
            while stream is not None and stream.read(1024 * 1024):
                pass
