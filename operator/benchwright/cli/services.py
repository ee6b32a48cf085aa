"""`benchwright operator` and `benchwright results-service`: what runs in their pods."""

import asyncio
from pathlib import Path

import click

from benchwright.cli.errors import CliError
from benchwright.cli.logs import configure


@click.command()
def operator() -> None:
    """Run the operator until it is terminated. Its settings are BENCHWRIGHT_* variables."""
    from benchwright.control.operator import run
    from benchwright.control.settings import SettingsError, from_environment
    from benchwright.kube.config import LoginError

    configure()
    try:
        asyncio.run(run(from_environment()))
    except (SettingsError, LoginError) as error:
        raise CliError(str(error)) from error


@click.command("results-service")
@click.option(
    "--data",
    envvar="BENCHWRIGHT_DATA",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the database and files. [env: BENCHWRIGHT_DATA]",
)
@click.option(
    "--key-file",
    "key_files",
    envvar="BENCHWRIGHT_KEY_FILE",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Signing key; several are accepted while keys rotate. [env: BENCHWRIGHT_KEY_FILE]",
)
@click.option(
    "--database-url", envvar="BENCHWRIGHT_DATABASE_URL", help="Left out: SQLite in the folder."
)
@click.option(
    "--objects-url", envvar="BENCHWRIGHT_OBJECTS_URL", help="Left out: files in the folder."
)
@click.option("--port", default=8080, show_default=True, help="For the operator and users.")
@click.option("--trial-port", default=8081, show_default=True, help="For trial pods.")
@click.option("--metrics-port", default=8090, show_default=True, help="For Prometheus.")
def results_service(
    data: Path,
    key_files: tuple[Path, ...],
    database_url: str | None,
    objects_url: str | None,
    port: int,
    trial_port: int,
    metrics_port: int,
) -> None:
    """Run the results service until it is terminated."""
    from benchwright.results.service import ServiceSettings, serve

    configure()
    settings = ServiceSettings(
        data=data,
        keys=key_files,
        database_url=database_url or None,
        objects_url=objects_url or None,
        port=port,
        trial_port=trial_port,
        metrics_port=metrics_port,
    )
    asyncio.run(serve(settings))
