"""What is missing or goes wrong is said in words."""

import sys

import pytest

from images import tools
from images.errors import ImageError


def test_a_missing_program_comes_with_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(ImageError, match=r"mmdebstrap is not installed\. .*apt-get install"):
        tools.need("mmdebstrap")


def test_failures_show_the_end_of_what_was_said() -> None:
    code = "import sys; print('lots\\n' * 100); print('the reason', file=sys.stderr); sys.exit(3)"
    with pytest.raises(
        ImageError, match=r"(?s)^Trying failed \(.* ended with 3\):.*the reason$"
    ) as e:
        tools.run([sys.executable, "-c", code], "Trying")
    assert str(e.value).count("\n") == 15


def test_output_is_returned() -> None:
    assert tools.run([sys.executable, "-c", "print(hash('a') == hash('a'))"], "Trying") == "True\n"


def test_another_python_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    monkeypatch.setattr("shutil.which", {"python3.11": "/opt/python3.11"}.get)
    tools.python.cache_clear()
    try:
        assert tools.python() == "/opt/python3.11"
        tools.python.cache_clear()
        monkeypatch.setattr("shutil.which", {}.get)
        with pytest.raises(ImageError, match=r"The images hold Python 3\.11"):
            tools.python()
    finally:
        tools.python.cache_clear()
