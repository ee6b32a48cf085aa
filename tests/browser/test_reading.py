"""Reading everything: clicks through all pages, narrow screens, without JavaScript, behind a prefix."""

import re
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.places import NARROW, PLACES
from tests.browser.site import Site
from tests.unit.web.samples import RUN, SHOWN


def test_the_bare_address_leads_to_the_runs_below_the_prefix(visit: Visit) -> None:
    one = visit()
    one.go("")
    assert one.at() == "/ui/"
    one.go("ui")
    assert one.at() == "/ui/"
    one.watch.check()


@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])
def test_clicks_lead_from_the_runs_to_a_line_of_a_patch(visit: Visit, javascript: bool) -> None:
    one = visit(java_script_enabled=javascript)
    page = one.go("ui/")
    page.get_by_role("row", name=re.compile("0b7e6f1c")).get_by_role("link", name="nightly").click()
    assert one.at() == f"/ui/run/{RUN}"
    page.get_by_role("link", name="Trials of mini at pluggy").click()
    expect(page.get_by_role("region", name="Table of trials").get_by_role("row")).to_have_count(4)
    page.get_by_role("link", name="nightly-mini-pluggy-0").click()
    assert one.at() == f"/ui/trial/{SHOWN}"
    expect(page.locator("tr.added .code", has_text="assert parse(text) == wanted")).to_be_visible()
    page.get_by_role("link", name="pluggy").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Task pluggy")
    page.get_by_role("link", name="mini").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Agent mini")
    page.get_by_role("link", name="Benchwright results").click()
    assert one.at() == "/ui/"
    one.watch.check()


def test_every_link_of_every_page_leads_somewhere_below_the_prefix(
    visit: Visit, site: Site
) -> None:
    """Also those of the report, of downloads and of data files."""
    one = visit()
    seen: dict[str, str] = {}
    for place in PLACES.values():
        page = one.go(place)
        for link in page.eval_on_selector_all("a[href], link[href], script[src]", _ADDRESSES):
            seen.setdefault(link.split("#")[0], place)
    one.watch.check()
    for link, place in seen.items():
        assert link.startswith(site.proxied), f"{link} on {place}"
        with urlopen(link) as answer:
            assert answer.status == 200, f"{link} on {place}"
    assert any("report.html" in link for link in seen)
    assert any("evidence.tar.gz" in link for link in seen)
    assert any("/files/" in link for link in seen)


_ADDRESSES = "all => all.map(each => each.href || each.src)"


def test_the_report_opens_from_the_run(visit: Visit) -> None:
    one = visit()
    one.go(f"ui/run/{RUN}").get_by_role("link", name="Report").click()
    expect(one.page.get_by_role("heading", level=1)).to_have_text("nightly")
    one.watch.check()


def test_headings_sort_and_the_address_can_be_shared(visit: Visit) -> None:
    one = visit()
    page = one.go(f"ui/run/{RUN}")
    table = page.get_by_role("region", name="Table of trials")
    table.get_by_role("link", name="Trial", exact=True).click()
    assert one.at() == f"/ui/run/{RUN}?sort=trial"
    expect(table.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    expect(table.get_by_role("rowheader").first).to_have_text("nightly-mini-attrs-3")
    table.get_by_role("link", name="Trial", exact=True).click()
    expect(table.get_by_role("rowheader").first).to_have_text("nightly-other-pluggy-6")
    two = visit()
    two.page.goto(page.url)
    assert two.page.locator(".trials").inner_text() == page.locator(".trials").inner_text()


def test_a_search_finds_by_every_field_and_says_what_it_looked_for(visit: Visit) -> None:
    one = visit()
    page = one.go(f"ui/run/{RUN}?sort=trial")
    page.get_by_label("Outcome").select_option("failure")
    page.get_by_label("Agent", exact=True).fill("mini")
    page.get_by_label("Text in the trial's name").fill("ATTRS")
    page.get_by_role("button", name="Search").click()
    table = page.get_by_role("region", name="Table of trials")
    expect(table.get_by_role("rowheader")).to_have_text(["nightly-mini-attrs-3"])
    assert "sort=trial" in one.at()
    assert page.get_by_label("Outcome").input_value() == "failure"
    page.get_by_role("link", name="Show all").click()
    expect(table.get_by_role("rowheader")).to_have_count(8)


def test_zero_missing_and_invalid_look_and_read_differently(visit: Visit) -> None:
    one = visit()
    grid = one.go(f"ui/run/{RUN}").locator(".grid")
    zero, void, missing = (grid.locator(f"td.{kind}") for kind in ("zero", "void", "missing"))
    expect(zero).to_contain_text("0/1")
    expect(void).to_contain_text("n/a")
    expect(missing).to_contain_text("no outcome")
    looks = {each.first.evaluate(_LOOK) for each in (zero, void, missing)}
    assert len(looks) == 3


_LOOK = "e => { const s = getComputedStyle(e); return s.backgroundImage + s.boxShadow + s.borderTopStyle }"


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("javascript", [True, False], ids=["with JavaScript", "without"])
def test_a_narrow_screen_does_not_scroll_sideways(
    visit: Visit, name: str, javascript: bool
) -> None:
    one = visit(viewport=NARROW, java_script_enabled=javascript)
    page = one.go(PLACES[name])
    wide = page.locator("html").evaluate("e => e.scrollWidth")
    assert wide <= NARROW["width"]
    one.watch.check()


def test_dark_is_dark_and_light_is_light(visit: Visit) -> None:
    grounds = {
        scheme: visit(color_scheme=scheme)
        .go("ui/")
        .locator("body")
        .evaluate("e => getComputedStyle(e).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert grounds == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}


def test_who_wants_no_motion_gets_none(visit: Visit) -> None:
    smooth = "e => getComputedStyle(e).scrollBehavior"
    assert visit(reduced_motion="reduce").go("ui/").locator("html").evaluate(smooth) == "auto"


def test_a_page_prints_without_what_is_only_for_screens(visit: Visit) -> None:
    one = visit()
    page = one.go(f"ui/run/{RUN}")
    page.emulate_media(media="print")
    expect(page.get_by_role("search")).to_be_hidden()
    expect(page.locator(".grid")).to_be_visible()
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("path", ["ui/nope", "ui/run/none", "ui/trial/none", "ui/task/none"])
def test_what_is_not_there_is_said_in_words_with_a_way_back(visit: Visit, path: str) -> None:
    one = visit()
    page = one.go(path)
    expect(page.get_by_role("heading", level=1)).to_have_text("404")
    page.get_by_role("link", name="To the list of runs").click()
    assert one.at() == "/ui/"
    one.watch.check(allowed="404")
