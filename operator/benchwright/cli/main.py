"""The group of commands. They are imported when they are called, so that each starts quickly."""

from importlib import import_module

import click

from benchwright.cli.target import Target

_COMMANDS = {
    "validate": ("validate", "Check manifests and task directories, as the API server would."),
    "run": ("run", "Check and apply manifests, then watch the run to its end."),
    "watch": ("watch", "Watch a run until every trial has an outcome."),
    "results": ("results", "Download results, report and evidence of a run."),
    "report": ("report", "Write the report of a run, of its records, or of a table of trials."),
    "evidence": ("evidence", "Download all evidence of one trial."),
    "calls": ("calls", "Print the model calls of one trial, or send them to a collector."),
    "calibrate": ("calibrate", "Item statistics of tasks, and which should be looked at."),
    "compare": ("compare", "Compare two agents, and say how sure that is."),
    "push": ("push", "Put source archives into the results store."),
    "review-token": ("reviewtoken", "Make a token with which trials are reviewed in a browser."),
    "pack": ("pack", "Pack task directories into a ConfigMap."),
    "crds": ("crds", "Write the CustomResourceDefinitions."),
    "operator": ("services", "Run the operator (in its pod)."),
    "results-service": ("services", "Run the results service (in its pod)."),
    "power": ("power", "Plan how many tasks and trials a comparison needs."),
    "stats": ("stats", "Check the statistics against reference values."),
    "version": ("version", "Print the version."),
}
"""Command → module and what it does. The function in the module has the command's name."""


class Commands(click.Group):
    """Imports a command when it is needed; lists them without importing any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"benchwright.cli.{_COMMANDS[cmd_name][0]}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 a problem was found or the run failed, 2 wrong usage.",
)
@click.option("-n", "--namespace", help="Namespace. Left out: that of the context.")
@click.option("--context", help="Context of the kubeconfig. Left out: the current one.")
@click.pass_context
def main(ctx: click.Context, namespace: str | None, context: str | None) -> None:
    """Benchmark code-writing agents on Kubernetes."""
    ctx.obj = Target(namespace, context)
