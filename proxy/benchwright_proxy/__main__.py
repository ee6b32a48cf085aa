"""`python -m benchwright_proxy`, and the entry point of the `benchwright-proxy` command."""

import sys

from .cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
