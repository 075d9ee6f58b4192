"""What housekeeping found, or did, as lines: moves, removals with their reasons, and what stays."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dryfire_action.reports.lines import Line

    # path, reason
    Told = tuple[str, str]

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

    ``moves`` are (from, to, reason), ``removals`` and ``kept`` (path, reason).
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


def _grouped(told: Iterable[Told]) -> Iterator[Told]:
    """Many files of one folder that go or stay for one reason are told once."""
    found: dict[tuple[str, str], list[str]] = {}
    for path, reason in told:
        found.setdefault((dirname(path), reason), []).append(path)
    for (folder, reason), paths in found.items():
        if len(paths) > _MANY:
            yield f"{folder}/", f"{len(paths)} files: {reason}"
        else:
            yield from ((path, reason) for path in paths)


def _shown(path: str, shown_path: Callable[[str], str]) -> str:
    return visible(shown_path(path))
