"""Write a small project: a config, a suite of three cases and its prompt file. It runs without a key."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from dryfire_action import console
from dryfire_action.errors import EXIT_PASSED, UsageError
from dryfire_action.hook_config import (
    HOOK_CONFIG,
    HOOKS,
    PREK_CONFIG,
    REVISION,
    new_config,
    toml_entry,
    with_hooks,
)
from dryfire_action.tree import find_root

if TYPE_CHECKING:
    from argparse import Namespace

    from dryfire_action.commands.arguments import Parser

# The files of the project. In the package's folder `scaffold` their names end in .txt: there they are no project.
FILES = ("dryfire.yaml", "evals/support.eval.yaml", "evals/prompts/support.md")


def arguments(parser: Parser) -> None:
    """Declare what ``dryfire init`` takes."""
    parser.option(
        "--dir", metavar="DIR", default=".", help="where to (default: here); made if it is not there"
    )
    parser.option("--force", action="store_true", help="overwrite files that are there")
    parser.option(
        "--hooks",
        action="store_true",
        help="only add the hooks to the repository's .pre-commit-config.yaml, and make one where there is none",
    )
    parser.option("--no-hooks", action="store_true", help="leave .pre-commit-config.yaml alone")
    parser.epilog = """\
A .pre-commit-config.yaml that is there gets the hooks, and keeps everything else as it is.

examples:
  dryfire init
  dryfire init --dir packages/support
  dryfire init --hooks                  guard the recordings of any tool

exit codes: 0 written, 2 a file is in the way, or the hooks could not be added"""


def execute(args: Namespace) -> int:
    """Write the files; refuse, before the first is written, if any is there and ``--force`` is not."""
    folder = Path(args.dir)
    if args.hooks:
        if args.no_hooks:
            raise UsageError("--hooks and --no-hooks contradict each other")
        return _hooks_only(folder)
    there = [name for name in FILES if os.path.lexists(folder / name)]
    odd = [name for name in there if (folder / name).is_symlink() or not (folder / name).is_file()]
    if odd:
        raise UsageError(f"in the way, and no plain file: {', '.join(odd)}")
    if there and not args.force:
        raise UsageError(
            f"already there: {', '.join(there)}",
            remedy="Nothing was written. --force overwrites these files; --hooks only adds the hooks for commits.",
        )
    try:
        for name in FILES:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(template(name))
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written to: {error.strerror or error}") from None
    console.out("".join(f"wrote {(folder / name).as_posix()}\n" for name in FILES))
    if not args.no_hooks:
        try:
            console.out(_hooks_added(folder, HOOKS, makes=False))
        except UsageError as error:
            # The project is whole without them.
            console.err(f"{error}\n")
    console.out(_next(folder))
    return EXIT_PASSED


def _hooks_only(folder: Path) -> int:
    """Add the hooks: all of them where there are suites, else the one that is for recordings of any tool."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    root = find_root(folder.resolve())
    has_suites = any((place / "dryfire.yaml").is_file() for place in (folder, root))
    console.out(_hooks_added(folder, HOOKS if has_suites else HOOKS[:1], makes=True))
    console.out("\nNext: pre-commit install (or prek install), once for each clone.\n")
    return EXIT_PASSED


def _hooks_added(folder: Path, hooks: tuple[str, ...], *, makes: bool) -> str:
    """Add the hooks to the repository's config, and say what was done."""
    target = find_root(folder.resolve()) / HOOK_CONFIG
    shown = Path(os.path.relpath(target)).as_posix()
    if not os.path.lexists(target):
        if (target.parent / PREK_CONFIG).is_file():
            return f"{PREK_CONFIG} is yours to edit; the hooks are:\n\n{toml_entry(hooks)}"
        if not makes:
            return ""
        _write(target, new_config(hooks))
        return f"wrote {shown}: {', '.join(hooks)}\n"
    if target.is_symlink() or not target.is_file():
        raise UsageError(f"{shown}: no plain file, so the hooks were not added")
    try:
        text = target.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"{shown}: {why}, so the hooks were not added") from None
    added = with_hooks(text, hooks)
    if added.hooks:
        _write(target, added.text)
    said = f"added to {shown}: {', '.join(added.hooks)}\n" if added.hooks else f"{shown}: has the hooks\n"
    if added.revision not in (None, REVISION):
        said += f"{shown}: pinned to {added.revision}; this is {REVISION}: pre-commit autoupdate\n"
    return said


def _write(target: Path, text: str) -> None:
    from dryfire_action.cassette_store import replace_file

    try:
        mode = target.stat().st_mode if target.exists() else None
        replace_file(target, text.encode())
        if mode is not None:
            target.chmod(mode)
    except OSError as error:
        raise UsageError(f"{target.name}: cannot be written: {error.strerror or error}") from None


def template(name: str) -> bytes:
    """The content of one file of the project."""
    from importlib.resources import files

    return files("dryfire_action").joinpath("scaffold", *f"{name}.txt".split("/")).read_bytes()


def _next(folder: Path) -> str:
    there = f"  cd {shlex.quote(folder.as_posix())}\n" if folder.resolve() != Path.cwd().resolve() else ""
    return f"""
Next:
{there}  dryfire run --cassette-mode record     record the answers, once
  dryfire run                            replay them: no key, no network, the same every time
  git add dryfire.yaml evals .dryfire    and commit them

Then edit evals/prompts/support.md and replay again: the report names the field that changed.
"""
