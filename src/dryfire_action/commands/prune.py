"""Tidy the recordings: find those of a renamed suite or case their place, and list what no case has any more.

Only `--yes` changes anything. A recording goes only if no suite file anywhere in the repository has its suite and case;
recordings of a suite that cannot be read, of other programs and of newer versions stay.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.errors import EXIT_FAILED, EXIT_PASSED, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.housekeeping import Plan


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire prune`` takes."""
    selection.add_paths(
        parser, "only the recordings of these suites (default: all recordings of the repository)"
    )
    parser.option("--yes", action="store_true", help="move and delete what is listed")
    parser.option("--check", action="store_true", help="change nothing; exit 1 if there is anything to do")
    parser.epilog = """\
examples:
  dryfire prune            list what would be moved and deleted, and why
  dryfire prune --yes      do it
  dryfire prune --check    for CI

exit codes: 0 listed or done, 1 with --check if there is anything to do, 2 a config is wrong"""


def execute(args: Namespace) -> int:
    """List what there is to do, and with ``--yes`` do it."""
    from dryfire_action.housekeeping import carry_out, plan
    from dryfire_action.reports import housekeeping

    if args.yes and args.check:
        raise UsageError("--yes and --check cannot be asked for at once")
    root, shown = selection.here()
    found = plan(root, now=time.time())
    if args.paths:
        found = found.of(_folders(args))
    if args.yes:
        carry_out(found, root)
    arrow = "→" if console.can_show("→") else "->"
    console.show(
        housekeeping.render(
            [(move.source, move.target, _moved(move.was, move.case.id)) for move in found.moves],
            [(item.path, item.reason, item.answers) for item in found.removals],
            [(item.path, item.reason, 0) for item in found.kept],
            done=args.yes,
            shown_path=shown,
            arrow=arrow,
        ),
        os.environ,
    )
    console.out(_summary(found, args.yes))
    return EXIT_FAILED if args.check and not found.empty else EXIT_PASSED


def _folders(args: Namespace) -> list[str]:
    """Where the recordings of the suites named on the command line lie."""
    from posixpath import dirname

    from dryfire_action.cassette_names import cassette_path

    suites = selection.load(args.paths).suites
    return [dirname(cassette_path(suite.config.cassettes, suite.name, "any")) for suite in suites]


def _moved(was: str, now: str) -> str:
    return f"{was} is {now} now: it replays as recorded" if was != now else f"it is that of {now}"


def _summary(found: Plan, done: bool) -> str:
    if found.empty:
        return "nothing to prune\n"
    moves, removals = len(found.moves), len(found.removals)
    if done:
        return f"\n{moves} moved, {removals} deleted\n"
    return f"\n{moves} to move, {removals} to delete. To do it:\n  dryfire prune --yes\n"
