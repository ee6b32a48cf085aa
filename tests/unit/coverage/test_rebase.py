"""Which base file a path is; diff_cover#342, #104, #91 and #132 went wrong here."""

import pytest

from benchwright.coverage import BaseTree, CoverageError, Match, Reason, UnmappedReason
from benchwright.coverage.rebase import Found, Lost, rebase

BASE = BaseTree(
    dict.fromkeys(
        [
            "src/pkg/a.py",
            "src/pkg/b.py",
            "lib/pkg/b.py",
            "a.c",
            "tools/pkg/a.py",
            "src/main/x/Z.java",
        ],
        9,
    ),
    extra=frozenset({"tests/pkg/a.py", "tests/new.py"}),
)
NOT_IN_BASE, OUTSIDE, AMBIGUOUS = UnmappedReason


def place(
    *paths: str, sources: tuple[str, ...] = (), cwd: str | None = None, base: BaseTree = BASE
) -> list[tuple[str, Match] | UnmappedReason]:
    found = rebase(paths, base, root="/w", sources=sources, cwd=cwd)
    return [
        (each.path, each.how) if isinstance(each, Found) else each.reason
        for each in (found[path] for path in paths)
    ]


@pytest.mark.parametrize(
    ("path", "sources", "expected"),
    [
        ("src/pkg/a.py", (), ("src/pkg/a.py", Match.EXACT)),
        ("./src//pkg/../pkg/a.py", (), ("src/pkg/a.py", Match.EXACT)),
        (r"src\pkg\a.py", (), ("src/pkg/a.py", Match.EXACT)),
        ("/w/src/pkg/a.py", (), ("src/pkg/a.py", Match.ROOT)),
        ("//w/build/../a.c", (), ("a.c", Match.ROOT)),
        ("pkg/a.py", ("/w/src",), ("src/pkg/a.py", Match.SOURCE)),
        ("pkg/a.py", ("src",), ("src/pkg/a.py", Match.SOURCE)),
        ("../src/pkg/a.py", ("/w/build",), ("src/pkg/a.py", Match.SOURCE)),
        ("a.c", ("",), ("a.c", Match.EXACT)),
        ("a.c", (".",), ("a.c", Match.EXACT)),
        # Relative to the root in spite of the source: GitLab tries that too (coveragepy#1555).
        ("src/pkg/a.py", ("/w/src",), ("src/pkg/a.py", Match.EXACT)),
        ("src/pkg/a.py", ("/elsewhere",), ("src/pkg/a.py", Match.EXACT)),
        ("pkg/a.py", ("/w/lib", "/w/src"), ("src/pkg/a.py", Match.ONE_OF_SOURCES)),
        ("pkg/b.py", ("/w/lib", "/w/src"), AMBIGUOUS),  # coveragepy#1475
        ("pkg/a.py", ("/w/tests", "/w/src"), AMBIGUOUS),  # which the agent's own file would be
        ("pkg/a.py", ("/w/tests",), NOT_IN_BASE),
        ("tests/new.py", (), NOT_IN_BASE),
        ("/w/tests/new.py", (), NOT_IN_BASE),
        ("/w", (), NOT_IN_BASE),
        ("", (), NOT_IN_BASE),
        ("/wider/src/pkg/a.py/x", (), OUTSIDE),
        ("../outside.c", (), OUTSIDE),
        ("../a.c", (), OUTSIDE),
        ("../../w/a.c", (), OUTSIDE),
        ("src/../../a.c", (), OUTSIDE),
        ("src/pkg/a.py\0", (), NOT_IN_BASE),
        ("..c", (), NOT_IN_BASE),
    ],
)
def test_one_path(
    path: str, sources: tuple[str, ...], expected: tuple[str, Match] | UnmappedReason
) -> None:
    assert place(path, sources=sources) == [expected]


def test_a_single_source_decides_between_two_files_of_the_base() -> None:
    assert place("pkg/a.py", sources=("/w/tools",)) == [("tools/pkg/a.py", Match.SOURCE)]
    two = BaseTree({"pkg/a.py": 1, "src/pkg/a.py": 1})
    assert place("pkg/a.py", sources=("/w/src",), base=two) == [("src/pkg/a.py", Match.SOURCE)]


def test_a_backslash_is_a_letter_where_the_base_says_so() -> None:
    base = BaseTree({r"odd\name.py": 1})
    assert place(r"odd\name.py", base=base) == [(r"odd\name.py", Match.EXACT)]


def test_a_directory_in_which_the_tool_ran_places_relative_paths() -> None:
    assert place("pkg/a.py", "../a.c", cwd="/w/src") == [
        ("src/pkg/a.py", Match.SOURCE),
        ("a.c", Match.SOURCE),
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/ci/build/src/pkg/a.py", ("src/pkg/a.py", Match.SUFFIX)),
        (r"D:\ci\src\pkg\a.py", ("src/pkg/a.py", Match.SUFFIX)),
        ("x/Z.java", ("src/main/x/Z.java", Match.SUFFIX)),  # package + file name alone
        ("Z.java", ("src/main/x/Z.java", Match.SUFFIX)),
        ("pkg/b.py", AMBIGUOUS),
        ("pkg/a.py", AMBIGUOUS),
        ("a.py", AMBIGUOUS),
        ("/usr/include/a.c", OUTSIDE),  # one name alone says too little
        ("/usr/lib/other/pkg/a.py", OUTSIDE),  # the common end is no whole path of the base
        ("kg/a.py", NOT_IN_BASE),  # parts, not letters
    ],
)
def test_a_report_from_elsewhere_is_placed_by_unique_suffix(
    path: str, expected: tuple[str, Match] | UnmappedReason
) -> None:
    assert place(path) == [expected]


def test_no_suffix_where_any_path_was_placed_for_a_new_file_would_pass_for_a_base_file() -> None:
    assert place("/w/a.c", "/tmp/src/pkg/a.py") == [("a.c", Match.ROOT), OUTSIDE]
    assert place("a.c", "x/Z.java") == [("a.c", Match.EXACT), NOT_IN_BASE]


@pytest.mark.parametrize("path", ["/w/new.py", "tests/new.py", "../x.py"])
def test_no_suffix_where_any_path_is_known_to_be_no_base_file(path: str) -> None:
    assert place(path, "/tmp/src/pkg/a.py")[1] == OUTSIDE
    assert place("/tmp/src/pkg/a.py") == [("src/pkg/a.py", Match.SUFFIX)]


def test_no_suffix_for_what_is_known_to_be_in_the_workspace() -> None:
    assert place("/w/tests/x/src/pkg/a.py") == [NOT_IN_BASE]
    assert place("x/Z.java", sources=("/w/lib",)) == [NOT_IN_BASE]


def test_two_paths_that_end_as_one_base_file_are_both_ambiguous() -> None:
    assert place("/tmp/src/pkg/a.py", "/ci/src/pkg/a.py") == [AMBIGUOUS, AMBIGUOUS]


def test_a_suffix_of_a_file_beyond_the_base_is_no_base_file() -> None:
    assert place("/ci/tests/new.py") == [NOT_IN_BASE]


@pytest.mark.parametrize("path", ["/abs", "../up", "a/../b", "a//b", "./a", "", ".", "a\0", "a/"])
def test_a_base_tree_has_clean_paths(path: str) -> None:
    with pytest.raises(CoverageError) as refused:
        BaseTree({path: 1})
    assert refused.value.reason is Reason.PATH_ESCAPE


def test_root_and_cwd_are_absolute() -> None:
    with pytest.raises(ValueError, match="no absolute path"):
        rebase(["a.c"], BASE, root="w", sources=(), cwd=None)
    with pytest.raises(ValueError, match="no absolute path"):
        rebase(["a.c"], BASE, root="/w", sources=(), cwd="src")


def test_many_equal_names_take_no_quadratic_time() -> None:
    base = BaseTree({f"p{n}/__init__.py": 1 for n in range(30_000)})
    paths = [f"/x/q{n}/__init__.py" for n in range(30_000)] + ["/y" * 2000 + "/p7/__init__.py"]
    found = rebase(paths, base, root="/w", sources=(), cwd=None)
    assert found[paths[-1]] == Found("p7/__init__.py", Match.SUFFIX)
    assert found[paths[0]] == Lost(UnmappedReason.OUTSIDE, placed=False)
