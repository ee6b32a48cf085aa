"""The command line: `python3 -m images build [NAME…]`, `list`, `stage`; from the repository's top."""

import argparse
import sys
import time
from pathlib import Path

from images.build import Builder, Built, elapsed_since, write_index
from images.cache import Cache, default_directory
from images.catalogue import IMAGES, Image, find
from images.errors import ImageError


def main() -> int:
    """Run a command; what goes wrong is one message and exit code 1."""
    arguments = _parser().parse_args()
    try:
        return {"list": _list, "build": _build, "stage": _stage}[arguments.command](arguments)
    except (ImageError, OSError) as error:
        print(f"images: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("images: interrupted", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m images", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="show the images that can be built")
    build = commands.add_parser("build", help="build images into the cache, as far as needed")
    build.add_argument("names", nargs="*", metavar="NAME", help="images (default: all)")
    build.add_argument(
        "--print-paths", action="store_true", help="print only the paths of the archives"
    )
    build.add_argument("--index", type=Path, metavar="FILE", help="also record the images here")
    build.add_argument(
        "--fresh", action="store_true", help="drop the cache, and so take today's Debian packages"
    )
    stage = commands.add_parser("stage", help="put an image's own files into a directory")
    stage.add_argument("name", metavar="NAME")
    stage.add_argument("directory", type=Path, metavar="DIRECTORY")
    return parser


def _list(_: argparse.Namespace) -> int:
    for image in IMAGES:
        print(f"{image.name:22} {image.title}")
    return 0


def _stage(arguments: argparse.Namespace) -> int:
    (image,) = find([arguments.name])
    Builder(Path.cwd(), Cache(default_directory())).stage(image, arguments.directory)
    return 0


def _build(arguments: argparse.Namespace) -> int:
    images = find(arguments.names)
    cache = Cache(default_directory())
    builder = Builder(Path.cwd(), cache)
    with cache.locked():
        if arguments.fresh:
            cache.forget()
        started = time.monotonic()
        if layers := builder.build_layers(images):
            print(f"layers {', '.join(layers)}: {elapsed_since(started)}", file=sys.stderr)
        built = [_build_image(builder, image, arguments.print_paths) for image in images]
        for index in filter(None, (cache.directory / "images.json", arguments.index)):
            write_index(built, index)
        cache.prune()
    return 0


def _build_image(builder: Builder, image: Image, only_path: bool) -> Built:
    started = time.monotonic()
    built, new = builder.build_image(image)
    if only_path:
        print(built.tar)
    else:
        print(
            f"{built.ref:46} {_mb(built.size)} packed {_mb(built.unpacked)} unpacked"
            f" {built.files:6} files  {elapsed_since(started) if new else 'cached'}"
        )
    return built


def _mb(size: int) -> str:
    return f"{size / 1e6:6.1f} MB"


if __name__ == "__main__":
    sys.exit(main())
