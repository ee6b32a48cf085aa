"""Time as the rules see it: RFC 3339 strings outside, aware datetimes inside; `now` is passed in."""

from datetime import UTC, datetime


def parse_time(text: str | None) -> datetime | None:
    """Read a Kubernetes timestamp, with or without fractions of a second."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


def format_time(moment: datetime) -> str:
    """Microseconds are kept: durations in results are differences of two such stamps."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds_between(start: str | None, end: str | None) -> float | None:
    """Difference of two stamps of the same clock; None where one is missing."""
    a, b = parse_time(start), parse_time(end)
    return max(0.0, (b - a).total_seconds()) if a and b else None
