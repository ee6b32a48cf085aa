"""A run's page while records come."""

from datetime import UTC, datetime

from playwright.sync_api import expect

from benchwright.results.store import Store
from tests.browser.conftest import Visit
from tests.browser.site import Site
from tests.unit.web.samples import row

LIVE = "run-live"
PATIENT = 90_000
"""Milliseconds. Reports are made by a process that gives way to all others."""


def put(site: Site, number: int, outcome: str = "success") -> None:
    async def work(store: Store) -> None:
        record = row(
            f"uid-live-{number}", number, "mini", "pluggy", outcome=outcome, run="live", run_uid=LIVE,
            trial=f"live-{number}",
        )  # fmt: skip
        await store.put_record(record, datetime(2026, 2, 1, 12, 0, number, tzinfo=UTC))

    site.do(work)


def test_new_records_show_by_themselves_and_nothing_else_moves(visit: Visit, site: Site) -> None:
    put(site, 1)
    one = visit()
    page = one.go(f"ui/run/{LIVE}")
    expect(page.get_by_role("status")).to_contain_text("2026-02-01 12:00:01")
    page.get_by_label("Reason").fill("half written")
    held = page.get_by_role("link", name="live-1")
    held.focus()
    put(site, 2, "failure")
    expect(page.get_by_role("link", name="live-2")).to_be_visible(timeout=PATIENT)
    expect(page.get_by_role("status")).to_contain_text("2026-02-01 12:00:02")
    expect(page.locator(".grid")).to_contain_text("1/2")
    expect(page.get_by_role("link", name="live-1")).to_be_focused()
    assert page.get_by_label("Reason").input_value() == "half written"
    one.watch.check()


def test_a_service_that_does_not_answer_is_said_so(visit: Visit, site: Site) -> None:
    put(site, 3)
    one = visit()
    page = one.go(f"ui/run/{LIVE}")
    page.route("**/changes.json", lambda route: route.abort())
    stale = page.locator(".live.stale")
    expect(stale).to_be_visible(timeout=PATIENT)
    page.unroute("**/changes.json")
    expect(stale).to_be_hidden(timeout=PATIENT)
    one.watch.check(allowed="Failed to load resource")


def test_the_report_follows_its_run_and_keeps_what_was_opened(visit: Visit, site: Site) -> None:
    put(site, 11)
    one = visit()
    page = one.go(f"runs/bench/live/report.html?uid={LIVE}")
    totals = page.get_by_role("list", name="Trials by outcome")
    before = totals.inner_text()
    opened = page.locator("details").first
    closed = opened.evaluate("e => { e.open = !e.open; return !e.open }")
    put(site, 12, "timeout")
    expect(totals).not_to_have_text(before, timeout=PATIENT)
    expect(page.locator("#claims")).to_contain_text("ran out of time")
    assert opened.evaluate("e => !e.open") == closed
    one.watch.check()


def test_what_may_be_said_stands_on_the_runs_page(visit: Visit, site: Site) -> None:
    put(site, 21)
    one = visit()
    page = one.go(f"ui/run/{LIVE}")
    said = page.get_by_role("region", name="What may be said")
    expect(said).to_contain_text("Success rates (pass@1", timeout=PATIENT)
    expect(page.locator("section[aria-labelledby=standings]")).to_contain_text("mini")
    one.watch.check()
