"""`benchwright pack DIR -o FILE.yaml`: task directories → a ConfigMap manifest."""

import base64
from pathlib import Path

import click

from benchwright.cli.errors import CliError


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Manifest to write.",
)
@click.option("--name", help="Name of the ConfigMap. Left out: that of DIRECTORY.")
def pack(directory: Path, out: Path, name: str | None) -> None:
    """Pack the task directories in DIRECTORY (or DIRECTORY itself) into a ConfigMap.

    A TaskSet names it in spec.source.configMap.name. The same files give the same bytes.
    """
    from benchwright.api.labels import bounded_name

    if name and name != bounded_name(name):
        raise click.BadParameter("use lower-case letters, digits and '-'", param_hint="--name")
    name = name or bounded_name(directory.resolve().name)
    folders = _folders(directory)
    data = _packed(folders)
    out.write_text(manifest(name, data), encoding="utf-8")
    click.echo(
        f"{out}: ConfigMap {name} with {len(folders)} tasks, {len(data)} bytes. "
        f"In the TaskSet: source: {{configMap: {{name: {name}}}}}"
    )


def _folders(directory: Path) -> list[Path]:
    from benchwright.cli.taskdirs import is_task

    if is_task(directory):
        return [directory.resolve()]
    folders = sorted(d for d in directory.iterdir() if d.is_dir() and is_task(d))
    if not folders:
        raise CliError(f"{directory}: neither it nor a folder in it holds a task.yaml")
    return folders


def _packed(folders: list[Path]) -> bytes:
    from benchwright.cli.taskdirs import check_task, read_files
    from benchwright.tasks.pack import MAX_PACKED
    from benchwright.tasks.pack import pack as pack_files

    files: dict[str, bytes] = {}
    for folder in folders:
        _, findings = check_task(folder)
        for finding in findings:
            click.echo(str(finding), err=True)
        if findings:
            raise CliError(f"{folder} is not right: mend what is said above")
        files |= {f"{folder.name}/{path}": data for path, data in read_files(folder)[0].items()}
    packed = pack_files(files)
    if len(packed) > MAX_PACKED:
        raise CliError(
            f"{len(packed)} bytes packed, and a ConfigMap holds {MAX_PACKED}: take the sources out "
            "of workspace/ (source.git or source.archive), pack fewer tasks at a time, or keep the "
            "tasks in a git repository (spec.source.git)"
        )
    return packed


def manifest(name: str, data: bytes) -> str:
    """The ConfigMap; written by hand, since base64 and a DNS name need no quoting."""
    text = base64.b64encode(data).decode()
    return (
        "# Made by `benchwright pack`. Do not edit.\n"
        "apiVersion: v1\n"
        "kind: ConfigMap\n"
        f"metadata:\n  name: {name}\n"
        f"binaryData:\n  tasks.tar.gz: {text}\n"
    )
