"""What the user sees while the cluster comes up: one line a step, with its duration."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def say(text: str) -> None:
    """Progress goes to standard error, so that `env` and pipes stay clean."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Print the title with how long the block took, or that it failed."""
    start = time.monotonic()
    try:
        yield
    except BaseException:
        say(f"  ✗ {title} ({time.monotonic() - start:.1f} s)")
        raise
    say(f"  ✓ {title} ({time.monotonic() - start:.1f} s)")
