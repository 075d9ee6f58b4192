"""Write a small project: a config, a suite of three cases and its prompt file. It runs without a key."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.errors import EXIT_PASSED, UsageError

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser

# The files of the project, as they stand in the package's folder `scaffold`.
FILES = ("dryfire.yaml", "evals/support.eval.yaml", "evals/prompts/support.md")


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire init`` takes."""
    parser.option(
        "--dir", metavar="DIR", default=".", help="where to (default: here); made if it is not there"
    )
    parser.option("--force", action="store_true", help="overwrite files that are there")
    parser.epilog = """\
examples:
  dryfire init
  dryfire init --dir packages/support

exit codes: 0 written, 2 a file is in the way"""


def execute(args: Namespace) -> int:
    """Write the files; refuse, before the first is written, if any is there and ``--force`` is not."""
    folder = Path(args.dir)
    there = [name for name in FILES if os.path.lexists(folder / name)]
    odd = [name for name in there if (folder / name).is_symlink() or not (folder / name).is_file()]
    if odd:
        raise UsageError(f"in the way, and no plain file: {', '.join(odd)}")
    if there and not args.force:
        raise UsageError(
            f"already there: {', '.join(there)}",
            remedy="Nothing was written. --force overwrites these files.",
        )
    try:
        for name in FILES:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(template(name))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written to: {error.strerror or error}") from None
    console.out("".join(f"wrote {(folder / name).as_posix()}\n" for name in FILES) + _next(folder))
    return EXIT_PASSED


def template(name: str) -> bytes:
    """The content of one file of the project."""
    from importlib.resources import files

    return files("dryfire_action").joinpath("scaffold", *name.split("/")).read_bytes()


def _next(folder: Path) -> str:
    there = f"  cd {shlex.quote(folder.as_posix())}\n" if folder.resolve() != Path.cwd().resolve() else ""
    return f"""
Next:
{there}  dryfire run --cassette-mode record     record the answers, once
  dryfire run                            replay them: no key, no network, the same every time
  git add dryfire.yaml evals .dryfire    and commit them

Then edit evals/prompts/support.md and replay again: the report names the field that changed.
"""
