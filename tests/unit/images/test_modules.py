"""Modules packed into one file import as they would from their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from images import modules

IMPORTER = Path(__file__).parents[3] / "images/agent-mini-swe-agent/importer.py"
FILES = {
    "single.py": "NAME = __name__\n",
    "pack/__init__.py": "from pack import sub\nDOC = 'ä'\n",
    "pack/sub.py": "from pathlib import Path\nDATA = (Path(__file__).parent / 'data.txt').read_text()\n",
    "pack/data.txt": "data",
    "pack/bare/inner.py": "def fail():\n    raise ValueError('here')\n",
    "left/plugin.py": "FOUND = True\n",
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "lib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    modules.pack(tmp_path / "lib", tmp_path / "modules", "/agent/lib", ["left"])
    (tmp_path / "importer.py").write_bytes(IMPORTER.read_bytes())
    return tmp_path


def run(bundle: Path, code: str) -> str:
    """Run code in an interpreter of its own that has only the bundle."""
    start = f"import sys; sys.path.insert(0, {str(bundle)!r}); import importer, pathlib\n"
    start += f"importer.install(pathlib.Path({str(bundle)!r}))\n"
    command = [sys.executable, "-I", "-c", start + code]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_only_data_and_what_is_left_stay_files(bundle: Path) -> None:
    files = {str(p.relative_to(bundle / "lib")) for p in bundle.glob("lib/**/*") if p.is_file()}
    assert files == {"pack/data.txt", "left/plugin.py"}


def test_modules_and_packages(bundle: Path) -> None:
    assert run(bundle, "import single, pack; print(single.NAME, ascii(pack.DOC))") == (
        "single '\\xe4'"
    )


def test_data_is_where_modules_look(bundle: Path) -> None:
    assert run(bundle, "import pack.sub; print(pack.sub.DATA)") == "data"
    code = "from importlib.resources import files; print((files('pack') / 'data.txt').read_text())"
    assert run(bundle, code) == "data"


def test_directories_without_init_are_packages(bundle: Path) -> None:
    assert (
        run(bundle, "import pack.bare.inner as inner; print(inner.__name__)") == "pack.bare.inner"
    )


def test_what_is_left_is_found_by_the_usual_means(bundle: Path) -> None:
    code = (
        "import pkgutil, left; print([found.name for found in pkgutil.iter_modules(left.__path__)])"
    )
    assert run(bundle, code) == "['plugin']"


def test_tracebacks_name_files(bundle: Path) -> None:
    code = """
import traceback, pack.bare.inner
try:
    pack.bare.inner.fail()
except ValueError:
    print(traceback.format_exc())
"""
    assert 'File "/agent/lib/pack/bare/inner.py", line 2, in fail' in run(bundle, code)


def test_missing_modules_are_missing(bundle: Path) -> None:
    code = """
try:
    import pack.absent
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert run(bundle, code) == "pack.absent"
