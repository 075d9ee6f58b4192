"""Show one case turn by turn, replayed from its recording: answers, tool calls, results, verdicts. No key is needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.commands.arguments import at_least
from dryfire_action.errors import UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.results import CaseResult, RunResult


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire trace`` takes."""
    parser.add_argument(
        "case", nargs="?", metavar="SUITE::CASE", help="the case; its name alone will do if no other has it"
    )
    selection.add_paths(parser)
    parser.option(
        "--run",
        metavar="N",
        type=at_least(0),
        help="which run, from 0 (default: the first that failed)",
    )
    parser.option("--model", metavar="MODEL", help="the recording made under `run --model MODEL`")
    parser.option("--json", action="store_true", help="print a JSON document instead")
    parser.epilog = """\
examples:
  dryfire trace "support::refund within 30 days"
  dryfire trace "support::unknown order" --json

exit codes: those of dryfire run for this one case"""


def execute(args: Namespace) -> int:
    """Replay the case and print its run."""
    from dryfire_action.reports import trace

    if args.case is None:
        raise UsageError("name the case to show, as SUITE::CASE", remedy="See dryfire trace --help.")
    chosen = selection.load(args.paths, model=args.model)
    case_id = selection.find_case(args.case, chosen)
    result, code = _replayed(case_id, args.model, chosen)
    run = _run_of(result, args.run)
    if args.json:
        import json

        console.out(json.dumps(trace.document(result, run), indent=1) + "\n")
    else:
        fancy = console.can_show("✓✗")
        console.show(trace.render(result, run, shown_path=chosen.shown, fancy=fancy), os.environ)
    return code


def _replayed(case_id: str, model: str | None, chosen: selection.Selection) -> tuple[CaseResult, int]:
    from dryfire_action.runner import RunOptions, run_suites

    results = run_suites(
        chosen.suites,
        RunOptions(mode="replay", cases=(case_id,), model=model, cwd=chosen.cwd, allow_empty=True),
        root=chosen.root,
        today="",
        environ={},
    )
    found = next(results.cases, None)
    if found is None:  # interrupted
        raise KeyboardInterrupt
    return found, results.exit_code


def _run_of(result: CaseResult, asked: int | None) -> RunResult | None:
    if asked is None:
        return result.shown_run
    if not result.runs:
        return None
    if asked >= len(result.runs):
        raise UsageError(f"there is no run {asked}: runs are 0 to {len(result.runs) - 1}")
    return result.runs[asked]
