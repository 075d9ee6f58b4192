"""Look for secrets in recordings and other files, in every layer of them, or take them out.

JSON in strings, compressed and base64 bodies, streams whose text comes in pieces: all of it is opened. What could not
be opened is said, and counts as a finding of its own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands.arguments import one_of
from dryfire_action.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.recordings.report import Report


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire redact`` takes."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="files, and folders with all that is in them"
    )
    parser.option(
        "--fix", action="store_true", help="put markers in the place of secrets; all else stays as it is"
    )
    parser.option(
        "--format", metavar="text|json", type=one_of("text", "json"), default="text", help="how to report"
    )
    parser.epilog = """\
examples:
  dryfire redact tests/cassettes
  dryfire redact --fix tests/cassettes .dryfire
  dryfire redact --format json recording.har

exit codes: 0 nothing was found, 1 something was (with --fix too), 2 something could not be checked, or a usage error"""


def execute(args: Namespace) -> int:
    """Review the files, fix them if asked to, and report."""
    from dryfire_action import secret_review as review

    missing = [path for path in args.paths if not os.path.lexists(path)]
    if missing:
        raise UsageError(f"there is no {missing[0]}")
    root = review.root_here()
    reviewer = review.reviewer_of(root)
    reports: list[Report] = []
    said: list[str] = []
    for file in review.walked(args.paths):
        report, notes = review.reviewed(reviewer, root, file, fixing=args.fix)
        reports.append(report)
        said += notes
    if args.format == "json":
        import json

        console.out(json.dumps(review.document(reports), indent=1, ensure_ascii=False) + "\n")
    else:
        for report in reports:
            console.out("".join(f"{text}\n" for text in review.text_lines(report)))
        if review.exit_code(reports) == review.EXIT_FINDINGS:
            from dryfire_action.secret_history import told_of_history

            console.out("".join(f"{text}\n" for text in told_of_history(reports, root)))
        console.out("".join(f"{text}\n" for text in review.advice(reports, fixing=args.fix)))
    for note in said:
        console.err(f"{note}\n")
    return review.exit_code(reports)
