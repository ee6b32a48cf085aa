"""The readers against coverage.py's own analysis of runs that are made here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchwright.coverage import (
    BaseTree,
    CoverageReport,
    FileCoverage,
    Match,
    NoteKind,
    Totals,
    UnmappedReason,
    count_lines,
    read,
)

NAMES = {"coveragepy-json": "out.json", "cobertura": "out.xml", "lcov": "out.lcov"}

DRIVER = """
import coverage, json, runpy, sys
sources, files = json.loads(sys.argv[1]), json.loads(sys.argv[2])
run = coverage.Coverage(branch=True, source=sources, data_file=None, config_file=False)
run.start()
sys.path[:0] = sources
runpy.run_path("main.py")
run.stop()
run.json_report(outfile="out.json")
run.xml_report(outfile="out.xml")
run.lcov_report(outfile="out.lcov")
truth = {}
for path in files:
    _, statements, _, missing, _ = run.analysis2(path)
    branches = run._analyze(path).branch_stats()
    truth[path] = [statements, missing, {line: stats[::-1] for line, stats in branches.items()}]
print(json.dumps(truth))
"""

LOGIC = """\
def pick(n):
    for i in range(n):
        if i == 2:
            break
        while i > 5:
            i -= 1
    else:
        return None
    try:
        return [j for j in range(i) if j][9]
    except IndexError:
        return "é" if n > 3 else \\
            "none"
    finally:
        n = 0

def debug():  # pragma: no cover
    return 1

class Never:
    def method(self, x):
        match x:
            case 1:
                return 2
        return lambda: x
"""


class Oracle:
    """A run of `main.py` in a workspace, coverage.py's reports of it, and the truth."""

    def __init__(self, root: Path, files: dict[str, str], main: str, sources: list[str]) -> None:
        self.root = root
        for name, text in (files | {"main.py": main}).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        command = [sys.executable, "-c", DRIVER, json.dumps(sources), json.dumps(list(files))]
        done = subprocess.run(command, cwd=root, capture_output=True, check=True)
        self.truth: dict[str, Any] = json.loads(done.stdout)
        self.base = BaseTree({name: count_lines(text.encode()) for name, text in files.items()})

    def read(self, form: str) -> CoverageReport:
        data = (self.root / NAMES[form]).read_bytes()
        return read(data, form, self.base, root=str(self.root))

    def check(self, path: str, file: FileCoverage) -> None:
        statements, missing, branches = self.truth[path]
        assert file.measured == set(statements)
        assert file.covered == set(statements) - set(missing)
        assert {str(line): list(pair) for line, pair in file.branches.items()} == branches


@pytest.fixture(scope="module")
def one_source(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    files = {
        "src/pkg/__init__.py": "",
        "src/pkg/logic.py": LOGIC,
        "src/pkg/naïve.py": "x = 1\n",
        "src/pkg/idle.py": "y = 1\nif y:\n    y = 2\n",
    }
    main = "from pkg.logic import pick\npick(1), pick(4)\n"
    return Oracle(tmp_path_factory.mktemp("one"), files, main, ["src"])


@pytest.fixture(scope="module")
def two_sources(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    files = {"app/x.py": "a = 1\n", "app/y.py": "if 1 > 2:\n    b = 1\n", "lib/x.py": "c = 2\n" * 5}
    return Oracle(tmp_path_factory.mktemp("two"), files, "import y, x\n", ["app", "lib"])


@pytest.mark.parametrize("form", NAMES)
def test_sets_of_lines_and_branches_are_coveragepys_own(one_source: Oracle, form: str) -> None:
    report = one_source.read(form)
    assert report.files.keys() == one_source.base.lines.keys()
    for path, file in report.files.items():
        one_source.check(path, file)
    assert report.notes == ()
    assert report.unmapped == ()
    assert report.claimed == report.recomputed == report.totals


@pytest.mark.parametrize("form", ["coveragepy-json", "lcov"])
def test_two_sources_are_no_matter_to_formats_with_whole_paths(
    two_sources: Oracle, form: str
) -> None:
    report = two_sources.read(form)
    for path, file in report.files.items():
        two_sources.check(path, file)
    assert report.matched == {Match.EXACT: 3}


def test_cobertura_of_two_sources_drops_a_file_that_its_totals_count(two_sources: Oracle) -> None:
    """coveragepy/coveragepy#1475: it must be neither guessed which file it is, nor left unsaid."""
    report = two_sources.read("cobertura")
    assert list(report.files) == ["app/y.py"]
    two_sources.check("app/y.py", report.files["app/y.py"])
    assert [(each.path, each.reason) for each in report.unmapped] == [
        ("x.py", UnmappedReason.AMBIGUOUS)
    ]
    assert report.claimed.lines_total == 8
    assert report.recomputed.lines_total in {3, 7}
    assert {note.kind for note in report.notes} == {NoteKind.DISAGREES}


def test_a_report_on_another_tree_says_that_no_line_matched(one_source: Oracle) -> None:
    data = (one_source.root / "out.lcov").read_bytes()
    base = BaseTree({"lib/other.py": 3, "pkg/logic.py": count_lines(LOGIC.encode())})
    report = read(data, "lcov", base, root="/elsewhere")
    assert report.matched == {Match.SUFFIX: 1}
    assert len(report.unmapped) == 3
    assert report.recomputed != report.totals != Totals()
