"""What new recordings changed in what the agent does, as markdown: by kind, what weighs most first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dryfire_action.behaviour import KINDS
from dryfire_action.reports.markdown_text import code, fence, prose
from dryfire_action.reports.markdown_view import first, folded, shortened
from dryfire_action.reports.wording import count
from dryfire_action.visible import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dryfire_action.behaviour import Kind
    from dryfire_action.reports.markdown_view import Size, View

    Change = Mapping[str, Any]

_TITLES: dict[Kind, str] = {
    "tools": "Other tools called",
    "arguments": "The same tools, other arguments",
    "termination": "Another ending",
    "wording": "Wording only",
    "new": "New",
}
# Of these there is most to be said; the others are opened by a click.
_OPEN: frozenset[Kind] = frozenset({"tools", "arguments", "termination"})
_MOST_CALLS = 12
_MOST_VALUE = 4_000


def sections(document: Mapping[str, Any], view: View) -> Iterator[str]:
    """One closed piece of markdown for each kind of change there is, and one for all tokens."""
    changes: Sequence[Change] = document["behaviour"] or ()
    for kind in KINDS:
        found = [change for change in changes if change["kind"] == kind]
        if found:
            yield _section(kind, found, view.size)
    spent = _spent(changes)
    if spent:
        yield spent


def gone_section(document: Mapping[str, Any], view: View) -> Iterator[str]:
    """What the base replays and this does not, if there is any."""
    gone = document["no_longer_replayed"]
    if gone:
        rows = (f"- {code(one['case'])}: {prose(one['text'])}" for one in gone)
        shown = shortened(rows, view.size.rows, "case")
        yield f"**No longer replayed**, and replayed at the base: {count(len(gone), 'case')}\n\n" + "\n".join(
            shown
        )


def _section(kind: Kind, changes: Sequence[Change], size: Size) -> str:
    title = f"{_TITLES[kind]}: {count(len(changes), 'case')}"
    shown, rest = first(changes, size.rows)
    rows = [_row(kind, change) for change in shown]
    if rest:
        rows.append(f"- {rest}")
    body = "\n".join(rows)
    texts = [text for change in shown for text in _texts(change, size)]
    if kind in _OPEN:
        found = [f"**{title}**\n\n{body}"]
        if texts:
            found.append(folded("Before and after", "\n\n".join(texts)))
        return "\n\n".join(found)
    return folded(title, "\n\n".join((body, *texts)))


def _row(kind: Kind, change: Change) -> str:
    parts = []
    if kind == "tools":
        parts.append(f"{_calls(change['calls_before'])} → {_calls(change['calls_after'])}")
    elif kind == "arguments":
        parts.append(f"arguments of {', '.join(map(code, _named(change)))}")
    elif kind == "termination":
        ends = [one for one in change["differences"] if one["what"] == "stop_reason"]
        parts += [f"{_end(one['before'])} → {_end(one['after'])}" for one in ends[-1:]]
    elif kind == "new":
        parts.append(f"calls {_calls(change['calls_after'])}")
    parts += _tokens(change)
    return f"- {code(change['case'])}" + (f": {' · '.join(parts)}" if parts else "")


def _named(change: Change) -> list[str]:
    """The tools whose arguments differ."""
    whats = (one["what"] for one in change["differences"])
    return list(dict.fromkeys(what.removeprefix("arguments of ") for what in whats if what[:4] == "argu"))


def _calls(names: Sequence[str]) -> str:
    if not names:
        return "no tool"
    shown, rest = first([code(name) for name in names], _MOST_CALLS)
    return ", ".join(shown) + (f" {rest}" if rest else "")


def _end(reason: object) -> str:
    return code(reason) if isinstance(reason, str) else "no such turn"


def _tokens(change: Change) -> list[str]:
    before, after = (sum(change[name].values()) for name in ("tokens_before", "tokens_after"))
    if not before and not after:
        return []
    return [f"{after:,} tokens" if not before else f"{before:,} → {after:,} tokens"]


def _spent(changes: Sequence[Change]) -> str:
    """All tokens of the recordings that changed, before and after."""
    both = [change for change in changes if change["kind"] != "new"]
    before, after = (
        {kind: sum(change[name][kind] for change in both) for kind in ("input", "output")}
        for name in ("tokens_before", "tokens_after")
    )
    if not sum(before.values()) and not sum(after.values()):
        return ""
    words = (
        f"input {before['input']:,} → {after['input']:,}, output {before['output']:,} → {after['output']:,}"
    )
    return f"<sub>Tokens of the recordings that changed: {words}</sub>"


def _texts(change: Change, size: Size) -> Iterator[str]:
    """The two texts of each difference, where the document holds them; names of tools stand in the row already."""
    for one in change["differences"]:
        before, after = one["before"], one["after"]
        if (before is None and after is None) or one["what"] in ("tools", "stop_reason"):
            continue
        rows = [f"{sign} {row}" for sign, value in (("-", before), ("+", after)) for row in _rows(value)]
        run = f"run {one['run']}, " if one["run"] else ""
        place = f"{code(change['case'])}, {run}turn {one['turn']}, {prose(one['what'])}"
        shown = fence("\n".join(rows), "diff", most_lines=size.lines, most_characters=size.characters)
        yield f"{place}\n\n{shown}"


def _rows(value: object) -> list[str]:
    if value is None:
        return []
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(text, _MOST_VALUE).split("\n")
