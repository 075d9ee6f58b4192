"""Turns as lines of a report: which went stale and why, and what was said in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dryfire_action.reports.lines import line, padded
from dryfire_action.reports.wording import NOT_REACHED, count, equal_fields, without_place
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
_STYLES: dict[str, Style] = {"stale": "warn", "missing": "warn", "failed": "bad"}


def told_lines(run: RunResult, *, indent: int, key: bool = False) -> Iterator[Line]:
    """Everything about the turns of ``run``: what became of each, its field changes, and what was said in it."""
    answered = {turn.index: turn for turn in run.trace.turns} if run.trace else {}
    last_attempts = {turn.index: turn.attempt for turn in run.turns}
    for told in run.turns:
        yield turn_line(told, indent=indent, key=key)
        yield from change_lines(told.changes, indent=indent + 4)
        turn = answered.get(told.index) if told.attempt == last_attempts[told.index] else None
        if turn:
            yield from _numbers(turn, indent=indent + 2)
            yield from said_lines(turn, indent=indent + 2)


def missing_lines(run: RunResult, *, indent: int) -> Iterator[Line]:
    """What no cause can tell: the turns of ``run`` for which nothing is recorded, and how many were not reached."""
    turns = [turn for turn in run.turns if turn.outcome == "missing"]
    for turn in turns[:_MOST_TURNS]:
        yield turn_line(turn, indent=indent)
    if len(turns) > _MOST_TURNS:
        yield line((f"… and {count(len(turns) - _MOST_TURNS, 'more turn')}", "dim"), indent=indent)
    unreached = sum(turn.outcome == "not_reached" for turn in run.turns)
    if unreached:
        words = f"{count(unreached, 'recorded turn')} not reached: {NOT_REACHED}"
        yield line((words, "dim"), indent=indent)


def turn_line(turn: TurnResult, *, indent: int, key: bool = False) -> Line:
    """A turn's place, what became of it and, where it is stale, both keys and how much of the request is equal.

    With ``key`` the key of any other turn is shown too.
    """
    words: list[str | tuple[str, Style]] = [
        f"{place_words(turn)}: ",
        (turn.outcome.replace("_", " "), _STYLES.get(turn.outcome, "dim")),
    ]
    if turn.outcome == "stale" and turn.recorded and turn.current:
        words.append(f"  {turn.recorded[:_KEY_SHOWN]} -> {turn.current[:_KEY_SHOWN]}")
        if turn.fields:
            words.append((f"  {equal_fields(turn.equal, turn.fields)}", "dim"))
    elif turn.note:
        words.append(f"  {visible(without_place(turn.note))}")
    elif key and (turn.current or turn.recorded):
        words.append((f"  {(turn.current or turn.recorded or '')[:_KEY_SHOWN]}", "dim"))
    return line(*words, indent=indent)


def change_lines(changes: Sequence[FieldChange], *, indent: int) -> Iterator[Line]:
    """The field changes, one a line: path, what happened, short digests before and after."""
    paths = [visible(change.path) for change in changes]
    width = min(max(map(len, paths), default=0), 48)
    for path, change in zip(paths, changes, strict=True):
        yield line(
            (padded(path, width), "strong"),
            f"  {change.change:9}",
            (f"  {digests(change.old, change.new)}", "dim"),
            indent=indent,
        )


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


def place_words(turn: TurnResult) -> str:
    """``turn 2``, ``turn 2, attempt 1``."""
    return f"turn {turn.index}" + (f", attempt {turn.attempt}" if turn.attempt else "")


def digests(old: str | None, new: str | None) -> str:
    """The beginnings of the digests before and after, as far as there are any."""
    before, after = (old or "")[:_KEY_SHOWN], (new or "")[:_KEY_SHOWN]
    return f"{before} -> {after}" if before and after else before or after
