"""The figures as text: ratios first, since another machine has other absolute ones."""

from collections.abc import Sequence

from .scenarios import Scenario
from .summary import Added, Figures, Summary

#: Who others are divided by.
BASES = ("direct", "litellm", "go")
HEAD = (
    "peer", "calls/s", "/direct", "/litellm", "/go", "cpu ms/call", "per cpu: /litellm", "/go",
    "+p50 ms", "+p99 ms", "+ttfb p50", "p99", "+gap p99", "rss MiB", "peak", "errors",
)  # fmt: skip


def tables(summary: Summary, scenarios: Sequence[Scenario]) -> str:
    """A table for each scenario."""
    return "\n\n".join(
        f"{scenario.name}: {scenario.what}\n{_table(summary[scenario.name], scenario)}"
        for scenario in scenarios
        if scenario.name in summary
    )


def failures(summary: Summary) -> str:
    """A line for each peer that did not answer all calls of a scenario."""
    return "".join(
        f"{scenario}: {name}: {figures.errors} of {figures.errors + figures.calls} calls failed:"
        f" {figures.first_error}\n"
        for scenario, peers in summary.items()
        for name, figures in peers.items()
        if figures.errors
    )


def _table(peers: dict[str, Figures], scenario: Scenario) -> str:
    rows = [HEAD, *(_row(name, peers, scenario) for name in peers)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _row(name: str, peers: dict[str, Figures], scenario: Scenario) -> tuple[str, ...]:
    mine = peers[name]
    gap = mine.added_gap_ms if scenario.paced else None
    return (
        name,
        f"{mine.calls_per_second:.0f}",
        *(_ratio(mine.calls_per_second, _rate(peers, base)) for base in BASES),
        _number(mine.cpu_ms_per_call, 3),
        *(_ratio(mine.calls_per_cpu_second, _per_cpu(peers, base)) for base in BASES[1:]),
        *_both(mine.added_latency_ms),
        *_both(mine.added_first_byte_ms),
        _number(gap.p99 if gap else None, 2),
        _number(mine.rss_after, 0),
        _number(mine.rss_peak, 0),
        str(mine.errors),
    )


def _rate(peers: dict[str, Figures], base: str) -> float | None:
    return peers[base].calls_per_second if base in peers else None


def _per_cpu(peers: dict[str, Figures], base: str) -> float | None:
    return peers[base].calls_per_cpu_second if base in peers else None


def _both(added: Added | None) -> tuple[str, str]:
    return ("-", "-") if added is None else (_number(added.p50, 2), _number(added.p99, 2))


def _ratio(mine: float | None, base: float | None) -> str:
    if mine is None or not base:
        return "-"
    ratio = mine / base
    return f"{ratio:.3f}" if ratio < 10 else f"{ratio:.0f}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
