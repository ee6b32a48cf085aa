"""JUnit XML: real reports, and what may be in others."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.coverage.readers import cobertura
from benchwright.testreports import (
    Counts,
    ReportError,
    ReportLimits,
    ReportReason,
    Status,
    TestReport,
    join,
    junit,
    read,
)

DATA = Path(__file__).parent / "data"


def sample(name: str) -> TestReport:
    return read((DATA / name).read_bytes(), "junit")


def suite(*cases: str, attributes: str = "") -> TestReport:
    return read(f"<testsuite {attributes}>{''.join(cases)}</testsuite>".encode(), "junit")


def case(inside: str = "", name: str = "t", attributes: str = 'classname="c"') -> str:
    return f'<testcase name="{name}" {attributes}>{inside}</testcase>'


def statuses(report: TestReport) -> dict[str, str]:
    return {each.id: str(each.status) for each in report.cases}


def test_surefire() -> None:
    report = sample("TEST-ex.CalcTest.xml")
    assert [(c.id, c.status, c.seconds) for c in report.cases] == [
        ("ex.CalcTest::c", Status.PASSED, 0.095)
    ]
    assert report.disagreements == ()


@pytest.mark.parametrize(("family", "prefix"), [("xunit1", "test_sample.py::"), ("xunit2", "")])
def test_pytest(family: str, prefix: str) -> None:
    report = sample(f"pytest-{family}.xml")
    ends = statuses(report)
    assert {name: ends[f"{prefix}test_sample::test_{name}"] for name in STATUSES} == STATUSES
    assert report.counts == Counts(passed=17, skipped=3, failed=2, error=4)
    assert report.disagreements == ()
    assert report.duplicates == ((f"{prefix}test_sample::test_fails_twice", 2),)


STATUSES = {
    "pass": "passed",
    "fail": "failed",
    "setup_error": "error",
    "teardown_error": "error",
    "fails_twice": "error",
    "skip": "skipped",
    "skip_inside": "skipped",
    "xfail": "skipped",
    "xpass": "passed",
    "xpass_strict": "failed",
    "odd[]": "passed",
    "odd[<&>\"']": "passed",
    r"odd[\x00\x1b[0m]": "passed",
    "same[1_0]": "passed",
    "same[1_1]": "passed",
}


def test_equal_names_of_classes_and_files_are_different_tests() -> None:
    ids = [each.id for each in sample("pytest-xunit1.xml").cases if each.id.endswith("::test_pass")]
    assert ids == [
        "sub/test_other.py::sub.test_other::test_pass",
        "test_sample.py::test_sample.TestClass::test_pass",
        "test_sample.py::test_sample::test_pass",
    ]


@pytest.mark.parametrize(
    ("inside", "status"),
    [
        ("", "passed"),
        ("<failure/>", "failed"),
        ("<error/>", "error"),
        ("<skipped/>", "skipped"),
        ("<skipped/><failure/>", "failed"),
        ("<failure/><error/>", "error"),
        ("<system-out><failure/></system-out>", "passed"),
        ("<properties><property name='a'/></properties>", "passed"),
        ("<rerunFailure/><failure/>", "failed"),
    ],
)
def test_what_is_in_a_case_says_how_it_ended(inside: str, status: str) -> None:
    assert statuses(suite(case(inside))) == {"c::t": status}


@pytest.mark.parametrize(
    ("attributes", "status"),
    [
        ('status="run" result="completed"', "passed"),
        ('status="notrun" result="suppressed"', "skipped"),
        ('status="run" result="skipped"', "skipped"),
        ('status="disabled"', "skipped"),
        ('status="fail"', "failed"),
        ('status="FAILED"', "failed"),
        ('result="error"', "error"),
    ],
)
def test_gtest_and_ctest_say_it_in_attributes(attributes: str, status: str) -> None:
    assert statuses(suite(case(attributes=f'classname="c" {attributes}'))) == {"c::t": status}


def test_a_test_that_passed_when_run_again_passed_and_is_called_flaky() -> None:
    report = suite(case("<flakyFailure message='once'/>"), case(name="u"))
    assert statuses(report) == {"c::t": "passed", "c::u": "passed"}
    assert report.flaky == ("c::t",)


def test_an_id_that_comes_twice_is_one_test_with_the_worst_status_in_any_order() -> None:
    rows = [case(), case("<failure message='b'/>"), case("<failure message='a'/>")]
    report = suite(*rows)
    assert report == suite(*reversed(rows))
    assert [(c.id, c.status, c.message) for c in report.cases] == [("c::t", Status.FAILED, "a")]
    assert report.duplicates == (("c::t", 3),)


@pytest.mark.parametrize(
    ("inside", "id_"),
    [
        ("<testcase name=''><failure message='m'/></testcase>", "s::(unnamed)"),
        ("<failure message='m'/>", "s::(suite)"),
    ],
)
def test_a_failure_of_a_whole_suite_is_not_lost(inside: str, id_: str) -> None:
    report = suite(inside, attributes='name="s" tests="1" failures="1"')
    assert [(c.id, c.status, c.message) for c in report.cases] == [(id_, Status.FAILED, "m")]
    assert report.disagreements == ()


def test_a_suite_names_a_case_without_a_class_and_nested_suites_are_read() -> None:
    report = read(
        b'<testsuites><testsuite name="a"><testsuite name="b"><testcase name="t"/></testsuite>'
        b'<testcase name="t"/></testsuite></testsuites>',
        "junit",
    )
    assert statuses(report) == {"a::t": "passed", "b::t": "passed"}


@pytest.mark.parametrize(
    "attributes",
    [
        'tests="2" failures="1" errors="0" skipped="0"',
        'tests="" failures="many" errors="1.0"',
        "",
    ],
)
def test_totals_that_fit_or_say_nothing(attributes: str) -> None:
    cases = case(), case("<failure/>", name="u")
    assert suite(*cases, attributes=attributes).disagreements == ()


def test_totals_that_the_cases_do_not_bear_out_are_listed() -> None:
    report = suite(case("<failure/>"), attributes='name="s" tests="5" failures="0" skipped="1"')
    assert report.disagreements == (
        "s: tests: claimed 5, counted 1",
        "s: failures: claimed 0, counted 1",
        "s: skipped: claimed 1, counted 0",
    )


def test_disagreements_are_bounded() -> None:
    assert 1000 <= len(suite(*["<testsuite tests='9'/>"] * 3000).disagreements) < 1010


@pytest.mark.parametrize("outer", [1, 3])
def test_totals_of_an_outer_suite_may_include_the_inner_ones(outer: int) -> None:
    inner = f'<testsuite tests="2">{case(name="a")}{case(name="b")}</testsuite>'
    assert suite(inner, case(), attributes=f'tests="{outer}"').disagreements == ()
    assert suite(inner, case(), attributes='tests="4"').disagreements != ()


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        ("0.5", 0.5),
        ("1,234.5", 1234.5),
        ("1e-3", 0.001),
        ("", None),
        ("-1", None),
        ("NaN", None),
        ("inf", None),
        ("1e999", None),
        ("9" * 40, None),
        ("1_0", None),
    ],
)
def test_seconds(time: str, seconds: float | None) -> None:
    report = suite(case(attributes=f'time="{time}"'))
    assert report.cases[0].seconds == seconds


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("<failure message='said'>text</failure>", "said"),
        ("<failure>\n  text\n  more\n</failure>", "text\n  more"),
        ("<failure><b>bold</b> text</failure>", "bold text"),
        ("<skipped message='why'/>", "why"),
        ("<error message=''>trace</error><system-out>noise</system-out>", "trace"),
        ("<failure message='a&#x202e;b&#x9b;c&#9;d'/>", r"a\u202eb\x9bc    d"),
    ],
)
def test_messages(inside: str, message: str) -> None:
    assert suite(case(inside)).cases[0].message == message


def test_a_long_message_is_cut_and_a_long_name_stays_apart_from_others() -> None:
    names = ["n" * 2000 + end for end in "ab"]
    text = f"<failure>{'m' * 5000}</failure>"
    report = suite(*(case(text, name=name) for name in names))
    assert [len(each.id) for each in report.cases] == [1024, 1024]
    assert len({each.id for each in report.cases}) == 2
    assert {each.message for each in report.cases} == {"m" * 999 + "…"}


def test_names_are_one_printable_line() -> None:
    report = suite(case(name="a&#10;b&#x85;&#x2028;&#x202e;é"))
    assert [each.id for each in report.cases] == [r"c::a\x0ab\x85\u2028\u202eé"]


def test_no_cases_are_a_report_too() -> None:
    assert suite().cases == ()
    assert read(b"<testsuites/>", "junit").counts == Counts()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "malformed"),
        (b"{}", "malformed"),
        (b"<html/>", "malformed"),
        (b"<testcase name='a'/>", "malformed"),
        (b"<testsuite><testcase/></testsuite>", "malformed"),
        (b"<testsuite><testcase name='a'>", "malformed"),
        (b"<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>", "malformed"),
        (b"<testsuite><testcase name='a'><testsuite/></testcase></testsuite>", "malformed"),
        (b"<testsuite>" * 100_000, "malformed"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><testsuite name='&b;'/>", "refused_xml"),
        (b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><testsuite/>", "refused_xml"),
    ],
)
def test_what_is_no_report_is_an_error(text: bytes, reason: str) -> None:
    with pytest.raises(ReportError) as error:
        read(text, "junit")
    assert error.value.reason == reason
    assert str(error.value).isprintable()


@pytest.mark.parametrize(
    "limits", [ReportLimits(cases=1), ReportLimits(bytes=50), ReportLimits(elements=2)]
)
def test_too_much_is_an_error(limits: ReportLimits) -> None:
    text = f"<testsuite>{case()}{case()}</testsuite>".encode()
    with pytest.raises(ReportError) as error:
        read(text, "junit", limits=limits)
    assert error.value.reason is ReportReason.TOO_LARGE


def test_the_xml_stream_is_the_one_of_coverage() -> None:
    assert vars(junit)["stream"] is vars(cobertura)["stream"]


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(ReportError) as error:
        read(b"", "tap")
    assert error.value.reason is ReportReason.UNSUPPORTED_FORMAT


@given(st.binary(max_size=8), st.integers(0, 200), st.integers(0, 9))
def test_a_damaged_report_is_read_or_refused(noise: bytes, at: int, cut: int) -> None:
    good = (
        f"<testsuite name='s'>{case('<failure>x</failure>')}{case(name='u')}</testsuite>".encode()
    )
    with contextlib.suppress(ReportError):
        read(good[:at] + noise + good[at + cut :], "junit")


def test_files_of_one_run_are_joined() -> None:
    one, two = suite(case(), case()), suite(case("<failure/>"), case(name="u"))
    both = join([one, two])
    assert both == join([two, one])
    assert statuses(both) == {"c::t": "failed", "c::u": "passed"}
    assert both.duplicates == (("c::t", 3),)
    assert join([]) == suite()
