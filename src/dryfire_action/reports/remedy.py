"""What to do about recordings that are not fresh: the command that helps, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line
from dryfire_action.reports.wording import REKEY, REKEY_COMMAND, cost, meant, only_rules_changed, tally_of
from dryfire_action.results import cost_of
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dryfire_action.reports.lines import Line
    from dryfire_action.results import Results


def remedy_lines(results: Results, lead: str = "") -> Iterator[Line]:
    """The command under ``lead``, and its cost. Where only rules changed it is the one that costs nothing."""
    tally = tally_of(results)
    if only_rules_changed(tally, (cause.note for cause in results.causes)):
        yield line((REKEY, "strong"))
        yield line(REKEY_COMMAND, indent=2, whole=True)
        return
    if results.causes:
        yield line(meant(len(results.causes)))
    if lead:
        yield line((lead, "strong"))
    for command in results.command.split(" && "):
        yield line(visible(command), indent=2, whole=True)
    price = cost_of(results.cases)
    words = cost(price.calls, price.usage.input_tokens, price.usage.output_tokens, tally=tally)
    if words:
        yield line((words, "dim"), indent=2)
