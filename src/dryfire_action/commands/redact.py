"""Look for secrets in recordings and other files, in every layer of them, or take them out.

JSON in strings, compressed and base64 bodies, streams whose text comes in pieces: all of it is opened. What could not
be opened is said, and counts as a finding of its own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands.arguments import one_of
from dryfire_action.errors import EXIT_PASSED, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.recordings.report import Report
    from dryfire_action.secret_review import Reviewer


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire redact`` takes."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="files, and folders with all that is in them"
    )
    parser.option(
        "--fix", action="store_true", help="put markers in the place of secrets; all else stays as it is"
    )
    parser.option(
        "--format",
        metavar="text|json|allow",
        type=one_of("text", "json", "allow"),
        default="text",
        help="how to report; allow writes entries for dryfire.yaml that let the findings pass",
    )
    parser.option(
        "--write-baseline",
        action="store_true",
        help="take what is found for known, and from now on report only what is new",
    )
    parser.option("--no-baseline", action="store_true", help="report what is known, too")
    parser.epilog = """\
examples:
  dryfire redact tests/cassettes
  dryfire redact --fix tests/cassettes .dryfire
  dryfire redact --format json recording.har
  dryfire redact --format allow tests/cassettes/old.yaml
  dryfire redact --write-baseline tests/cassettes

exit codes: 0 nothing was found, or it is in the baseline now, 1 something was (with --fix too),
2 something could not be checked, or a usage error"""


def execute(args: Namespace) -> int:
    """Review the files, fix them if asked to, and report."""
    from dryfire_action import review_files, review_report
    from dryfire_action.review_workers import all_reviewed

    missing = [path for path in args.paths if not os.path.lexists(path)]
    if missing:
        raise UsageError(f"there is no {missing[0]}")
    if args.write_baseline and (args.fix or args.format != "text"):
        raise UsageError("--write-baseline goes with neither --fix nor --format")
    root = review_files.root_here()
    reviewer = review_files.reviewer_of(root, uses_baseline=not (args.no_baseline or args.write_baseline))
    files = list(review_files.walked(args.paths))
    reports, said = all_reviewed(reviewer, root, files, fixing=args.fix)
    if args.write_baseline:
        return _write_baseline(reviewer, root, reports)
    if args.format == "json":
        import json

        console.out(json.dumps(review_report.document(reports), indent=1, ensure_ascii=False) + "\n")
    elif args.format == "allow":
        console.out("".join(f"{line}\n" for line in _allow_entries(reviewer, root, reports)))
    else:
        for report in reports:
            console.out("".join(f"{text}\n" for text in review_report.text_lines(report)))
        if review_report.exit_code(reports) == review_report.EXIT_FINDINGS:
            from dryfire_action.secret_history import told_of_history

            console.out("".join(f"{text}\n" for text in told_of_history(reports, root)))
        console.out("".join(f"{text}\n" for text in review_report.advice(reports, fixing=args.fix)))
    for note in (*said, *reviewer.baseline_notes(reports)):
        console.err(f"{note}\n")
    return review_report.exit_code(reports)


def _allow_entries(reviewer: Reviewer, root: str, reports: list[Report]) -> Iterator[str]:
    from dryfire_action.redact import keyed_digest
    from dryfire_action.review_files import path_in
    from dryfire_action.review_report import allow_entries

    def place_of(file: str) -> tuple[str, str, bool]:
        path = path_in(root, file)
        config = reviewer.config(path)
        return path, config, reviewer.read(config) is not None

    return allow_entries(reports, place_of, lambda value, path: keyed_digest(value, reviewer.key(path)))


def _write_baseline(reviewer: Reviewer, root: str, reports: list[Report]) -> int:
    """Write the baseline, and beside it what makes git merge it by itself."""
    from pathlib import Path

    from dryfire_action import secret_baseline as baseline
    from dryfire_action.cassette_store import below, refusing, replace_file
    from dryfire_action.review_files import path_in

    findings = [(path_in(root, f.file), f.rule, f.value) for report in reports for f in report.findings]
    findings += [(path_in(root, m.file), m.rule, "") for report in reports for m in report.not_checked]
    entries = reviewer.new_baseline(findings)
    with refusing(baseline.BASELINE_FILE):
        target = below(Path(root), baseline.BASELINE_FILE, links=False)
        attributes = below(Path(root), baseline.ATTRIBUTES_FILE, links=False)
        if not entries and not target.exists():
            console.out("nothing was found: no baseline is needed\n")
            return EXIT_PASSED
        target.parent.mkdir(exist_ok=True)
        there = attributes.read_bytes() if attributes.exists() else b""
        if baseline.ATTRIBUTES_LINE.encode() not in there:
            between = b"" if not there or there.endswith(b"\n") else b"\n"
            replace_file(attributes, there + between + baseline.ATTRIBUTES_LINE.encode())
        replace_file(target, baseline.written_baseline(entries).encode("utf-8", "backslashreplace"))
    files = len({entry.path for entry in entries})
    known = f"{len(entries)} known finding{'s'[: len(entries) != 1]} in {files} file{'s'[: files != 1]}"
    many = known if entries else "nothing is known any more"
    console.out(f"{baseline.BASELINE_FILE}: {many}\n")
    if entries:
        console.out(
            f"Commit it with {baseline.ATTRIBUTES_FILE}. They do not block from now on, and are as public as before:\n"
            "revoke what is real. Each line that is taken out blocks again.\n"
        )
    return EXIT_PASSED
