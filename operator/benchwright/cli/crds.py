"""`benchwright crds DIR`: write the CRDs, or with --check say whether DIR is up to date."""

import io
from pathlib import Path

import click

_HEADER = "# Generated from operator/benchwright/api by `make crds`. Do not edit.\n"


def rendered() -> dict[str, str]:
    """File name → text of every CRD."""
    from benchwright.api.crd import KINDS, definition

    return {f"{kind.plural}.yaml": _HEADER + _yaml(definition(kind)) for kind in KINDS}


def _yaml(data: object) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 100
    yaml.representer.ignore_aliases = lambda *_: True
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--check", is_flag=True, help="Change nothing; exit 1 where a file differs.")
def crds(directory: Path, check: bool) -> None:
    """Write the CustomResourceDefinitions to DIRECTORY."""
    for name, text in rendered().items():
        path = directory / name
        if check and (not path.exists() or path.read_text() != text):
            raise click.ClickException(f"{path} is not what the models say: run `make crds`")
        if not check:
            directory.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
