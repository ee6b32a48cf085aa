"""Lists of trials: order, places, filters, counts, and that indexes alone answer them."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Select

from benchwright.results import listing
from benchwright.results.columns import columns_of
from benchwright.results.listing import Listing, counting, selecting
from benchwright.results.reviews import ReviewStore
from benchwright.web.lists import SORTS, Cursor, Filter, Query, Scope, TrialRow
from benchwright.web.ports import Review
from tests.unit.results.bulk import insert
from tests.unit.results.support import Service
from tests.unit.web.samples import OTHER_DIGEST, RUN, row

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SCOPE = Scope("run", RUN)
MANY = 57


def many() -> list[dict[str, Any]]:
    """With ties and with unknown values in every column that may lack one."""
    draw = random.Random(7)
    rows = []
    for number in range(MANY):
        agent, outcome = (
            draw.choice(["mini", "other"]),
            draw.choice(["success", "failure", "invalid"]),
        )
        each = row(
            f"uid-{draw.getrandbits(40):010x}", number, agent, f"task-{number % 3}", outcome=outcome
        )
        usage = {
            **each["usage"],
            "input_tokens": draw.randrange(4),
            "cost_usd": draw.choice([None, 0.5, 2.0]),
        }
        each |= {
            "trial": f"trial-{number % 7}", "usage": draw.choice([None, usage]),
            "started_at": draw.choice([None, each["started_at"]]),
            "seconds": {"total": draw.choice([1.5, 2.5, 9.0])},
            "coverage": draw.choice([None, {"gained_lines": number % 4}]),
            "reason": draw.choice(["A", "B"]),
        }  # fmt: skip
        rows.append(each)
    return rows


@pytest.fixture
async def lists(service: Service, monkeypatch: pytest.MonkeyPatch) -> Listing:
    monkeypatch.setattr(listing, "PAGE", 10)
    await insert(service.store, many(), NOW)
    baseline = {**row("uid-base", 0, "mini", "task-0"), "purpose": "baseline", "agent": None}
    await service.store.put_record(baseline, NOW)
    await service.store.put_record(row("uid-else", 0, "mini", "task-0", run_uid="other"), NOW)
    return Listing(service.store.engine)


def expected(rows: list[TrialRow], sort: str, *, descending: bool) -> list[str]:
    """By the rule in words: unknown last in either direction, then value, then UID."""
    known = [r for r in rows if getattr(r, sort) is not None]
    unknown = [r for r in rows if getattr(r, sort) is None]
    known.sort(key=lambda r: (getattr(r, sort), r.trial_uid), reverse=descending)
    unknown.sort(key=lambda r: r.trial_uid, reverse=descending)
    return [r.trial_uid for r in [*known, *unknown]]


async def walk(lists: Listing, query: Query) -> list[list[TrialRow]]:
    """All pages, forwards; then back again, which must be the same pages."""
    pages = [await lists.page(SCOPE, query)]
    assert not pages[0].more_before
    while pages[-1].more_after:
        last = pages[-1].rows[-1]
        place = Cursor(getattr(last, query.sort), last.trial_uid)
        pages.append(
            await lists.page(SCOPE, Query(query.filter, query.sort, query.descending, place))
        )
        assert pages[-1].more_before
    for later, earlier in zip(pages[:0:-1], pages[-2::-1], strict=True):
        first = later.rows[0]
        place = Cursor(getattr(first, query.sort), first.trial_uid, backwards=True)
        back = await lists.page(SCOPE, Query(query.filter, query.sort, query.descending, place))
        assert list(back.rows) == list(earlier.rows)
        assert back.more_before == (earlier is not pages[0])
    return [list(page.rows) for page in pages]


@pytest.mark.parametrize("narrowed", [Filter(), Filter(agent="mini")], ids=["all", "narrowed"])
async def test_pages_are_the_whole_list_once_and_in_order(lists: Listing, narrowed: Filter) -> None:
    for sort in SORTS:
        for descending in (True, False):
            await check_order(lists, narrowed, sort, descending=descending)


async def check_order(lists: Listing, narrowed: Filter, sort: str, *, descending: bool) -> None:
    pages = await walk(lists, Query(narrowed, sort, descending))
    found = [trial for page in pages for trial in page]
    wanted = [r for r in many() if narrowed.agent in {"", r["agent"]}]
    assert [r.trial_uid for r in found] == expected(found, sort, descending=descending)
    assert {r.trial_uid for r in found} == {r["trial_uid"] for r in wanted}
    assert [len(page) for page in pages[:-1]] == [10] * (len(pages) - 1)


FILTERS: list[tuple[Filter, Callable[[dict[str, Any]], bool]]] = [
    (Filter(text="AL-3"), lambda r: "al-3" in r["trial"]),
    (Filter(text="%"), lambda r: False),
    (Filter(text="_"), lambda r: False),
    (Filter(outcome="invalid"), lambda r: r["outcome"] == "invalid"),
    (Filter(task="task-1", reason="B"), lambda r: (r["task"], r["reason"]) == ("task-1", "B")),
    (Filter(agent="nobody"), lambda r: False),
    (Filter(agent="mini", text="trial"), lambda r: r["agent"] == "mini"),
    (Filter(task_digest=OTHER_DIGEST), lambda r: False),
    (Filter(text="' OR 1=1 --"), lambda r: False),
]


async def test_a_list_has_what_is_asked_for_and_says_how_many(lists: Listing) -> None:
    for narrowed, holds in FILTERS:
        wanted = {r["trial_uid"] for r in many() if holds(r)}
        pages = await walk(lists, Query(narrowed))
        assert {r.trial_uid for page in pages for r in page} == wanted, narrowed
        assert (await lists.page(SCOPE, Query(narrowed))).total == len(wanted), narrowed


async def test_the_last_review_counts_in_a_filter(service: Service, lists: Listing) -> None:
    one, two = (r["trial_uid"] for r in many()[:2])
    store = ReviewStore(service.store.engine)
    for uid, verdict in ((one, "approve"), (two, "reject"), (one, "reject"), (two, "approve")):
        await store.add(Review(uid, verdict, "Ada", "reviewer", "", 1.0))

    async def uids(review: str) -> set[str]:
        page = await lists.page(SCOPE, Query(Filter(review=review)))
        assert all(r.review == (None if review == "none" else review) for r in page.rows)
        return {r.trial_uid for r in page.rows}

    assert await uids("approve") == {two}
    assert await uids("reject") == {one}
    assert (await lists.page(SCOPE, Query(Filter(review="none")))).total == MANY - 2


async def test_counts_follow_records_that_come_and_that_change(
    service: Service, lists: Listing
) -> None:
    """An operator that was killed writes a record again; the outcome may be another one."""

    async def counted() -> dict[str, int]:
        run = await lists.run(RUN)
        assert run is not None
        tallies = await lists.tallies(SCOPE)
        by = {o: sum(t.trials for t in tallies if t.outcome == o) for o in run.outcomes}
        assert by == run.outcomes
        return run.outcomes

    before = await counted()
    assert sum(before.values()) == MANY
    change = await lists.change(RUN)
    changed = {**many()[0], "outcome": "timeout"}
    await service.store.put_record(changed, NOW + timedelta(seconds=5))
    after = await counted()
    assert (sum(after.values()), after["timeout"]) == (MANY, 1)
    assert after[many()[0]["outcome"]] == before[many()[0]["outcome"]] - 1
    later = await lists.change(RUN)
    assert later.revision > change.revision
    assert later.at == (NOW + timedelta(seconds=5)).timestamp()


async def test_the_span_of_a_run_shrinks_with_the_record_that_made_it(
    service: Service, lists: Listing
) -> None:
    early = row("uid-early", -500, "mini", "task-0")
    await service.store.put_record(early, NOW)
    first = await lists.run(RUN)
    await service.store.put_record({**early, "started_at": None}, NOW)
    second = await lists.run(RUN)
    assert first is not None
    assert second is not None
    assert first.first == columns_of(early)["started_at"]
    assert second.first == min(
        at for r in many() if (at := columns_of(r)["started_at"]) is not None
    )


async def test_a_run_that_nobody_knows_is_none(lists: Listing) -> None:
    assert await lists.run("no-such-run") is None
    assert (await lists.change("no-such-run")).revision == 0


async def plan(service: Service, statement: Select[Any]) -> str:
    engine = service.store.engine
    text = str(statement.compile(engine, compile_kwargs={"literal_binds": True}))
    async with engine.connect() as connection:
        rows = (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")).fetchall()
    return "; ".join(str(tuple(r)[-1]) for r in rows)


@pytest.mark.parametrize("sort", SORTS)
async def test_each_order_of_a_run_comes_out_of_an_index(service: Service, sort: str) -> None:
    """Also from a place far down, and backwards."""
    value: Any = (
        5.0 if sort in {"started_at", "seconds", "tokens", "cost_usd", "gained_lines"} else "x"
    )
    for cursor in (None, Cursor(value, "uid"), Cursor(value, "uid", backwards=True)):
        for statement in selecting(SCOPE, Query(sort=sort, cursor=cursor)):
            found = await plan(service, statement.limit(100))
            assert f"USING COVERING INDEX records_run_{sort}" in found, found
            if sort != "outcome" or "outcome IS NOT NULL" in str(statement):  # it is never NULL
                assert "TEMP B-TREE" not in found


@pytest.mark.parametrize("kind", ["run", "task", "agent"])
@pytest.mark.parametrize(
    "narrowed",
    [
        Filter(text="x"),
        Filter(agent="a"),
        Filter(outcome="failure"),
        Filter(reason="R"),
        Filter(task="t"),
    ],
    ids=str,
)
async def test_narrowed_lists_read_no_rows(service: Service, kind: Any, narrowed: Filter) -> None:
    """A row carries its document: reading it takes ten times as long as the index."""
    scope = Scope(kind, "x")
    statements = [*selecting(scope, Query(narrowed, "tokens")), counting(scope, narrowed)]
    for statement in statements:
        found = await plan(service, statement)
        assert "SEARCH records USING COVERING INDEX" in found, found


@pytest.mark.parametrize("kind", ["task", "agent"])
async def test_the_usual_order_of_a_task_or_agent_comes_out_of_an_index(
    service: Service, kind: Any
) -> None:
    found = await plan(service, selecting(Scope(kind, "x"), Query())[0].limit(100))
    assert f"USING COVERING INDEX records_{kind}_started" in found
    assert "TEMP B-TREE" not in found
