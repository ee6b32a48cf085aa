"""`benchwright push FILE…`: source archives that trials use, put into the results store."""

import base64
import hashlib
import time
from pathlib import Path

import click

from benchwright.cli.errors import CliError
from benchwright.cli.gateway import Gateway
from benchwright.cli.options import service_option
from benchwright.cli.target import Session, Target, connect, pass_target, run_async

KEYS_SECRET, SIGNING_KEY = "benchwright-keys", "signing"
_TOKEN_SECONDS = 600
_HINT = "push needs permission to read it; or set source.archive.url instead"


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE…",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@service_option
@pass_target
def push(target: Target, files: tuple[Path, ...], service: str) -> None:
    """Put source archives into the results store and print their sha256.

    A task names an archive by that hash (source.archive.sha256) and needs no address then. This
    needs permission to read the Secret with the signing key.
    """
    run_async(_push(target, files, service))


async def _push(target: Target, files: tuple[Path, ...], service: str) -> None:
    async with connect(target) as session:
        key = await signing_key(session, _HINT)
        for path in files:
            digest = sha256_of(path)
            await Gateway(session, service).put_file(
                f"/v1/archives/{digest}", path, admin_token(key, int(time.time()))
            )
            click.echo(f"{digest}  {path}")


def sha256_of(path: Path) -> str:
    """Hash of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def admin_token(key: bytes, now: int) -> str:
    """A short-lived token that may write to the results service."""
    return results_token(key, "admin", now + _TOKEN_SECONDS)


def results_token(key: bytes, role: str, expires_at: int) -> str:
    """A token of a role at the results service, for no trial in particular."""
    from benchwright_proxy.token import Claims, sign

    claims = Claims(
        audience="results",
        role=role,
        namespace="",
        run="",
        trial="",
        trial_uid="",
        attempt=0,
        stage="",
        expires_at=expires_at,
    )
    return sign(claims, key)


async def signing_key(session: Session, hint: str) -> bytes:
    """The installation's key. `hint`: what to do for who may not read it."""
    from benchwright.kube.client import SECRETS
    from benchwright.kube.errors import ApiError
    from benchwright_proxy.token import parse_key

    where = f"Secret {KEYS_SECRET} in namespace {session.namespace}"
    try:
        secret = await session.kube.get(SECRETS, session.namespace, KEYS_SECRET)
    except ApiError as error:
        if error.not_found:
            hint = "is Benchwright installed there (--namespace)?"
        raise CliError(f"{where} cannot be read: {error.message}: {hint}") from error
    try:
        return parse_key(base64.b64decode((secret.get("data") or {})[SIGNING_KEY], validate=True))
    except KeyError as error:
        raise CliError(f"{where} has no key {SIGNING_KEY!r}: install the chart again") from error
    except ValueError as error:
        raise CliError(f"{where}, key {SIGNING_KEY!r}: {error}") from error
