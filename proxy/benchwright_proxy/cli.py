"""The command line: `serve`, `check-dialogue` and `prices`."""

import argparse
import logging
import sys
from pathlib import Path

import uvloop

from . import config
from .journal.writing import JournalError
from .prices import commands as commands_of_prices
from .scripted import dialogue
from .server import Options, serve
from .yamlfile import FileError

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def parser() -> argparse.ArgumentParser:
    """The arguments, with what they mean."""
    top = argparse.ArgumentParser(
        prog="benchwright-proxy", description="Meters, limits and relays model calls of trials."
    )
    commands = top.add_subparsers(dest="command", required=True)
    run = commands.add_parser("serve", help="serve agents and the operator until SIGTERM")
    run.add_argument("--config", type=Path, required=True, help="YAML file: providers and models")
    run.add_argument("--journal", type=Path, required=True, help="folder for the journal")
    run.add_argument(
        "--key-file",
        type=Path,
        required=True,
        action="append",
        help="signing key of trial tokens; give it again for an older key that is still valid",
    )
    run.add_argument("--host", default="0.0.0.0", help="address to listen on")  # noqa: S104
    run.add_argument("--port", type=int, default=8080, help="for agents; 0 takes a free one")
    run.add_argument("--admin-port", type=int, default=8081, help="for the operator and results")
    run.add_argument(
        "--grace-seconds", type=float, default=25.0, help="how long to wait for calls at the end"
    )
    run.add_argument("--log-level", choices=LEVELS, default="INFO", help="what is logged at least")
    check = commands.add_parser("check-dialogue", help="check a file of the scripted model")
    check.add_argument("file", type=Path)
    commands_of_prices.add(commands)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run a command; 0, or 1 with the reason on standard error."""
    options = parser().parse_args(arguments)
    level = getattr(options, "log_level", "INFO")
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    try:
        if options.command == "check-dialogue":
            return _check(options.file)
        if options.command == "prices":
            return int(options.run(options))
        return _serve(options)
    except (FileError, JournalError, OSError) as error:
        print(f"benchwright-proxy: {error}", file=sys.stderr)
        return 1


def _check(path: Path) -> int:
    found = dialogue.load(path)
    print(f"{path}: dialogue {found.name!r}: {len(found.turns)} turns, {len(found.match)} matches")
    return 0


def _serve(options: argparse.Namespace) -> int:
    uvloop.run(
        serve(
            Options(
                config=config.load(options.config),
                journal=options.journal,
                key_files=tuple(options.key_file),
                host=options.host,
                port=options.port,
                admin_port=options.admin_port,
                grace_seconds=options.grace_seconds,
            )
        )
    )
    return 0
