"""The state of recordings suite by suite: as lines, as a JSON value, and as a table in markdown."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any

from dryfire_action.reports.lines import columns, line, padded
from dryfire_action.visible import harmless, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dryfire_action.reports.lines import Line, Style
    from dryfire_action.suite_status import SuiteStatus

FORMAT = "dryfire-status/1"
_STATES: dict[str, tuple[str, Style]] = {
    "fresh": ("fresh", "good"),
    "stale": ("stale", "warn"),
    "missing": ("never recorded", "warn"),
    "damaged": ("damaged", "bad"),
    "excluded": ("excluded", "dim"),
    "scripted": ("scripted", "dim"),
}
_COLUMNS = (
    "suite",
    "cases",
    "turns",
    *(word for word, _ in _STATES.values()),
    "oldest",
    "newest",
    "asked",
    "served",
)


def render(
    suites: Sequence[SuiteStatus], *, today: str, shown_path: Callable[[str], str] = str
) -> Iterator[Line]:
    """Two lines a suite: how many and in which state, then how old and of which models."""
    width = max((columns(visible(suite.name)) for suite in suites), default=0)
    for suite in suites:
        pieces: list[str | tuple[str, Style]] = [(padded(visible(suite.name), width), "strong")]
        pieces.append(f"  {_count(suite.cases, 'case')}, {_count(suite.turns, 'turn')}: ")
        pieces += _states(suite)
        pieces.append((f"  {visible(shown_path(suite.file))}", "dim"))
        yield line(*pieces)
        if suite.turns:
            yield line((f"{_age(suite, today)}, {_models(suite)}", "dim"), indent=width + 2)


def document(suites: Sequence[SuiteStatus], *, today: str) -> dict[str, Any]:
    """All of it as a JSON value; dates that are not known are null."""
    return {
        "format": FORMAT,
        "date": today,
        "suites": [
            {**asdict(suite), "oldest": suite.oldest or None, "newest": suite.newest or None}
            for suite in suites
        ],
    }


def markdown(suites: Sequence[SuiteStatus]) -> str:
    """A table, one row a suite."""
    rows = [
        _row(_COLUMNS),
        _row(["---", *("---:" for _ in range(2 + len(_STATES))), *("---" for _ in range(4))]),
    ]
    for suite in suites:
        states = [str(getattr(suite, state)) for state in _STATES]
        models = [", ".join(names) or "-" for names in (suite.asked, suite.served)]
        dates = [suite.oldest or "-", suite.newest or "-"]
        cells = [suite.name, str(suite.cases), str(suite.turns), *states, *dates, *models]
        rows.append(_row(map(_cell, cells)))
    return "".join(rows)


def _states(suite: SuiteStatus) -> Iterator[tuple[str, Style]]:
    separator = ""
    for state, (word, style) in _STATES.items():
        count = getattr(suite, state)
        if count:
            yield f"{separator}{count} {word}", style
            separator = ", "
    if not separator:
        yield "nothing", "dim"


def _age(suite: SuiteStatus, today: str) -> str:
    if not suite.newest:
        return "recorded at an unknown time"
    if suite.oldest == suite.newest:
        return f"recorded {suite.newest}{_days(suite.newest, today)}"
    return f"recorded {suite.oldest}{_days(suite.oldest, today)} to {suite.newest}"


def _days(day: str, today: str) -> str:
    try:
        days = (date.fromisoformat(today) - date.fromisoformat(day)).days
    except ValueError:  # a date that somebody edited, and a digest that somebody made for it
        return ""
    return f" ({_count(days, 'day')} ago)" if days > 0 else ""


def _models(suite: SuiteStatus) -> str:
    asked = ", ".join(map(visible, suite.asked))
    served = ", ".join(visible(model) for model in suite.served if model not in suite.asked)
    beside = f", {_count(suite.beside, 'recording')} of other models beside" if suite.beside else ""
    return f"of {asked}{f' (served by {served})' if served else ''}{beside}"


def _row(cells: Any) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(text: str) -> str:
    text = harmless(visible(text))
    for mark in "\\|`*_<>[]@#":
        text = text.replace(mark, f"\\{mark}" if mark != "@" else "@\N{ZERO WIDTH NON-JOINER}")
    return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
