"""What the base has to do with a result, as lines: what it replays beyond it, and what recordings changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line
from dryfire_action.reports.wording import behaviour, count, headline, not_compared, tally_of
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.behaviour import BehaviourChange
    from dryfire_action.reports.lines import Line
    from dryfire_action.results import Results

_MOST_LISTED = 5


def base_lines(results: Results, *, fancy: bool = True, all_of_it: bool = False) -> Iterator[Line]:
    """Nothing where no comparison was asked for, or where nothing differs."""
    if results.not_compared:
        yield line(("note: ", "warn"), visible(not_compared(results.not_compared)))
    if results.no_longer_replayed:
        # With causes, the headline stands above them.
        if not results.causes:
            yield line((headline(tally_of(results)), "bad"))
        for one in results.no_longer_replayed:
            yield line(("no longer replayed: ", "warn"), f"{visible(one.case)}: {one.sentence}", indent=2)
    if results.behaviour:
        shown = results.behaviour if all_of_it else results.behaviour[:_MOST_LISTED]
        yield line(f"{count(len(results.behaviour), 'recording')} changed since the base:")
        for change in shown:
            yield line((visible(change.case), "strong"), f"  {visible(_sentence(change))}", indent=2)
        if len(shown) < len(results.behaviour):
            dots = "…" if fancy else "..."
            yield line((f"{dots} and {len(results.behaviour) - len(shown):,} more", "dim"), indent=2)


def _sentence(change: BehaviourChange) -> str:
    return behaviour(
        change.kind,
        change.calls_before,
        change.calls_after,
        [difference.what for difference in change.differences],
        (change.tokens_before.total, change.tokens_after.total),
    )
