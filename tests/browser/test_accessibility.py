"""axe-core (Deque) on every page, light and dark, wide and narrow."""

from typing import Any

import pytest

from tests.browser.conftest import Visit, Visitor
from tests.browser.places import NARROW, PLACES
from tests.browser.test_reviewing import sign_in

GRAVE = {"serious", "critical"}


def findings(one: Visitor, axe: str) -> list[str]:
    """Serious and critical ones, each with what it is about."""
    one.page.evaluate(f"{axe}; undefined")
    result: dict[str, Any] = one.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for each in result["violations"]
        if each["impact"] in GRAVE
        for node in each["nodes"][:3]
    ]


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [None, NARROW], ids=["wide", "narrow"])
def test_no_serious_or_critical_finding(
    visit: Visit, axe: str, name: str, scheme: str, size: dict[str, int] | None
) -> None:
    one = visit(color_scheme=scheme, **({"viewport": size} if size else {}))
    one.go(PLACES[name])
    assert findings(one, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_finding_where_a_review_is_written(visit: Visit, axe: str, scheme: str) -> None:
    one = visit(color_scheme=scheme)
    sign_in(one, "trial-uid-7")
    assert findings(one, axe) == []


def test_axe_finds_what_is_wrong(visit: Visit, axe: str) -> None:
    """Else a broken tool would pass everything."""
    one = visit()
    one.go("ui/").evaluate(
        "document.querySelector('input').parentElement.replaceWith(document.createElement('input'))"
    )
    assert any(found.startswith("label") for found in findings(one, axe))
