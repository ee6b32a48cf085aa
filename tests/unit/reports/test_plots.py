"""Plots: parts of the page, in its colours, that bring nothing from outside."""

import re
from decimal import Decimal
from xml.etree import ElementTree as ET

import pytest

from benchwright.analysis.trade import Point, Trade
from benchwright.reports.plots import scatter

POINTS = (
    Point("a", Decimal("0.01"), 0.3, True),
    Point("b", Decimal("0.5"), 0.25, False),
    Point("c", Decimal("1.5"), 0.9, True),
)


def texts(svg: str) -> list[str]:
    return [e.text or "" for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_points_carry_their_place_in_the_table() -> None:
    found = texts(scatter(Trade(POINTS, ()), "US $, mean of $x$ trials", key="cost"))
    assert {"1", "2", "3", "US $, mean of $x$ trials", "Success rate, %"} <= set(found)


def test_a_wide_range_has_a_logarithmic_scale_in_plain_numbers() -> None:
    found = texts(scatter(Trade(POINTS, ()), "x", key="cost"))
    assert {"0.01", "0.1", "1"} <= set(found)


@pytest.mark.parametrize("amounts", [("0", "0"), ("0", "5"), ("3", "3")])
def test_amounts_of_zero_and_ties_are_drawn(amounts: tuple[str, str]) -> None:
    points = tuple(Point(a, Decimal(a), 0.5, True) for a in amounts)
    assert {"1", "2"} <= set(texts(scatter(Trade(points, ()), "x", key="cost")))


def test_of_many_points_those_on_the_frontier_are_numbered() -> None:
    many = tuple(Point(str(i), Decimal(i + 1000), i / 100, i == 49) for i in range(50))
    found = texts(scatter(Trade(many, ()), "x", key="k"))
    assert "50" in found
    assert "37" not in found


def test_without_points_there_is_no_plot() -> None:
    assert scatter(Trade((), (("a", "unknown"),)), "x", key="cost") == ""


def test_colours_are_the_pages_and_nothing_is_from_outside() -> None:
    svg = scatter(Trade(POINTS, ()), "x", key="cost")
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?!-)(?=[;\"])", svg)
    assert set(re.findall(r"var\(--[a-z]+\)", svg)) == {
        "var(--fg)", "var(--soft)", "var(--line)", "var(--accent)",
    }  # fmt: skip
    assert set(re.findall(r"https?://[^\"]*", svg)) <= {
        "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink",
    }  # fmt: skip
    assert "<style" not in svg
    assert "<metadata" not in svg


def test_two_plots_of_a_page_share_no_id_and_each_is_always_the_same() -> None:
    one, two = (scatter(Trade(POINTS, ()), "x", key=key) for key in ("cost", "time"))
    ids = [set(re.findall(r'id="([^"]*)"', svg)) for svg in (one, two)]
    assert ids[0].isdisjoint(ids[1])
    for svg, known in zip((one, two), ids, strict=True):
        assert set(re.findall(r"(?:url\(#|href=\"#)([^)\"]*)", svg)) <= known
    assert one == scatter(Trade(POINTS, ()), "x", key="cost")
