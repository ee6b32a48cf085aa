"""What a check found: one line each, with file, line, resource, field and what to do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchwright.reports.words import one_line

Severity = Literal["error", "warning", "note"]
Path = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem, or a remark."""

    where: str
    """file:line, or the file alone."""
    subject: str
    """kind/name, as far as known."""
    field: str
    message: str
    severity: Severity = "error"

    def __str__(self) -> str:
        label = "" if self.severity == "error" else f"{self.severity}: "
        parts = [p for p in (self.subject, self.field) if p]
        text = f"{self.where}: {label}{''.join(f'{p}: ' for p in parts)}{self.message}"
        # What is quoted may hold anything: control characters and lone surrogates don't print.
        return one_line(text, 2000).encode("utf-8", "backslashreplace").decode()


def dotted(path: Path) -> str:
    """`spec.source.inline[0].task`."""
    text = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
    return text.removeprefix(".")


def errors(findings: Iterable[Finding]) -> list[Finding]:
    return [f for f in findings if f.severity == "error"]
