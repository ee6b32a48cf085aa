"""Files that may change while the proxy runs: mounted Secrets are rotated, dialogues are edited."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from .clock import Clock
from .token import parse_key
from .yamlfile import FileError

T = TypeVar("T")
Stamp = tuple[int, int, int]
#: A rotated key is used so long after it changed.
LOOK_SECONDS = 1.0


class WatchedFile(Generic[T]):
    """The parsed content of a file, read again when its inode, size or mtime changes."""

    def __init__(self, path: Path, read: Callable[[Path], T], clock: Clock | None = None) -> None:
        """With a `clock` the file is looked at once in LOOK_SECONDS at most."""
        self.path = path
        self._clock = clock
        self._looked = float("-inf")
        self._read = read
        self._stamp: Stamp | None = None
        self._value: T | None = None

    def get(self) -> T:
        """The current content. Raises FileError for as long as the file is bad or missing."""
        now = self._clock.monotonic() if self._clock else None
        if now is not None and self._value is not None and now - self._looked < LOOK_SECONDS:
            return self._value
        stamp = self._stat()
        if self._value is None or stamp != self._stamp:
            self._value = None
            self._value = self._read(self.path)
            self._stamp = stamp
        self._looked = now if now is not None else self._looked
        return self._value

    def _stat(self) -> Stamp:
        try:
            found = self.path.stat()
        except OSError as error:
            raise FileError(f"{self.path}: cannot be read: {error.strerror}") from error
        return found.st_mtime_ns, found.st_size, found.st_ino


def read_provider_key(path: Path) -> str:
    """The provider key in a file, without the white space around it. Raises FileError."""
    key = _bytes(path).strip()
    if not key or not key.isascii() or any(byte < 0x21 for byte in key):
        raise FileError(f"{path}: expected one key of printable ASCII characters")
    return key.decode()


def read_signing_key(path: Path) -> bytes:
    """The key for trial tokens in a file. Raises FileError."""
    try:
        return parse_key(_bytes(path))
    except ValueError as error:
        raise FileError(f"{path}: {error}") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
