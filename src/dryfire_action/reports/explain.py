"""Why recordings are stale, in full: each edit with its text, each case with its edits, the remedy and its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.reports.causes import cause_lines
from dryfire_action.reports.lines import line, with_shown_path
from dryfire_action.reports.remedy import remedy_lines
from dryfire_action.reports.turns import missing_lines, place_words
from dryfire_action.reports.wording import count, equal_fields, headline, tally_of
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dryfire_action.reports.lines import Line
    from dryfire_action.results import CaseResult, Results


def render(results: Results, *, shown_path: Callable[[str], str] = str, fancy: bool = True) -> Iterator[Line]:
    """The explanation as lines. Nothing is cut."""
    if not results.to_record:
        checked = count(results.checked, "case")
        yield line(
            ("Nothing is stale: ", "good"), f"{checked} replayed from {_its(results.checked)} recordings"
        )
        return
    yield line((headline(tally_of(results)), "strong"))
    yield line()
    yield from cause_lines(
        results.causes, history=results.history, shown_path=shown_path, fancy=fancy, all_of_it=True
    )
    for case in results.to_record:
        yield from _case(
            case, shown_path, [n for n, cause in enumerate(results.causes, 1) if case.id in cause.cases]
        )
    yield line()
    yield from remedy_lines(results)


def _case(case: CaseResult, shown_path: Callable[[str], str], causes: list[int]) -> Iterator[Line]:
    numbers = f"  {'cause' if len(causes) == 1 else 'causes'} {', '.join(map(str, causes))}" if causes else ""
    yield line((visible(case.id), "strong"), f"  {case.outcome}{numbers}")
    for text in (case.error, case.remedy):
        for row in with_shown_path(text, case.cassette, shown_path).splitlines():
            yield line(visible(row), indent=2)
    run = next((run for run in case.runs if run.misses), None)
    if run is None:
        return
    stale = next((turn for turn in run.turns if turn.outcome == "stale"), None)
    if stale is not None:
        where = f"run {run.index}, " if len(case.runs) > 1 else ""
        words = f"stale from {where}{place_words(stale)}: {equal_fields(stale.equal, stale.fields)}"
        yield line((words, "dim"), indent=2)
    yield from missing_lines(run, indent=2)


def _its(cases: int) -> str:
    return "its" if cases == 1 else "their"
