"""Bring recordings in line with the ignore rules and the fingerprint version in force, offline: no provider is asked.

A recording that replays fresh under the rules it was made with gets new digests; its answers stay. One that is stale
stays stale, and is named.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.errors import EXIT_FAILED, EXIT_PASSED

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.rekey import Rekeyed, RekeyOutcome
    from dryfire_action.reports.lines import Style

_STYLES: dict[RekeyOutcome, Style] = {"rekeyed": "good", "stale": "warn", "not possible": "bad"}


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire rekey`` takes."""
    selection.add_paths(parser)
    parser.option("--check", action="store_true", help="change nothing; exit 1 if there is anything to rekey")
    parser.epilog = """\
examples:
  dryfire rekey            after a change under `fingerprint: ignore:`, or after an upgrade that asks for it
  dryfire rekey --check    for CI

exit codes: 0 done, whatever is stale; 1 with --check if there is anything to rekey; 2 a suite or config is wrong"""


def execute(args: Namespace) -> int:
    """Rekey the recordings of the selected suites and print what became of each."""
    from dryfire_action.reports.lines import line
    from dryfire_action.visible import visible

    chosen = selection.load(args.paths)
    counts: dict[str, int] = {}
    lines = []
    for case, path, found in _rekeyed(chosen, write=not args.check):
        counts[found.outcome] = counts.get(found.outcome, 0) + 1
        if found.outcome == "in force":
            continue
        word = "to rekey" if args.check and found.outcome == "rekeyed" else found.outcome
        beside = f"  ({visible(chosen.shown(path))})" if "@" in path.rpartition("/")[2] else ""
        lines.append(line((f"{word:12}  ", _STYLES[found.outcome]), visible(case), (beside, "dim")))
        if found.why:
            lines.append(line(visible(found.why), indent=14))
        if found.dropped:
            answers = "1 answer" if found.dropped == 1 else f"{found.dropped} answers"
            lines.append(line((f"{answers} that nothing asks for any more", "dim"), indent=14))
    console.show(lines, os.environ)
    console.out(_summary(counts, args.check))
    return EXIT_FAILED if args.check and "rekeyed" in counts else EXIT_PASSED


def _rekeyed(chosen: selection.Selection, *, write: bool) -> Iterator[tuple[str, str, Rekeyed]]:
    from dryfire_action.rekey import rekey

    for suite in chosen.suites:
        for case in suite.cases:
            for path, found in rekey(suite, case, chosen.root, write=write):
                yield case.id, path, found


def _summary(counts: dict[str, int], check: bool) -> str:
    words = {
        "rekeyed": "to rekey" if check else "rekeyed",
        "stale": "stale: record again, or undo the edit",
        "not possible": "not possible",
        "in force": "already under the rules in force",
    }
    told = [f"{counts[outcome]} {text}" for outcome, text in words.items() if outcome in counts]
    return f"{'; '.join(told) or 'there are no recordings'}\n"
