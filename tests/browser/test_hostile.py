"""What agents, models and users wrote is text, and nothing else."""

import pytest

from tests.browser.conftest import Visit
from tests.browser.places import NARROW, PLACES
from tests.unit.web.samples import HOSTILE, IMAGE, SCRIPT

HOSTILE_PLACES = [
    PLACES["hostile trial"],
    PLACES["hostile run"],
    PLACES["hostile report"],
    "ui/",
    "ui/agent/%22%3E%3Cimg%20src%3Dx%20onerror%3D%22window.hacked%20%3D%201%22%3E",
    f"ui/run/run-hostile?q={SCRIPT}&agent={IMAGE}&reason={SCRIPT}",
    f"ui/?q={IMAGE}",
]


@pytest.mark.parametrize("path", HOSTILE_PLACES)
def test_nothing_runs_and_nobody_is_asked(visit: Visit, path: str) -> None:
    one = visit()
    page = one.go(path)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, object, embed, script:not([src])").count() == 0
    assert page.locator("script").count() == 1
    one.watch.check()


def test_it_is_shown_as_it_was_written(visit: Visit) -> None:
    text = visit().go(f"ui/trial/{HOSTILE}").inner_text("main")
    assert SCRIPT in text
    assert IMAGE in text
    assert "␛[31mred" in text
    assert "[U+202E]" in text


def test_no_character_turns_the_direction_of_reading(visit: Visit) -> None:
    text = visit().go(f"ui/trial/{HOSTILE}").content()
    assert not set(text) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")


def test_a_word_of_10_000_letters_breaks_no_narrow_page(visit: Visit) -> None:
    one = visit(viewport=NARROW)
    page = one.go(f"ui/trial/{HOSTILE}")
    assert page.locator("html").evaluate("e => e.scrollWidth") <= 320
    assert page.locator("p.message").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_file_of_evidence_is_saved_and_never_shown(visit: Visit) -> None:
    one = visit()
    page = one.go(f"ui/trial/{HOSTILE}")
    with page.expect_download() as saved:
        page.get_by_role("link", name="The whole log").click()
    assert saved.value.suggested_filename == "write-1-logs-agent.log"
    assert saved.value.path().read_bytes().startswith(SCRIPT.encode())
