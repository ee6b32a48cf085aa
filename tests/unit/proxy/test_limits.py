"""Reservations: what fits, what waits, what is over, and that no interleaving overruns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright_proxy.limits import Amount, Exceeded, Need, Spent, reserve
from benchwright_proxy.token import Limits


def need(body: int = 100, output: int | None = 50, default: int = 1000) -> Need:
    return Need(model="m", body_bytes=body, declared_output=output, default_output=default)


def spent(
    requests: int = 0, used: tuple[int, int] = (0, 0), held: tuple[int, int] = (0, 0)
) -> Spent:
    return Spent(requests, Amount(*used), Amount(*held))


FITS = [
    pytest.param(Limits(), spent(), need(), Amount(100, 50), id="no limits"),
    pytest.param(Limits(requests=3), spent(2), need(), Amount(100, 50), id="the last request"),
    pytest.param(
        Limits(output_tokens=50), spent(), need(), Amount(100, 50), id="exactly the output"
    ),
    pytest.param(
        Limits(output_tokens=50),
        spent(),
        need(output=None),
        Amount(100, 50),
        id="undeclared output takes what is left",
    ),
    pytest.param(
        Limits(output_tokens=5000),
        spent(),
        need(output=None),
        Amount(100, 1000),
        id="or the default if that is less",
    ),
    pytest.param(
        Limits(total_tokens=150),
        spent(),
        need(output=None),
        Amount(100, 50),
        id="undeclared output within the total",
    ),
    pytest.param(
        Limits(input_tokens=50),
        spent(),
        Need("m", 100, 1, 1, bytes_per_token=2.0),
        Amount(50, 1),
        id="fewer tokens than bytes where configured",
    ),
]


@pytest.mark.parametrize(("limits", "used", "asked", "expected"), FITS)
def test_fits(limits: Limits, used: Spent, asked: Need, expected: Amount) -> None:
    assert reserve(limits, used, asked) == expected


OVER = [
    pytest.param(Limits(requests=0), spent(), need(), "requests", False, id="no requests at all"),
    pytest.param(Limits(requests=2), spent(2), need(), "requests", False, id="no request left"),
    pytest.param(Limits(input_tokens=99), spent(), need(), "input_tokens", False, id="input"),
    pytest.param(Limits(output_tokens=49), spent(), need(), "output_tokens", False, id="output"),
    pytest.param(
        Limits(output_tokens=50),
        spent(used=(0, 50)),
        need(output=None),
        "output_tokens",
        False,
        id="undeclared output with nothing left",
    ),
    pytest.param(
        Limits(output_tokens=50),
        spent(used=(0, 80)),
        need(output=None),
        "output_tokens",
        False,
        id="undeclared output after an overrun",
    ),
    pytest.param(Limits(total_tokens=149), spent(), need(), "total_tokens", False, id="total"),
    pytest.param(
        Limits(output_tokens=100),
        spent(held=(0, 51)),
        need(),
        "output_tokens",
        True,
        id="codegraff#269: held by others is not spent",
    ),
    pytest.param(
        Limits(output_tokens=100, input_tokens=99),
        spent(held=(0, 51)),
        need(),
        "input_tokens",
        False,
        id="for good goes before for now",
    ),
]


@pytest.mark.parametrize(("limits", "used", "asked", "limit", "transient"), OVER)
def test_over(limits: Limits, used: Spent, asked: Need, limit: str, transient: bool) -> None:
    found = reserve(limits, used, asked)
    assert isinstance(found, Exceeded)
    assert (found.limit, found.transient) == (limit, transient)
    assert str(found.allowed) in found.message()


@settings(max_examples=60, deadline=None)
@given(
    output=st.integers(0, 500),
    total=st.integers(0, 1000),
    calls=st.lists(
        st.tuples(st.integers(1, 200), st.integers(1, 200), st.floats(0, 1)), max_size=30
    ),
    order=st.randoms(use_true_random=False),
)
def test_declared_calls_never_overrun_however_they_interleave(
    output: int, total: int, calls: list[tuple[int, int, float]], order: object
) -> None:
    limits, ledger = Limits(output_tokens=output, total_tokens=total), Spent()
    running: list[tuple[Amount, Amount]] = []
    for body, declared, share in calls:
        asked = reserve(limits, ledger, need(body, declared))
        if isinstance(asked, Amount):
            ledger.hold(asked)
            running.append((asked, Amount(int(asked.input * share), int(asked.output * share))))
        if running and order.random() < 0.5:  # type: ignore[attr-defined]
            ledger.release(*running.pop(0))
    for ended in running:
        ledger.release(*ended)
    assert ledger.held == Amount(0, 0)
    assert ledger.used.output <= output
    assert ledger.used.total <= total


@settings(max_examples=60, deadline=None)
@given(limit=st.integers(0, 10_000), writes=st.lists(st.integers(1, 1000), max_size=40))
def test_undeclared_calls_overrun_at_most_once_by_less_than_the_models_maximum(
    limit: int, writes: list[int]
) -> None:
    """Up to four at a time, each writing anything up to its model's maximum of 1000."""
    limits, ledger = Limits(output_tokens=limit), Spent()
    running: list[tuple[Amount, int]] = []
    for written in writes:
        asked = reserve(limits, ledger, need(output=None, default=1000))
        if isinstance(asked, Amount):
            ledger.hold(asked)
            running.append((asked, written))
        if len(running) == 4 or (running and not isinstance(asked, Amount)):
            held, used = running.pop(0)
            ledger.release(held, Amount(held.input, used))
    for held, used in running:
        ledger.release(held, Amount(held.input, used))
    assert ledger.used.output < limit + 1000
