"""Compare the recordings with those of a commit: which tools are called, with which arguments, how runs end, in which
words. Nothing is run and nothing is asked.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.commands import selection
from dryfire_action.commands.arguments import one_of
from dryfire_action.errors import EXIT_PASSED, SpecError, UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from dryfire_action.base import Comparison
    from dryfire_action.commands.arguments import Parser


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire diff`` takes."""
    parser.add_argument(
        "words",
        nargs="*",
        metavar="[BASE] [PATH ...]",
        help="a commit to compare with (default: where this branch left the default branch), then suite files",
    )
    parser.option("--model", metavar="MODEL", help="the recordings made under `run --model MODEL`")
    parser.option("--json", action="store_true", help="print a JSON document instead")
    parser.option(
        "--show",
        metavar="names|prompts|all",
        type=one_of("names", "prompts", "all"),
        default="prompts",
        help="how much text the JSON document holds: answers and arguments only under all",
    )
    parser.epilog = """\
examples:
  dryfire diff                              what this branch changed
  dryfire diff HEAD                         what is not committed yet
  dryfire diff v1.2 evals/refunds.eval.yaml

exit codes: 0 compared, whatever differs; 2 there is nothing to compare with"""


def execute(args: Namespace) -> int:
    """Print what differs, case by case."""
    from dryfire_action.globs import NothingMatched
    from dryfire_action.reports import behaviour
    from dryfire_action.tree import find_root
    from dryfire_action.visible import visible

    base, name, paths = _base(args.words, find_root(Path.cwd()))
    try:
        chosen = selection.load(paths, model=args.model)
    except NothingMatched as error:
        if paths and paths == args.words and paths[0] in error.message:
            shown = visible(paths[0])
            raise UsageError(
                f"{shown} is neither a commit nor a suite file", remedy="Name a commit: dryfire diff HEAD"
            ) from None
        raise
    found = _compared(base, chosen, args.model)
    others: dict[str, Sequence[str]] = {
        "unchanged": found.unchanged,
        "not recorded": found.unrecorded,
        "damaged": found.damaged,
    }
    if args.json:
        import json

        document = behaviour.document(base, found.changes, found.gone, others, show=args.show)
        console.out(json.dumps(document, indent=1) + "\n")
        return EXIT_PASSED
    console.out(f"compared with {name}\n\n")
    arrow = "→" if console.can_show("→") else "->"
    console.show(behaviour.render(found.changes, found.gone, others, arrow=arrow), os.environ)
    return EXIT_PASSED


def _base(words: Sequence[str], root: Path) -> tuple[str, str, Sequence[str]]:
    """The id of the commit that is meant, how to call it, and the paths.

    As git does, a first word that names a commit is one.
    """
    from dryfire_action.base import default_base
    from dryfire_action.comparison import why_none
    from dryfire_action.git_log import NO_REPOSITORY, repository
    from dryfire_action.git_objects import GitObjects
    from dryfire_action.visible import visible

    place = repository(root)
    if place is None:
        raise UsageError(f"nothing to compare with: {NO_REPOSITORY}")
    if words:
        with GitObjects(root) as objects:
            commit = objects.commit(words[0])
        if commit is not None:
            return commit.oid, visible(words[0]), words[1:]
    found = default_base(root)
    if found is None:
        raise UsageError(
            f"nothing to compare with: {why_none(root, shallow=place.shallow)}",
            remedy="Name a commit: dryfire diff HEAD",
        )
    with GitObjects(root) as objects:
        head = objects.commit("HEAD")
    is_head = head is not None and head.oid == found
    where = "the commit that is checked out" if is_head else "where this branch left the default branch"
    return found, f"{found[:12]}, {where}", words


def _compared(base: str, chosen: selection.Selection, model: str | None) -> Comparison:
    from dryfire_action.comparison import compare
    from dryfire_action.git_log import repository
    from dryfire_action.runner import RunOptions

    place = repository(chosen.root)
    try:
        return compare(
            base,
            chosen.suites,
            RunOptions(model=model, cwd=chosen.cwd),
            root=chosen.root,
            prefix=place.prefix if place else "",
            patterns=chosen.patterns,
        )
    except SpecError as error:
        where = error.problems[0].place
        raise UsageError(
            f"the suites of {base[:12]} cannot be read: {where}: {error.problems[0].message}",
            remedy="Compare with another commit.",
        ) from None
