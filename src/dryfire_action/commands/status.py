"""Say of each suite how its recordings are: how many cases and turns, how old, of which models, what is stale or was
never recorded. Everything is replayed; nothing is asked.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.errors import EXIT_PASSED, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire status`` takes."""
    selection.add_paths(parser)
    parser.option("--json", action="store_true", help="print a JSON document instead")
    parser.option("--markdown", action="store_true", help="print a table in markdown instead")
    parser.epilog = """\
examples:
  dryfire status
  dryfire status --markdown >> "$GITHUB_STEP_SUMMARY"

exit codes: 0 told, whatever is stale; 2 a suite or config is wrong"""


def execute(args: Namespace) -> int:
    """Print the state of the recordings of the selected suites."""
    from datetime import UTC, datetime

    from dryfire_action.reports import status as report
    from dryfire_action.suite_survey import survey

    if args.json and args.markdown:
        raise UsageError("--json and --markdown cannot be asked for at once")
    chosen = selection.load(args.paths)
    found = survey(chosen.suites, chosen.root, chosen.cwd)
    today = datetime.now(UTC).date().isoformat()
    if args.json:
        import json

        console.out(json.dumps(report.document(found, today=today), indent=1) + "\n")
    elif args.markdown:
        console.out(report.markdown(found))
    else:
        console.show(report.render(found, today=today, shown_path=chosen.shown), os.environ)
    return EXIT_PASSED
