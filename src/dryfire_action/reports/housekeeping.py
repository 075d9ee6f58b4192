"""What housekeeping found, or did, as lines: moves, removals with their reasons, and what stays."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dryfire_action.reports.lines import Line

    # path, reason, how many recorded answers there are in it
    Told = tuple[str, str, int]

_MANY = 3


def render(
    moves: Iterable[tuple[str, str, str]],
    removals: Iterable[Told],
    kept: Iterable[Told],
    *,
    done: bool,
    shown_path: Callable[[str], str] = str,
    arrow: str = "->",
) -> Iterator[Line]:
    """The plan as lines; ``done`` says that it was carried out.

    ``moves`` are (from, to, reason), ``removals`` and ``kept`` (path, reason, recorded answers in it).
    """
    verbs = ("moved  ", "deleted") if done else ("move   ", "delete ")
    for source, target, reason in moves:
        places = _shown(source, shown_path)
        if source != target:
            places += f" {arrow} {_shown(target, shown_path)}"
        yield line((f"{verbs[0]}  ", "good"), places)
        yield line((visible(reason), "dim"), indent=9)
    for path, reason in _grouped(removals):
        yield line((f"{verbs[1]}  ", "warn"), _shown(path, shown_path))
        yield line((visible(reason), "dim"), indent=9)
    for path, reason in _grouped(kept):
        yield line(("kept     ", "dim"), _shown(path, shown_path))
        yield line((visible(reason), "dim"), indent=9)


def _grouped(told: Iterable[Told]) -> Iterator[tuple[str, str]]:
    """Path and reason of each; many files of one folder that go or stay for one reason are told once."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for path, reason, answers in told:
        found.setdefault((dirname(path), reason), []).append((path, answers))
    for (folder, reason), files in found.items():
        if len(files) > _MANY:
            total = sum(answers for _, answers in files)
            yield f"{folder}/", f"{len(files)} files: {_with(reason, total)}"
        else:
            yield from ((path, _with(reason, answers)) for path, answers in files)


def _with(reason: str, answers: int) -> str:
    return f"{reason} ({answers} answer{'s' * (answers != 1)})" if answers else reason


def _shown(path: str, shown_path: Callable[[str], str]) -> str:
    return visible(shown_path(path))
