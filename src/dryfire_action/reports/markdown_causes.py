"""Causes as markdown: which edit, where it stands, how it reads, and which cases it made stale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryfire_action.reports.markdown_text import code, fence, html_code, prose
from dryfire_action.reports.markdown_view import first, folded
from dryfire_action.reports.shown import may_hide
from dryfire_action.reports.wording import count, spread

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dryfire_action.reports.markdown_view import Size, View

_MOST_PLACES = 5
_FEW = 3
_KEY_SHOWN = 8


def cause_block(number: int, cause: Mapping[str, Any], show: str, view: View) -> str:
    """A cause with its places, its diff (or its digests) and what is special about it."""
    suites = {case.partition("::")[0] for case in cause["cases"]}
    parts = [
        f"**{number}.** {code(cause['path'])} **{cause['change']}**",
        *(view.place(place) for place in cause["where"][:_MOST_PLACES]),
        *_more_places(len(cause["where"]) - _MOST_PLACES),
        spread(len(cause["cases"]), cause["turns"], len(suites)),
    ]
    found = [" · ".join(parts)]
    if cause["diff"]:
        found.append(_diff(cause["diff"], view.size))
    elif cause["old"] or cause["new"]:
        hidden = " (the text is not shown here)" if may_hide(cause["path"], show) else ""
        found.append(_keys(cause["old"], cause["new"]) + hidden)
    notes = []
    if cause["inside"]:
        notes.append(f"inside: {prose(cause['inside'])}")
    if cause["note"]:
        notes.append(f"note: {prose(cause['note'])}")
    if notes:
        found.append("  \n".join(notes))
    return "\n\n".join(found)


def cases_block(cause: Mapping[str, Any], size: Size) -> str:
    """The names of the cases that a cause made stale, by suite; folded where there are more than a few."""
    by_suite: dict[str, list[str]] = {}
    for case_id in cause["cases"]:
        suite, _, case = case_id.partition("::")
        by_suite.setdefault(suite, []).append(case)
    suites, rest = first(list(by_suite), size.suites)
    numbers = [f"{html_code(suite)} {len(by_suite[suite]):,}" for suite in suites]
    rows = []
    for suite in suites:
        names, others = first(by_suite[suite], size.names)
        rows.append(f"{code(suite)}: {' '.join(map(code, names))}" + (f" {others}" if others else ""))
    if rest:
        numbers.append(rest)
        rows.append(f"{rest} suites")
    if len(cause["cases"]) <= _FEW:
        return "  \n".join(rows)
    return folded(f"{count(len(cause['cases']), 'case')}: {' · '.join(numbers)}", "\n\n".join(rows))


def _diff(text: str, size: Size) -> str:
    if size.only_changed:
        text = "\n".join(row for row in text.split("\n") if row[:1] in ("-", "+", "…"))
    return fence(text, "diff", most_lines=size.lines, most_characters=size.characters)


def _keys(old: str | None, new: str | None) -> str:
    return " → ".join(code(key[:_KEY_SHOWN]) for key in (old, new) if key)


def _more_places(number: int) -> list[str]:
    return [f"and {count(number, 'more place')}"] if number > 0 else []
