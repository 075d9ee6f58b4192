"""What new recordings changed in what the agent does, as lines and as a JSON value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dryfire_action.behaviour import KINDS
from dryfire_action.reports.lines import line
from dryfire_action.reports.redaction import redacted
from dryfire_action.reports.result_json import behaviour_document, gone_document
from dryfire_action.visible import cut, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dryfire_action.behaviour import BehaviourChange, Difference, Kind, NoLongerReplayed
    from dryfire_action.messages import JsonValue
    from dryfire_action.reports.lines import Line, Style
    from dryfire_action.reports.shown import Show

FORMAT = "dryfire-diff/1"
_WORDS: dict[Kind, str] = {
    "tools": "other calls",
    "arguments": "other arguments",
    "termination": "another ending",
    "wording": "other words",
    "new": "new",
}
_MOST_SHOWN = 100


def render(
    changes: Sequence[BehaviourChange],
    gone: Sequence[NoLongerReplayed],
    others: dict[str, Sequence[str]],
    *,
    arrow: str = "->",
) -> Iterator[Line]:
    """Each change with all that differs, then what is no longer replayed, then counts.

    ``others`` are the ids of the cases that did not change, by what is said of them.
    """
    for change in changes:
        style: Style = "good" if change.kind == "new" else "warn"
        yield line(
            (f"{_WORDS[change.kind]:18}", style), (visible(change.case), "strong"), _tokens(change, arrow)
        )
        if change.kind == "new":
            yield line(f"calls {_value(list(change.calls_after))}", indent=4)
        for difference in change.differences:
            yield line((_where(difference), "dim"), difference.what, indent=4)
            yield line(("- ", "bad"), _value(difference.before), indent=6)
            yield line(("+ ", "good"), _value(difference.after), indent=6)
    for one in gone:
        yield line(("no longer replayed", "bad"), "  ", (visible(one.case), "strong"), f"  {one.sentence}")
    if changes or gone:
        yield line()
    words = [
        f"{sum(c.kind == kind for c in changes)} {_WORDS[kind]}" for kind in KINDS if _has(changes, kind)
    ]
    words += [f"{len(gone)} no longer replayed"] if gone else []
    words += [f"{len(ids)} {what}" for what, ids in others.items() if ids]
    cases = len(changes) + len(gone) + sum(map(len, others.values()))
    yield line(f"{cases} case{'s' * (cases != 1)}: {', '.join(words) or 'nothing to compare'}")


def document(
    base: str,
    changes: Sequence[BehaviourChange],
    gone: Sequence[NoLongerReplayed],
    others: dict[str, Sequence[str]],
    *,
    show: Show,
) -> dict[str, Any]:
    """The comparison as a JSON value. Texts and arguments are there only under ``show`` ``all``."""
    found = {
        "format": FORMAT,
        "base": base,
        "changes": [behaviour_document(change, show) for change in changes],
        "no_longer_replayed": [gone_document(one) for one in gone],
        **{what.replace(" ", "_"): list(ids) for what, ids in others.items()},
    }
    return redacted(found)


def _has(changes: Sequence[BehaviourChange], kind: Kind) -> bool:
    return any(change.kind == kind for change in changes)


def _tokens(change: BehaviourChange, arrow: str) -> str:
    before, after = change.tokens_before.total, change.tokens_after.total
    if not before and not after:
        return ""
    return f"  {after:,} tokens" if change.kind == "new" else f"  {before:,} {arrow} {after:,} tokens"


def _where(difference: Difference) -> str:
    run = f"run {difference.run}, " if difference.run else ""
    return f"{run}turn {difference.turn}  "


def _value(value: JsonValue) -> str:
    if value is None or value == []:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(visible(text), _MOST_SHOWN)
