"""cassette-passthrough: no recording of a case that runs real code.

usage: dryfire-cassette-passthrough

A case with an `impl:` mock is never recorded. This looks at the whole staged state, deletions too, whatever files it is
given: a recording of such a case, or a suite edit that makes a recorded case one, does not pass.

exit codes: 0 nothing of the kind, 1 something, 2 it could not be found out
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Look at the staged state; 0 where nothing must be kept out."""
    words = list(sys.argv[1:] if argv is None else argv)
    if "-h" in words or "--help" in words:
        sys.stdout.write(__doc__ or "")
        return 0
    from dryfire_action.errors import DryfireError
    from dryfire_action.staged import Staged, shown
    from dryfire_action.staged_passthrough import blocked
    from dryfire_action.visible import visible

    try:
        with Staged() as staged:
            found = blocked(staged)
    except DryfireError as error:
        sys.stderr.write(f"{shown(error)}\n")
        return 2
    for each in found:
        sys.stdout.write("".join(f"{visible(row)}\n" for row in str(each).split("\n")))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
