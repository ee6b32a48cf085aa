"""`benchwright calls TRIAL`: the model calls of a trial, one by one."""

import json
import sys
from typing import TYPE_CHECKING

import click

from benchwright.cli.errors import CliError
from benchwright.cli.evidence import trial_uid
from benchwright.cli.gateway import Gateway
from benchwright.cli.options import service_option
from benchwright.cli.target import Target, connect, pass_target, run_async

if TYPE_CHECKING:
    from benchwright.reports.calls import ModelCall


@click.command()
@click.argument("trial")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "jsonl", "otel"]),
    default="table",
    show_default=True,
    help="jsonl: all that is known, a call a line; otel: OpenTelemetry's GenAI attributes, likewise.",
)
@click.option(
    "--otlp",
    metavar="URL",
    help="Send them as spans to a collector, such as http://localhost:4318, instead of printing.",
)
@service_option
@pass_target
def calls(target: Target, trial: str, output: str, otlp: str | None, service: str) -> None:
    """Print the model calls of TRIAL (its name, or its UID if the run was deleted)."""
    data = run_async(_fetch(target, trial, service))
    if output == "jsonl" and otlp is None:
        sys.stdout.buffer.write(data)
        return
    from benchwright.reports import calls as reading

    try:
        found = list(reading.parse(data.splitlines()))
    except reading.CallsError as error:
        raise CliError(f"the calls of trial {trial} cannot be read: {error}") from error
    if otlp is not None:
        run_async(_send(found, otlp))
        click.echo(f"{len(found)} calls were sent to {otlp}")
    elif output == "otel":
        _print_otel(found)
    else:
        _print_table(found)


async def _fetch(target: Target, trial: str, service: str) -> bytes:
    async with connect(target) as session:
        uid = await trial_uid(session, trial)
        return await Gateway(session, service).read(f"/trials/{uid}/calls.jsonl")


def _print_otel(found: "list[ModelCall]") -> None:
    from benchwright.reports.otel import attributes

    for call in found:
        click.echo(json.dumps(attributes(call), ensure_ascii=False))


async def _send(found: "list[ModelCall]", url: str) -> None:
    from aiohttp import ClientError, ClientSession

    from benchwright.reports.otel import otlp

    where = f"{url.rstrip('/')}/v1/traces"
    try:
        async with ClientSession() as session, session.post(where, json=otlp(found)) as answer:
            if answer.status != 200:
                raise CliError(f"{where} answers {answer.status}: {(await answer.text())[:300]}")
    except (ClientError, TimeoutError, ValueError) as error:
        raise CliError(f"{where} cannot be reached: {error or type(error).__name__}") from error


def _print_table(found: "list[ModelCall]") -> None:
    from rich.console import Console
    from rich.table import Table

    if not found:
        click.echo(
            "no calls are stored: none was made, or the run keeps none (spec.evidence.calls)"
        )
        return
    table = Table(box=None, pad_edge=False)
    for name in ("stage", "model", "status"):
        table.add_column(name)
    for name in ("s", "first byte", "in", "cached", "out", "tools", "cost"):
        table.add_column(name, justify="right")
    for call in found:
        table.add_row(*map(_plain, _row(call)))
    Console().print(table)


def _row(call: "ModelCall") -> tuple[str, ...]:
    again = " (again)" if call.again else ""
    known = call.usage_source == "provider"
    mark = "" if known else f" ({call.usage_source} usage)"
    return (
        call.stage,
        call.model if call.answered in (None, call.model) else f"{call.model} → {call.answered}",
        f"{call.status}{again}{mark}",
        _seconds(call.seconds),
        _seconds(call.first_byte),
        *(_count(n) for n in (call.input_tokens, call.cached, call.output_tokens, call.tool_calls)),
        "?" if call.cost_usd is None else f"${call.cost_usd:.6f}",
    )


def _seconds(value: float | None) -> str:
    return "?" if value is None else f"{value:.2f}"


def _count(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def _plain(text: str) -> str:
    """Names are an agent's and a provider's: they neither style a table nor steer a terminal."""
    from rich.markup import escape

    return escape("".join(c if c.isprintable() else "�" for c in text[:200]))
