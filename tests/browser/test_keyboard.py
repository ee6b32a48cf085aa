"""Everything by keyboard alone, with a focus that is seen."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.unit.web.samples import RUN, SHOWN

_FOCUSED = "document.activeElement.textContent.trim() || document.activeElement.name || ''"
_OUTLINE = "getComputedStyle(document.activeElement).outlineStyle"


def tab_to(page: Page, text: str, most: int = 80) -> None:
    """As a person does; each stop is visible."""
    for _ in range(most):
        page.keyboard.press("Tab")
        assert page.evaluate(_OUTLINE) != "none", page.evaluate(_FOCUSED)
        if page.evaluate(_FOCUSED) == text:
            return
    raise AssertionError(f"{text} cannot be reached")


def test_the_first_stop_skips_to_the_content(visit: Visit) -> None:
    page = visit().go(f"ui/run/{RUN}")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_from_the_runs_to_a_trial(visit: Visit) -> None:
    one = visit()
    page = one.go("ui/?q=bench/nightly")
    tab_to(page, "nightly")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/run/*")
    tab_to(page, "nightly-mini-pluggy-0")
    page.keyboard.press("Enter")
    page.wait_for_url("**/trial/*")
    assert one.at() == f"/ui/trial/{SHOWN}"
    one.watch.check()


def test_a_search_is_sent_by_enter(visit: Visit) -> None:
    one = visit()
    page = one.go(f"ui/run/{RUN}")
    tab_to(page, "q")
    page.keyboard.type("click")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=click**")
    expect(page.locator(".trials tbody tr")).to_have_count(1)


# Not wait_for_function: it looks again by eval(), which the page's policy forbids.
_SCROLLED = """box => new Promise(done => {
  const end = Date.now() + 10000;
  const look = () => {
    if (box.scrollLeft > 0 || Date.now() > end) done(box.scrollLeft > 0);
    else requestAnimationFrame(look);
  };
  look();
})"""


def test_a_wide_table_scrolls_by_arrow_keys(visit: Visit) -> None:
    page = visit(viewport={"width": 320, "height": 640}).go(f"ui/run/{RUN}")
    box = page.get_by_role("region", name="Table of trials")
    box.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert box.evaluate(_SCROLLED), "it did not scroll within 10 s"


def test_a_file_of_the_patch_opens_and_closes(visit: Visit) -> None:
    page = visit().go(f"ui/trial/{SHOWN}")
    file = page.locator("details.file").first
    file.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(file).not_to_have_attribute("open", "")
    page.keyboard.press("Enter")
    expect(file).to_have_attribute("open", "")
