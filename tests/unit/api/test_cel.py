"""The evaluator that stands in for the API server's CEL is itself right."""

import pytest

from tests.unit.api.cel import CelError, evaluate

SELF = {"a": 1, "on": True, "list": [{"n": "x", "w": 1}, {"n": "y", "w": 2}], "word": "BENCH_X"}


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("self.a == 1 && self.on", True),
        ("self.a == 2 || self.on", True),
        ("!self.on || self.a != 1", False),
        ("has(self.a) && !has(self.b)", True),
        ("!has(self.b.c)", True),
        ("self.list.exists(x, x.w > 1)", True),
        ("self.list.all(x, x.w > 1)", False),
        ("self.list.exists_one(x, x.n == 'x')", True),
        ("self.list.all(x, self.list.exists_one(y, y.n == x.n))", True),
        ("[has(self.a), has(self.b)].filter(x, x).size() == 1", True),
        ("self.word.startsWith('BENCH_')", True),
        ("self == oldSelf", True),
        ("self.b == 1 || true", True),
        ("self.b == 1 && false", False),
    ],
)
def test_rules(rule: str, holds: bool) -> None:
    assert evaluate(rule, SELF, SELF) is holds


def test_a_missing_field_is_an_error_unless_the_other_side_decides() -> None:
    with pytest.raises(CelError):
        evaluate("self.b == 1", SELF)
    with pytest.raises(CelError):
        evaluate("self.b == 1 || false", SELF)
