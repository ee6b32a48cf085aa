"""The pipe at which the main container waits: to look for a file again and again costs each trial a
tenth of a second of CPU, and as much waiting."""

import os
from pathlib import Path

GO, ABORT = b"go\n", b"abort\n"


class Gate:
    """Made before anything else. Open at both ends for as long as the harness lives, so that the word
    is there for a main container that starts late; if the harness dies first, none comes."""

    def __init__(self, path: Path):
        os.mkfifo(path, 0o644)
        self._pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def open(self) -> None:
        """The main container may go."""
        os.write(self._pipe, GO)

    def refuse(self) -> None:
        """It ends without having begun."""
        os.write(self._pipe, ABORT)
