"""Inline tests of Rust: what is one, and every way to slip source through."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.changes.rustinline import is_confined

CODE = b"""//! docs
#![allow(dead_code)]
use a::b;

/* a /* nested */ comment { */
pub fn f<'a>(x: &'a str) -> char {
    let _ = ("}", r#"}" "#, '}', '\\'', b'{', "\\"{", 'q');
    '{'
}
"""
TESTS = b"""
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        assert_eq!(f("}"), '{'); // }
    }
}
"""
MORE = TESTS.replace(b"works", b"works_too")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CODE, CODE + TESTS),
        (CODE + TESTS, CODE),
        (CODE + TESTS, CODE + MORE),
        (CODE + TESTS, CODE + b"\n\n" + TESTS + MORE),
        (CODE, CODE + b"#[cfg(test)]\n#[allow(x)]\npub(crate) mod t { fn f() {} }\n// end\n"),
        (CODE, CODE + b"# [ cfg ( test ) ] mod t{}"),
        (b"", TESTS),
        (CODE + TESTS, CODE + TESTS.replace(b"super", b"crate")),
    ],
)
def test_changes_to_tests_alone(before: bytes, after: bytes) -> None:
    assert is_confined(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CODE, CODE.replace(b"'q'", b"'p'") + TESTS),  # code, too
        (CODE, TESTS + CODE),  # moves the base's lines
        (CODE, CODE + TESTS + b"fn evil() {}"),
        (CODE, CODE + b"#[cfg(not(test))]\nmod tests {}\n"),
        (CODE, CODE + b"#[cfg(any(test, unix))]\nmod tests {}\n"),
        (CODE, CODE + b"#[cfg(test)]\nfn helper() {}\n"),
        (CODE, CODE + b"#[cfg(test)]\nmod tests;\n"),
        (CODE, CODE + b"// #[cfg(test)]\nmod tests { }\n"),
        (CODE, CODE + b"mod tests { }\n"),
        (CODE + b"m! {}", CODE + b"m! {" + TESTS + b"}"),  # in a macro's input
        (CODE + b"#[x]\nfn g() {}", CODE + b"#[x]\n" + TESTS + b"fn g() {}"),  # takes its attribute
        (CODE + b"#[x]\n", CODE + b"#[x]\n" + TESTS),
        (CODE, CODE + b'const S: &str = "' + TESTS + b'";'),
        (CODE, CODE + TESTS[:-3]),  # does not end
        (CODE, CODE + TESTS + b"}"),
        (CODE, CODE + b"#[cfg(test)] mod t { /* } */ \n"),
        (CODE, CODE + b'#[cfg(test)] mod t { let s = "; }\n'),
        (CODE, CODE + b'#[cfg(test)] mod t { r#""} fn evil() {} mod u { "#; }\nfn evil2() {}'),
        (CODE, CODE + b"#[cfg(test)] mod t { '\"' } fn evil() {} mod u { '\"' }"),
    ],
)
def test_anything_else_is_a_change_to_source(before: bytes, after: bytes) -> None:
    assert not is_confined(before, after)


@given(st.lists(st.sampled_from([b"{", b"}", b'"', b"'", b"/*", b"*/", b"\n", b"a", b"r#", b"\\"])))
def test_no_text_makes_it_raise_and_equal_is_confined_or_doubtful(parts: list[bytes]) -> None:
    text = b"".join(parts)
    assert not is_confined(text, text + b"x") or b"//" in text
    assert is_confined(text, text) in (True, False)
