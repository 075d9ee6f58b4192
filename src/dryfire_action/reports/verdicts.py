"""Verdicts as lines of a report: what was asserted and, where it does not hold, what was found instead."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line
from dryfire_action.visible import cut, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dryfire_action.messages import JsonValue
    from dryfire_action.reports.lines import Line
    from dryfire_action.results import Verdict

_MOST_CHARACTERS = 400


def verdict_lines(
    verdicts: Sequence[Verdict],
    *,
    indent: int,
    shown_path: Callable[[str], str] = str,
    fancy: bool = True,
    all_of_it: bool = False,
) -> Iterator[Line]:
    """The verdicts that failed, each with its reason and place; with ``all_of_it`` also those that passed, uncut."""
    for verdict in verdicts:
        if not verdict.passed:
            yield from _failed(verdict, indent, shown_path, fancy, all_of_it)
        elif all_of_it:
            yield line(("✓ " if fancy else "+ ", "good"), visible(verdict.description), indent=indent)


def _failed(
    verdict: Verdict, indent: int, shown_path: Callable[[str], str], fancy: bool, all_of_it: bool
) -> Iterator[Line]:
    def shown(text: str) -> str:
        return text if all_of_it else cut(text, _MOST_CHARACTERS)

    yield line(("✗ " if fancy else "x ", "bad"), (visible(verdict.description), "strong"), indent=indent)
    for row in verdict.message.splitlines():
        yield line(shown(visible(row)), indent=indent + 2)
    for name, value in (("expected", verdict.expected), ("actual", verdict.actual)):
        if value is not None:
            yield line((f"{name:8}  ", "dim"), shown(_text(value)), indent=indent + 2)
    if verdict.place:
        place = f"{visible(shown_path(verdict.place.file))}:{verdict.place.line}"
        yield line((place, "dim"), indent=indent + 2)


def _text(value: JsonValue) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
