"""Explain why recordings are stale: which edit it was, where it stands, how it reads, and what recording again costs.

The cases are replayed from their recordings; old texts are read from git. No key is needed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.errors import EXIT_PASSED, EXIT_RECORDING

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.results import Results


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire explain`` takes."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="SUITE::CASE|PATH",
        help="cases, by their names alone if no other has it, and suite files or patterns (default: all)",
    )
    parser.option("--model", metavar="MODEL", help="the recordings made under `run --model MODEL`")
    parser.epilog = """\
examples:
  dryfire explain                                    everything that is stale
  dryfire explain "refunds::two orders in one mail"  one case
  dryfire explain evals/refunds.eval.yaml            one suite

exit codes: 0 nothing is stale, missing or damaged; 3 something is; 2 as for dryfire run"""


def execute(args: Namespace) -> int:
    """Replay the cases, look for the old texts and print what was found."""
    from dryfire_action.reports import explain, terminal

    paths = [word for word in args.words if _is_path(word)]
    names = [word for word in args.words if not _is_path(word)]
    chosen = selection.load(paths, model=args.model)
    cases = tuple(dict.fromkeys(selection.find_case(name, chosen) for name in names))
    results = _explained(cases, args.model, chosen)
    fancy = console.can_show(terminal.MARKS_TEXT)
    console.show(explain.render(results, shown_path=chosen.shown, fancy=fancy), os.environ)
    return EXIT_RECORDING if results.to_record else EXIT_PASSED


def _is_path(word: str) -> bool:
    """Whether a word means suite files. A case may be called anything, but hardly like a file that is there."""
    if "::" in word:
        return False
    return word.endswith((".yaml", ".yml")) or ("*" in word and "/" in word) or Path(word).exists()


def _explained(cases: Sequence[str], model: str | None, chosen: selection.Selection) -> Results:
    from dryfire_action.explanation import with_explanations
    from dryfire_action.runner import RunOptions, run_suites
    from dryfire_action.tree import FolderTree

    results = run_suites(
        chosen.suites,
        RunOptions(mode="replay", cases=tuple(cases), model=model, cwd=chosen.cwd, allow_empty=True),
        root=chosen.root,
        today="",
        environ={},
    )
    if results.interrupted:
        raise KeyboardInterrupt
    return with_explanations(results, chosen.root, FolderTree(chosen.root))
