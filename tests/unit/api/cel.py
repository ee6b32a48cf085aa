"""A small evaluator of the part of CEL that our rules use, to run them without an API server.

Fields, indexing nothing, `has`, list literals, comparison, `!`, `&&`, `||`, and the macros all,
exists, exists_one, filter, size and startsWith. As in CEL, a missing field is an error, and `&&` and
`||` absorb the error of one side where the other decides.
"""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

Scope = Mapping[str, Any]
Node = Callable[[Scope], Any]
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<int>\d+)|'(?P<text>[^']*)'"
    r"|(?P<op>\|\||&&|==|!=|<=|>=|[<>!().,\[\]]))"
)


class CelError(Exception):
    """Evaluation failed, such as by a field that is not there."""


def evaluate(rule: str, value: Any, old: Any = None) -> bool:
    """Whether `rule` holds for `self` (and `oldSelf`)."""
    found = _compiled(rule)({"self": value, "oldSelf": old})
    assert isinstance(found, bool), f"{rule} is no condition"
    return found


@functools.cache
def _compiled(rule: str) -> Node:
    return _Parser(rule).parse()


class _Parser:
    def __init__(self, text: str):
        self._tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            assert match, f"not understood: {text[position:]}"
            assert match.lastgroup
            self._tokens.append((match.lastgroup, match[match.lastgroup]))
            position = match.end()
        self._at = 0

    def parse(self) -> Node:
        node = self._or()
        assert self._at == len(self._tokens), f"left over: {self._tokens[self._at :]}"
        return node

    def _peek(self, *texts: str) -> bool:
        at_end = self._at >= len(self._tokens)
        return (
            not at_end and self._tokens[self._at][0] == "op" and self._tokens[self._at][1] in texts
        )

    def _take(self, *texts: str) -> str:
        kind, text = self._tokens[self._at]
        assert not texts or (kind == "op" and text in texts), f"{text!r} where {texts} was expected"
        self._at += 1
        return text

    def _or(self) -> Node:
        node = self._and()
        while self._peek("||"):
            self._take()
            node = _absorbing(node, self._and(), decided=True)
        return node

    def _and(self) -> Node:
        node = self._compare()
        while self._peek("&&"):
            self._take()
            node = _absorbing(node, self._compare(), decided=False)
        return node

    def _compare(self) -> Node:
        node = self._unary()
        if self._peek("==", "!=", "<", ">", "<=", ">="):
            node = _comparison(self._take(), node, self._unary())
        return node

    def _unary(self) -> Node:
        if self._peek("!"):
            self._take()
            inner = self._unary()
            return lambda scope: not inner(scope)
        return self._postfix()

    def _postfix(self) -> Node:
        node = self._primary()
        while self._peek("."):
            self._take()
            name = self._take()
            node = self._call(node, name) if self._peek("(") else _member(node, name)
        return node

    def _primary(self) -> Node:
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "text":
            return lambda scope: text
        if kind == "int":
            return lambda scope: int(text)
        if kind == "name":
            return self._named(text)
        if text == "(":
            node = self._or()
            self._take(")")
            return node
        assert text == "[", f"{text!r} begins nothing"
        items = [self._or()]
        while not self._peek("]"):
            self._take(",")
            items.append(self._or())
        self._take("]")
        return lambda scope: [item(scope) for item in items]

    def _named(self, name: str) -> Node:
        if name in {"true", "false"}:
            return lambda scope: name == "true"
        if name != "has":
            return lambda scope: scope[name]
        self._take("(")
        node = self._or()
        self._take(")")
        return lambda scope: _has(node, scope)

    def _call(self, on: Node, name: str) -> Node:
        self._take("(")
        if name == "size":
            self._take(")")
            return lambda scope: len(on(scope))
        if name == "startsWith":
            prefix = self._or()
            self._take(")")
            return lambda scope: on(scope).startswith(prefix(scope))
        variable = self._take()
        self._take(",")
        body = self._or()
        self._take(")")
        return _macro(name, on, lambda scope, item: body({**scope, variable: item}))


def _absorbing(left: Node, right: Node, *, decided: bool) -> Node:
    def run(scope: Scope) -> bool:
        problem: CelError | None = None
        for side in (left, right):
            try:
                if bool(side(scope)) is decided:
                    return decided
            except CelError as error:
                problem = error
        if problem:
            raise problem
        return not decided

    return run


def _comparison(operator: str, left: Node, right: Node) -> Node:
    compare: dict[str, Callable[[Any, Any], bool]] = {
        "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
        "<": lambda a, b: a < b, ">": lambda a, b: a > b,
        "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
    }  # fmt: skip
    return lambda scope: compare[operator](left(scope), right(scope))


def _member(on: Node, name: str) -> Node:
    def run(scope: Scope) -> Any:
        value = on(scope)
        if not isinstance(value, Mapping) or name not in value:
            raise CelError(f"no such key: {name}")
        return value[name]

    return run


def _has(node: Node, scope: Scope) -> bool:
    try:
        node(scope)
    except CelError:
        return False
    return True


def _macro(name: str, on: Node, body: Callable[[Scope, Any], Any]) -> Node:
    def run(scope: Scope) -> Any:
        items = list(on(scope))
        if name == "filter":
            return [item for item in items if body(scope, item)]
        held = [bool(body(scope, item)) for item in items]
        return {"all": all(held), "exists": any(held), "exists_one": sum(held) == 1}[name]

    return run
