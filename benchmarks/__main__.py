"""`make bench`: the tables of speed, or those that are named: python -m benchmarks [TABLE ...].

`recall` measures no speed, and other scanners take minutes for it: it is made where it is named.
"""

from __future__ import annotations

import importlib
import sys

from benchmarks.table import shown

# One module each: `TITLE`, and `table()`, which returns rows of texts, the first of them the heads of the columns.
SPEED = ("replay_speed", "turn_cost", "start_up", "explain_speed", "hook_speed")
TABLES = (*SPEED, "recall")


def main(names: list[str]) -> int:
    """Make the tables and print them as Markdown."""
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        sys.stderr.write(f"there is no table {unknown[0]}; there are: {', '.join(TABLES)}\n")
        return 2
    for name in names or SPEED:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"## {module.TITLE}\n", flush=True)
        print(shown(module.table()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
