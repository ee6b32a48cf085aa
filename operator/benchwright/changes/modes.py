"""git's modes of what a tree can hold besides directories."""

FILE, EXECUTABLE, SYMLINK = 0o100644, 0o100755, 0o120000
MODES = frozenset({FILE, EXECUTABLE, SYMLINK})
