"""Check suites and config: everything that is wrong in all files, in one pass. Nothing is run, no key is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.errors import EXIT_PASSED, EXIT_USAGE

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire validate`` takes."""
    selection.add_paths(parser)
    parser.epilog = """\
examples:
  dryfire validate
  dryfire validate evals/refunds.eval.yaml

exit codes: 0 everything is valid, 2 something is wrong or there is nothing to check"""


def execute(args: Namespace) -> int:
    """Print ``ok`` with counts and the warnings; problems are raised as ``SpecError``."""
    from dryfire_action.visible import visible

    chosen = selection.load(args.paths)
    cases = len(chosen.ids)
    for suite in chosen.suites:
        for warning in suite.warnings:
            console.err(f"warning: {visible(warning)}\n")
    if not chosen.suites:
        console.err("dryfire: there are no suites to check\n")
        return EXIT_USAGE
    suites = len(chosen.suites)
    console.out(f"ok: {suites} suite{'s' * (suites != 1)}, {cases} case{'s' * (cases != 1)}\n")
    return EXIT_PASSED
