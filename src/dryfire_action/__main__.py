"""`python -m dryfire_action`: the same as the command `dryfire`."""

from __future__ import annotations

import sys

from dryfire_action.cli import main

if __name__ == "__main__":
    sys.exit(main())
