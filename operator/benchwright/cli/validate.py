"""`benchwright validate FILE|DIR…`: the rules of the API server, before anything is applied."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from benchwright.cli.documents import Document
    from benchwright.cli.findings import Finding


@dataclass(frozen=True)
class Validation:
    """Everything that was found in some files."""

    resources: "Sequence[Document]"
    """Of our kinds."""
    others: "Sequence[Document]"
    """Of other kinds, not looked into."""
    tasks: int
    """Task directories."""
    findings: "Sequence[Finding]"

    @property
    def errors(self) -> int:
        return sum(f.severity == "error" for f in self.findings)


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, metavar="FILE|DIR…", type=click.Path(path_type=Path)
)
@click.option("--strict", is_flag=True, help="Warnings are errors.")
def validate(paths: tuple[Path, ...], strict: bool) -> None:
    """Check manifests (*.yaml) and task directories (with a task.yaml).

    The rules are those of the API server, and more: names that are defined twice, selectors that
    match no task, tasks without a prompt. Exit code 1 where something is wrong.
    """
    found = inspect(paths)
    report(found)
    warnings = sum(f.severity == "warning" for f in found.findings)
    checked = f"{count(len(found.resources), 'resource')}, {count(found.tasks, 'task directory')}"
    if found.errors or (strict and warnings):
        click.echo(f"{checked}: {count(found.errors, 'error')}, {count(warnings, 'warning')}")
        raise SystemExit(1)
    click.echo(f"{checked}: no error" + (f", {count(warnings, 'warning')}" if warnings else ""))


def report(found: Validation) -> None:
    """All findings, one line each, in the order of files."""
    for finding in found.findings:
        click.echo(str(finding), err=True)


def inspect(paths: Sequence[Path]) -> Validation:
    """Check everything that `paths` name."""
    from benchwright.cli.check import check
    from benchwright.cli.crosscheck import crosscheck
    from benchwright.cli.inputs import collect
    from benchwright.cli.taskdirs import check_task

    inputs = collect(paths)
    findings = list(inputs.findings)
    ours = [d for d in inputs.documents if d.ours]
    others = [d for d in inputs.documents if not d.ours]
    checked = [check(d) for d in ours]
    findings += [f for c in checked for f in c.findings]
    findings += [_other(d) for d in others]
    findings += crosscheck(checked, others)
    for folder in inputs.task_folders:
        findings += check_task(folder)[1]
    if not ours and not inputs.task_folders and not any(f.severity == "error" for f in findings):
        findings.append(_nothing(paths))
    return Validation(ours, others, len(inputs.task_folders), sorted(findings, key=_place))


def _place(finding: "Finding") -> tuple[str, int]:
    file, _, line = finding.where.rpartition(":")
    return (file, int(line)) if line.isdigit() else (finding.where, 0)


def _other(document: "Document") -> "Finding":
    """A document of another group: passed over, or no manifest at all."""
    from benchwright.cli.check import KIND
    from benchwright.cli.findings import Finding

    if document.kind in KIND and not document.api_version:
        text = "is missing: write apiVersion: benchwright.dev/v1alpha1"
        return Finding(document.where(), document.subject, "apiVersion", text)
    if document.kind and document.api_version:
        return Finding(document.where(), document.subject, "", "other kind, not checked", "note")
    text = "has no apiVersion and kind: no manifest"
    return Finding(document.where(), "", "", text, "error" if document.named else "note")


def _nothing(paths: Sequence[Path]) -> "Finding":
    from benchwright.cli.findings import Finding

    text = "there is neither a resource of benchwright.dev nor a task directory"
    return Finding(", ".join(map(str, paths)), "", "", text)


def count(number: int, what: str) -> str:
    """`1 error`, `2 errors`."""
    plural = what.replace("directory", "directories") if what.endswith("y") else f"{what}s"
    return f"{number} {what if number == 1 else plural}"
