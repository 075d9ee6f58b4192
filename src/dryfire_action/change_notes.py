"""What is special about a change: two values that look the same to people, told apart in a few words.

A field changed because its canonical text did. Where the difference is hard to see, or is of a kind that has its own
remedy, a note says so. Values are compared by type as well: ``1``, ``1.0`` and ``true`` are three values.
"""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from dryfire_action.canonical_json import dotted
from dryfire_action.visible import normal_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dryfire_action.field_changes import Change
    from dryfire_action.messages import JsonValue

LINE_ENDS = "line ends only"
UNICODE_FORM = "equal after Unicode normalisation"
WHITE_SPACE = "white space only"
SAME_NUMBER = "numerically equal, written differently"
OTHER_ORDER = "same members, other order"
DATE = "only a date differs"
ID_IN_TEXT = "an id shows in message text"

# Above this many comparisons two lists are compared by position: aligning them would take quadratic time.
ALIGNMENT_LIMIT = 40_000

_MONTHS = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = "(?:(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? +)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
_CLOCK = rf"(?:[T ,]{{1,2}}(?:at )?\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?(?: ?[ap]m)?{_ZONE})?"
_DATE = re.compile(
    rf"\b{_WEEKDAY}(?:"
    r"\d{4}-\d{2}-\d{2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTHS}\.?,? \d{{4}}|{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"){_CLOCK}(?!\w)",
    re.IGNORECASE,
)
# A UUID, a long hexadecimal number, or a short word and an underscore before something that no person writes.
_ID = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{16,64}"
    r"|(?:call|toolu|tool|msg|run|req|resp|chatcmpl|fc|trace|span|thread|sess(?:ion)?)[_-]+[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*"
    r")(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s+")


def note_for(old: JsonValue, new: JsonValue) -> str:
    """What is special about the change from ``old`` to ``new``; "" where it is an ordinary one, or none.

    A note is given only if it explains the whole difference, wherever in the two values that is.
    """
    if _typed(old) == _typed(new):
        return ""
    for note, even in _EVENED.items():
        if _typed(even(old)) == _typed(even(new)):
            return note
    return ""


def inner_changes(old: JsonValue, new: JsonValue) -> tuple[tuple[str, Change], ...]:
    """Where inside a value the change from ``old`` to ``new`` is: paths with what happened there, in order.

    Paths go by keys and indexes (``properties["a.b"].type``, ``required[1]``), "" is the value as a whole; they count
    by ``new``, or by ``old`` where something was removed. A list whose members only moved is ``reordered``.
    """
    return tuple((path.removeprefix("."), change) for path, change in _inner("", old, new))


def _inner(path: str, old: JsonValue, new: JsonValue) -> Iterator[tuple[str, Change]]:
    if _typed(old) == _typed(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            inner = path + dotted(key)
            if key not in new:
                yield inner, "removed"
            elif key not in old:
                yield inner, "added"
            else:
                yield from _inner(inner, old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list_changes(path, old, new)
    else:
        yield path, "changed"


def _list_changes(path: str, old: list[JsonValue], new: list[JsonValue]) -> Iterator[tuple[str, Change]]:
    before, after = [_typed(item) for item in old], [_typed(item) for item in new]
    if sorted(before) == sorted(after):
        yield path, "reordered"
        return
    for i1, i2, j1, j2 in _blocks(before, after):
        common = min(i2 - i1, j2 - j1)
        for offset in range(common):
            yield from _inner(f"{path}[{j1 + offset}]", old[i1 + offset], new[j1 + offset])
        yield from ((f"{path}[{index}]", "removed") for index in range(i1 + common, i2))
        yield from ((f"{path}[{index}]", "added") for index in range(j1 + common, j2))


def _blocks(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """The spans in which two lists differ: from, to in the first; from, to in the second."""
    if len(before) * len(after) > ALIGNMENT_LIMIT:
        return [(0, len(before), 0, len(after))]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [(i1, i2, j1, j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


def _typed(value: JsonValue) -> str:
    """Text that is equal for equal values of equal types only; for any value, as it may come from anywhere."""
    try:
        return json.dumps(value, sort_keys=True, default=repr)
    except (TypeError, ValueError):  # keys of several types, a value that holds itself
        return repr(value)


def _each_text(even: Callable[[str], str]) -> Callable[[JsonValue], JsonValue]:
    """What evens out a difference in every text of a value, keys included."""

    def walk(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return even(value)
        if isinstance(value, dict):
            return {even(key): walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        return value

    return walk


def _numbers(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return value


def _sorted(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((_sorted(item) for item in value), key=_typed)
    return value


# How to make two values equal that differ in one way only, the narrowest way first.
_EVENED: dict[str, Callable[[JsonValue], JsonValue]] = {
    LINE_ENDS: _each_text(lambda text: text.replace("\r\n", "\n").replace("\r", "\n")),
    UNICODE_FORM: _each_text(lambda text: normal_form("NFC", text)),
    WHITE_SPACE: _each_text(lambda text: _SPACE.sub(" ", text).strip()),
    SAME_NUMBER: _numbers,
    OTHER_ORDER: _sorted,
    DATE: _each_text(lambda text: _DATE.sub("\0", text)),
    ID_IN_TEXT: _each_text(lambda text: _ID.sub("\0", text)),
}
