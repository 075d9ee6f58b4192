"""Resolve merge conflicts in recordings: keep the side that replays for the merged suites, name what must be recorded.

Resolve the conflicts in suites and prompt files first. Nothing is asked, and `git add` is left to you.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.errors import EXIT_PASSED, EXIT_RECORDING

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.merge_conflicts import Resolution, Resolved
    from dryfire_action.reports.lines import Style

_STYLES: dict[Resolution, Style] = {
    "ours": "good",
    "theirs": "good",
    "record": "warn",
    "unreadable": "bad",
    "no case": "dim",
}


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire resolve`` takes."""
    selection.add_paths(parser)
    parser.epilog = """\
examples:
  git merge main           conflicts in suites, prompts and recordings
  dryfire resolve          once suites and prompts are resolved

exit codes: 0 every conflict is resolved, 2 a suite or config is wrong, 3 something must be recorded"""


def execute(args: Namespace) -> int:
    """Resolve what is in conflict, and print what became of each file."""
    from dryfire_action.merge_conflicts import resolve
    from dryfire_action.reports.lines import line
    from dryfire_action.visible import visible

    chosen = selection.load(args.paths)
    found = [one for one in resolve(chosen.root, chosen.suites) if one.case or not args.paths]
    if not found:
        console.out("no recording is in conflict\n")
        return EXIT_PASSED
    lines = []
    for one in found:
        name = one.case.id if one.case else chosen.shown(one.path)
        lines.append(line((f"{one.resolution:10}  ", _STYLES[one.resolution]), (visible(name), "strong")))
        lines.append(line((visible(_sentence(one)), "dim"), indent=12))
    console.show(lines, os.environ)
    console.out(_next(found, chosen))
    unfinished = any(one.resolution in ("record", "unreadable") for one in found)
    return EXIT_RECORDING if unfinished else EXIT_PASSED


def _sentence(one: Resolved) -> str:
    if one.resolution in ("ours", "theirs"):
        return f"{one.resolution} replays, and is kept"
    if one.resolution == "record":
        return f"neither side replays; {one.kept} is kept, which serves {one.replayed} of {one.turns} turns"
    if one.resolution == "unreadable":
        return f"neither side can be read ({one.why}); the file is as it was"
    return one.why or "no suite has this case; the file is as it was: git rm it, or keep it and dryfire prune"


def _next(found: Sequence[Resolved], chosen: selection.Selection) -> str:
    kept = [chosen.shown(one.path) for one in found if one.kept]
    auto = {chosen.shown(one.case.file): None for one in found if one.case and one.resolution == "record"}
    record = [one.case for one in found if one.case and one.resolution == "unreadable"]
    parts = [("Look at them, then:", ["git", "add", "--", *kept])] if kept else []
    if auto:
        parts.append(("To record:", ["dryfire", "run", *auto, "--cassette-mode", "auto"]))
    if record:
        cases = [f"--case={case.id}" for case in record]
        parts.append(("To record:", ["dryfire", "run", *cases, "--cassette-mode", "record"]))
    return "".join(f"\n{what}\n  {shlex.join(words)}\n" for what, words in parts)
