"""`python3 -m benchwright.harness`."""

import sys

from benchwright.harness.sidecar import main

sys.exit(main())
