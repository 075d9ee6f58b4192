"""Turns as lines of a report: which went stale and why, and what was said in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line, padded
from dryfire_action.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dryfire_action.agent import Turn
    from dryfire_action.field_changes import FieldChange
    from dryfire_action.messages import JsonValue
    from dryfire_action.reports.lines import Line, Style
    from dryfire_action.results import RunResult, TurnResult

_KEY_SHOWN = 8
_MOST_TURNS = 8
_MOST_FIELDS = 12
_STYLES: dict[str, Style] = {"stale": "warn", "missing": "warn", "failed": "bad"}


def told_lines(run: RunResult, *, indent: int, key: bool = False) -> Iterator[Line]:
    """Everything about the turns of ``run``: what became of each, its field changes, and what was said in it."""
    answered = {turn.index: turn for turn in run.trace.turns} if run.trace else {}
    last_attempts = {turn.index: turn.attempt for turn in run.turns}
    for told in run.turns:
        yield turn_line(told, indent=indent, key=key)
        yield from change_lines(told.changes, indent=indent + 4, all_of_it=True)
        turn = answered.get(told.index) if told.attempt == last_attempts[told.index] else None
        if turn:
            yield from _numbers(turn, indent=indent + 2)
            yield from said_lines(turn, indent=indent + 2)


def miss_lines(run: RunResult, *, indent: int) -> Iterator[Line]:
    """What is stale, missing or not reached in ``run``: each turn with its keys, then its field changes.

    Turns with the same changes as one before refer to it. Long lists are cut with a count.
    """
    turns = [turn for turn in run.turns if turn.outcome in ("stale", "missing", "not_reached")]
    shown = turns[:_MOST_TURNS]
    seen: dict[tuple[FieldChange, ...], TurnResult] = {}
    for turn in shown:
        before = seen.get(turn.changes) if turn.changes else None
        seen.setdefault(turn.changes, turn)
        yield turn_line(turn, indent=indent, same_as=before)
        if before is None:
            yield from change_lines(turn.changes, indent=indent + 4)
    if len(turns) > len(shown):
        yield line((f"… and {_count(len(turns) - len(shown), 'more turn')}", "dim"), indent=indent)


def turn_line(turn: TurnResult, *, indent: int, same_as: TurnResult | None = None, key: bool = False) -> Line:
    """A turn's place, what became of it and, where it is stale, the recorded and the current key.

    With ``key`` the key of any other turn is shown too; ``same_as`` is a turn with the same field changes.
    """
    words: list[str | tuple[str, Style]] = [
        f"{_place(turn)}: ",
        (turn.outcome.replace("_", " "), _STYLES.get(turn.outcome, "dim")),
    ]
    if turn.outcome == "stale" and turn.recorded and turn.current:
        words.append(f"  {turn.recorded[:_KEY_SHOWN]} -> {turn.current[:_KEY_SHOWN]}")
    elif turn.note:
        words.append(f"  {visible(_without_place(turn.note))}")
    elif key and (turn.current or turn.recorded):
        words.append((f"  {(turn.current or turn.recorded or '')[:_KEY_SHOWN]}", "dim"))
    if same_as is not None:
        words.append((f"  (same changes as {_place(same_as)})", "dim"))
    return line(*words, indent=indent)


def change_lines(changes: Sequence[FieldChange], *, indent: int, all_of_it: bool = False) -> Iterator[Line]:
    """The field changes, one a line: path, what happened, short digests before and after."""
    shown = changes if all_of_it else changes[:_MOST_FIELDS]
    paths = [visible(change.path) for change in shown]
    width = min(max(map(len, paths), default=0), 48)
    for path, change in zip(paths, shown, strict=True):
        yield line(
            (padded(path, width), "strong"),
            f"  {change.change:9}",
            (f"  {_digests(change)}", "dim"),
            indent=indent,
        )
    if len(changes) > len(shown):
        yield line((f"… and {_count(len(changes) - len(shown), 'more field')}", "dim"), indent=indent)


def said_lines(turn: Turn, *, indent: int) -> Iterator[Line]:
    """What was said in one answered turn: the text, then each call with its result."""
    response = turn.response
    if response.text is not None:
        yield from _block("answer", response.text, indent)
    for number, call in enumerate(response.tool_calls):
        arguments = call.malformed_arguments
        shown = _json(call.arguments) if arguments is None else f"malformed: {visible(arguments)}"
        yield line("call    ", (visible(call.name), "strong"), f" {shown}", indent=indent)
        if number < len(turn.results):
            result = turn.results[number]
            text = result.content if isinstance(result.content, str) else _json(result.content)
            yield from _block("error" if result.is_error else "result", text, indent)
        else:
            yield line(("result  none: this call was not answered", "dim"), indent=indent)


def _numbers(turn: Turn, *, indent: int) -> Iterator[Line]:
    usage, response = turn.response.usage, turn.response
    words = []
    if usage.total:
        words.append(f"{usage.input_tokens:,} + {usage.output_tokens:,} tokens")
    if response.latency_ms:
        words.append(f"{response.latency_ms:,} ms")
    if response.model_served:
        words.append(f"answered by {visible(response.model_served)}")
    if response.stop_reason not in ("end_turn", "tool_use"):
        words.append(f"stopped for {visible(response.stop_reason)}")
    if words:
        yield line((", ".join(words), "dim"), indent=indent)


def _block(name: str, text: str, indent: int) -> Iterator[Line]:
    """A text of any length under a name; several lines stand behind a bar, so that they cannot pass for ours."""
    rows = text.splitlines() or [""]
    style: Style = "bad" if name == "error" else ""
    for number, row in enumerate(rows):
        lead = f"{name:8}" if number == 0 else " " * 8
        yield line((lead, style), "| " if len(rows) > 1 else "", visible(row), indent=indent)


def _json(value: JsonValue) -> str:
    return visible(json.dumps(value, ensure_ascii=False))


def _place(turn: TurnResult) -> str:
    return f"turn {turn.index}" + (f", attempt {turn.attempt}" if turn.attempt else "")


def _without_place(note: str) -> str:
    """A miss's sentence begins with its place, which stands in front of it already."""
    place, _, rest = note.partition(": ")
    return rest if rest and place.startswith(("run ", "turn ")) else note


def _digests(change: FieldChange) -> str:
    old, new = ((digest or "")[:_KEY_SHOWN] for digest in (change.old, change.new))
    return f"{old} -> {new}" if old and new else old or new


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
