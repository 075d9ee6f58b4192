"""suite-validate: suites and config are right, before anybody runs them.

usage: dryfire-suite-validate [PATTERN ...]

Reads all suites as they are staged, or those that the patterns name, and shows everything that is wrong in one pass.
Nothing is run.

exit codes: 0 all is right, 1 something is wrong, 2 it could not be found out
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Check the staged suites; 0 where they are right."""
    words = list(sys.argv[1:] if argv is None else argv)
    if "-h" in words or "--help" in words:
        sys.stdout.write(__doc__ or "")
        return 0
    from dryfire_action.errors import DryfireError, SpecError
    from dryfire_action.staged import Staged, only_patterns, shown

    try:
        patterns = only_patterns(words)
        with Staged() as staged:
            suites = staged.suites(patterns) if staged.has_suites() else ()
    except SpecError as error:
        sys.stdout.write(f"{shown(error)}\n")
        return 1
    except DryfireError as error:
        sys.stderr.write(f"{shown(error)}\n")
        return 2
    for suite in suites:
        for warning in suite.warnings:
            sys.stderr.write(f"warning: {warning}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
