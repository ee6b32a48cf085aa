"""The workspace/ folder of a task, laid over a source that may have links where its files go."""

import pytest

from benchwright.tasks.errors import TaskError
from tests.unit.results.archives import file, folder, link
from tests.unit.results.bundles import TREE, Bundles, a_source, git, no_source


def test_starter_files_alone_are_a_source_and_none_at_all_is_an_empty_one(bundles: Bundles) -> None:
    starter = no_source({"workspace/a/b.py": b"x", "evaluation/hidden": b"secret"})
    assert bundles.tree(bundles.make(starter)) == {"a/b.py": b"x"}
    assert bundles.tree(bundles.make(no_source({}))) == {}


def test_starter_files_lie_over_the_source(bundles: Bundles) -> None:
    task = a_source(
        {"workspace/pkg/a.py": b"new", "workspace/more": b"m", "workspace/pkg/run": b"r"}
    )
    bundle = bundles.make(task, *TREE)
    assert bundles.tree(bundle) == {
        "more": b"m", "pkg/a.py": b"new", "pkg/run": b"r", "pkg/sub/l": b"../a.py",
    }  # fmt: skip
    assert "100755" in git(bundles.clone(bundle), "ls-files", "--stage", "pkg/run")


def test_a_starter_file_takes_the_place_of_a_link_and_leaves_what_it_named(
    bundles: Bundles,
) -> None:
    task = a_source({"workspace/l": b"new"})
    found = bundles.tree(bundles.make(task, file("a", b"old"), link("l", "a")))
    assert found == {"a": b"old", "l": b"new"}


CANNOT_LIE = {
    "through a link": ("l/x", (folder("d"), link("l", "d"))),
    "a file where a folder is": ("d", (file("d/x"),)),
    "a folder where a file is": ("f/x", (file("f"),)),
    "in git's metadata": (".git/hooks/post-commit", (file("f"),)),
    "in git's metadata, otherwise written": ("sub/.GIT/config", (file("f"),)),
    "under a name that is too long": ("n" * 256, (file("f"),)),
    "too deep": ("d/" * 120 + "f", (file("f"),)),
}


@pytest.mark.parametrize("name", CANNOT_LIE)
def test_a_starter_file_that_cannot_lie_there_is_an_error_in_words(
    bundles: Bundles, name: str
) -> None:
    path, members = CANNOT_LIE[name]
    with pytest.raises(TaskError) as caught:
        bundles.make(a_source({f"workspace/{path}": b"x"}), *members)
    assert caught.value.reason == "TaskInvalid"
    assert caught.value.message.startswith(f"workspace/{path} cannot be laid over the source: ")
