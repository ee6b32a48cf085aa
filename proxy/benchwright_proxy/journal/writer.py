"""Who writes a journal, so that the next one knows whether the last one's machine ended under it.

A file names the machine for as long as it writes. A process that is killed leaves it behind, and its
records with the kernel; a machine that dies takes the last of them along.
"""

import contextlib
import secrets
from pathlib import Path

from . import files

#: Of this start of this kernel; in a container it is that of the node.
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def this_machine() -> str:
    """What names this start of this machine. Where nothing does, each process counts as another: then
    a killed one is taken for a machine that died, which is the safe side."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return secrets.token_hex(16)


class Writer:
    """The file in a journal's folder. Used under the journal's lock."""

    def __init__(self, folder: Path, machine: str) -> None:
        """Raises OSError."""
        self._folder = folder
        self._path = folder / "machine"
        self._machine = machine
        try:
            #: Whether the last writer did not end by itself, and its machine is not this one.
            self.machine_died = self._path.read_text() != machine
        except FileNotFoundError:
            self.machine_died = False

    def begin(self) -> None:
        """This one writes now. Raises OSError."""
        new = self._path.with_name("machine.new")
        new.write_text(self._machine)
        files.sync(new)
        new.rename(self._path)
        files.sync(self._folder)
        self.machine_died = False

    def end(self) -> None:
        """All that it wrote is on the disk. Raises OSError."""
        self._path.unlink(missing_ok=True)
        files.sync(self._folder)

    def doubt(self) -> None:
        """A sync has failed: the kernel may have let go of records, as if its machine had died."""
        with contextlib.suppress(OSError):
            self._path.write_text("a sync has failed")
