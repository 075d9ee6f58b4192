"""The command line that records again what a run found stale, missing or damaged, and nothing else."""

from __future__ import annotations

import shlex
from posixpath import relpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dryfire_action.results import CaseResult
    from dryfire_action.suite import Case, Suite


def rerecord_command(
    chosen: Sequence[tuple[Suite, Case]],
    found: Mapping[int, CaseResult],
    cwd: str = "",
    model: str | None = None,
) -> str:
    """The command line that records just what is stale, missing or damaged among ``found``; "" where nothing is.

    ``auto`` serves every turn that is still right, so whole suite files may be named; a damaged file is only replaced
    by ``record``, and that names its cases. ``cwd`` is the folder it will be called in, ``model`` that of ``--model``.
    """
    stale: dict[str, None] = {}
    damaged: dict[str, list[str]] = {}
    for number in sorted(found):
        suite, case = chosen[number]
        if found[number].outcome in ("stale", "missing"):
            stale[suite.file] = None
        elif found[number].outcome == "damaged":
            damaged.setdefault(suite.file, []).append(case.id)
    override = option_words("--model", model) if model else []
    commands = []
    if stale:
        commands.append(["dryfire", "run", *_from(cwd, stale), *override, "--cassette-mode", "auto"])
    if damaged:
        cases = [
            part for ids in damaged.values() for case_id in ids for part in option_words("--case", case_id)
        ]
        commands.append(
            ["dryfire", "run", *_from(cwd, damaged), *cases, *override, "--cassette-mode", "record"]
        )
    return " && ".join(shlex.join(command) for command in commands)


def _from(cwd: str, files: Mapping[str, object]) -> list[str]:
    paths = (relpath(file, cwd) if cwd else file for file in files)
    return [path_word(path) for path in paths]


def path_word(path: str) -> str:
    """A path as a word of a command line: none is taken for an option."""
    return f"./{path}" if path.startswith("-") else path


def option_words(name: str, value: str) -> list[str]:
    """An option with its value, as words of a command line."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]
