"""JUnit XML, as pytest, surefire, jest-junit, gtest, ctest and many others write it.

`testsuites/testsuite*/testcase[@classname,@name,@time,@file]`, with `failure`, `error` or
`skipped` inside; suites may be nested. There is no standard: what writers agree on is read, and
totals are recomputed.
"""

from benchwright.hostile.xmlstream import XmlError, stream
from benchwright.testreports import texts
from benchwright.testreports.model import (
    ReportError,
    ReportLimits,
    ReportReason,
    Status,
    TestCase,
    TestReport,
    collect,
    worst,
)
from benchwright.testreports.suites import Suite

_OUTCOMES = {"failure": Status.FAILED, "error": Status.ERROR, "skipped": Status.SKIPPED}
_DISAGREEMENTS = 1000  # the first tell enough
_RERUNS = {"flakyFailure", "flakyError"}  # surefire: failed, then passed when run again
_WORDS = {
    **dict.fromkeys(("disabled", "notrun", "skipped", "suppressed", "ignored"), Status.SKIPPED),
    **dict.fromkeys(("fail", "failed", "failure"), Status.FAILED),
    "error": Status.ERROR,
}
"""What gtest and ctest put in `status` or `result` without an element to say so."""


def parse(data: bytes, limits: ReportLimits) -> TestReport:
    """Read one file; raises `ReportError`."""
    reader = _Reader(limits)
    try:
        stream(data, reader, max_depth=limits.depth, max_elements=limits.elements)
    except XmlError as error:
        raise ReportError(ReportReason(error.reason), str(error)) from None
    return collect(reader.rows, flaky=reader.flaky, disagreements=reader.disagreements)


class _Reader:
    """Follows the elements; `_parents` are the open ones, `_suites` the open suites."""

    def __init__(self, limits: ReportLimits) -> None:
        self.rows: list[TestCase] = []
        self.flaky: list[str] = []
        self.disagreements: list[str] = []
        self._limits = limits
        self._parents: list[str] = []
        self._suites: list[Suite] = []
        self._case: _Case | None = None
        self._in_outcome = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._parents and tag not in ("testsuite", "testsuites"):
            raise _malformed(f"the root element is <{tag}>, neither <testsuite> nor <testsuites>")
        if tag in ("testsuite", "testsuites"):
            self._start_suite(tag, attributes)
        elif tag == "testcase":
            self._start_case(attributes)
        elif tag in _OUTCOMES and self._parents[-1] == "testsuite":
            self._suite_ended(tag, attributes)
        elif self._case is not None and self._parents[-1] == "testcase":
            self._case.inside(tag, attributes)
            self._in_outcome = tag in _OUTCOMES
        self._parents.append(tag)

    def end(self, tag: str) -> None:
        self._parents.pop()
        if tag == "testcase" and self._case is not None:
            self._end_case(self._case)
        elif tag in ("testsuite", "testsuites"):
            self._end_suite(self._suites.pop())
        elif self._parents[-1:] == ["testcase"]:
            self._in_outcome = False

    def data(self, text: str) -> None:
        if self._in_outcome and self._case is not None:
            self._case.text(text, self._limits.message_chars)

    def _start_suite(self, tag: str, attributes: dict[str, str]) -> None:
        if self._case is not None:
            raise _malformed(f"a <{tag}> inside a <testcase>")
        self._suites.append(Suite(attributes))

    def _end_suite(self, suite: Suite) -> None:
        if self._suites:
            self._suites[-1].add_nested(suite)
        if len(self.disagreements) < _DISAGREEMENTS:
            name = texts.identifier(suite.name, 200)
            self.disagreements.extend(f"{name}: {each}" for each in suite.disagreements())

    def _suite_ended(self, tag: str, attributes: dict[str, str]) -> None:
        """A suite that failed outside its cases is a case, so that the failure is not lost."""
        case = _Case({"name": "(suite)"}, self._suites[-1].name)
        case.inside(tag, attributes)
        self._end_case(case)

    def _start_case(self, attributes: dict[str, str]) -> None:
        if self._case is not None:
            raise _malformed("a <testcase> inside a <testcase>")
        if "name" not in attributes:
            raise _malformed("a <testcase> without a name")
        self._case = _Case(attributes, self._suites[-1].name)

    def _end_case(self, case: "_Case") -> None:
        if len(self.rows) >= self._limits.cases:
            message = f"more than {self._limits.cases} test cases"
            raise ReportError(ReportReason.TOO_LARGE, message)
        row = case.row(self._limits)
        self.rows.append(row)
        self._suites[-1].add_case(row.status)
        if case.flaky:
            self.flaky.append(row.id)
        self._case = None


class _Case:
    """A test case while its elements come in."""

    def __init__(self, attributes: dict[str, str], suite: str) -> None:
        # Without a class name the suite's keeps apart equal names of different suites.
        # gtest leaves the name empty where a suite's set-up failed.
        name = attributes["name"] or "(unnamed)"
        parts = (attributes.get("file"), attributes.get("classname") or suite, name)
        self._id = "::".join(part for part in parts if part)
        self._time = attributes.get("time")
        words = (attributes.get("status", ""), attributes.get("result", ""))
        self._statuses = [_WORDS[w.lower()] for w in words if w.lower() in _WORDS]
        self._messages: list[str] = []
        self._text = ""
        self.flaky = False

    def inside(self, tag: str, attributes: dict[str, str]) -> None:
        """A child element of the case."""
        self.flaky |= tag in _RERUNS
        if tag in _OUTCOMES:
            self._statuses.append(_OUTCOMES[tag])
            if not self._messages and attributes.get("message"):
                self._messages.append(attributes["message"])

    def text(self, text: str, limit: int) -> None:
        """Text of an outcome: its start is the message where no attribute gives one."""
        if len(self._text) <= limit:
            self._text += text[: limit + 1]

    def row(self, limits: ReportLimits) -> TestCase:
        text = self._messages[0] if self._messages else self._text
        return TestCase(
            id=texts.identifier(self._id, limits.id_chars),
            status=worst(self._statuses) if self._statuses else Status.PASSED,
            seconds=texts.seconds(self._time),
            message=texts.message(text, limits.message_chars),
        )


def _malformed(message: str) -> ReportError:
    return ReportError(ReportReason.MALFORMED, message)
