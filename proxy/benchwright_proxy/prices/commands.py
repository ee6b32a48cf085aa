"""The `prices` commands: lint a table, import one, price recorded calls again."""

import argparse
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TextIO

from benchwright_proxy.jsonvalue import JsonObject, dump, parse
from benchwright_proxy.yamlfile import FileError

from . import book, lint, litellm
from .repricing import Repriced, reprice
from .table import PriceTable


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the commands."""
    top = commands.add_parser("prices", help="work with tables of prices")
    inner = top.add_subparsers(dest="prices", required=True)
    check = inner.add_parser("lint", help="check a table; odd prices are told, wrong ones refused")
    check.add_argument("file", type=Path)
    check.set_defaults(run=_lint)
    take = inner.add_parser("import-litellm", help="make a table of LiteLLM's file, to stdout")
    take.add_argument("file", type=Path, help="model_prices_and_context_window.json")
    take.add_argument("--name", required=True, help="name of the table")
    take.add_argument("--retrieved", type=date.fromisoformat, required=True, metavar="YYYY-MM-DD")
    take.add_argument("--version", default="?", help="where the file is from, for its first line")
    take.add_argument("--provider", action="append", required=True, help="give it again for more")
    take.add_argument("--exclude", action="append", default=[], help="glob of models to leave out")
    take.set_defaults(run=_import)
    again = inner.add_parser("reprice", help="price recorded calls (JSON lines) again, to stdout")
    again.add_argument(
        "calls", type=Path, help="a file of `benchwright calls -o jsonl`; - is stdin"
    )
    again.add_argument("--prices", type=Path, help="a table whose models replace the built-in ones")
    again.set_defaults(run=_reprice)


def _lint(options: argparse.Namespace) -> int:
    table = book.load(options.file)
    found = lint.findings(table)
    for line in found:
        print(line)
    print(f"{options.file}: {len(table.prices)} prices, {len(found)} oddities")
    return 0


def _import(options: argparse.Namespace) -> int:
    try:
        text = options.file.read_text(encoding="utf-8")
        found = litellm.convert(text, options.provider, options.retrieved, options.exclude)
        PriceTable(name=options.name, prices=tuple(found.rows))
    except ValueError as error:
        raise FileError(f"{options.file}: {error}") from error
    notes = (
        f"Imported from LiteLLM {options.version} (MIT), model_prices_and_context_window.json.",
        "That file has no dates: prices are valid from the day on which they were retrieved.",
        "Made by: benchwright-proxy prices import-litellm",
    )
    print(litellm.as_yaml(options.name, found.rows, notes), end="")
    for line in found.skipped:
        print(f"left out: {line}", file=sys.stderr)
    return 0


def _reprice(options: argparse.Namespace) -> int:
    own = book.load(options.prices) if options.prices else None
    table, sums = book.merged(book.built_in(), own), Repriced()
    where = str(options.calls)
    with sys.stdin if where == "-" else options.calls.open(encoding="utf-8") as lines:
        for call in reprice(_calls(lines, where), table, sums):
            print(dump(call).decode())
    print(
        f"{sums.calls} calls: ${sums.nanos / 1e9:.6f} known, {sums.unknown} of unknown cost, "
        f"prices {table.label}",
        file=sys.stderr,
    )
    return 0


def _calls(lines: TextIO, where: str) -> Iterator[JsonObject]:
    for number, line in enumerate(lines, 1):
        try:
            call = parse(line)
        except ValueError as error:
            raise FileError(f"{where}:{number}: not a JSON object of a call") from error
        if not isinstance(call, dict):
            raise FileError(f"{where}:{number}: not a JSON object of a call")
        yield call
