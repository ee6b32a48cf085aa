"""report.html: self-contained, escaped, and honest about zero, missing and invalid."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from benchwright.reports.html import render
from benchwright.reports.report import of_records
from tests.unit.reports.samples import measured, record, usage


def page(title: str, records: list[dict[str, Any]], evidence_folder: str | None = None) -> str:
    return render(of_records(title, records), evidence_folder)


VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Tags, addresses and visible text of a page; fails on tags that do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.cells: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._classes: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.links += [found[a] or "" for a in ("href", "src") if a in found]
        self.ids += [found["id"] or ""] if "id" in found else []
        if tag not in VOID:
            self._open.append(tag)
        if tag in {"td", "li"}:
            self.cells.append((found.get("class") or "", ""))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if any(t in {"td", "li"} for t in self._open):
            kind, text = self.cells[-1]
            self.cells[-1] = (kind, " ".join(f"{text} {data}".split()))

    @property
    def elsewhere(self) -> list[str]:
        """Links that leave the page."""
        return [link for link in self.links if not link.startswith("#")]

    def of_class(self, kind: str) -> list[str]:
        return [text for classes, text in self.cells if kind in classes.split()]


def test_needs_nothing_from_outside() -> None:
    html = page("demo", [record()])
    found = Page(html)
    assert {"script", "link", "img", "iframe", "object", "embed", "base"}.isdisjoint(found.tags)
    assert not re.search(r"https?:(?!//www\.w3\.org/)|url\((?!#)|@import", html)
    assert found.elsewhere == ["/trials/u-1/evidence.tar.gz"]


def test_every_link_within_the_page_leads_somewhere() -> None:
    trials = [record("a", "one"), record("b", "one", outcome="failure"), record("b", "two")]
    found = Page(page("demo", trials))
    inside = {link[1:] for link in found.links if link.startswith("#")}
    assert inside >= {"claims", "agents", "map", "pairs", "costs", "tasks", "trials", "t0", "t2"}
    assert inside <= set(found.ids)
    assert len(set(found.ids)) == len(found.ids)


def colours(css: str) -> set[str]:
    """Names of the colours that the first :root of `css` sets."""
    root = css[css.index(":root {") : css.index("}")]
    return set(re.findall(r"(--[a-z]+):#", root))


def test_follows_the_colour_scheme_and_prints_every_colour_as_on_paper() -> None:
    """The dark colours hold on paper too, but for those that are set again after them."""
    html = page("demo", [record()])
    _, dark = html.split("@media (prefers-color-scheme: dark) {", 1)
    _, paper = html.split("@media print {", 1)
    assert html.index("@media print {") > html.index("prefers-color-scheme: dark")
    assert colours(dark) == colours(paper) >= {"--bg", "--fg", "--accent", "--line"}


@pytest.mark.parametrize(("agents", "wide"), [(6, False), (7, True)])
def test_a_matrix_that_no_sheet_has_room_for_is_broken_into_lines(agents: int, wide: bool) -> None:
    html = page("demo", [record(f"a{n}") for n in range(agents)])
    assert ('class="heat wide"' in html) is wide
    assert [f'data-agent="a{n}"' in html for n in range(agents)] == [True] * agents


@pytest.mark.parametrize("field", ["agent", "task", "message", "reason", "model", "corpus_digest"])
def test_hostile_text_is_escaped(field: str) -> None:
    html = page("demo", [{**record(), field: '"><script>alert(1)</script>'}])
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_hostile_run_name_is_escaped() -> None:
    html = page("<b>x", [])
    assert "<b>x" not in html
    assert html.count("&lt;b&gt;x") == 2


@pytest.mark.parametrize(
    "evidence", ["javascript:alert(1)", "//evil.example/x", "https://e/x", None]
)
def test_only_paths_become_links(evidence: str | None) -> None:
    assert Page(page("demo", [record(evidence=evidence)])).elsewhere == []


def test_evidence_can_be_linked_in_a_folder_beside_the_page() -> None:
    links = Page(page("demo", [record()], evidence_folder="evidence")).elsewhere
    assert links == ["evidence/demo-mini-pluggy-0.tar.gz"]


def test_zero_missing_and_invalid_look_and_read_different() -> None:
    found = Page(
        page(
            "demo",
            [
                record("a", "one", outcome="failure", measurements=measured(gained=0)),
                record("a", "two", outcome="invalid"),
                record("b", "one"),
            ],
        )
    )
    (zero,), (void,), (missing,) = map(found.of_class, ("r0", "invalid", "missing"))
    assert zero.startswith("0/1 0 % (95 %: 0 % to 79 %)")
    assert void.startswith("▨ n/a no valid trial")
    assert "▨ 1 invalid, not counted" in void
    assert missing == "— missing: no trial has an outcome"


def test_a_cell_says_rate_interval_gain_and_invalid_ones() -> None:
    trials = [record(index=i) for i in range(4)] + [record(index=4, outcome="invalid")]
    (cell,) = Page(page("demo", trials)).of_class("cell")
    assert cell == (
        "4/4 100 % (95 %: 51 % to 100 %) lines gained, median 12 ▨ 1 invalid, not counted "
        "CoverageGained × 1"
    )


def test_unknown_is_a_question_mark_and_zero_is_zero() -> None:
    spent = usage(unknown_usage=2, input_tokens=None, output_tokens=0)
    found = Page(page("demo", [record(spent=spent, harness=None)]))
    numbers = found.of_class("n")
    assert "? in 200 cached 0 out ? reasoning 3 calls" in numbers
    assert "? 1.0 prepare" in numbers


def test_what_was_spent_in_all_is_said_of_the_run_of_each_agent_and_of_repeated_trials() -> None:
    again = record("b", index=0, attempts=[{"attempt": 1}])
    html = page("demo", [record("a"), record("a", index=1, outcome="invalid"), again])
    said = "3,000 in, 150 out, 9 calls (1 invalid attempt included)"
    assert f"<dt>Spent in all</dt><dd>{said}</dd>" in html
    cells = [text for _, text in Page(html).cells]
    assert "2,000 in 400 of it cached 100 out" in cells
    (repeated,) = [c for c in cells if "all attempts:" in c]
    assert repeated.endswith("3 calls all attempts: 1,000 in, 50 out, 3 calls")


def test_what_is_odd_about_a_result_is_said_in_its_cell_and_its_row() -> None:
    odd = {"reason": "SolvedWithoutChange", "message": "<it> may be solved"}
    found = Page(page("demo", [{**record(), "findings": [odd]}]))
    (cell,) = found.of_class("cell")
    assert cell.endswith("! 1 × SolvedWithoutChange")
    assert any(
        c.endswith("! SolvedWithoutChange: <it> may be solved") for c in found.of_class("wrap")
    )


def test_a_truncated_diff_is_a_lower_bound() -> None:
    numbers = Page(page("demo", [record(measurements=measured(truncated=True))])).of_class("n")
    assert "≥ 1 file +20 −1 1 tests, 0 other" in numbers


def test_time_out_says_what_would_have_been() -> None:
    (outcome,) = Page(page("demo", [record(outcome="timeout", would_pass=True)])).of_class(
        "timeout"
    )
    assert outcome == "◷ timeout would have passed"


def test_dates_are_of_all_trials() -> None:
    html = page("demo", [record(), record(index=1, finished_at="2026-01-02T03:04:05.6Z")])
    assert "<dt>First start</dt><dd>2026-01-01 10:00:00 UTC</dd>" in html
    assert "<dt>Last outcome</dt><dd>2026-01-02 03:04:05 UTC</dd>" in html


def test_no_record_is_a_page_that_says_so() -> None:
    (claim,) = Page(page("demo", [])).of_class("stop")
    assert claim.endswith("There is no finished trial: nothing can be said.")


def test_a_record_with_nulls_everywhere_is_rendered() -> None:
    keys = ("tests", "coverage", "changes", "usage", "seconds", "message", "evidence", "started_at")
    bare = {**record(outcome="invalid"), **dict.fromkeys(keys)}
    assert Page(page("demo", [bare])).of_class("outcome") == ["▨ invalid"]


def test_same_records_give_the_same_page() -> None:
    trials = [record(index=0), record(index=1)]
    assert page("demo", trials) == page("demo", list(reversed(trials)))
