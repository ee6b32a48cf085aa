"""Syntax colouring, run as a program of its own: [[file name, text]…] → classes by line.

Lexers are made of regular expressions, and an agent chooses the text: one that takes for ever must
take a process that can be ended, not the results service (Pygments had CVE-2021-27291 and others).
Only classes and lengths come back, never text. It imports nothing of Benchwright.
"""

import json
import resource
import sys

CPU_SECONDS = 5
MEMORY = 1024 * 1024 * 1024


def main() -> None:
    """From standard input to standard output."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    json.dump([_spans(name, text) for name, text in json.load(sys.stdin)], sys.stdout)


def _spans(name: str, text: str) -> list[list[tuple[int, str]]]:
    """For each line: lengths and classes, one after the other. [] where no lexer knows the name."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return []
    lines: list[list[tuple[int, str]]] = [[]]
    for kind, value in lexer.get_tokens(text):
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((len(piece), _class(str(kind))))
    return lines


def _class(kind: str) -> str:
    """Few classes, each with a colour that can be read on every background."""
    for prefix, name in (
        ("Token.Comment", "c"),
        ("Token.Keyword", "k"),
        ("Token.Operator.Word", "k"),
        ("Token.Literal.String", "s"),
        ("Token.Literal.Number", "m"),
        ("Token.Name.Function", "f"),
        ("Token.Name.Class", "f"),
        ("Token.Name.Decorator", "f"),
        ("Token.Name.Tag", "k"),
        ("Token.Name.Builtin", "b"),
    ):
        if kind.startswith(prefix):
            return name
    return ""


if __name__ == "__main__":
    main()
