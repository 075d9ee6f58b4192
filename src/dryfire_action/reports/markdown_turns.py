"""Turns as a table of markdown: the recorded and the current key of what is not fresh, and which fields differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.reports.markdown_text import code, prose
from dryfire_action.reports.wording import count, equal_fields, without_place
from dryfire_action.results import TO_ASK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Turn = Mapping[str, Any]

_HEAD = ("| case | turn | recorded | current | fields |", "| --- | --- | --- | --- | --- |")
_KEY_SHOWN = 8
_MOST_FIELDS = 8


def turn_rows(document: Mapping[str, Any], *, most: int | None = None) -> list[str]:
    """The table's lines, none where every turn is fresh. Turns in a row with the same changes share one.

    Of more than ``most`` rows the first are there, and a count of the rest.
    """
    rows = list(_rows(document))
    if not rows or most == 0:
        return []
    more = [f"\n… and {count(len(rows) - most, 'more row')}"] if most and len(rows) > most else []
    return [*_HEAD, *rows[:most], *more]


def _rows(document: Mapping[str, Any]) -> Iterator[str]:
    for suite in document["suites"]:
        for case in suite["cases"]:
            name = code(f"{suite['name']}::{case['name']}", cell=True)
            for run in case["runs"]:
                for group in _grouped([turn for turn in run["turns"] if turn["outcome"] in TO_ASK]):
                    place = _place(group, run["index"] if len(case["runs"]) > 1 else None)
                    first = group[0]
                    keys = (_key(first["recorded"]), _key(first["current"]))
                    yield f"| {name} | {place} | {' | '.join(keys)} | {_fields(first)} |"
                    name = ""


def _grouped(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Turns in a row of which the same is to be said."""
    group: list[Turn] = []
    for turn in turns:
        if group and _said(group[-1]) != _said(turn):
            yield group
            group = []
        group.append(turn)
    if group:
        yield group


def _said(turn: Turn) -> tuple[Any, ...]:
    changes = tuple((change["path"], change["old"], change["new"]) for change in turn["changes"])
    return (turn["outcome"], turn["note"], changes)


def _place(group: Sequence[Turn], run: int | None) -> str:
    first, last = group[0], group[-1]
    words = str(first["index"]) + (f", attempt {first['attempt']}" if first["attempt"] else "")
    if last["index"] > first["index"]:
        words = f"{first['index']} to {last['index']}"
    return words if run is None else f"run {run}: {words}"


def _fields(turn: Turn) -> str:
    if turn["outcome"] == "not_reached":
        return "not reached"
    if not turn["changes"]:
        return "missing" + (f": {_cell(prose(without_place(turn['note'])))}" if turn["note"] else "")
    shown = [
        f"{code(change['path'], cell=True)} {change['change']}" for change in turn["changes"][:_MOST_FIELDS]
    ]
    if len(turn["changes"]) > _MOST_FIELDS:
        shown.append(f"and {len(turn['changes']) - _MOST_FIELDS:,} more")
    equal = f" ({equal_fields(turn['equal'], turn['fields'])})" if turn["fields"] else ""
    return ", ".join(shown) + equal


def _cell(markdown: str) -> str:
    return markdown.replace("|", "\\|")


def _key(key: str | None) -> str:
    return code(key[:_KEY_SHOWN]) if key else ""
