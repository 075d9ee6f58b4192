"""Which suites a verb is about: the files named on the command line, or those that ``dryfire.yaml`` names."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from dryfire_action.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dryfire_action.commands.arguments import Parser
    from dryfire_action.errors import Problem, SpecError
    from dryfire_action.suite import Suite

_MOST_NAMED = 5
PATHS_HELP = "suite files, or patterns such as 'evals/**/*.eval.yaml' (default: `suites:` in dryfire.yaml)"


def problem_report(error: SpecError) -> str:
    """Everything that is wrong, with files as seen from the current folder, and a count at the end."""
    from dryfire_action.problems_text import format_problems
    from dryfire_action.tree import find_root

    here = Path.cwd()
    cwd = _inside(here, find_root(here))

    def moved(problem: Problem) -> Problem:
        return replace(problem, place=replace(problem.place, file=seen_from(cwd, problem.place.file)))

    return f"{format_problems(map(moved, error.problems))}\n\n{error.message}"


def seen_from(cwd: str, path: str) -> str:
    """A path of a tree as seen from its folder ``cwd``."""
    return PurePosixPath(os.path.relpath(path, cwd)).as_posix() if cwd and path else path


@dataclass(frozen=True, slots=True)
class Selection:
    """The suites, the root of the tree they were read from, and the folder the command was called in.

    ``patterns`` are those that the suites were named by, relative to ``cwd``.
    """

    suites: tuple[Suite, ...]
    root: Path
    cwd: str
    patterns: tuple[str, ...] = ()

    def shown(self, path: str) -> str:
        """A path of the tree as seen from the folder the command was called in."""
        return seen_from(self.cwd, path)

    @property
    def ids(self) -> list[str]:
        """``suite::case`` of every case, in order."""
        return [case.id for suite in self.suites for case in suite.cases]


def add_paths(parser: Parser, meaning: str = PATHS_HELP) -> None:
    """Let ``parser`` take suite files."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help=meaning)


def here() -> tuple[Path, Callable[[str], str]]:
    """The root of the tree of the current folder, and what shows a path of the tree as seen from that folder."""
    from dryfire_action.tree import find_root

    cwd = Path.cwd()
    root = find_root(cwd)
    return root, partial(seen_from, _inside(cwd, root))


def load(
    paths: Sequence[str], *, model: str | None = None, environ: Mapping[str, str] | None = None
) -> Selection:
    """Load the suites that ``paths`` name. Raises ``SpecError`` with every problem, and ``UsageError``."""
    from dryfire_action.suite_file import load_suites
    from dryfire_action.tree import FolderTree, find_root

    here = Path.cwd()
    root = find_root(here)
    cwd = _inside(here, root)
    patterns = tuple(_relative(path, here) for path in paths)
    suites = load_suites(FolderTree(root), patterns, cwd=cwd, environ=environ, model=model)
    return Selection(suites, root, cwd, patterns)


def find_case(asked: str, chosen: Selection) -> str:
    """The id of the case that ``asked`` names, in full or by its name alone. Raises ``UsageError`` for no such case."""
    from dryfire_action.visible import closest, visible

    ids = chosen.ids
    if asked in ids:
        return asked
    shown = visible(asked)
    named = [case.id for suite in chosen.suites for case in suite.cases if case.name == asked]
    if len(named) == 1:
        return named[0]
    if named:
        raise UsageError(f"several cases are called {shown!r}", remedy=f"Say which: {', '.join(named)}")
    names = [case.name for suite in chosen.suites for case in suite.cases]
    meant = closest(asked, ids) or closest(asked, names)
    near = [case_id for case_id in ids if asked.casefold() in case_id.casefold()] or ids
    rest = f" and {len(near) - _MOST_NAMED} more" if len(near) > _MOST_NAMED else ""
    raise UsageError(
        f"no case is called {shown!r}{meant}", remedy=f"There is {', '.join(near[:_MOST_NAMED])}{rest}."
    )


def _inside(here: Path, root: Path) -> str:
    inside = here.resolve().relative_to(root.resolve()).as_posix()
    return "" if inside == "." else inside


def _relative(path: str, here: Path) -> str:
    """An absolute path, as a shell or an editor may give it, as seen from ``here``."""
    text = path.replace(os.sep, "/")
    if not Path(path).is_absolute():
        return text
    try:
        return Path(os.path.relpath(path, here)).as_posix()
    except ValueError:  # another drive
        raise UsageError(f"{path} is not in this repository") from None
