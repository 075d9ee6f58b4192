"""Causes as lines of a report: which edit, how far it reaches, where it stands and how it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line
from dryfire_action.reports.turns import digests
from dryfire_action.reports.wording import count, spread, without_old_text
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dryfire_action.causes import Cause
    from dryfire_action.reports.lines import Line, Style
    from dryfire_action.text_diff import DiffLine

_MOST_CAUSES = 20
_MOST_PLACES = 5
_MOST_DIFF_LINES = 14
_STYLES: dict[str, tuple[Style, Style]] = {"-": ("old", "old word"), "+": ("new", "new word")}


def cause_lines(
    causes: Sequence[Cause],
    *,
    history: str,
    shown_path: Callable[[str], str] = str,
    fancy: bool = True,
    all_of_it: bool = False,
) -> Iterator[Line]:
    """Each cause as a block, numbered from 1, and ``history`` in a sentence; without ``all_of_it`` lists are cut."""
    shown = causes if all_of_it else causes[:_MOST_CAUSES]
    for number, cause in enumerate(shown, 1):
        yield from _block(number, cause, shown_path, fancy, all_of_it)
        yield line()
    if len(shown) < len(causes):
        yield line((f"{_dots(fancy)} and {count(len(causes) - len(shown), 'more change')}", "dim"))
    if history:
        yield line((visible(without_old_text(history)), "dim"))
    if len(shown) < len(causes) or history:
        yield line()


def _block(
    number: int, cause: Cause, shown_path: Callable[[str], str], fancy: bool, all_of_it: bool
) -> Iterator[Line]:
    suites = {case.partition("::")[0] for case in cause.cases}
    yield line(
        f"{number}. ",
        (visible(cause.path), "strong"),
        f" {cause.change}",
        (f"  {spread(len(cause.cases), cause.turns, len(suites))}", "dim"),
    )
    places = cause.where if all_of_it else cause.where[:_MOST_PLACES]
    for place in places:
        yield line(f"{visible(shown_path(place.file))}:{place.line}", indent=3)
    if len(places) < len(cause.where):
        more = count(len(cause.where) - len(places), "more place")
        yield line((f"{_dots(fancy)} and {more}", "dim"), indent=3)
    if cause.diff:
        yield from diff_lines(cause.diff, indent=3, fancy=fancy, all_of_it=all_of_it)
    else:
        yield line((digests(cause.old, cause.new), "dim"), indent=3)
    for name, text in (("inside", cause.inner), ("note", cause.note)):
        if text:
            yield line((f"{name}: ", "warn"), visible(text), indent=3)


def diff_lines(
    diff: Sequence[DiffLine], *, indent: int, fancy: bool = True, all_of_it: bool = False
) -> Iterator[Line]:
    """A diff with the changed words marked, as far as the output has colours."""
    shown = diff if all_of_it or len(diff) <= _MOST_DIFF_LINES + 1 else diff[:_MOST_DIFF_LINES]
    for each in shown:
        if each.sign == "…":
            yield line((f"  {_dots(fancy)} {each.text}", "dim"), indent=indent)
        else:
            yield line(*_pieces(each), indent=indent, hang=2)
    if len(shown) < len(diff):
        yield line((f"  {_dots(fancy)} {count(len(diff) - len(shown), 'more line')}", "dim"), indent=indent)


def _pieces(each: DiffLine) -> Iterator[tuple[str, Style]]:
    whole, word = _STYLES.get(each.sign, ("", ""))
    yield f"{each.sign} ", whole
    at = 0
    for start, end in each.changed:
        yield visible(each.text[at:start]), whole
        yield visible(each.text[start:end]), word
        at = end
    yield visible(each.text[at:]), whole


def _dots(fancy: bool) -> str:
    return "…" if fancy else "..."
