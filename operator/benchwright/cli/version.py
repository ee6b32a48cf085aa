"""`benchwright version`."""

from importlib.metadata import version as installed

import click


@click.command()
def version() -> None:
    """Print the version of this program and of the resources that it speaks."""
    from benchwright.api.base import API_VERSION

    click.echo(f"benchwright {installed('benchwright')} ({API_VERSION})")
