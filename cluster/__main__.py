"""Command line: python3 -m cluster up|down|status|load-image|build|env."""

import argparse
import shlex
import sys
from pathlib import Path

from cluster import disposable
from cluster.errors import ClusterError
from cluster.providers import Provider, choose


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python3 -m cluster", description=disposable.__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    commands.add_parser("up", help="bring the cluster up, if it is not")
    commands.add_parser("down", help="end it and leave nothing behind")
    commands.add_parser("status", help="what runs; exit code 0 only if it is healthy")
    load = commands.add_parser("load-image", help="load image archives into the node")
    load.add_argument("files", nargs="+", type=Path, metavar="FILE.tar")
    commands.add_parser("build", help="get and build all programs, without starting anything")
    commands.add_parser("env", help="shell lines that point kubectl and helm to the cluster")
    return top


def execute(arguments: argparse.Namespace, provider: Provider) -> None:
    match arguments.command:
        case "up":
            provider.up()
        case "down":
            provider.down()
        case "status":
            provider.status()
        case "load-image":
            for file in arguments.files:
                provider.load_image(file)
        case "build":
            disposable.prepare()
        case "env":
            for name, value in provider.variables().items():
                print(f"export {name}={shlex.quote(value)}")


def main() -> int:
    try:
        execute(parser().parse_args(), choose())
    except ClusterError as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("cluster: interrupted; run it again, it starts by cleaning up", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
